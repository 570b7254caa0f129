"""Cases in which dltui and its peers download the same files."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Callable

from contestants import Work, aria2, axel, curl, dltui, floor, wget, wget2
from link import Link
from measure import Contestant, Meter, Run
from origin import Origin, Served
from report import Case, Goal, Measure, Result, Rounds, cpu, peak_memory, wall
from workshop import GIB, MIB, Workshop

# A goal before there are figures; None when its reference did not do the work.
GoalMaker = Callable[[Rounds], Goal | None]


@dataclass(frozen=True)
class TransferCase:
    """The same work for every contestant, in rounds of changing order."""

    title: str
    files: list[Served]
    contestants: Callable[[Work], list[Contestant]]
    goals: list[GoalMaker]
    scheme: str = "http"
    # What goes before a name in its address: the speed that the server gives.
    speed: str = ""
    rounds: int = 5
    quick_rounds: int = 2
    # What is fetched instead when there is little time.
    quick_files: list[Served] | None = None
    # Milliseconds both ways together, per cent of lost packets; None is loopback.
    line: tuple[int, float] | None = None

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        if self.line is None:
            return self._run(workshop, origin, ())
        with Link(workshop, *self.line) as link:
            return self._run(workshop, link.origin, link.client_prefix)

    def _run(
        self, workshop: Workshop, origin: Origin, prefix: tuple[str, ...]
    ) -> Result:
        files = self.quick_files if workshop.quick and self.quick_files else self.files
        sources = [origin.serve(file) for file in files]
        paths = [self.speed + file.name for file in files]
        work = Work(workshop, origin, paths, self.scheme)
        contestants = [one for one in self.contestants(work) if one.is_installed]
        meter = Meter(workshop, origin, prefix)
        runs: list[Run] = []
        for number in range(workshop.scale(self.rounds, quick=self.quick_rounds)):
            order = random.Random(number).sample(contestants, len(contestants))
            runs += [meter.measure(one, number, sources) for one in order]
        workshop.clear_out()
        rounds = Rounds(contestants, runs)
        goals = [goal for maker in self.goals if (goal := maker(rounds)) is not None]
        failures = [
            f"**{name} failed**: {why}" for name, why in rounds.failures("dltui")
        ]
        figures = [run.figures() for run in runs]
        return Result(rounds.table(), goals, failures, figures)


# How far dltui may be from whom.


def against_peer(
    text: str, measure: Measure, limit: float, only: tuple[str, ...] = ("",)
) -> GoalMaker:
    """Against the best of the peers whose names begin so."""

    def make(rounds: Rounds) -> Goal | None:
        peer = rounds.best("peer", measure, only)
        return _ratio_goal(f"{text} against {peer}", rounds, peer, measure, limit)

    return make


def against_floor(limit: float) -> GoalMaker:
    def make(rounds: Rounds) -> Goal | None:
        floor = rounds.best("floor", wall)
        return _ratio_goal(f"wall against the {floor}", rounds, floor, wall, limit)

    return make


def at_most(
    text: str, measure: Measure, limit: float, unit: str, name: str | None = None
) -> GoalMaker:
    """The median of the contestant called so; without a name, of dltui."""

    def make(rounds: Rounds) -> Goal | None:
        subject = name or rounds.best("dltui", wall)
        if subject not in rounds.named("dltui"):
            return None
        return Goal(f"{text}, {subject}", rounds.median(subject, measure), limit, unit)

    return make


def _ratio_goal(
    text: str, rounds: Rounds, other: str | None, measure: Measure, limit: float
) -> Goal | None:
    subject = rounds.best("dltui", wall)
    if subject is None or other is None:
        return None
    return Goal(text, rounds.ratio(subject, other, measure), limit)


# Files and contestants.

BIG = [Served("big.bin", 2 * GIB, 1)]
LESS_BIG = [Served("less-big.bin", 384 * MIB, 1)]
MIDDLE = [Served("middle.bin", 256 * MIB, 2)]
TEN = [Served(f"ten-{i}.bin", 64 * MIB, 10 + i) for i in range(10)]
LESS_THAN_TEN = [Served(f"less-ten-{i}.bin", 32 * MIB, 20 + i) for i in range(10)]
SMALL = [Served(f"small-{i}.bin", 100 << 10, 1000 + i) for i in range(1000)]
THROTTLED = [Served(f"throttled-{i}.bin", 2 * MIB, 3) for i in range(200)]
LESS_THROTTLED = [Served(f"less-throttled-{i}.bin", MIB, 9) for i in range(200)]


def for_one_file(work: Work) -> list[Contestant]:
    peers = [curl(work), wget(work), wget2(work), aria2(work, 16), axel(work, 16)]
    return [dltui(work), *peers, floor(work)]


def for_many(jobs: int) -> Callable[[Work], list[Contestant]]:
    def make(work: Work) -> list[Contestant]:
        peers = [curl(work, jobs), wget2(work, jobs), aria2(work, jobs=jobs)]
        return [dltui(work, "-j", str(jobs)), wget(work), *peers]

    return make


def for_sixteen_connections(work: Work) -> list[Contestant]:
    return [dltui(work, "-x", "16"), aria2(work, 16), axel(work, 16)]


def for_a_long_line(work: Work) -> list[Contestant]:
    return [dltui(work), curl(work), wget(work), aria2(work, 16), axel(work, 16)]


def for_a_longer_file(work: Work) -> list[Contestant]:
    return [dltui(work), curl(work)]


def for_throttled(work: Work) -> list[Contestant]:
    ours = dltui(work, "-j", "200", "-x", "1", "--max-host-connections", "200")
    return [ours, curl(work, 200), aria2(work, jobs=200)]


def for_memory(work: Work) -> list[Contestant]:
    ours = [dltui(work, "-x", "1"), dltui(work, "-x", "16")]
    return [*ours, curl(work), aria2(work, 16)]


TRANSFER_CASES: dict[str, Case] = {
    "http": TransferCase(
        "2 GiB over HTTP (QUICK: 384 MiB)",
        BIG,
        for_one_file,
        [
            against_peer("wall", wall, 0.50),
            against_peer("CPU", cpu, 0.50),
            against_floor(1.15),
        ],
        quick_files=LESS_BIG,
    ),
    "https": TransferCase(
        "2 GiB over HTTPS (QUICK: 384 MiB)",
        BIG,
        for_one_file,
        [against_peer("wall", wall, 0.88), against_floor(1.20)],
        scheme="https",
        quick_files=LESS_BIG,
    ),
    "ten": TransferCase(
        "10 × 64 MiB over HTTP at once (QUICK: 32 MiB)",
        TEN,
        for_many(10),
        [against_peer("wall", wall, 0.75)],
        quick_files=LESS_THAN_TEN,
    ),
    "small": TransferCase(
        "1,000 × 100 KiB over HTTP",
        SMALL,
        for_many(16),
        [
            against_peer("wall", wall, 1.0),
            against_peer("wall", wall, 0.3, only=("aria2",)),
        ],
    ),
    "limited": TransferCase(
        "256 MiB from a server that gives each connection 20 MiB/s",
        MIDDLE,
        for_sixteen_connections,
        [against_peer("wall", wall, 1.0, only=("axel",))],
        speed="20m/",
    ),
    "lossy": TransferCase(
        "16 MiB over a round trip of 50 ms with 1 % loss",
        [Served("lossy.bin", 16 * MIB, 4)],
        for_sixteen_connections,
        [against_peer("wall", wall, 1.0, only=("axel",))],
        quick_rounds=1,
        line=(50, 1.0),
    ),
    "long": TransferCase(
        "64 MiB over a clean round trip of 50 ms",
        [Served("long.bin", 64 * MIB, 5)],
        for_a_long_line,
        [against_peer("wall", wall, 1.02, only=("curl", "wget"))],
        quick_rounds=1,
        line=(50, 0.0),
    ),
    "longer": TransferCase(
        "384 MiB over the same line (QUICK: 128 MiB)",
        [Served("longer.bin", 384 * MIB, 12)],
        for_a_longer_file,
        [against_peer("wall", wall, 1.02)],
        rounds=3,
        quick_rounds=1,
        quick_files=[Served("less-long.bin", 128 * MIB, 13)],
        line=(50, 0.0),
    ),
    "tiny": TransferCase(
        "One byte, the whole process",
        [Served("tiny.bin", 1, 6)],
        for_one_file,
        [at_most("wall", lambda run: run.wall * 1000, 20, "ms")],
        rounds=21,
        quick_rounds=3,
    ),
    "throttled": TransferCase(
        "200 transfers of 256 KiB/s at once, 2 MiB each (QUICK: 1 MiB)",
        THROTTLED,
        for_throttled,
        [
            against_peer("CPU", cpu, 1.0, only=("curl",)),
            at_most("peak memory", peak_memory, 64, "MB"),
        ],
        speed="256k/",
        rounds=3,
        quick_rounds=1,
        quick_files=LESS_THROTTLED,
    ),
    "memory": TransferCase(
        "Memory: 256 MiB over HTTPS",
        MIDDLE,
        for_memory,
        [
            at_most("peak memory", peak_memory, 24, "MB", "dltui -x 1"),
            at_most("peak memory", peak_memory, 40, "MB", "dltui -x 16"),
        ],
        scheme="https",
        rounds=3,
        quick_rounds=1,
    ),
}
