"""The tools: list, search, read, why, changes; and label where it may. None fetches or names a path."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from thresher.core.enums import Outcome
from thresher.core.errors import StoreFailed, UsageError
from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.export.items import Pages
from thresher.export.text import markdown_of
from thresher.export.wording import moment
from thresher.mcp.answers import (
    Changes,
    CrawlItem,
    Crawls,
    Difference,
    FoundPage,
    FoundPages,
    LabelKept,
    PageChange,
    PagePart,
    PageText,
    Trail,
    UnsurePage,
    UnsurePages,
    WhyPage,
)
from thresher.models.verdict import is_quoted
from thresher.report.changes import changes_of, is_wanted, moment_of
from thresher.report.figures import UNFINISHED
from thresher.report.learned import suggestions_of
from thresher.report.why import explain
from thresher.search.find import search
from thresher.search.index import catch_up
from thresher.search.reader import signed, spelt
from thresher.store.folder import CrawlFolder
from thresher.store.labels import ModelLabel, add_model_labels
from thresher.text.chinese import han_in

PART = 4_000  # words of a part; letters where words are not told apart
GROUPS = 40  # that one search indexes at most of what is new
LINES = 12  # of a difference
MOST_LABELS = 200  # that one client may give

CrawlName = Annotated[str, Meta(description="The name of a crawl, as list_crawls gives it.")]
PageId = Annotated[str, Meta(description="The id of a page, as search gives it.")]


class ListCrawls(Struct, frozen=True, forbid_unknown_fields=True):
    """List the crawls: their topics, how many pages each has, and how many are relevant."""


class Search(Struct, frozen=True, forbid_unknown_fields=True):
    """Find pages by words, the best first. "two words" side by side, -word, word*, host:, lang:, since:7d."""

    query: Annotated[str, Meta(description="PageText, in English or Chinese.", max_length=1000)]
    crawl: CrawlName = ""
    relevant: Annotated[bool | None, Meta(description="Only pages that are relevant, or are not.")] = None
    limit: Annotated[int, Meta(ge=1, le=20)] = 10


class ReadPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Read a page as Markdown, in parts of 4,000 words."""

    id: PageId
    part: Annotated[int, Meta(ge=1)] = 1


class Why(Struct, frozen=True, forbid_unknown_fields=True):
    """Say why a page is in a crawl: the way from a seed to it, and what the judge goes by."""

    id: PageId


class ListChanges(Struct, frozen=True, forbid_unknown_fields=True):
    """List what changed on the pages of a crawl since they were first read, the latest first."""

    crawl: CrawlName
    since: Annotated[str, Meta(description="12h or 2d ago, or a date such as 2026-03-01.")] = ""
    limit: Annotated[int, Meta(ge=1, le=50)] = 20


class ListUnsure(Struct, frozen=True, forbid_unknown_fields=True):
    """List the pages whose label would help a crawl most: read each, then say yes or no with label."""

    crawl: CrawlName
    limit: Annotated[int, Meta(ge=1, le=20)] = 2


class LabelPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Say of a page whether it is about the crawl's topic. It is kept as a model's word, below a person's."""

    id: PageId
    label: Literal["yes", "no"]
    quote: Annotated[str, Meta(description="The words of the page that decide it, copied exactly.")]


class Tools:
    """The tools over some crawls."""

    def __init__(self, folders: Sequence[CrawlFolder], writes: bool = False) -> None:
        """Name the crawls by their folders; of two of one name the second gets a number."""
        self._crawls: dict[str, CrawlFolder] = {}
        for folder in folders:
            name = folder.path.resolve().name
            while name in self._crawls:
                name = f"{name}-{len(self._crawls) + 1}"
            self._crawls[name] = folder
        self._labels = 0
        self._tools: Mapping[str, tuple[type[Struct], Callable[..., object]]] = {
            "list_crawls": (ListCrawls, self._list),
            "search": (Search, self._search),
            "read": (ReadPage, self._read),
            "why": (Why, self._why),
            "changes": (ListChanges, self._changes),
            **({"unsure": (ListUnsure, self._unsure), "label": (LabelPage, self._label)} if writes else {}),
        }

    def described(self) -> list[dict[str, Any]]:
        """Return the tools as the protocol describes them."""
        return [
            {
                "name": name,
                "description": (kind.__doc__ or "").strip(),
                "inputSchema": _schema(kind),
                "annotations": {"readOnlyHint": name != "label", "openWorldHint": False},
            }
            for name, (kind, _) in self._tools.items()
        ]

    def has(self, name: str) -> bool:
        """Tell whether there is a tool of that name."""
        return name in self._tools

    def use(self, name: str, arguments: bytes, client: str) -> object:
        """Return what a tool answers to a client."""
        kind, tool = self._tools[name]
        asked = msgspec.json.decode(arguments, type=kind)
        return tool(asked, client) if name == "label" else tool(asked)

    def _list(self, ask: ListCrawls) -> Crawls:
        return Crawls([_item(name, folder) for name, folder in self._crawls.items()])

    def _search(self, ask: Search) -> FoundPages:
        chosen = {ask.crawl: self._folder(ask.crawl)} if ask.crawl else self._crawls
        for folder in chosen.values():
            with suppress(StoreFailed):  # what is indexed already is searched
                catch_up(folder, most=GROUPS)
        names = {str(folder.path): name for name, folder in chosen.items()}
        wanted = "" if ask.relevant is None else f" relevant:{'yes' if ask.relevant else 'no'}"
        found, _ = search(list(chosen.values()), ask.query + wanted, ask.limit)
        return FoundPages(
            found.total,
            [
                FoundPage(
                    f"{names[hit.crawl]}:{hit.key}",
                    *(hit.url, hit.language, hit.relevance, hit.is_relevant, hit.fetched_at),
                    PageText(hit.title, "".join(hit.snippet)),
                )
                for hit in found.items
            ],
            found.remarks,
        )

    def _read(self, ask: ReadPage) -> PagePart:
        folder, url = self._place(ask.id)
        with folder.open() as store:
            page = store.page(url) or _gone(ask.id)
            text = markdown_of(Pages(folder, store), url) or page.main or page.text
            visit = store.history(url)[-1]
            parts = parts_of(f"# {page.title}\n\n{text}" if page.title else text)
            if ask.part > len(parts):
                raise UsageError(f"The page has {len(parts)} parts; ask for one of them.")
            shown = parts[ask.part - 1]
            relevance = store.relevance(url) or 0.0
        return PagePart(ask.id, url, ask.part, len(parts), moment(visit.at), relevance, shown)

    def _why(self, ask: Why) -> WhyPage:
        folder, url = self._place(ask.id)
        told = explain(url, folder)
        return WhyPage(
            ask.id,
            url,
            [step.url for step in told.way],
            *(told.judge, told.threshold, told.judged),
            {None: "", True: "yes", False: "no"}[told.label],
            told.strategy,
            Trail([step.anchor for step in told.way], [reason.term for reason in told.evidence[:20]]),
        )

    def _changes(self, ask: ListChanges) -> Changes:
        folder = self._folder(ask.crawl)
        since = moment_of(ask.since, time.time()) if ask.since else 0.0
        found = [each for each in changes_of(folder, since) if is_wanted(each, False, False)]
        latest = [
            PageChange(
                f"{ask.crawl}:{spelt(key_of(each.url))}",
                *(each.url, each.found_at, each.kind.value, each.relevance, each.is_relevant),
                Difference(each.title, list(each.words[:LINES])),
            )
            for each in found[::-1][: ask.limit]
        ]
        return Changes(len(found), latest)

    def _unsure(self, ask: ListUnsure) -> UnsurePages:
        folder = self._folder(ask.crawl)
        with folder.open() as store:
            found = suggestions_of(folder, store, ask.limit)
        return UnsurePages(
            [
                UnsurePage(f"{ask.crawl}:{spelt(key_of(each.url))}", each.url, each.score, each.title)
                for each in found
            ]
        )

    def _label(self, ask: LabelPage, client: str) -> LabelKept:
        folder, url = self._place(ask.id)
        with folder.open() as store:
            page = store.page(url) or _gone(ask.id)
        if not is_quoted(ask.quote, f"{page.title}\n{page.text}\n{page.main}"):
            raise UsageError("The quote does not stand in the page; copy the words of it that decide.")
        if self._labels >= MOST_LABELS:
            raise UsageError(
                f"{MOST_LABELS} labels are as many as one client may give; start again for more."
            )
        self._labels += 1
        said = ModelLabel(url, ask.label == "yes", True, client, " ".join(ask.quote.split()))
        add_model_labels(folder.model_labels, [said])
        return LabelKept(
            ask.id, ask.label, "a model's word: the crawl learns from it where no person has spoken"
        )

    def _folder(self, name: str) -> CrawlFolder:
        if name not in self._crawls:
            raise UsageError(f"There is no crawl {name[:80]!r}. There are: {', '.join(self._crawls)}.")
        return self._crawls[name]

    def _place(self, id: str) -> tuple[CrawlFolder, Url]:
        """Return the crawl and the URL of a page by its id."""
        crawl, _, key = id.rpartition(":")
        folder = self._folder(crawl)
        try:
            number = signed(key)
        except ValueError:
            raise UsageError(f"{id[:80]!r} is not an id of a page; search gives them.") from None
        with folder.open() as store:
            url = store.url_of(number)
        return folder, url or _gone(id)


def _gone(id: str) -> Any:
    raise UsageError(f"No page {id[:80]!r} was fetched in this crawl; search gives the ids.")


def _item(name: str, folder: CrawlFolder) -> CrawlItem:
    with folder.open() as store:
        facts, tally = store.facts, store.tally(store.facts.threshold)
        finish = facts.finish.sentence if facts.finish else UNFINISHED
        pages = tally.outcomes[Outcome.FETCHED]
        return CrawlItem(name, facts.topic.name, pages, tally.relevant, finish)


def parts_of(text: str) -> list[str]:
    """Return a text in parts of so many words, cut between lines where they are short enough."""
    parts: list[str] = []
    part: list[str] = []
    count = 0
    for line in text.splitlines() or [""]:
        for piece in _pieces(line):
            words = _count(piece)
            if part and count + words > PART:
                parts.append("\n".join(part))
                part, count = [], 0
            part.append(piece)
            count += words
    return [*parts, "\n".join(part)]


def _pieces(line: str) -> list[str]:
    """Return a line, or pieces of one that is longer than a part."""
    if _count(line) <= PART:
        return [line]
    return [line[start : start + PART] for start in range(0, len(line), PART)]


def _count(text: str) -> int:
    return max(len(text.split()), han_in(text))


def _schema(kind: type[Struct]) -> dict[str, Any]:
    """Return what a tool takes as JSON schema, without references."""
    schema = msgspec.json.schema(kind)
    own: dict[str, Any] = schema["$defs"][kind.__name__]
    return {name: value for name, value in own.items() if name not in ("title", "description")}
