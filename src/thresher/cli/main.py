"""The command line: its verbs, each brought in when it is asked for."""

import atexit
import errno
import gc
import importlib
import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import click
import msgspec

from thresher import __version__
from thresher.core.errors import ThresherError, suggestion
from thresher.core.platform import force_utf8_output
from thresher.store.errors import damaged

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = {
    "Start a crawl": {
        "demo": "Crawl a generated web on this machine, compared with breadth-first.",
        "crawl": "Crawl for a topic, the most promising pages first.",
        "resume": "Continue a crawl that was stopped, or raise its limits.",
        "seeds": "Suggest seed URLs, ranked, with the reason for each.",
        "topic": "Show how a topic is understood, score pages by it, add dictionaries.",
    },
    "Look at what it found": {
        "report": "Write the report of one crawl, or of several side by side.",
        "search": "Search the pages of one or more crawls, in English and Chinese.",
        "why": "Explain why a page was fetched or not, and how it was scored.",
        "label": "Label fetched pages as wanted or not; the crawl learns from it.",
        "revisit": "Fetch the pages of a crawl again to find changes and new pages.",
    },
    "Hand it over": {
        "export": "Write the pages as JSON Lines, CSV, Parquet, WARC, Markdown and more.",
        "check": "Check that all that a crawl keeps is as it was written.",
        "forget": "Remove pages from a crawl for good, archive and index included.",
    },
    "Serve": {
        "serve": "Open a dashboard in the browser, or serve crawls to language models.",
        "worker": "Run a worker process for a crawl on another machine.",
    },
    "Measure and set": {
        "strategies": "List the strategies and their papers, or show one's equations.",
        "settings": "List every setting with its value, its default and its reason.",
        "help": "Show the help of a verb, or a page on a subject.",
    },
}
"""Every verb of ours and its sentence, so that `thresher --help` need not load them."""
VERBS = {verb: sentence for verbs in GROUPS.values() for verb, sentence in verbs.items()}
HOMES = {"resume": "thresher.cli.crawl:resume", "demo": "thresher_practice.demo:command"}
"""Verbs that do not stand in a file of their own name, and where they stand."""
MODES = {
    ("revisit", "--list"): "changes",
    ("label", "--apply"): "rejudge",
    ("worker", "--list"): "workers",
    ("why", "--robots"): "robots",
    ("serve", "--mcp"): "mcp",
}
"""Verbs that with a flag are another command, with options of its own, and the file of that command."""
FORMER = {file: mode for mode, file in MODES.items()} | {"knowledge": ("topic", "knowledge")}
"""Verbs of the release before, and what they are called now; they go with the next one."""

GROUP = "thresher.verbs"
"""The entry points by which an installed package adds its verbs."""

INTERRUPTED = 11
VERSION = "%(prog)s, version %(version)s"


FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
SEVERAL = "(Did you mean one of: "  # as click words it, when several names are near


class LazyGroup(click.Group):
    """Commands by name, each with its place and its sentence. Only the one that is asked for is loaded."""

    heading: ClassVar[str] = "Commands"
    word: ClassVar[str] = "command"

    def __init__(self, *given: Any, places: Mapping[str, tuple[str, str]], **attributes: Any) -> None:
        """Take a place, as `package.module:command`, and a sentence for each name."""
        super().__init__(*given, **attributes)
        self._places = places

    def sentences(self) -> Mapping[str, str]:
        """Return the sentence of each command, in the order in which a newcomer needs them."""
        return {name: sentence for name, (_, sentence) in self._places.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in their order."""
        return list(self.sentences())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, and load what it needs."""
        return command_at(self._places[name][0]) if name in self._places else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        if args and args[0] not in self._places and not args[0].startswith("-"):
            known = self.sentences()
            if args[0] not in known:
                raise click.UsageError(f"No {self.word} {args[0]!r}. {suggestion(args[0], known)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and their sentences without loading the commands."""
        with formatter.section(self.heading):
            formatter.write_dl(list(self.sentences().items()))


class Verbs(LazyGroup):
    """The verbs: ours, then those that installed packages register as entry points of `thresher.verbs`.

    Such an entry point names a pair: the place of a click command, and its sentence.
    """

    word = "verb"

    def sentences(self) -> Mapping[str, str]:
        """Return the sentence of each verb; where a package cannot be loaded, that it cannot."""
        return {**super().sentences(), **{name: _sentence(point) for name, point in self._others().items()}}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a verb, of a verb with the flag of a mode, or of a former verb."""
        if args and (now := FORMER.get(args[0])):
            click.echo(f"'thresher {args[0]}' is called 'thresher {' '.join(now)}' now.", err=True)
            args = [*now, *args[1:]]
        for verb, flag in MODES:
            if args and args[0] == verb and flag in args:
                others = [each for each in args[1:] if each != flag]
                return f"{verb} {flag}", mode_command(verb, flag), others
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs in their groups; those of other packages stand in the last one."""
        known = self.sentences()
        *_, last = GROUPS
        for heading, verbs in GROUPS.items():
            others = known.keys() - VERBS.keys() if heading == last else ()
            with formatter.section(heading):
                formatter.write_dl([(verb, known[verb]) for verb in (*verbs, *sorted(others))], col_max=12)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of a verb, and load what it needs."""
        if name in self._places or (point := self._others().get(name)) is None:
            return super().get_command(ctx, name)
        try:
            return command_at(point.load()[0])
        except Exception as error:  # whatever the package of another author does when it is loaded
            raise ThresherError(f"{_complaint(point)} ({error}).") from None

    def _others(self) -> "Mapping[str, EntryPoint]":
        """Return the entry points of other verbs. Ours are found without: it takes 20 ms."""
        from importlib.metadata import entry_points

        return {each.name: each for each in entry_points(group=GROUP) if each.name not in self._places}


def command_at(place: str) -> click.Command:
    """Return the command at `package.module:command`."""
    module, _, name = place.partition(":")
    command: click.Command = getattr(importlib.import_module(module), name)
    return command


def mode_command(verb: str, flag: str) -> click.Command:
    """Return the command that a verb is with the flag of a mode."""
    return command_at(f"thresher.cli.{MODES[verb, flag]}:command")


def _sentence(point: "EntryPoint") -> str:
    try:
        return str(point.load()[1])
    except Exception:  # as above; the others are listed all the same
        return f"{_complaint(point)}."


def _complaint(point: "EntryPoint") -> str:
    package = point.dist.name if point.dist else point.value
    return f"The verb {point.name!r} of the package {package} cannot be loaded"


def _place_of(verb: str) -> str:
    return HOMES.get(verb, f"thresher.cli.{verb}:command")


@click.command(
    cls=Verbs,
    places={verb: (_place_of(verb), sentence) for verb, sentence in VERBS.items()},
    epilog="\b\nExamples:\n  thresher demo\n  thresher crawl beekeeping --pages 500\n  thresher crawl --help",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="thresher", message=VERSION)
def thresher() -> None:
    """Thresher is a focused web crawler: it fetches the pages about your topic first."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code; what goes wrong is one sentence on stderr."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # measured: NumPy's idle threads take 25 ms of a start
    gc.set_threshold(300_000)  # measured: what is imported is no garbage, and to look through it takes 30 ms
    force_utf8_output()
    atexit.register(gc.freeze)  # measured: to look through all that was made takes 30 ms of an end
    sys.exit(_run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    try:
        code = thresher.main(arguments, prog_name="thresher", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except ThresherError as error:
        return _complain(str(error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help())
        return error.exit_code
    except click.ClickException as error:
        return _complain(_usage(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _complain("Interrupted.", INTERRUPTED)
    except BrokenPipeError:
        return _leave_quietly()
    except (sqlite3.Error, msgspec.MsgspecError) as error:
        return _complain(str(damaged(error)), 1)
    except OSError as error:
        return _complain(_of_system(error), 1)


def _complain(sentence: str, code: int) -> int:
    click.echo(sentence, err=True)
    return code


def _of_system(error: OSError) -> str:
    """Return what the system complains of, with what to do where that is known."""
    if error.errno in FULL:
        return "The disk is full. Make room, then give the command again; what a crawl has stored is safe."
    return f"{error.filename or 'The system'}: {error.strerror or error}."


def _usage(error: click.ClickException) -> str:
    """Return click's complaint in one line, with where to read on."""
    sentence, _, names = " ".join(error.format_message().split()).partition(SEVERAL)
    sentence = f"{sentence.rstrip('. ')}. Did you mean {names.removesuffix('?)')}?" if names else sentence
    context = error.ctx if isinstance(error, click.UsageError) else None
    place = context.command_path if context else "thresher"
    return f"{sentence}{'' if sentence[-1:] in '.?!' else '.'} See '{place} --help'."


def _leave_quietly() -> int:
    """Stop when standard output is closed, as by `head`; the interpreter must not flush once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + 13
