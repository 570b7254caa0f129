"""Cases about the engine alone: a long queue, a large file, and the session's own speed."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import time
import zlib
from pathlib import Path
from types import TracebackType

from measure import wait_until
from origin import Origin, Served
from report import Case, Goal, Result, number, spread
from terminal import memory, usage
from workshop import MIB, Workshop


class Background:
    """`dltui get` at work until the end of a `with`, where it is asked to save and end."""

    def __init__(self, workshop: Workshop, *arguments: str) -> None:
        command = [workshop.dltui, "get", "-q", "-d", str(workshop.out), *arguments]
        self._process = subprocess.Popen(
            command,
            env=workshop.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.pid = self._process.pid

    def __enter__(self) -> Background:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Queue:
    """Five slow downloads at work, alone and with a long queue behind them."""

    title = "10,000 queued downloads, five at work (2 MiB/s each)"
    count = 10_000

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        origin.serve(Served("queued.bin", 128 * MIB, 8))
        alone, many = [], []
        for _ in range(workshop.scale(3, quick=1)):
            alone.append(self._watch(workshop, origin, 5))
            many.append(self._watch(workshop, origin, self.count))
        table = [["", "five alone", f"{self.count:,} in the list"]]
        for name in alone[0]:
            cells = [
                spread([figures[name] for figures in all]) for all in (alone, many)
            ]
            table.append([name, *cells])
        add, memory_, cpu = alone[0]
        each = _median(many, memory_) - _median(alone, memory_)
        ratio = statistics.median(m[cpu] / a[cpu] for m, a in zip(many, alone))
        goals = [
            Goal(add, _median(many, add), 1, "s"),
            Goal("memory each", 1e6 * each / (self.count - 5), 2048, "bytes"),
            Goal("CPU against five alone", ratio, 1.1),
        ]
        return Result(table, goals, figures=[{"alone": alone, "many": many}])

    def _watch(
        self, workshop: Workshop, origin: Origin, count: int
    ) -> dict[str, float]:
        workshop.clear_out()
        addresses = workshop.folder / "queue"
        names = (f"queue/file-{number:05}.bin" for number in range(1, count + 1))
        addresses.write_text("".join(origin.url(name) + "\n" for name in names))
        period = workshop.scale(10, quick=5)
        with Background(workshop, "-j5", "-x1", "-i", str(addresses)) as get:
            add = wait_until("the first part", lambda: has_parts(workshop), 30, 0.001)
            time.sleep(2)
            before = usage(get.pid)
            time.sleep(period)
            used = usage(get.pid).since(before)
            return {
                "until the first part is there, s": add,
                "memory, MB": memory(get.pid) / 1e6,
                "CPU, ms a second": 1000 * used.cpu / period,
            }


class LargeFile:
    """What the sidecar costs when it is as large as it gets.

    All of a file of zeros is said to be there but 32 gaps; each has its connection.
    """

    title = "The sidecar of 100 GB, fetched over 32 connections of 1 MiB/s"
    size, block, gap = 100 * 10**9, 64 * MIB, 64 * MIB
    name = "huge.bin"
    options = ("--preallocate", "none", "-x32", "--max-host-connections", "32")

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        os.truncate(_touched(origin.root / self.name), self.size)
        workshop.clear_out()
        part = workshop.out / f"{self.name}.part"
        arguments = (*self.options, origin.url("1m/" + self.name))
        with Background(workshop, *arguments):
            wait_until("the part", part.exists, limit=10, step=0.05)
            time.sleep(1)
        self._pretend(part)
        figures = self._watch(workshop, part, arguments)
        workshop.clear_out()
        table = [["", ""]] + [[name, number(value)] for name, value in figures.items()]
        size, share, *_ = figures.items()
        goals = [Goal(size[0], size[1], 200, "KB"), Goal(share[0], share[1], 1, "%")]
        return Result(table, goals, figures=[dict(figures)])

    def _watch(
        self, workshop: Workshop, part: Path, arguments: tuple[str, ...]
    ) -> dict[str, float]:
        period = workshop.scale(20, quick=8)
        sidecar = sidecar_of(part)
        with Background(workshop, *arguments) as get:
            time.sleep(2)
            before, began, saves = usage(get.pid), time.monotonic(), set()
            largest = 0
            while time.monotonic() < began + period:
                status = sidecar.stat()
                saves.add(status.st_mtime_ns)
                largest = max(largest, status.st_size)
                time.sleep(0.1)
            used = usage(get.pid).since(before)
        disk = 100 * used.threads.get("dltui-disk", 0.0)
        return {
            "sidecar, KB": largest / 1000,
            "CPU of the disk's thread (sums, sync, sidecar), % of time": disk / period,
            "CPU of the disk's thread, % of all CPU": disk / used.cpu,
            "sidecars written in a second": (len(saves) - 1) / period,
        }

    def _pretend(self, part: Path) -> None:
        """Rewrites the sidecar of the part as if nearly all of the file had come."""
        step = self.size // 32 // self.block * self.block
        gaps = [(n * step, n * step + self.gap) for n in range(32)]
        ends = [begin for begin, _ in gaps[1:]] + [self.size]
        sidecar = json.loads(sidecar_of(part).read_text())
        sidecar["done"] = [[begin, end] for (_, begin), end in zip(gaps, ends)]
        sums = {
            size: zlib.crc32(bytes(size))
            for size in (self.block, self.size % self.block)
        }
        sidecar["sums"] = [
            [first, end := min(first + self.block, self.size), sums[end - first]]
            for begin, last in sidecar["done"]
            for first in range(begin, last, self.block)
        ]
        os.truncate(part, self.size)
        status = part.stat()
        sidecar |= {"clean": True, "partSize": self.size, "suspects": []}
        sidecar["partTouched"] = status.st_ctime_ns
        sidecar_of(part).write_text(json.dumps(sidecar))


class SessionSpeed:
    """The pure session: see main.swift."""

    title = "The session alone"
    rows = [
        ("received_per_second", "`received` events a second, 40 transfers"),
        ("received_per_second_10000_queued", "the same with 10,000 more queued"),
        ("small_file_events_per_second", "events a second, 10,000 small files"),
        ("add_10000_seconds", "adding 10,000 downloads, s"),
        ("bytes_per_queued_download", "memory of each, bytes"),
        ("snapshot_10000_seconds", "a snapshot of 10,000, s"),
    ]

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        program = workshop.programs / "dltui-bench-session"
        figures = [
            json.loads(
                subprocess.run([program], capture_output=True, check=True).stdout
            )
            for _ in range(workshop.scale(5, quick=2))
        ]
        medians = {
            key: statistics.median(one[key] for one in figures) for key, _ in self.rows
        }
        table = [["", "median"]] + [
            [text, number(medians[key])] for key, text in self.rows
        ]
        goals = [
            Goal(text, medians[key], 500_000, "a second", at_least=True)
            for key, text in self.rows[:2]
        ]
        return Result(table, goals, figures=figures)


def has_parts(workshop: Workshop) -> bool:
    return any(name.endswith(".part") for name in os.listdir(workshop.out))


def sidecar_of(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _touched(path: Path) -> Path:
    path.touch()
    return path


def _median(rounds: list[dict[str, float]], name: str) -> float:
    return statistics.median(figures[name] for figures in rounds)


ENGINE_CASES: dict[str, Case] = {
    "queue": Queue(),
    "sidecar": LargeFile(),
    "session": SessionSpeed(),
}
