"""What a crawl has learned, where its strategy is one that learns, and which labels would help it most."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from shlex import quote

from msgspec import Struct

from thresher.build.plugins import strategy_has_own
from thresher.build.resume import readable_strategy_of
from thresher.core.enums import Outcome
from thresher.core.records import GroupKind, GroupYield, LabelSuggestion, Url, Visit
from thresher.core.strategy import Insights, Strategy
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.store.read import CrawlReader
from thresher.text.tokenize import fold, plain_words, tokens

FEWEST = 3  # visits before a word says anything


def best_anchor_words(visits: Iterable[Visit], threshold: float) -> list[GroupYield]:
    """Return the words of the anchors that led to pages, the greatest gain over usual visits first.

    A word counts once a visit, in all its forms, and is called by the commonest.
    """
    counts: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = {}
    seen = found = 0
    for visit in visits:
        relevant = visit.relevance >= threshold
        seen, found = seen + 1, found + relevant
        stems = dict(_forms(visit.candidate.via.anchor)) if visit.candidate.via else {}
        for stem, form in stems.items():
            counts[stem] += 1
            hits[stem] += relevant
            forms.setdefault(stem, Counter())[form] += 1
    lessons = [
        GroupYield(
            GroupKind.WORD,
            _commonest(forms[stem]),
            "",
            count,
            hits[stem] / count,
            hits[stem] - count * found / seen,
        )
        for stem, count in counts.items()
        if count >= FEWEST
    ]
    return sorted(lessons, key=lambda lesson: (-lesson.gain, lesson.name))


def _forms(anchor: str) -> Iterator[tuple[str, str]]:
    """Yield the stem and the form of each word that is no stop word and no part of a numbering."""
    for token in tokens(fold(anchor)):
        if not _NUMBERING.fullmatch(token):
            yield from ((stem, token) for stem in plain_words(token)[:1])


_NUMBERING = re.compile(
    r"[a-z]|\d+|x{0,3}(?:ix|iv|v?i{0,3})|[第章节條条款篇卷]|[〇零一二三四五六七八九十百千两]+"
)


def _commonest(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], form))


SHOWN = 8  # lessons of each kind
LATEST = 4000  # visits whose anchors are looked through
ASKED = 20  # pages


class SuggestedPage(Struct, frozen=True):
    """A page whose label would help, with what to paste to give it."""

    url: Url
    title: str
    score: float
    alike: int
    command: str


class LearnedReport(Struct, frozen=True):
    """What paid, what did not, and what the crawl would like to be told."""

    hosts: tuple[GroupYield, ...]
    folders: tuple[GroupYield, ...]
    sections: tuple[GroupYield, ...]
    words: tuple[GroupYield, ...]  # of anchors
    traps: tuple[GroupYield, ...]  # the greatest loss first
    suggestions: tuple[SuggestedPage, ...]


def learned_of(
    folder: CrawlFolder, store: CrawlReader, asked: Settings | None = None
) -> LearnedReport | None:
    """Return what a crawl has learned, or None if its strategy is none that learns."""
    if not folder.settings.exists() or not (insights := _insights(asked or folder.asked(), store)):
        return None
    lessons, labels = insights.group_yields, Labels(folder.labels).all()
    threshold = store.facts.threshold
    return LearnedReport(
        hosts=_best(lessons, GroupKind.HOST),
        folders=_best(lessons, GroupKind.FOLDER),
        sections=_best(lessons, GroupKind.SECTION),
        words=_best(best_anchor_words(store.latest(LATEST), threshold), GroupKind.WORD),
        traps=tuple(islice(_traps(lessons), SHOWN)),
        suggestions=tuple(islice(_suggestions(insights.label_suggestions, labels, folder, store), ASKED)),
    )


def suggestions_of(folder: CrawlFolder, store: CrawlReader, most: int) -> list[SuggestedPage]:
    """Return the pages whose label would help most, if the strategy of a crawl can tell."""
    if not (insights := _insights(folder.asked(), store)):
        return []
    return list(islice(_suggestions(insights.label_suggestions, store.taught(), folder, store), most))


def _insights(settings: Settings, store: CrawlReader) -> Insights | None:
    """Return the insights of a crawl's strategy, which is loaded only if it has any."""
    if not strategy_has_own(settings.strategy.name, Strategy.insights):
        return None
    strategy = readable_strategy_of(settings, store)
    return strategy.insights() if strategy else None


def _best(lessons: Sequence[GroupYield], kind: GroupKind) -> tuple[GroupYield, ...]:
    paid = (lesson for lesson in lessons if lesson.kind is kind and lesson.gain > 0)
    return tuple(islice(paid, SHOWN))


def _traps(lessons: Sequence[GroupYield]) -> Iterator[GroupYield]:
    """Yield the hosts and folders that cost most time, each host once: as a whole, or the worst of it."""
    told: set[str] = set()
    for lesson in reversed(lessons):
        if lesson.gain < 0 and lesson.kind is not GroupKind.SECTION and lesson.host not in told:
            told.add(lesson.host)
            yield lesson


def _suggestions(
    questions: Sequence[LabelSuggestion], labels: Mapping[Url, bool], folder: CrawlFolder, store: CrawlReader
) -> Iterator[SuggestedPage]:
    """Yield the questions that `thresher label` takes an answer to, about pages whose words are kept."""
    for question in questions:
        url = question.url
        page = None if url in labels else store.page(url)
        if page and page.text and any(visit.outcome is Outcome.FETCHED for visit in store.history(url)):
            command = f"thresher label {quote(str(folder.path))} {quote(url)} yes"
            yield SuggestedPage(url, page.title, question.score, question.alike, command)
