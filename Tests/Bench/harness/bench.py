#!/usr/bin/env python3
"""Compares the speed of dltui with that of other programs. `make bench` calls it.

Every case is printed as a Markdown table with its goals; all figures go to a file.
Nothing leaves this machine: the server is nginx on loopback or in a network namespace.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import FrameType

from engines import ENGINE_CASES
from origin import Origin
from report import Case
from screens import SCREEN_CASES
from transfers import TRANSFER_CASES
from workshop import Workshop

VERSIONED = ["dltui", "curl", "wget", "wget2", "aria2c", "axel"]


CASES: dict[str, Case] = {**TRANSFER_CASES, **SCREEN_CASES, **ENGINE_CASES}


def main() -> int:
    options = parse_options()
    chosen = [name for name in CASES if re.search(options.only, name)]
    if not chosen:
        print(f"no case is called so; there are: {' '.join(CASES)}", file=sys.stderr)
        return 2
    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, end_by_signal)
    with closing(Workshop(options.programs, options.quick)) as workshop:
        report = {"machine": machine(workshop), "quick": options.quick, "cases": {}}
        with closing(Origin(workshop)) as origin:
            for name in chosen:
                report["cases"][name] = run_case(name, workshop, origin)
                options.out.write_text(json.dumps(report, indent=1) + "\n")
    print(f"all figures: {options.out}")
    return 1 if any("error" in case for case in report["cases"].values()) else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="folder of dltui")
    parser.add_argument("--only", default="", help="regular expression of cases")
    parser.add_argument("--quick", action="store_true", help="less, in under five minutes")
    parser.add_argument("--out", type=Path, help="file for all figures (JSON)")
    options = parser.parse_args()
    options.out = (options.out or default_output()).resolve()
    return options


def default_output() -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return Path(os.environ.get("TMPDIR", "/tmp")) / f"dltui-bench-{stamp}.json"


def end_by_signal(number: int, _: FrameType | None) -> None:
    """Leaves as if it were an error, so that everything is cleaned up."""
    sys.exit(128 + number)


def run_case(name: str, workshop: Workshop, origin: Origin) -> dict[str, object]:
    """Runs and prints a case. One that cannot be run does not keep the others from it."""
    case = CASES[name]
    print(f"{name} …", file=sys.stderr, flush=True)
    began = time.monotonic()
    try:
        result = case.run(workshop, origin)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        print(f"## {case.title}\n\nnot measured: {error}\n", flush=True)
        return {"title": case.title, "error": str(error)}
    print(result.markdown(case.title), flush=True)
    return {
        "title": case.title,
        "seconds": round(time.monotonic() - began, 1),
        "goals": [goal.figures() for goal in result.goals],
        "remarks": result.remarks,
        "figures": result.figures,
    }


def machine(workshop: Workshop) -> dict[str, object]:
    return {
        "date": time.strftime("%Y-%m-%d"),
        "kernel": platform.release(),
        "processors": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "versions": {name: version(name, workshop) for name in VERSIONED},
    }


def version(name: str, workshop: Workshop) -> str:
    program = workshop.dltui if name == "dltui" else name
    if shutil.which(program) is None:
        return "not installed"
    answer = subprocess.run([program, "--version"], capture_output=True, text=True)
    return answer.stdout.partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
