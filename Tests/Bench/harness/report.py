"""What a case found: ratios inside rounds, goals, and the Markdown that shows them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Callable, Protocol

from measure import Contestant, Run
from origin import Origin
from workshop import Workshop

Measure = Callable[[Run], float]


@dataclass(frozen=True)
class Goal:
    """What is wanted of one figure; `at_least` says that more is better."""

    text: str
    value: float
    limit: float
    unit: str = "×"
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        value = round(self.value, 6)
        return value >= self.limit if self.at_least else value <= self.limit

    def line(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "met" if self.is_met else "**missed**"
        value = f"{number(self.value)} {self.unit}".rstrip()
        return f"- {self.text}: {value} (goal {sign} {self.limit:g}): {verdict}"

    def figures(self) -> dict[str, object]:
        return {
            "text": self.text,
            "value": self.value,
            "limit": self.limit,
            "unit": self.unit,
            "met": self.is_met,
        }


@dataclass
class Result:
    """One case: a table with its header first, goals, remarks, and every figure."""

    table: list[list[str]]
    goals: list[Goal]
    remarks: list[str] = field(default_factory=list)
    figures: list[dict[str, object]] = field(default_factory=list)

    def markdown(self, title: str) -> str:
        header, *rows = self.table
        lines = [f"## {title}", "", _row(header), "|" + "---|" * len(header)]
        lines += [_row(row) for row in rows] + [""]
        lines += [goal.line() for goal in self.goals]
        lines += [f"- {remark}" for remark in self.remarks]
        return "\n".join(lines) + "\n"


class Case(Protocol):
    """Something to measure."""

    @property
    def title(self) -> str: ...

    def run(self, workshop: Workshop, origin: Origin) -> Result: ...


class Rounds:
    """All runs of one case. Ratios are taken inside a round; their median counts."""

    def __init__(self, contestants: list[Contestant], runs: list[Run]) -> None:
        self.roles = {one.name: one.role for one in contestants}
        self.runs: dict[str, dict[int, Run]] = {one.name: {} for one in contestants}
        for run in runs:
            self.runs[run.name][run.round] = run

    def named(self, role: str) -> list[str]:
        """Those of a role that did the work every time."""
        return [
            name for name in self.runs if self.roles[name] == role and self._good(name)
        ]

    def failures(self, role: str) -> list[tuple[str, str]]:
        """Those of a role that once did not do the work, and why."""
        return [
            (name, run.problem)
            for name, runs in self.runs.items()
            for run in runs.values()
            if self.roles[name] == role and run.problem
        ]

    def values(self, name: str, measure: Measure) -> list[float]:
        return [measure(run) for run in self.runs[name].values()]

    def median(self, name: str, measure: Measure) -> float:
        return statistics.median(self.values(name, measure))

    def best(
        self, role: str, measure: Measure, only: tuple[str, ...] = ("",)
    ) -> str | None:
        """The one with the smallest median of those whose names begin so."""
        names = [name for name in self.named(role) if name.startswith(only)]
        return min(names, key=lambda name: self.median(name, measure), default=None)

    def ratio(self, name: str, other: str, measure: Measure) -> float:
        """How much more than another one needs: the median of what it is in a round."""
        pairs = zip(self.values(name, measure), self.values(other, measure))
        return statistics.median(one / max(two, 1e-4) for one, two in pairs)

    def table(self) -> list[list[str]]:
        fastest, thriftiest = self.best("peer", wall), self.best("peer", cpu)
        floor = self.best("floor", wall)
        columns: dict[str, Callable[[str], str]] = {
            "": lambda name: f"**{name}**" if self.roles[name] == "dltui" else name,
            "wall s": lambda name: spread(self.values(name, wall)),
            "CPU s": lambda name: spread(self.values(name, cpu)),
            "peak MB": lambda name: f"{self.median(name, peak_memory):.1f}",
            "wall ÷ best peer": lambda name: self._cell(name, fastest, wall),
            "CPU ÷ best peer": lambda name: self._cell(name, thriftiest, cpu),
            "wall ÷ floor": lambda name: self._cell(name, floor, wall),
            "remarks": self._remarks,
        }
        if floor is None:
            del columns["wall ÷ floor"]
        names = sorted(self.runs, key=lambda name: self.median(name, wall))
        rows = [[cell(name) for cell in columns.values()] for name in names]
        return [list(columns), *rows]

    def _cell(self, name: str, other: str | None, measure: Measure) -> str:
        return "–" if other is None else number(self.ratio(name, other, measure))

    def _good(self, name: str) -> bool:
        runs = self.runs[name].values()
        return bool(runs) and not any(run.problem for run in runs)

    def _remarks(self, name: str) -> str:
        runs = self.runs[name].values()
        problems = [f"FAILED: {run.problem}" for run in runs if run.problem][:1]
        disturbed = sum(run.is_disturbed for run in runs)
        return ", ".join(problems + ([f"{disturbed} disturbed"] if disturbed else []))


def wall(run: Run) -> float:
    return run.wall


def cpu(run: Run) -> float:
    return run.cpu


def peak_memory(run: Run) -> float:
    """In MB."""
    return run.peak_memory / 1e6


def number(value: float) -> str:
    """With two or three digits that count."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.4f}"


def spread(values: list[float]) -> str:
    """Least, median and most."""
    least, middle, most = min(values), statistics.median(values), max(values)
    digits = 2 if middle >= 1 else 3
    return f"{least:.{digits}f} / **{middle:.{digits}f}** / {most:.{digits}f}"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
