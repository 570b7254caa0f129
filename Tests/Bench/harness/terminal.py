"""A program on a pseudo-terminal, and what /proc tells about a process."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from types import TracebackType

ROWS, COLUMNS = 40, 120


class Terminal:
    """Runs a command on a terminal of its own, 120 x 40. A context manager."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._master)

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def read(self, patience: float) -> bytes:
        """What was written since, at once or within `patience` seconds; empty if nothing."""
        if not select.select([self._master], [], [], patience)[0]:
            return b""
        try:
            return os.read(self._master, 1 << 16)
        except OSError:  # how Linux says that nobody has the other end open
            return b""

    def read_for(self, duration: float) -> int:
        """Counts the bytes of so many seconds."""
        deadline = time.monotonic() + duration
        count = 0
        while (rest := deadline - time.monotonic()) > 0:
            count += len(self.read(rest))
        return count

    def read_until(self, text: bytes, limit: float = 30) -> float:
        """When `text` had come and the burst of output that it was part of was over."""
        seen, last = b"", self.started
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            more = self.read(0.03)
            if more:
                seen, last = seen + more, time.monotonic()
            elif seen and text in seen:
                return last
        raise RuntimeError(f"{text!r} does not appear on the screen")

    def respond(self, keys: bytes) -> float:
        """Seconds from a key to the last byte of what it brings onto the screen."""
        pressed = time.monotonic()
        self.press(keys)
        return self.read_until(b"", limit=5) - pressed

    def quit(self) -> None:
        """Presses q and reads until the program has ended."""
        self.press(b"q")
        deadline = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.05)


@dataclass(frozen=True)
class Usage:
    """What a process has used so far: seconds of CPU (by thread), wakeups."""

    threads: dict[str, float]
    switches: int

    @property
    def cpu(self) -> float:
        return sum(self.threads.values())

    def since(self, before: Usage) -> Usage:
        threads = {
            name: used - before.threads.get(name, 0)
            for name, used in self.threads.items()
        }
        return Usage(threads, self.switches - before.switches)


def usage(pid: int) -> Usage:
    """Reads proc(5): schedstat and status of every thread."""
    threads: dict[str, float] = {}
    switches = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        folder = f"/proc/{pid}/task/{thread}"
        name = _read(folder + "/comm").strip()
        used = int(_read(folder + "/schedstat").split()[0]) / 1e9
        threads[name] = threads.get(name, 0) + used
        switches += sum(
            int(line.split()[1])
            for line in _read(folder + "/status").splitlines()
            if "ctxt_switches:" in line
        )
    return Usage(threads, switches)


def memory(pid: int, field: str = "VmRSS") -> int:
    """Bytes of resident memory now, or of another field of proc(5): status."""
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) << 10
    raise RuntimeError(f"process {pid} has no {field}")


def child_of(pid: int) -> int:
    """The only process that it has started."""
    return int(_read(f"/proc/{pid}/task/{pid}/children").split()[0])


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()
