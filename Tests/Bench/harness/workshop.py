"""The place where the benchmark works: temporary folders, small C programs, environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parent
MIB = 1 << 20
GIB = 1 << 30

# Program, source, further options: what is compiled for a run of the benchmark.
C_PROGRAMS = [
    ("run", "run.c", ["-static"]),
    ("floor-http", "floor-http.c", []),
    ("floor-https", "floor-https.c", ["-lssl", "-lcrypto"]),
    ("delay", "delay.c", []),
]


class Workshop:
    """Folders of our own that are gone when it is closed.

    What is served lies in memory where there is room, so that the server's disk is
    not what is measured; what is downloaded goes to a disk (TMPDIR or /var/tmp).
    """

    def __init__(self, programs: Path, quick: bool) -> None:
        self.programs = programs.resolve()
        self.quick = quick
        self.folder = Path(tempfile.mkdtemp(prefix="dltui-bench-", dir=_disk_folder()))
        self.data = Path(tempfile.mkdtemp(prefix="dltui-bench-", dir=_data_folder()))
        self.used = self._made("used")
        # ext4 then puts each new folder where nothing was deleted a moment ago.
        if shutil.which("chattr"):
            command = ["chattr", "+T", str(self.folder)]
            subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
        self.out = self._made("out")
        self.home = self._made("home")
        self.bin = self._made("bin")
        self.environment = self._environment()
        for name, source, options in C_PROGRAMS:
            compiler = ["cc", "-O2", "-o", str(self.bin / name), str(SOURCES / source)]
            subprocess.run(compiler + options, check=True)

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.data, ignore_errors=True)

    @property
    def dltui(self) -> str:
        return str(self.programs / "dltui")

    def clear_out(self) -> None:
        """Puts an empty folder in the place of the one that the last run has filled.

        The files lose their bytes and stay until the end: ext4 passes over the number
        of a file that was deleted a moment ago, so that whoever comes after the
        removal of a thousand files would pay for it at each new one. Nor should the
        first who syncs pay for what others have left to be written.
        """
        for folder, _, names in os.walk(self.out):
            for name in names:
                os.truncate(os.path.join(folder, name), 0)
        self.out.rename(self.used / str(len(list(self.used.iterdir()))))
        self.out.mkdir()
        os.sync()

    def fresh(self, name: str) -> Path:
        """An empty folder called so."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return self._made(name)

    def scale(self, size: int, quick: int) -> int:
        """One of two sizes, counts or times: the full one, or that of a quick run."""
        return quick if self.quick else size

    def _made(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir()
        return folder

    def _environment(self) -> dict[str, str]:
        """Nobody's configuration, proxies or sessions, and a terminal that is known."""
        names = ("CONFIG", "STATE", "DATA", "CACHE")
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        } | {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in names}


def _disk_folder() -> str:
    return os.environ.get("TMPDIR", "/var/tmp")


def _data_folder() -> str:
    """/dev/shm if there is memory for all that is served, else where the rest is."""
    shared = Path("/dev/shm")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if not os.access(shared, os.W_OK) or memory < 12 * GIB:
        return _disk_folder()
    return str(shared) if shutil.disk_usage(shared).free > 5 * GIB else _disk_folder()
