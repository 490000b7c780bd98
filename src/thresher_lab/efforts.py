"""What a person types for a topic of a labelled web, at four efforts: the name alone, or with more beside it.

name         the last label of the topic's path, or what TYPED says where that alone says nothing
keywords     and the topic's first three keywords that are no inflection of it
description  and its sentence
examples     and two relevant pages of ordinary length, by a fixed hash
"""

from collections.abc import Iterable
from zlib import crc32

from thresher.core.records import Page
from thresher.judges.question.features import Effort
from thresher.text.chinese import FIRST_HAN
from thresher.text.tokenize import plain_words
from thresher.topic.build import NAMELESS, TopicRequest
from thresher_lab.corpus import CorpusTopic

TYPED = {
    "webkb-wisconsin-courses": "Wisconsin course pages",
    "webkb-washington-courses": "Washington course pages",
    "webkb-texas-people": "Texas people",
    "webkb-cornell-research": "Cornell computer science",
    "wiki-astronomy": "Space and astronomy",
    "wiki-it": "Information technology",
    "nlab-quantum-computing": "Quantum computing",
    "nlab-probability": "Probability",
    "nlab-foundations": "Foundations of mathematics",
    "en-machine-learning": "Machine learning",
    "en-dotnet": ".NET",
    "en-devops": "DevOps",
    "en-conferences": "Conferences",
    "en-travel": "Travel",
    "mdn-service-workers": "Service workers",
    "mdn-webextensions": "Browser extensions",
    "mdn-games": "Game development",
    "mdn-css-properties": "CSS properties",
    "mdn-events": "DOM events",
    "mdn-security": "Web security",
}
"""What a person would type where the last label of the path is not the subject, by the id of the topic."""

FURTHER = 3  # keywords typed
EXAMPLES = 2  # pages shown
SHORTEST, LONGEST = 1_200, 60_000  # characters of a page that a person would show; a Chinese one says more
CHINESE_TELLS = 2.5


def typed_name(entry: CorpusTopic) -> str:
    """Return what a person types first."""
    if entry.id in TYPED:
        return TYPED[entry.id]
    path = entry.path_zh if "zh" in entry.languages and entry.path_zh else entry.path
    return path.split("/")[-1].replace("_", " ").strip()


def further_words(entry: CorpusTopic) -> tuple[str, ...]:
    """Return what a person would add: keywords that are more than an inflection of the name."""
    own = set(plain_words(typed_name(entry)))
    given = entry.keywords_zh if "zh" in entry.languages and entry.keywords_zh else entry.keywords
    return tuple(word for word in given if not set(plain_words(word)) <= own)[:FURTHER]


def example_pages(entry: CorpusTopic, relevant: Iterable[Page]) -> list[Page]:
    """Return two relevant pages of ordinary length, by a fixed hash: what a user might show."""
    pages = list(relevant)
    ordinary = [page for page in pages if SHORTEST <= _told(page) <= LONGEST] or pages
    return sorted(ordinary, key=lambda page: crc32(f"{entry.id}{page.url}".encode()))[:EXAMPLES]


def asked(entry: CorpusTopic, effort: Effort, examples: Iterable[Page] = ()) -> TopicRequest:
    """Return what a person gives at an effort; the name is kept at all of them."""
    name = typed_name(entry) or NAMELESS
    words = dict.fromkeys(further_words(entry), 1.0) if effort is Effort.KEYWORDS else {}
    shown: dict[str, str] = {page.url: f"{page.title}\n{page.text}" for page in examples}
    return TopicRequest(
        name,
        {name: 1.0, **words} if words or effort is Effort.EXAMPLES else {},
        description=entry.description if effort is Effort.DESCRIPTION else "",
        examples=shown if effort is Effort.EXAMPLES else {},
    )


def _told(page: Page) -> float:
    """Return how much a page tells, in characters of English."""
    start = page.text[:2000]
    chinese = sum(character >= FIRST_HAN for character in start) > 100
    return len(page.text) * (CHINESE_TELLS if chinese else 1.0)
