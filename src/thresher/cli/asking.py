"""What a user asks for on the command line becomes settings: a topic or a file, then the flags over it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from thresher.core.errors import UsageError
from thresher.settings.reading import Override, read, seconds_of, value_of
from thresher.settings.rooms import Settings

FLAGS = {
    "strategy": "strategy.name",
    "pages": "stop.pages",
    "relevant": "stop.relevant",
    "time": "stop.seconds",
    "delay": "web.delay",
    "concurrency": "web.concurrency",
    "per_host": "web.per_host",
    "domain": "scope.domains",
    "include": "scope.include",
    "exclude": "scope.exclude",
    "depth": "scope.depth",
    "allow_network": "web.allow_networks",
}
"""The setting each flag stands for."""


def crawl_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that change a setting."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


set_option = click.option(
    "--set", "pairs", metavar="NAME=VALUE", multiple=True, help="Any setting; see 'thresher settings'."
)

_OPTIONS = (
    click.option("--seed", "seed", metavar="URL", multiple=True, help="Where to start; repeat for more."),
    click.option("--seeds", metavar="FILE", help="A file with one URL a line; - reads them from stdin."),
    click.option("--strategy", metavar="NAME", help="Which links go first, or package.module:Class."),
    set_option,
    click.option("--pages", type=int, metavar="N", help="Stop after N pages; 0: no limit."),
    click.option("--relevant", type=int, metavar="N", help="Stop after N relevant pages."),
    click.option("--time", metavar="10m", help="Stop after this long: 90s, 10m, 2h, 1d."),
    click.option("--delay", type=float, metavar="SECONDS", help="Let each host rest this long."),
    click.option("--concurrency", type=int, metavar="N", help="Requests in flight over all hosts."),
    click.option("--per-host", type=int, metavar="N", help="Requests in flight to one host."),
    click.option("--domain", metavar="NAME", multiple=True, help="Stay on this domain; repeat for more."),
    click.option("--include", metavar="REGEX", multiple=True, help="Follow only URLs that match."),
    click.option("--exclude", metavar="REGEX", multiple=True, help="Leave out URLs that match."),
    click.option("--depth", type=int, metavar="N", help="Follow at most N links from a seed."),
    click.option(
        "--allow-network",
        metavar="CIDR",
        multiple=True,
        help="Visit this private network, too; repeat for more.",
    ),
)


def settings_of(topic: Sequence[str], flags: dict[str, Any]) -> Settings:
    """Return the settings of a crawl: flag over file over default."""
    words = " ".join(topic).strip()
    if any(word.startswith(("http://", "https://")) for word in topic):
        raise UsageError(f"{words!r} is no topic; say what to look for, and start with --seed URL.")
    overrides = list(_overrides(flags))
    if words.endswith(".toml"):
        return read(Path(words), overrides)
    return read(None, [("topic.name", words), *overrides])


def pairs_of(pairs: Sequence[str]) -> Iterator[Override]:
    """Yield what each NAME=VALUE sets."""
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set takes NAME=VALUE, not {pair!r}; 'thresher settings' lists the names.")
        yield name.strip(), value_of(value.strip())


def seeds_from(file: str) -> list[str]:
    """Return the URLs of a file, one a line; blank lines and those that begin with # do not count."""
    lines = sys.stdin.read() if file == "-" else _text_of(Path(file))
    return [line.strip() for line in lines.splitlines() if line.strip() and not line.startswith("#")]


def _overrides(flags: dict[str, Any]) -> Iterator[Override]:
    yield from pairs_of(flags["pairs"])
    if seeds := [*flags["seed"], *(seeds_from(flags["seeds"]) if flags["seeds"] else ())]:
        yield "seeds", tuple(seeds)
    for flag, name in FLAGS.items():
        if flags[flag] not in (None, ()):
            yield name, seconds_of(flags[flag]) if flag == "time" else flags[flag]


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = get_close_matches(file.name, sorted(path.name for path in file.parent.glob("*")), n=1)
        help_on = f"Did you mean {near[0]!r}?" if near else "Give one URL a line in it, or use --seed URL."
        raise UsageError(f"No file {file} here. {help_on}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text; seeds are URLs, one a line.") from None
