"""What is asked about playing as crawls run, alike for one replay and for a comparison."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from thresher.core.errors import UsageError
from thresher.frontier.waiting import PATIENCE
from thresher.lab.politeness import DELAY


def polite_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what is asked about playing as crawls run."""
    for option in (
        click.option("--delay", type=float, help="Virtual seconds a host rests; 1 with --polite, else 0."),
        click.option(
            "--wait", default=PATIENCE, show_default=True, help="As web.wait_for_better; with --polite."
        ),
        click.option("--polite", is_flag=True, help="As crawls run: 16 in flight, a rest, and latencies."),
    ):
        command = option(command)
    return command


def delay_of(asked: dict[str, Any]) -> float:
    """Return how long a host rests in a replay."""
    usual = DELAY if asked["polite"] else 0.0
    return usual if asked["delay"] is None else float(asked["delay"])


def luck_of(text: str) -> int:
    """Return a seed of latencies."""
    if not text.isdecimal() or not int(text):
        raise UsageError(f"--luck {text} is no seed of latencies. Write 1, or 1,2,3 for several.")
    return int(text)


def listed(text: str) -> tuple[str, ...]:
    """Return what stands between commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def command_line() -> str:
    """Return the command as it was given, without the folders of this machine."""
    return " ".join(["thresher", *(Path(part).name if "/" in part else part for part in sys.argv[1:])])
