"""The verb `topic`: see what the crawler believes a topic is, before one page is fetched."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from thresher.build.topic import asked_of, read_pages, topic_of
from thresher.cli.documents import print_json
from thresher.cli.options import TOPIC_FLAGS, flag_options, settings_of, the_crawl
from thresher.cli.topic_question import question_lines
from thresher.cli.topic_suggest import suggest_from_crawl, suggest_from_pages
from thresher.core.errors import UsageError
from thresher.core.records import Page, Topic
from thresher.judges import JUDGES, make_judge
from thresher.knowledge.index import Index, open_knowledge
from thresher.topic.build import Asked, make_topic
from thresher.topic.ontology import Choice, candidates, choose, heaviest, named, telling
from thresher.topic.question import remarks

SHOWN = 12  # words in a line

EXAMPLES = """\b
Examples:
  thresher topic show 篮球
  thresher topic show "cat baby" --seed-text "litter, vet, purring"
  thresher topic test basketball page.html https://example.org/
  thresher topic suggest basketball examples/
  thresher topic suggest basketball --crawl basketball
  thresher topic new 篮球 basketball.toml
"""

Names = tuple[str, ...]


@click.group(epilog=EXAMPLES)
def topic() -> None:
    """Look at a topic: what it is taken for, how pages score, what to add to it."""


@topic.command(epilog=EXAMPLES)
@click.argument("words", nargs=-1, required=True)
@click.option("--seed-text", default="", help="Text of seed pages, which tells meanings apart.")
@click.option("--seed", "seeds", multiple=True, metavar="URL|FILE", help="A page to take that text from.")
@click.option("--json", "as_json", is_flag=True, help="Print the topic as JSON.")
@flag_options(*TOPIC_FLAGS, "allow_network", "pairs")
def show(words: Names, seed_text: str, seeds: Names, as_json: bool, **flags: Any) -> None:
    """Show the question a topic asks: what is wanted, what was added and why, what a page would need.

    WORDS are the topic, or the TOML file of one.
    """
    settings = settings_of(words, flags)
    pages = read_pages(seeds, settings, _complain)
    context = " ".join([seed_text, *(page.text for page in pages.values())]).strip()
    with open_knowledge() as lexicon:
        made, choice = _understood(asked_of(settings, _complain), context, lexicon)
        for remark in remarks(made.facets):
            _complain(remark)
        _print(made) if as_json else click.echo("\n".join(_shown(made, choice, context, lexicon)))


@topic.command(epilog=EXAMPLES)
@click.argument("subject", metavar="TOPIC")
@click.argument("places", nargs=-1, required=True, metavar="URL|FILE...")
@click.option("--judge", "names", multiple=True, type=click.Choice(list(JUDGES)), help="Ask this judge only.")
@click.option("--json", "as_json", is_flag=True, help="Print the scores and reasons as JSON.")
@flag_options(*TOPIC_FLAGS, "allow_network", "pairs")
def test(subject: str, places: Names, names: Names, as_json: bool, **flags: Any) -> None:
    """Score pages with each judge, and show the words that made the score."""
    settings = settings_of([subject], flags)
    made = topic_of(settings, _complain)
    asked = names or tuple(name for name in JUDGES if name != "examples" or made.centroid)
    pages = read_pages(places, settings, _complain)
    if as_json:
        _print({place: _scores(page, made, asked) for place, page in pages.items()})
        return
    for place, page in pages.items():
        click.echo("\n".join(_tested(place, page, made, asked)))


@topic.command(epilog=EXAMPLES)
@click.argument("subject", metavar="TOPIC")
@click.argument("places", nargs=-1, metavar="URL|FILE|FOLDER...")
@click.option("--crawl", "crawled", metavar="FOLDER", help="Suggest from the pages of this crawl, too.")
@click.option("--several", default=SHOWN, show_default=True, help="How many terms.")
@flag_options(*TOPIC_FLAGS, "allow_network", "pairs")
def suggest(subject: str, places: Names, crawled: str | None, several: int, **flags: Any) -> None:
    """Suggest words to add to a topic, from pages that are examples of it or from a crawl."""
    if not places and not crawled:
        raise UsageError("Suggest from what? Name example pages, or a crawl with --crawl FOLDER.")
    settings = settings_of([subject], flags)
    made = topic_of(settings, _complain)
    if places:
        suggest_from_pages(made, read_pages(places, settings, _complain), several)
    if crawled:
        suggest_from_crawl(made, the_crawl(crawled), settings.topic.seen_often, several)


@topic.command(epilog=EXAMPLES)
@click.argument("subject", metavar="TOPIC")
@click.argument("file", type=click.Path(path_type=Path))
@flag_options(*TOPIC_FLAGS, "pairs")
def new(subject: str, file: Path, **flags: Any) -> None:
    """Write a commented TOML file of a topic, to be edited and crawled."""
    if file.exists():
        raise UsageError(f"{file} exists already; name another file.")
    made = topic_of(settings_of([subject], flags), _complain)
    file.write_text("\n".join(_toml(made)) + "\n", encoding="utf-8")
    click.echo(f"Wrote {file}. Edit it, look at it with 'thresher topic show {file}', then crawl it.")


def _understood(asked: Asked, context: str, lexicon: Index) -> tuple[Topic, Choice | None]:
    """Return the topic, and what its name or query is taken for; the text of seed pages decides."""
    query = asked.query or (asked.name if context else "")
    known = bool(query) and bool(candidates(query, lexicon))
    choice = choose(query, f"{context} {asked.context}", lexicon) if known else None
    return make_topic(asked, lexicon, choice if context else None), choice


def _complain(sentence: str) -> None:
    click.echo(sentence, err=True)


def _print(record: object) -> None:
    print_json(record)


def _shown(made: Topic, choice: Choice | None, context: str, lexicon: Index) -> Iterator[str]:
    yield made.name
    yield from question_lines(made, lexicon)
    if choice:
        yield from _chosen(choice, context, lexicon)
    if made.path:
        yield f"  path      {' / '.join(made.path)}"
    if made.labels:
        yield f"  labels    {', '.join(f'{label} ({tag})' for tag, label in sorted(made.labels.items()))}"
    if len(made.keywords) > 1:
        yield f"  keywords  {_line(heaviest(made.keywords, SHOWN))}"
    if made.lexicon:
        yield f"  lexicon   {_line(heaviest(made.lexicon, SHOWN))}; {len(made.lexicon)} in all"
    for number, row in enumerate(made.spellings, start=1):
        columns = zip(("English", "abbreviation", "pinyin", "initials"), row, strict=False)
        yield f"  URL {number}     {'; '.join(f'{name} {value}' for name, value in columns if value)}"


def _chosen(choice: Choice, context: str, lexicon: Index) -> Iterator[str]:
    """Yield the concept a name is taken for, how sure that is, and what else it might have been."""
    yield f"  concept   {named(choice.concept)}: {choice.concept.gloss[:100]}"
    for rival, score in choice.rivals[:4]:
        apart = ", ".join(telling(rival, lexicon))
        yield f"    or      {named(rival)}, {choice.score - score:.2f} behind: {apart}"
    if choice.is_close or (choice.rivals and not context):
        reason = f"the margin is {choice.margin:.2f}" if context else "nothing but the name tells them apart"
        yield f"            Not sure: {reason}. Give --seed-text, --seed, or words of the one you mean."


def _line(weights: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{term} {weight:.2f}" for term, weight in weights)


def _tested(place: str, page: Page, made: Topic, names: Sequence[str]) -> Iterator[str]:
    yield f"{place}  {page.title[:60]}"
    for name in names:
        judge = make_judge(made, name)
        score = judge.score(page)
        verdict = "relevant" if score >= judge.threshold else ""
        reasons = ", ".join(f"{reason.term} {reason.weight:.3f}" for reason in judge.explain(page)[:5])
        yield f"  {name:12} {score:.3f} of {judge.threshold:.3f}  {verdict:8}  {reasons}"


def _scores(page: Page, made: Topic, names: Sequence[str]) -> dict[str, object]:
    judges = {name: make_judge(made, name) for name in names}
    return {
        name: {"score": judge.score(page), "threshold": judge.threshold, "reasons": judge.explain(page)[:20]}
        for name, judge in judges.items()
    }


def _toml(made: Topic) -> Iterator[str]:
    """Yield the lines of a topic file; what may be added stands there as comments."""
    yield "# A topic for 'thresher crawl FILE --seed URL'. Lines that begin with # may be filled in."
    yield "[topic]"
    yield f"name = {_quoted(made.name)}"
    yield _optional("node", "/".join(made.path), "Sports/Basketball")
    yield _optional("description", made.description, "What it is, in a sentence or two.")
    yield '# query = "cat baby"  # taken for one concept, by what examples and seeds say'
    yield '# examples = ["examples/", "https://example.org/page.html"]  # pages that are what you want'
    yield '# negatives = ["wrong.html"]  # pages that look like it and are not'
    yield '# spellings = { Basketball = ["basketball|hoops", "bb", "lanqiu", "lq"] }  # in URLs, by label'
    yield ""
    yield "[topic.keywords]  # words and phrases in any language, each with its weight"
    for keyword, weight in heaviest(made.keywords, 40):
        yield f"{_quoted(keyword)} = {weight:.3f}"


def _optional(name: str, value: str, example: str) -> str:
    return f"{'' if value else '# '}{name} = {_quoted(value or example)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


command = topic
