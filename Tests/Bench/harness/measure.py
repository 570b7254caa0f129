"""Runs one program and tells what it cost, on a machine made as equal as can be."""

from __future__ import annotations

import filecmp
import json
import mmap
import shutil
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable

from origin import Origin
from workshop import MIB, Workshop

# A run is disturbed when others have used more than this share of its time.
FOREIGN_SHARE = 0.10


@dataclass(frozen=True)
class Contestant:
    """A program that does the work of a case. `role` is dltui, peer or floor."""

    name: str
    role: str
    command: list[str]

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.command[0]) is not None


@dataclass
class Run:
    """What one run cost: seconds and bytes."""

    name: str
    round: int
    status: int
    wall: float
    user: float
    system: float
    peak_memory: int
    server_cpu: float
    machine_cpu: float
    # Why the run does not count; empty when all bytes are as they should be.
    problem: str = ""

    @property
    def cpu(self) -> float:
        return self.user + self.system

    @property
    def foreign(self) -> float:
        """CPU of neither the program nor the server."""
        return max(0.0, self.machine_cpu - self.cpu - self.server_cpu)

    @property
    def is_disturbed(self) -> bool:
        return self.foreign > max(0.05, FOREIGN_SHARE * self.wall)

    def figures(self) -> dict[str, object]:
        return asdict(self) | {"cpu": self.cpu, "foreign": self.foreign}


class Meter:
    """Measures contestants that put the expected files into the workshop's out folder."""

    def __init__(
        self, workshop: Workshop, origin: Origin, prefix: tuple[str, ...] = ()
    ) -> None:
        """`prefix` goes before a command: it leads into a network namespace."""
        self.workshop = workshop
        self.origin = origin
        self.prefix = prefix
        self.patience = workshop.scale(20, quick=2)
        self.tries = workshop.scale(2, quick=1)

    def measure(
        self, contestant: Contestant, round_number: int, sources: list[Path]
    ) -> Run:
        """The least disturbed of a few tries. Contents are compared in the first round."""
        best: Run | None = None
        for attempt in range(self.tries):
            self.prepare(sources)
            run = self._run(contestant, round_number)
            thorough = round_number == 0 and attempt == 0
            run.problem = run.problem or check_files(
                self.workshop.out, sources, thorough
            )
            if run.problem:
                return run
            if best is None or run.foreign / run.wall < best.foreign / best.wall:
                best = run
            if not best.is_disturbed:
                break
        assert best is not None
        return best

    def prepare(self, sources: list[Path]) -> None:
        """Makes the machine ready for a run that fetches these files."""
        size = sum(source.stat().st_size for source in sources)
        wait_for_quiet(self.patience)
        if size >= 60 * MIB:
            warm_memory(size + 768 * MIB)
        # Last: the pages that this gives back are those that the next run takes first.
        self.workshop.clear_out()

    def _run(self, contestant: Contestant, round_number: int) -> Run:
        result = self.workshop.folder / "result.json"
        with open(self.workshop.folder / "output.txt", "w") as output:
            subprocess.run(
                [*self.prefix, *run_command(self.workshop, result, self.origin.pids)]
                + contestant.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.workshop.environment,
                check=True,
            )
        run = read_result(result, contestant.name, round_number)
        if run.status != 0:
            run.problem = f"exit status {run.status}"
        return run


def run_command(workshop: Workshop, result: Path, servers: list[int]) -> list[str]:
    """What goes before a command to have it measured: see run.c."""
    pids = ",".join(str(pid) for pid in servers)
    return [str(workshop.bin / "run"), "-t", "300", "-s", pids, str(result)]


def read_result(result: Path, name: str, round_number: int) -> Run:
    return Run(name=name, round=round_number, **json.loads(result.read_text()))


def check_files(folder: Path, sources: list[Path], thorough: bool) -> str:
    """Why the folder does not hold exactly these files; empty when it does."""
    present = {path.name: path for path in folder.iterdir()}
    for source in sources:
        copy = present.pop(source.name, None)
        if copy is None:
            return f"{source.name} is missing"
        if copy.stat().st_size != source.stat().st_size:
            return f"{source.name} has a wrong size"
        if thorough and not filecmp.cmp(source, copy, shallow=False):
            return f"{source.name} has wrong bytes"
    return f"{sorted(present)[0]} is left behind" if present else ""


def machine_cpu() -> float:
    """What all processors have done since the start, in seconds (proc(5): stat)."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / 100


def wait_for_quiet(patience: float) -> None:
    """Waits until nothing else works on this machine, but no longer than so many seconds."""
    deadline = time.monotonic() + patience
    quiet = 0
    while quiet < 2 and time.monotonic() < deadline:
        before = machine_cpu()
        time.sleep(0.2)
        quiet = quiet + 1 if machine_cpu() - before <= 0.03 else 0


def warm_memory(size: int) -> None:
    """Touches all pages of so many bytes, and frees them.

    On a virtual machine the first use of a page costs a fault in the host; whoever
    runs first would pay for it (seconds for 2 GiB).
    """
    with mmap.mmap(-1, size) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        with memoryview(memory) as view:
            view[:: mmap.PAGESIZE] = bytes(len(view[:: mmap.PAGESIZE]))


def wait_until(
    what: str, holds: Callable[[], bool], limit: float, step: float
) -> float:
    """Waits until something holds, and returns how many seconds that took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > limit:
            raise RuntimeError(f"{what}: not within {limit:.0f} s")
        time.sleep(step)
    return time.monotonic() - began
