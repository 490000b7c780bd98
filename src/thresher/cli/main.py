"""The command line: its verbs, each brought in when it is asked for."""

import errno
import importlib
import os
import sqlite3
import sys
from collections.abc import Sequence

import click
import msgspec

from thresher import __version__
from thresher.core.errors import ThresherError, suggestion
from thresher.core.platform import speak_utf8
from thresher.store.errors import damaged

VERBS = {
    "crawl": "Crawl for a topic, the promising pages first.",
    "resume": "Go on with a crawl that was stopped, or that may go further.",
    "revisit": "Look at the pages of a crawl again, and find what changed and what is new.",
    "changes": "List what changed on the pages of a crawl, with the lines that went and came.",
    "report": "Write the report of one crawl, or of several side by side.",
    "label": "Say of fetched pages whether they are what is wanted, so that the crawl learns it.",
    "rejudge": "Judge the stored pages of a crawl again, without one request.",
    "search": "Find the pages of one crawl, or of many, by their words, in English and Chinese.",
    "serve": "Watch, search and steer crawls in a browser.",
    "worker": "Fetch, read and pack pages here for a crawl that runs elsewhere.",
    "workers": "List the workers of a crawl that runs.",
    "mcp": "Offer crawls to language models, by the Model Context Protocol over stdin and stdout.",
    "why": "Say why a page was asked for, what became of it, and how it was judged.",
    "export": "Write the pages of a crawl as JSON Lines, CSV, Parquet, WARC, Markdown and more.",
    "forget": "Take pages out of a crawl for good, archive and index included, and never ask for them again.",
    "seeds": "Suggest places to start a crawl from, ranked, with the reason for each.",
    "topic": "Look at a topic: what it is taken for, how pages score, what to add to it.",
    "knowledge": "Add the dictionaries and ontologies that topics draw on.",
    "robots": "Say whether we would fetch a URL, and which rule says so.",
    "strategies": "List the strategies and their parameters.",
    "help": "Show the help of a verb, or a page on a subject: topics, labels, exit codes and more.",
    "settings": "List every setting with its value, its default and its reason.",
    "lab": "Measure strategies on recorded webs, against labels that no strategy can see.",
    "demo": "Crawl the practice web twice, compare the harvests, and see a day later what changed.",
}
"""Every verb and its sentence, so that `thresher --help` need not load them."""
HOMES = {"resume": "crawl"}
"""Verbs that stand in the file of another one, each as a function of its own name."""

INTERRUPTED = 11
VERSION = "%(prog)s, version %(version)s"


FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
SEVERAL = "(Did you mean one of: "  # as click words it, when several names are near


class Verbs(click.Group):
    """The verbs, each in the module of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order in which a newcomer needs them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of a verb, and load what it needs."""
        if name not in VERBS:
            return None
        place = "thresher_lab.cli.main" if name == "lab" else f"thresher.cli.{HOMES.get(name, name)}"
        module = importlib.import_module(place)
        command: click.Command = getattr(module, name if name in HOMES else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or name the nearest one."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            raise click.UsageError(f"No verb {args[0]!r}. {suggestion(args[0], VERBS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs and their sentences without loading them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.command(
    cls=Verbs,
    epilog="\b\nExamples:\n  thresher demo\n  thresher crawl beekeeping --pages 500\n  thresher crawl --help",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="thresher", message=VERSION)
def thresher() -> None:
    """Thresher is a focused crawler: it reads the pages that matter to your topic first."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code; what goes wrong is one sentence on stderr."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # measured: NumPy's idle threads take 25 ms of a start
    speak_utf8()
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
