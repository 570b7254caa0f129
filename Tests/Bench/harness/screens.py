"""Cases about the screen: what it costs while there is work, with many rows, and idle."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

from contestants import Work, dltui
from measure import Meter, Run, check_files, read_result, run_command
from origin import Origin, Served
from report import Case, Goal, Result, number, spread
from terminal import Terminal, child_of, memory, usage
from workshop import MIB, Workshop

SIXTEEN = [Served(f"sixteen-{i}.bin", 128 * MIB, 7) for i in range(16)]
LESS = [Served(f"less-sixteen-{i}.bin", 64 * MIB, 11) for i in range(16)]


class ScreenCost:
    """The same work with and without a screen: 16 transfers at full speed."""

    title = "The screen while 16 transfers run at full speed (2 GiB over HTTP, QUICK: 1 GiB)"
    options = ("-j", "16", "-x", "1", "--max-host-connections", "16")

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        meter = Meter(workshop, origin)
        files = LESS if workshop.quick else SIXTEEN
        sources = [origin.serve(file) for file in files]
        work = Work(workshop, origin, [file.name for file in files], "http")
        plain = dltui(work, *self.options)
        runs: dict[str, list[Run]] = {"get": [], "screen": []}
        painting: list[float] = []
        for round_number in range(workshop.scale(9, quick=2)):
            for name in random.Random(round_number).sample(list(runs), 2):
                if name == "get":
                    run = meter.measure(plain, round_number, sources)
                else:
                    run, first_thread = self._with_screen(
                        meter, work, round_number, sources
                    )
                    painting.append(first_thread)
                if run.problem:
                    raise RuntimeError(f"{name}: {run.problem}")
                runs[name].append(run)
        workshop.clear_out()
        return self._result(runs, painting)

    def _with_screen(
        self, meter: Meter, work: Work, round_number: int, sources: list[Path]
    ) -> tuple[Run, float]:
        """The run, and the CPU of the thread that paints."""
        workshop = work.workshop
        meter.prepare(sources)
        result = workshop.folder / "result.json"
        command = run_command(workshop, result, work.origin.pids)
        command += [workshop.dltui, "--no-session", "-d", work.out, *self.options]
        with Terminal(command + work.addresses("-i"), workshop.environment) as terminal:
            while check_files(workshop.out, sources, thorough=False):
                terminal.read_for(0.05)
                if terminal.process.poll() is not None:
                    raise RuntimeError("the program with a screen ended early")
            program = child_of(terminal.process.pid)
            painting = usage(program).threads["dltui"]
            terminal.quit()
        run = read_result(result, "screen", round_number)
        run.problem = check_files(workshop.out, sources, thorough=round_number == 0)
        return run, painting

    def _result(self, runs: dict[str, list[Run]], painting: list[float]) -> Result:
        table = [["", "CPU s", "wall s", "peak MB"]]
        for name, those in runs.items():
            peak = statistics.median(run.peak_memory for run in those) / 1e6
            walls = spread([run.wall for run in those])
            table.append(
                [name, spread([run.cpu for run in those]), walls, number(peak)]
            )
        table.append(["of it painting", spread(painting), "", ""])
        pairs = list(zip(runs["screen"], runs["get"]))
        added = statistics.median(100 * (one.cpu / two.cpu - 1) for one, two in pairs)
        share = statistics.median(
            100 * seconds / two.cpu for seconds, (_, two) in zip(painting, pairs)
        )
        goals = [
            Goal("added to the CPU", added, 3, "%"),
            Goal("CPU of painting against that of get", share, 3, "%"),
        ]
        figures = [run.figures() for those in runs.values() for run in those]
        return Result(table, goals, figures=figures)


class ManyRows:
    """A screen that opens on a long list."""

    title = "10,000 rows on the screen"
    count = 10_000

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        rounds = [self._once(workshop) for _ in range(workshop.scale(5, quick=2))]
        table = [["", "least / median / most"]]
        for name in rounds[0]:
            table.append([name, spread([figures[name] for figures in rounds])])
        limits = zip(rounds[0], (150, 16, 16, 30 + 0.002 * self.count))
        goals = [
            Goal(name, statistics.median(one[name] for one in rounds), limit, "")
            for name, limit in limits
        ]
        return Result(table, goals, figures=[dict(figures) for figures in rounds])

    def _once(self, workshop: Workshop) -> dict[str, float]:
        state = workshop.fresh("state")
        write_session(state, workshop.out, self.count)
        command = [workshop.dltui, "--state-dir", str(state)]
        with Terminal(command, workshop.environment) as terminal:
            first = terminal.read_until(b"file-00001") - terminal.started
            terminal.read_for(1.5)
            figures = {
                "first frame, ms": 1000 * first,
                "key `j` (one row down), ms": self._key(terminal, [b"j"]),
                "keys `G`, `g` (the end, the top), ms": self._key(
                    terminal, [b"G", b"g"]
                ),
                "memory, MB": memory(terminal.process.pid) / 1e6,
            }
            terminal.quit()
        return figures

    def _key(self, terminal: Terminal, keys: list[bytes]) -> float:
        """Milliseconds, the median of many."""
        return statistics.median(1000 * terminal.respond(key) for key in keys * 10)


class ActiveRows:
    """What painting costs: the program's first thread does nothing else."""

    title = "A screen with 10 active rows of 40 (2 MiB/s each)"

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        origin.serve(Served("queued.bin", 128 * MIB, 8))
        workshop.clear_out()
        work = Work(workshop, origin, [f"queue/{n}.iso" for n in range(40)], "http")
        command = [workshop.dltui, "--no-session", "-d", work.out, "-j10", "-x1"]
        command += ["--confirm-quit", "never"]
        period = workshop.scale(20, quick=5)
        with Terminal(command + work.addresses("-i"), workshop.environment) as terminal:
            terminal.read_for(3)
            pid = terminal.process.pid
            before = usage(pid)
            written = terminal.read_for(period)
            used = usage(pid).since(before)
            terminal.quit()
        workshop.clear_out()
        share = 100 * used.threads["dltui"] / period
        figures = {
            "CPU of the screen, % of a core": share,
            "CPU of everything, % of a core": 100 * used.cpu / period,
            "bytes written in a second": written / period,
        }
        table = [["", ""]] + [[name, number(value)] for name, value in figures.items()]
        goals = [Goal("CPU of the screen", share, 1, "% of a core")]
        return Result(table, goals, figures=[dict(figures)])


class Idle:
    """A screen on which nothing moves."""

    title = "A screen with nothing to do, 10 s"
    count = 100

    def run(self, workshop: Workshop, origin: Origin) -> Result:
        state = workshop.fresh("state")
        write_session(state, workshop.out, self.count)
        command = [workshop.dltui, "--state-dir", str(state)]
        with Terminal(command, workshop.environment) as terminal:
            terminal.read_until(b"file-00001")
            terminal.read_for(2)
            before = usage(terminal.process.pid)
            written = terminal.read_for(10)
            used = usage(terminal.process.pid).since(before)
            terminal.quit()
        figures = {
            "CPU, ms": 1000 * used.cpu,
            "context switches": used.switches,
            "bytes written": written,
        }
        table = [["", ""]] + [[name, number(value)] for name, value in figures.items()]
        goals = [
            Goal("CPU", 1000 * used.cpu, 10, "ms"),
            Goal("context switches", used.switches, 10, ""),
            Goal("bytes written", written, 0, ""),
        ]
        return Result(table, goals, figures=[dict(figures)])


def write_session(state: Path, folder: Path, count: int) -> None:
    """A session file with so many paused downloads."""
    downloads = [
        {
            "completed": 0,
            "name": f"file-{number:05}.iso",
            "request": {
                "folder": str(folder),
                "headers": [],
                "url": f"http://127.0.0.1:9/releases/file-{number:05}.iso",
            },
            "state": {"paused": {}},
        }
        for number in range(1, count + 1)
    ]
    session = {"format": "dltui session", "version": 1, "downloads": downloads}
    (state / "session.json").write_text(json.dumps(session))


SCREEN_CASES: dict[str, Case] = {
    "screen": ScreenCost(),
    "active": ActiveRows(),
    "rows": ManyRows(),
    "idle": Idle(),
}
