"""The verb `lab score`: what crawlers were worth, by the logs of the web that they were served."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from thresher.cli.output import print_json
from thresher.core.errors import UnknownName, UsageError
from thresher.core.records import Url
from thresher.settings.components import JudgeSettings
from thresher_lab.cli.options import command_line
from thresher_lab.corpus import DEFAULT_SEEDS, Corpus, read_urls
from thresher_lab.report import write_report
from thresher_lab.results import ExperimentSettings
from thresher_lab.score import ContenderRun, Scored, Served, read_log, read_runs, score
from thresher_lab.setup import stage
from thresher_lab.standings import Standings, complete, grid_of, results_of, stand
from thresher_lab.tables import as_markdown

EXAMPLES = """\b
Examples:
  thresher lab score my-corpus --log access.jsonl --topic bees
  thresher lab score my-corpus --log access.jsonl --topic bees --said relevant.txt
  thresher lab score corpus-a corpus-b --runs runs.jsonl --against thresher -o standings
"""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("--log", type=FILE, help="The log of one run, as `lab serve` wrote it.")
@click.option("--topic", default="", help="The topic of that run.")
@click.option("--seeds", default=",".join(DEFAULT_SEEDS), show_default=True, help="The seeds of that run.")
@click.option("--contender", default="contender", show_default=True, help="Whose run it was.")
@click.option(
    "--said", type=FILE, help="A file of URLs: the pages that the crawler of that run calls relevant."
)
@click.option("--runs", type=FILE, help="A file of runs, one a line, with their logs beside it.")
@click.option("--hide", type=FILE, help="The file of URLs that the server hid, if it was given one.")
@click.option("--pages", default="", help="The budget, if not that of the server; 2x: twice the relevant.")
@click.option("--against", default="thresher", show_default=True, help="Whom the others are paired with.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write a report here.")
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), help="Where parsed pages are kept."
)
@click.option("--json", "as_json", is_flag=True, help="Print every measure as JSON.")
def judge_runs(folders: tuple[Path, ...], log: Path | None, runs: Path | None, **asked: Any) -> None:
    """Say what crawlers were worth on a served web, by its logs and nothing else.

    The measures and statistics are those of `lab compare`. With --runs, contenders of others and
    strategies of ours stand in one table; only topics that every contender ran count. Where a run has
    the list of what the crawler calls relevant (--said, or `said` in the file of runs), its counts are told.
    """
    if (log is None) is (runs is None):
        raise UsageError("Name one run with --log and --topic, or many with --runs.")
    corpora = {corpus.name: corpus for corpus in map(Corpus, folders)}
    if log:
        return _tell_one(_one(corpora, log, asked), asked["as_json"])
    assert runs
    told = list(_scored(corpora, read_runs(runs), runs.parent, asked))
    kept, out = complete(told)
    if not kept:
        raise UsageError("There is no topic that every contender ran: nothing can be compared.")
    standings, summary = stand(kept, asked["against"], out)
    if asked["output"]:
        question = _question(kept, asked["pages"])
        write_report(asked["output"], question, results_of(kept), summary, asked["against"], command_line())
        table = as_markdown(grid_of(standings, asked["against"]))
        (asked["output"] / "standings.md").write_text(f"{table}\n", encoding="utf-8")
        facts = msgspec.json.format(msgspec.json.encode(standings), indent=1)
        (asked["output"] / "standings.json").write_bytes(facts)
    _tell_all(standings, asked)


def _one(corpora: dict[str, Corpus], log: Path, asked: dict[str, Any]) -> Scored:
    if not asked["topic"]:
        raise UsageError("Say which topic was looked for: --topic ID.")
    seeds = tuple(asked["seeds"].split(","))
    owner = next((name for name, corpus in corpora.items() if asked["topic"] in corpus.topics), "")
    run = ContenderRun(
        asked["contender"],
        owner or next(iter(corpora)),
        asked["topic"],
        log.name,
        seeds=seeds,
        said=_said(asked["said"]),
    )
    return next(_scored(corpora, [run], log.parent, asked))


def _said(file: Path | None) -> str:
    return str(file.absolute()) if file else ""


def _scored(
    corpora: dict[str, Corpus], runs: list[ContenderRun], folder: Path, asked: dict[str, Any]
) -> Iterator[Scored]:
    """Yield the scores of runs, corpus by corpus: what is parsed of one is shared."""
    for name in dict.fromkeys(run.corpus for run in runs):
        if name not in corpora:
            raise UnknownName("corpus", name, corpora)
        mine = [run for run in runs if run.corpus == name]
        for mode in dict.fromkeys(_mode(folder / run.log) for run in mine):
            with stage(corpora[name], _hidden(corpora[name], mode, asked["hide"]), asked["cache"]) as place:
                for run in mine:
                    if _mode(folder / run.log) == mode:
                        yield score(run, folder / run.log, place, asked["pages"])


def _hidden(corpus: Corpus, mode: str, hide: Path | None) -> frozenset[Url]:
    """Return what the server hid: the referee must not ask for it."""
    if mode != "hidden":
        return corpus.hidden("hard" if mode == "hard" else "easy")
    if hide is None:
        raise UsageError("Pages were hidden from this run with a file: give it here as well, with --hide.")
    return read_urls(hide)


def _mode(log: Path) -> str:
    if not log.exists():
        raise UsageError(f"{log} is missing: a run needs the log of its server.")
    head = next(read_log(log), None)
    return head.mode if isinstance(head, Served) else "easy"


def _question(scored: list[Scored], pages: str) -> ExperimentSettings:
    results = results_of(scored)
    return ExperimentSettings(
        tuple(dict.fromkeys(each.corpus for each in results)),
        tuple(dict.fromkeys(each.strategy for each in results)),
        pages=pages or str(results[0].budget),
        model=", ".join(dict.fromkeys(each.mode for each in results)),
        judge=JudgeSettings("of each contender"),
    )


def _tell_one(scored: Scored, as_json: bool) -> None:
    if as_json:
        return print_json(scored)
    found, conduct = scored.results[0].measures, scored.conduct
    click.echo(
        f"{found.relevant} of {found.pages} pages relevant ({found.harvest.rate:.1%}): "
        f"recall {found.recall:.3f} of {found.wanted} relevant pages, "
        f"{found.recall_of_reachable:.3f} of the {found.reachable} that links lead to.\n"
        f"Area under the recall curve {found.by_pages.area:.4f} by pages, "
        f"{found.by_requests.area:.4f} by {found.requests} requests.\n"
        f"{conduct.forbidden} requests against robots.txt, {conduct.hasty} before the delay was over, "
        f"{conduct.again} pages again, {conduct.refused} refused; "
        f"{conduct.pages_a_second:.1f} pages a second, {conduct.bytes / 1e6:.1f} MB."
    )
    if list_ := scored.counts:
        unseen = f" {scored.unseen} more on its list were not fetched." if scored.unseen else ""
        click.echo(
            f"It calls {list_.said} of them relevant, {list_.true} are: precision {list_.precision:.3f}, "
            f"recall {list_.recall:.3f}.{unseen}"
        )


def _tell_all(standings: Standings, asked: dict[str, Any]) -> None:
    if asked["as_json"]:
        return print_json(standings)
    click.echo(as_markdown(grid_of(standings, asked["against"])))
    if standings.left_out:
        click.echo(f"{len(standings.left_out)} runs are left out: not everybody ran their topics.", err=True)
    if asked["output"]:
        click.echo(f"\nReport: {asked['output'] / 'report.html'}")
