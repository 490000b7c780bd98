"""The verb `topic`: see what the crawler believes a topic is, before one page is fetched."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any

import click

from thresher.build.topic import asked_of, read_pages, topic_of
from thresher.cli.knowledge import browse, knowledge
from thresher.cli.options import TOPIC_FLAGS, flag_options, settings_of, the_crawl
from thresher.cli.output import print_json
from thresher.core.errors import UsageError
from thresher.core.interfaces import Lexicon
from thresher.core.records import Page, Topic, Url, Visit
from thresher.core.url import tokens
from thresher.export.items import Selection, chosen
from thresher.export.wording import many
from thresher.export.wording import number as format_number
from thresher.judges import JUDGES, make_judge
from thresher.knowledge.index import Index, open_knowledge
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader
from thresher.text.tokenize import readable, typed_forms
from thresher.topic.build import TopicRequest, make_topic
from thresher.topic.ontology import ConceptChoice, candidates, choose, heaviest, named, telling
from thresher.topic.question import Facet, Phrase, TopicQuestion, question_of, remarks
from thresher.topic.suggest import WordSuggestion, neighbourhood
from thresher.topic.suggest import suggest as find_suggestions
from thresher.topic.url_spellings import tokens_to_review

# What `topic show` prints


SHOWN = 8  # words in a line


def question_lines(topic: Topic, lexicon: Lexicon, full: bool) -> Iterator[str]:
    """Yield what a page must speak of and what was left alone; in full, what the judge adds to it."""
    question = question_of(topic)
    for number, facet in enumerate(question.facets):
        yield from _facet_lines(facet, "wanted" if not number else "and also")
    if question.excluded:
        yield _row("not", _listed(question.excluded))
    if question.description:
        yield _row(
            "described", f"half as much as the name: {', '.join(map(readable, question.description[:SHOWN]))}"
        )
    if topic.examples:
        yield _row("examples", ", ".join(topic.examples[:SHOWN]))
    for words in _near(question) if full else ():
        yield _row("near", f"in meaning, so they count a little: {', '.join(words)}")
    yield from _left_alone(topic, lexicon)
    if full:
        yield _row("a page", _needed(topic))


def _needed(topic: Topic) -> str:
    """Return what the default judge makes of some pages: how a page must speak of the topic to count."""
    judge = make_judge(topic)
    names = [text for texts in topic.facets for text in texts[:1] if text] or [topic.name]
    said, filled = " ".join(f"{name}." for name in names), " ".join(f"filler{n}" for n in range(400))
    apart = " filler ".join(word for name in names for word in reversed(name.split()))
    told = {
        "without it": Page(Url("http://a/"), "", filled, filled),
        "with its words apart": Page(Url("http://a/"), "", f"{filled} {apart}. {apart}.", filled),
        "three times in 400 words": Page(Url("http://a/"), "", f"{filled} {3 * said}", filled),
        "and in title and first lines": Page(
            Url("http://a/"), " ".join(names), f"{3 * said} {filled}", f"{said} {filled}"
        ),
    }
    scores = ", ".join(f"{judge.score(page):.2f} {words}" for words, page in told.items() if words)
    return f"counts from {judge.threshold:.2f} on; it gets {scores}"


def _facet_lines(facet: Facet, head: str) -> Iterator[str]:
    if facet.names:
        either = " (either)" if len(facet.names) > 1 else ""
        yield _row(head, f"{_listed(facet.names)}{either}")
    if facet.spellings:
        yield _row("spelt", _listed(facet.spellings))
    if facet.further:
        yield _row("or", _listed(facet.further[: 2 * SHOWN]))


def _listed(phrases: Iterable[Phrase]) -> str:
    return "; ".join(map(_said, phrases))


def _said(phrase: Phrase) -> str:
    """Return a phrase with how it is found."""
    if phrase.literal:
        return f"{phrase.text}, letter by letter"
    if not phrase.is_compound:
        return phrase.text
    typed = typed_forms([phrase.text])
    return f"{phrase.text}: {' + '.join(readable(word, typed) for word in phrase.words)}, best together"


def _near(question: TopicQuestion) -> Iterator[list[str]]:
    """Yield the words nearest in meaning, a line for each language."""
    phrases = [phrase for facet in question.facets for phrase in facet.phrases]
    weighted = {text: w for facet in question.facets for text, w in question.weighted(facet).items()}
    own = {word for phrase in phrases for word in phrase.words}
    near = {word: weight for word, weight in neighbourhood(weighted).items() if word not in own}
    for ascii in (True, False):
        some = {word: weight for word, weight in near.items() if word.isascii() is ascii}
        if some:
            yield [readable(word) for word, _ in heaviest(some, SHOWN)]


def _left_alone(topic: Topic, lexicon: Lexicon) -> Iterator[str]:
    """Yield the nodes of the taxonomy that are called like the topic and are not used."""
    for node in lexicon.nodes(topic.name) if not topic.path else ():
        path = "/".join(label for step in lexicon.path(node.id) for label in [_label(step.labels)])
        yield _row("unused", f"the taxonomy has {path}; --set topic.node={path} would add its names")


def _label(labels: Iterable[tuple[str, str]]) -> str:
    return next(label for language, label in labels if language != "abbr")


def _row(head: str, text: str) -> str:
    return f"  {head:9} {text}"


# What `topic suggest` prints


SAMPLE = 30  # of the best pages, and of those that are none
IN_TWENTY = 20  # a word of addresses is worth a look from one address in so many on
FEWEST = 3
TELLING = 2  # times as frequent in relevant addresses as in others, else a word says nothing


def suggest_from_pages(made: Topic, pages: Mapping[str, Page], several: int) -> None:
    """Print what example pages of a topic have that is near it."""
    found = find_suggestions([_text(page) for page in pages.values()], made, several=several)
    click.echo("\n".join(_lines(found, len(pages))))
    ready = _flags(found)
    click.echo(
        f"From {many(len(pages), 'page')}. Add what fits: thresher crawl {quote(made.name)}{ready}", err=True
    )


def suggest_from_crawl(made: Topic, crawl: CrawlFolder, seen_often: int | None, several: int) -> None:
    """Print what the relevant pages of a crawl have and its others have not, in texts and in addresses."""
    with crawl.open() as store:
        best, others, addresses, relevant = _read(store)
    if not best:
        click.echo(
            f"{crawl.path} has no relevant page yet to learn words from; name example pages.", err=True
        )
        return
    found = find_suggestions(best, made, others, several)
    click.echo("\n".join(_lines(found, len(best))))
    often = seen_often or max(FEWEST, relevant // IN_TWENTY)
    for token, count in tokens_to_review(addresses, made, often)[:several]:
        click.echo(f"{token}  in {count} addresses")
    asked = f"thresher label --apply {quote(str(crawl.path))}{_flags(found)}"
    click.echo(f"From {many(relevant, 'relevant page')}. Add what fits: {asked}", err=True)
    click.echo(
        "A word of addresses goes under [topic.spellings] in the file of 'thresher topic new'.", err=True
    )


def _read(store: CrawlReader) -> tuple[list[str], list[str], Counter[str], int]:
    """Return texts of the best pages and of others, the words of addresses, and how many are relevant."""
    threshold = store.facts.threshold
    ours, theirs = Counter[str](), Counter[str]()
    pages = Counter[bool]()
    for visit in store.pages():
        fits = visit.relevance >= threshold
        pages[fits] += 1
        (ours if fits else theirs).update(set(tokens(visit.candidate.url)))
    best = chosen(store, Selection(relevant=True, top=SAMPLE, unique=True))
    others = (visit for visit in store.pages() if visit.relevance < threshold)
    telling = Counter(
        {
            token: count
            for token, count in ours.items()
            if count * pages[False] >= TELLING * theirs[token] * pages[True]
        }
    )
    return _texts(best), _texts(islice(others, SAMPLE)), telling, pages[True]


def _texts(visits: Iterator[Visit]) -> list[str]:
    return [_text(visit.page) for visit in visits if visit.page]


def _text(page: Page) -> str:
    return f"{page.title}\n{page.main or page.text}"


def _lines(found: Sequence[WordSuggestion], pages: int) -> Iterator[str]:
    for each in found:
        spread = f"  on {each.pages} of {format_number(pages)} pages" if pages > 1 else ""
        yield f"{each.weight:5.2f}  {each.term}{spread}"


def _flags(found: Sequence[WordSuggestion]) -> str:
    """Return the first suggestion as the flag that takes it, for an example."""
    return f" --keyword {quote(found[0].term)}" if found else ""


SHOWN_WORDS = 12  # words in a line

EXAMPLES = """\b
Examples:
  thresher topic show 篮球
  thresher topic show "cat baby" --seed-text "litter, vet, purring"
  thresher topic test basketball page.html https://example.org/
  thresher topic suggest basketball examples/
  thresher topic suggest basketball --crawl basketball
  thresher topic browse Sports
  thresher topic new 篮球 basketball.toml
  thresher topic knowledge add wordnet
"""

Names = tuple[str, ...]


@click.group(epilog=EXAMPLES)
def topic() -> None:
    """Show how a topic is understood, score pages by it, add dictionaries."""


topic.add_command(knowledge)


@topic.command(epilog=EXAMPLES)
@click.argument("words", nargs=-1, required=True)
@click.option("--seed-text", default="", help="Text of seed pages, which tells meanings apart.")
@click.option("--seed", "seeds", multiple=True, metavar="URL|FILE", help="A page to take that text from.")
@click.option("--full", is_flag=True, help="Also the words near in meaning, and what pages would score.")
@click.option("--json", "as_json", is_flag=True, help="Print the topic as JSON.")
@flag_options(*TOPIC_FLAGS, "allow_network", "pairs")
def show(words: Names, seed_text: str, seeds: Names, full: bool, as_json: bool, **flags: Any) -> None:
    """Show the question a topic asks: what is wanted, what was added and why.

    WORDS are the topic, or the TOML file of one.
    """
    settings = settings_of(words, flags)
    pages = read_pages(seeds, settings, _complain)
    context = " ".join([seed_text, *(page.text for page in pages.values())]).strip()
    with open_knowledge() as lexicon:
        made, choice = _understood(asked_of(settings, _complain), context, lexicon)
        for remark in remarks(made.facets):
            _complain(remark)
        print_json(made) if as_json else click.echo("\n".join(_shown(made, choice, context, lexicon, full)))


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
    asked = names or tuple(JUDGES)
    pages = read_pages(places, settings, _complain)
    if as_json:
        print_json({place: _scores(page, made, asked) for place, page in pages.items()})
        return
    for place, page in pages.items():
        click.echo("\n".join(_tested(place, page, made, asked)))


@topic.command(epilog=EXAMPLES)
@click.argument("subject", metavar="TOPIC")
@click.argument("places", nargs=-1, metavar="URL|FILE|FOLDER...")
@click.option("--crawl", "crawled", metavar="FOLDER", help="Suggest from the pages of this crawl, too.")
@click.option("--several", default=SHOWN_WORDS, show_default=True, help="How many terms.")
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


def _understood(asked: TopicRequest, context: str, lexicon: Index) -> tuple[Topic, ConceptChoice | None]:
    """Return the topic, and what its name or query is taken for; the text of seed pages decides."""
    query = asked.query or (asked.name if context else "")
    known = bool(query) and bool(candidates(query, lexicon))
    choice = choose(query, f"{context} {asked.context}", lexicon) if known else None
    return make_topic(asked, lexicon, choice if context else None), choice


def _complain(sentence: str) -> None:
    click.echo(sentence, err=True)


def _shown(
    made: Topic, choice: ConceptChoice | None, context: str, lexicon: Index, full: bool
) -> Iterator[str]:
    yield made.name
    yield from question_lines(made, lexicon, full)
    if choice:
        yield from _chosen(choice, context, lexicon)
    if made.path:
        yield f"  path      {' / '.join(made.path)}"
    if made.labels:
        yield f"  labels    {', '.join(f'{label} ({tag})' for tag, label in sorted(made.labels.items()))}"
    if len(made.keywords) > 1:
        yield f"  keywords  {_line(heaviest(made.keywords, SHOWN_WORDS))}"
    if made.lexicon:
        yield f"  lexicon   {_line(heaviest(made.lexicon, SHOWN_WORDS))}; {len(made.lexicon)} in all"
    for number, row in enumerate(made.spellings, start=1):
        columns = zip(("English", "abbreviation", "pinyin", "initials"), row, strict=False)
        yield f"  URL {number}     {'; '.join(f'{name} {value}' for name, value in columns if value)}"


def _chosen(choice: ConceptChoice, context: str, lexicon: Index) -> Iterator[str]:
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


topic.add_command(browse)
command = topic
