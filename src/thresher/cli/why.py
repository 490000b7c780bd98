"""The verb `why`: the story of one URL, from the seed to the judge's verdict."""

from collections.abc import Iterator
from pathlib import Path

import click

from thresher.cli.options import judged_crawl, mode_option
from thresher.cli.output import print_json
from thresher.core.enums import Origin, Outcome
from thresher.core.errors import UsageError
from thresher.core.records import PriorityTerm, Visit
from thresher.core.url import parse
from thresher.export.wording import moment, number, plain
from thresher.report.why import Explanation, explain

EXAMPLES = """\b
Examples:
  thresher why http://example.org/hives.html beekeeping
  thresher why beekeeping http://example.org/hives.html
  thresher why http://example.org/hives.html beekeeping --full
  thresher why http://example.org/hives.html --json
  thresher why --robots https://example.org/private/page.html
"""

REASONS = 10  # pieces of evidence shown in full
CHIEF = 6  # of them on one screen
WORTH_SAYING = 0.02  # what changes a priority by less is not, on one screen
MORE = "\n--full shows what every part of the priority and of the relevance weighs."


@click.command(epilog=EXAMPLES)
@click.argument("url")
@click.argument("folder", required=False)
@click.option(
    "--full", is_flag=True, help="Show every term of the priority and of the relevance with its weight."
)
@mode_option("--robots", "Say what robots.txt allows for URLs")
@click.option("--json", "as_json", is_flag=True, help="Print everything that is known as JSON.")
def command(url: str, folder: str | None, full: bool, as_json: bool) -> None:
    """Explain why a page was fetched or not, and how it was scored.

    FOLDER is the crawl to ask, before or after the URL; without it, the only crawl here. The answer has
    the link that led to the page, what spoke for it, the way back to the seed and what the judge went by,
    or why the page was not visited.
    """
    if folder and _names_a_page(folder) and not _names_a_page(url):
        url, folder = folder, url
    if not folder and not _names_a_page(url) and Path(url).is_dir():
        raise UsageError(f"Why which page? Write its URL after {url}.")
    crawl = judged_crawl(folder)
    told = explain(parse(url), crawl, lessons=full or as_json)
    if as_json:
        print_json(told)
    else:
        click.echo("\n".join((_in_full if full else _story)(told, crawl.path)))


def _names_a_page(text: str) -> bool:
    """Tell a URL from the name of a folder: folders are given last here and first to other verbs."""
    return "://" in text and not Path(text).is_dir()


def _story(told: Explanation, folder: Path) -> Iterator[str]:
    """Yield the story on one screen: one number for the relevance, and one for the priority."""
    yield str(told.url)
    if not told.asked:
        yield from _not_visited(told, folder)
        yield from _chiefly(told)
        yield from [MORE] if told.priority else []
        return
    yield from _became(told)
    yield from _verdict(told)
    if told.evidence:
        yield f"  seen     {', '.join(plain(reason.term, 60) for reason in told.evidence[:CHIEF])}"
    yield from _asked_for(told.asked)
    yield from _chiefly(told)
    yield from _way(told)
    if told.evidence or told.priority:
        yield MORE


def _in_full(told: Explanation, folder: Path) -> Iterator[str]:
    """Yield the story with everything that was weighed, then and now."""
    yield str(told.url)
    if not told.asked:
        yield from _not_visited(told, folder)
        yield from _terms(told)
        return
    yield from _became(told)
    yield from _verdict(told)
    yield from _before(told)
    yield from _asked_for(told.asked)
    yield from _standing(told.asked)
    yield from _terms(told)
    yield from _way(told)
    yield from _evidence(told)
    yield from _lessons(told)


def _not_visited(told: Explanation, folder: Path) -> Iterator[str]:
    yield f"  Not visited: {told.not_visited}."
    if told.nearest:
        yield f"  Did you mean {told.nearest}?"
    elif not told.links:
        yield f"  Nothing like it was visited in {folder}."
    for link in told.links:
        yield f'  Linked as "{plain(link.anchor, 80)}" from {link.source}'


def _became(told: Explanation) -> Iterator[str]:
    if told.title:
        yield f"  {plain(told.title, 200)}"
    for visit in told.visits:
        if visit not in told.revisits:
            yield from _ended(visit)
    if revisits := told.revisits:
        yield from _ended(
            revisits[-1], f"looked at again{f' {len(revisits)} times' if len(revisits) > 1 else ''}: "
        )


def _ended(visit: Visit, said: str = "") -> Iterator[str]:
    status = f", status {visit.status}, {number(visit.size)} bytes" if visit.status else ""
    yield f"  {said}{visit.outcome.value} at {moment(visit.at)}{status}"
    if visit.reason:
        yield f"  reason: {plain(visit.reason, 300)}"


def _verdict(told: Explanation) -> Iterator[str]:
    """Yield whether the page counts as relevant, and by what: the user's label, else the current judge."""
    if told.judged is None:
        return
    verdict = "relevant" if told.judged >= told.threshold else "not relevant"
    judge = f"relevance {told.judged:.3f}: {verdict}, the threshold is {told.threshold:g}"
    if told.label is None:
        yield f"  {judge}"
    else:
        yield f"  you said {'yes: relevant' if told.label else 'no: not relevant'}"
        yield f"  the {told.judge} judge says {judge}"
    if told.asked and told.asked.contrast is not None:
        yield f"  contrast {told.asked.contrast:.3f} with the pages before it: {told.strategy} goes by that"
    if told.model_label is not None:
        yield f"  a model said {'yes' if told.model_label else 'no'} ('thresher label --llm', or mcp)"


def _before(told: Explanation) -> Iterator[str]:
    """Yield what the judge said when the page came, where it has learned better since."""
    fetched = [visit.relevance for visit in told.visits if visit.outcome is Outcome.FETCHED]
    if told.judged is not None and fetched and abs(fetched[-1] - told.judged) >= 5e-4:
        yield f"  it was {fetched[-1]:.3f} when the page was fetched; the judge has learned since"


def _asked_for(visit: Visit) -> Iterator[str]:
    candidate = visit.candidate
    if candidate.via is None:
        yield f"\nIt is a seed (priority {candidate.priority:.3f})."
        return
    yield f"\nRequested (priority {candidate.priority:.3f}) because of a link on"
    yield f"  {candidate.via.source}"
    for name in ("anchor", "context", "place", "rel"):
        if words := plain(getattr(candidate.via, name), 300):
            yield f"  {name:<8} {words}"
    if candidate.via.origin is not Origin.PAGE:
        yield f"  told by  {candidate.via.origin.value}"
    if candidate.redirects:
        yield f"  redirected {candidate.redirects} times from {candidate.via.target}"


def _standing(visit: Visit) -> Iterator[str]:
    """Yield what the strategy and the scope went by beside the priority."""
    life, depth = visit.candidate.hops_left, visit.candidate.depth
    yield f"  hops left {life}; {depth} links from a seed by the shortest path known"


def _chiefly(told: Explanation) -> Iterator[str]:
    """Yield what changed the priority most, either way; or the equation of a priority that stays as it is."""
    if told.priority is None:
        yield from _terms(told)
        return
    for head, sign in (("raised", 1), ("lowered", -1)):
        parts = [part for part in told.priority.parts if sign * part.amount >= WORTH_SAYING]
        if parts:
            yield f"  {head:<8} by {'; '.join(map(_said, parts[: CHIEF // 2]))}"


def _said(part: PriorityTerm) -> str:
    return part.sentence if part.value else f"{part.sentence} (none)"


def _terms(told: Explanation) -> Iterator[str]:
    if told.terms and told.priority:
        yield f"\nWhat {told.strategy} makes of it by all that it has learned until now"
    elif told.terms:
        yield f"\nHow {told.strategy} came to the priority"
    for line in told.terms:
        yield f"  {plain(line, 300)}"


def _way(told: Explanation) -> Iterator[str]:
    if len(told.way) < 2:
        return
    yield "\nThe path from the seed, by the links with the best priority; with the relevance of each page"
    for hops, step in enumerate(told.way):
        words = f'  "{plain(step.anchor, 60)}"' if step.anchor else ""
        yield f"  {hops:>3}  {step.relevance:.3f}  {step.url}{words}"


def _evidence(told: Explanation) -> Iterator[str]:
    if not told.evidence:
        return
    yield f"\nWhat the {told.judge} judge saw"
    for reason in told.evidence[:REASONS]:
        yield f"  {reason.weight:.3f}  {plain(reason.term, 60)}"
    if len(told.evidence) > REASONS:
        yield f"  and {len(told.evidence) - REASONS} more"


def _lessons(told: Explanation) -> Iterator[str]:
    """Yield the judge's score of the page alone, and the words learned from the crawl."""
    if not (taught := told.taught) or not taught.words:
        return
    yield f"\nWhat {number(taught.pages)} pages have taught it: {taught.alone:.3f} by the question alone,"
    yield f"{taught.now:.3f} with the words of this page that such pages have, or have not (in log odds)"
    for reason in taught.words[:REASONS]:
        yield f"  {reason.weight:+.3f}  {plain(reason.term, 60)}"
