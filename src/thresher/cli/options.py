"""What a user asks for on the command line becomes settings: a topic or a file, then the flags over it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import Any

import click

from thresher.build.plugins import parameters_of, strategy_class
from thresher.build.rejudge import outdated
from thresher.cli.strategies import paper_settings
from thresher.core.errors import NotACrawl, SettingsError, UsageError
from thresher.core.url import with_scheme
from thresher.settings.load import Override, full_name, read, seconds_of, share_of, value_of
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder, asked_again

FLAGS = {
    "keyword": "topic.keywords",
    "also": "topic.also",
    "not": "topic.negatives",
    "example": "topic.examples",
    "description": "topic.description",
    "language": "topic.language",
    "learn_from": "strategy.learn_from",
    "pages": "stop.pages",
    "relevant": "stop.relevant",
    "time": "stop.seconds",
    "stop_below": "stop.below",
    "stop_found": "stop.found",
    "delay": "web.delay",
    "concurrency": "web.concurrency",
    "per_host": "web.per_host",
    "domain": "scope.domains",
    "include": "scope.include",
    "exclude": "scope.exclude",
    "depth": "scope.depth",
    "allow_network": "web.allow_networks",
    "cookies": "web.cookie_file",
    "guide": "guide.endpoint",
    "guide_model": "guide.model",
}
"""The setting each flag stands for."""


def flag_options(*wanted: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what adds the flags that change a setting: those named, or all of them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(list(wanted or _OPTIONS)):
            command = _OPTIONS[name](command)
        return command

    return add


set_option = click.option(
    "--set", "pairs", metavar="NAME=VALUE", multiple=True, help="Any setting; see 'thresher settings'."
)


def mode_option(flag: str, sentence: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option that makes a verb another command: cli/main.py sees it before the verb does."""
    return click.option(
        flag, is_flag=True, expose_value=False, help=f"{sentence}; add --help for its options."
    )


def _flag(name: str, metavar: str, sentence: str, **rest: Any) -> Callable[[Callable[..., Any]], Any]:
    return click.option(f"--{name}", metavar=metavar, help=sentence, **rest)


_OPTIONS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "keyword": _flag("keyword", "WORDS", "Another word for the topic, any will do; repeat.", multiple=True),
    "also": _flag("also", "WORDS", "What the same page must speak of, too; repeat for more.", multiple=True),
    "not": _flag("not", "WORDS|URL", "What looks like it and is not wanted; repeat for more.", multiple=True),
    "example": _flag("example", "URL|FILE", "A page that is what you want; repeat for more.", multiple=True),
    "description": _flag("description", "TEXT", "What you want, in a sentence."),
    "language": _flag("language", "zh", "The language of the topic's words, if they do not show it."),
    "seed": _flag("seed", "URL", "Where to start; repeat for more.", multiple=True),
    "seeds": _flag("seeds", "FILE", "A file with one URL a line; - reads them from stdin."),
    "strategy": _flag(
        "strategy", "NAME", "Which links go first, such as ctfc+eager, or package.module:Class."
    ),
    "paper": _flag("paper", "NAME", "All that a paper says: jamali, ctfc, ratna, mali or fcmrps."),
    "learn_from": _flag(
        "learn-from", "FOLDER", "Start from what an earlier crawl on the topic learned; with thresher."
    ),
    "pairs": set_option,
    "pages": _flag("pages", "N", "Stop after N pages; 0: no limit.", type=int),
    "relevant": _flag("relevant", "N", "Stop after N relevant pages.", type=int),
    "time": _flag("time", "10m", "Stop after this long: 90s, 10m, 2h, 1d."),
    "stop_below": _flag(
        "stop-below", "2%", "Stop when fewer of the next 1,000 downloads promise to be relevant."
    ),
    "stop_found": _flag("stop-found", "90%", "Stop when about this share of what is within reach was found."),
    "delay": _flag("delay", "SECONDS", "Seconds between requests to one host.", type=float),
    "concurrency": _flag("concurrency", "N", "Requests in flight over all hosts.", type=int),
    "per_host": _flag("per-host", "N", "Requests in flight to one host.", type=int),
    "workers": _flag(
        "workers", "N|URL|bus", "Let N processes here work, or others over NATS; 'bus' starts it. 0: none."
    ),
    "domain": _flag("domain", "NAME", "Stay on this domain; repeat for more.", multiple=True),
    "include": _flag("include", "REGEX", "Follow only URLs that match.", multiple=True),
    "exclude": _flag("exclude", "REGEX", "Leave out URLs that match.", multiple=True),
    "depth": _flag("depth", "N", "Follow at most N links from a seed.", type=int),
    "allow_network": _flag(
        "allow-network", "CIDR", "Visit this private network, too; repeat for more.", multiple=True
    ),
    "cookies": _flag("cookies", "FILE", "Your own cookies, in Netscape format, for the hosts they name."),
    "guide": _flag(
        "guide", "URL", "Let a model say which links to follow: an OpenAI-compatible endpoint, or env:NAME."
    ),
    "guide_model": _flag("guide-model", "NAME", "The model that guides, as its endpoint calls it."),
    "trust_folder": click.option(
        "--trust-folder",
        is_flag=True,
        help="Take over what the folder says of commands, classes, networks, proxies and other files.",
    ),
}


def topic_flags() -> list[str]:
    """Return the flags that say what the topic is."""
    return [flag for flag, name in FLAGS.items() if name.startswith("topic.")]


def settings_over(crawl: CrawlFolder, flags: dict[str, Any]) -> Settings:
    """Return the settings of a crawl as run, with the flags over them.

    New seeds come on top of the old ones, and another judge brings the threshold of its own.
    """
    return asked_again(crawl, list(overrides_of(flags)), flags.get("trust_folder", False))


def settings_of(topic: Sequence[str], flags: dict[str, Any]) -> Settings:
    """Return the settings of a crawl: flag over file over default."""
    words = " ".join(topic).strip()
    for address in (word for word in words.split() if word.startswith(("http://", "https://"))):
        rest = " ".join(word for word in words.split() if word != address) or "TOPIC"
        meant = f"thresher crawl {quote(rest)} --seed {quote(address)}"
        raise UsageError(f"{address} is not a topic. Did you mean: {meant}")
    overrides = list(overrides_of(flags))
    if words.endswith(".toml"):
        file = Path(words)
        if file.name == CrawlFolder(file.parent).settings.name:
            return CrawlFolder(file.parent).asked_again(overrides, flags.get("trust_folder", False))
        return _checked(read(file, overrides), flags["pairs"])
    named = [("topic.name", words)] if topic else _by_pages(dict(overrides))
    return _checked(read(None, [*named, *overrides]), flags["pairs"])


def _by_pages(given: dict[str, Any]) -> list[Override]:
    """Return what stands for the topic of a crawl that names none: pages that are what is wanted."""
    if {"topic.keywords", "topic.node", "topic.query"} & given.keys():
        return []
    seeds, examples = given.get("seeds", ()), given.get("topic.examples", ())
    if not (seeds or examples):
        raise UsageError(
            "No topic: name one, as in 'thresher crawl beekeeping', or pages that are what you want, with "
            "--seed URL or --example PAGE."
        )
    starts = tuple(each for each in examples if each.startswith(("http://", "https://")))
    return [("topic.examples", examples or seeds), *([] if seeds or not starts else [("seeds", starts)])]


def _checked(settings: Settings, pairs: Sequence[str]) -> Settings:
    """Return the settings, and refuse a short name that means a setting and a parameter of the strategy."""
    short = [
        name
        for name, _ in pairs_of(pairs)
        if "." not in name and full_name(name) != f"strategy.parameters.{name}"
    ]
    known = parameters_of(strategy_class(settings.strategy.name)) if short else {}
    for name in short:
        if name in known:
            raise SettingsError(
                f"{name!r} may mean {full_name(name)} or strategy.{name} of {settings.strategy.name}: "
                "write the one you mean in full."
            )
    return settings


def strategy_of(text: str) -> Iterator[Override]:
    """Yield what a strategy and its form set, as the lab writes it: ctfc+eager+judge=tfidf:0.1."""
    name, *parts = text.split("+")
    yield "strategy.name", name
    for part in parts:
        parameter, equals, value = part.partition("=")
        if parameter != "judge":
            yield f"strategy.{parameter}", value_of(value) if equals else True
            continue
        judge, _, threshold = value.partition(":")
        yield "judge.name", judge
        if threshold:
            yield "judge.threshold", value_of(threshold)


def pairs_of(pairs: Sequence[str]) -> Iterator[Override]:
    """Yield what each NAME=VALUE sets."""
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set takes NAME=VALUE, not {pair!r}; 'thresher settings' lists the names.")
        yield name.strip(), value_of(value.strip())


def seeds_from(file: str) -> list[str]:
    """Return the URLs of a file, one a line; blank lines and those that begin with # do not count."""
    text = sys.stdin.read() if file == "-" else _text_of(Path(file))
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    seeds = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not seeds:
        raise UsageError(f"{file} has no address in it; give one URL a line.")
    for number, line in seeds:
        if len(line.split()) > 1:
            raise UsageError(f"{file}, line {number}: words behind the address: {line[:100]!r}.")
    return [line for _, line in seeds]


def overrides_of(flags: dict[str, Any]) -> Iterator[Override]:
    """Yield what the flags set; those that were not given say nothing."""
    if paper := flags.get("paper"):
        if flags.get("strategy"):
            raise UsageError("--paper brings the strategy of its paper: leave out --strategy.")
        yield from paper_settings(paper)
    yield from pairs_of(flags["pairs"])
    file = flags.get("seeds")
    if seeds := [*flags.get("seed", ()), *(seeds_from(file) if file else ())]:
        yield "seeds", tuple(map(with_scheme, seeds))
    if flags.get("workers") is not None:
        yield from workers_of(flags["workers"])
    if strategy := flags.get("strategy"):
        yield from strategy_of(strategy)
    for flag, name in FLAGS.items():
        if flags.get(flag) not in (None, ()):
            yield name, _READERS.get(flag, _as_given)(flags[flag])


def workers_of(said: str) -> Iterator[Override]:
    """Yield what --workers sets: so many processes here, or an engine over which others join."""
    if said.isdigit():
        yield from (("web.workers", int(said)), ("cluster.bus", ""))
    elif said == "bus" or said.startswith(("bus://", "nats://", "tls://", "env:")):
        yield from (("web.workers", 0), ("cluster.bus", said))
    else:
        raise UsageError(
            f"--workers takes a number, bus, or an engine such as nats://bus:4222, not {said!r}."
        )


def _as_given(value: Any) -> Any:
    return value


def _alike(words: Sequence[str]) -> dict[str, float]:
    """Return words that count alike."""
    return dict.fromkeys((word.strip() for word in words if word.strip()), 1.0)


def _in_full(file: str) -> str:
    """Return a file's name as it can be found from everywhere: the crawl may be resumed from elsewhere."""
    return str(Path(file).resolve())


_READERS: dict[str, Callable[[Any], Any]] = {
    "time": seconds_of,
    "stop_below": share_of,
    "stop_found": share_of,
    "keyword": _alike,
    "cookies": _in_full,
}
TOPIC_FLAGS = ("keyword", "also", "not", "example", "description", "language")
"""The flags by which a topic says more than its name."""


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = get_close_matches(file.name, sorted(path.name for path in file.parent.glob("*")), n=1)
        help_on = f"Did you mean {near[0]!r}?" if near else "Give one URL a line in it, or use --seed URL."
        raise UsageError(f"No file {file} here. {help_on}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text; seeds are URLs, one a line.") from None


def the_crawl(name: str | None) -> CrawlFolder:
    """Return the crawl of that name; without one, the only crawl in this folder."""
    if name:
        return CrawlFolder(Path(name))
    here = sorted(file.parent for pattern in ("crawl.db", "*/crawl.db") for file in Path().glob(pattern))
    if not here:
        raise NotACrawl("No crawl here. Name the folder of one, or make one with 'thresher crawl'.")
    if len(here) > 1:
        names = ", ".join(str(path) for path in here)
        raise UsageError(f"{len(here)} crawls are here ({names}). Name the folder you mean.")
    return CrawlFolder(here[0])


def judged_crawl(name: str | None) -> CrawlFolder:
    """Return the same, after a sentence on stderr if its pages should be judged again first."""
    crawl = the_crawl(name)
    if sentence := outdated(crawl):
        click.echo(sentence, err=True)
    return crawl
