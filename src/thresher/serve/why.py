"""Why a page was asked for and how it was judged, as pictures need it: numbers, not sentences."""

from collections.abc import Mapping

from msgspec.structs import replace

from thresher.core.enums import LOOKS
from thresher.core.url import host_of, key_of
from thresher.report.shapes import LEAST, climb
from thresher.report.why import Explanation, explain
from thresher.search.reader import signed, spelt
from thresher.serve.asks import WhyOf
from thresher.serve.desk import Desk
from thresher.serve.page_answers import PageLink, Part, WayStep, WhyPage
from thresher.serve.problems import not_found
from thresher.text.tokenize import readable, typed_forms

REASONS = 14


def why(desk: Desk, ask: WhyOf) -> WhyPage:
    """Return the way from the seed, what the price was made of, and the evidence for the verdict."""
    found = desk.crawl(ask.id)
    store = found.folder.open()
    try:
        url, topic = store.url_of(signed(ask.key)), store.facts.topic
    finally:
        store.close()
    if url is None:
        raise not_found("No page with this key was visited.", "Look for it in the list of pages.")
    typed = typed_forms([topic.name, *topic.keywords])
    told = _told(explain(url, found.folder), ask.key, typed)
    return replace(told, picture=_picture(told, ask.width)) if ask.width and told.way else told


def _picture(told: WhyPage, width: int) -> str:
    way = [(_called(step.host), step.relevance) for step in told.way]
    return climb(way, told.threshold, max(LEAST, width))


def _told(told: Explanation, key: str, typed: Mapping[str, str]) -> WhyPage:
    visit = next((each for each in told.visits if each.candidate.kind not in LOOKS), told.visits[-1])
    evidence = sorted(told.evidence, key=lambda reason: -abs(reason.weight))[:REASONS]
    return WhyPage(
        url=told.url,
        key=key,
        title=told.title,
        way=[_step(step.url, step.anchor, step.outcome, step.relevance) for step in told.way],
        price=visit.candidate.priority,
        usual=told.price.base if told.price else None,
        price_parts=[Part(part.name, part.amount, part.sentence) for part in told.price.parts]
        if told.price
        else [],
        terms=list(told.terms),
        strategy=told.strategy,
        judge=told.judge,
        threshold=told.threshold,
        relevance=visit.relevance,
        judged=told.judged,
        label=told.label,
        evidence=[Part(readable(reason.term, typed), reason.weight) for reason in evidence],
        inlinks=[
            PageLink(link.source, link.anchor, "", None, spelt(key_of(link.source))) for link in told.links
        ],
    )


def _called(host: str) -> str:
    """Return a host by the name people call it; an address of numbers has none."""
    name = host.rpartition("//")[2].partition(":")[0].removeprefix("www.")
    return name if name.replace(".", "").isdecimal() else name.partition(".")[0]


def _step(url: str, anchor: str, outcome: str, relevance: float) -> WayStep:
    return WayStep(url, host_of(url), anchor, outcome, relevance, spelt(key_of(url)))  # type: ignore[arg-type]
