"""The question a topic asks, as `topic show` prints it: what is wanted, what was added, what a page needs."""

from collections.abc import Iterable, Iterator

from thresher.core.interfaces import Lexicon
from thresher.core.records import Page, Topic, Url
from thresher.judges import make_judge
from thresher.text.tokenize import readable, typed_forms
from thresher.topic.ontology import heaviest
from thresher.topic.question import Facet, Phrase, Question, question_of
from thresher.topic.suggest import neighbourhood

SHOWN = 8  # words in a line


def question_lines(topic: Topic, lexicon: Lexicon) -> Iterator[str]:
    """Yield what a page must speak of, what is added to it, and what was left alone."""
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
    for words in _near(question):
        yield _row("near", f"in meaning, so they count a little: {', '.join(words)}")
    yield from _left_alone(topic, lexicon)
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


def _near(question: Question) -> Iterator[list[str]]:
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
