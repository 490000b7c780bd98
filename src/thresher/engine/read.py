"""The reading of a page: parsed here or in another process, then judged and its words counted once."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import isfinite, nan

from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import Detail
from thresher.core.interfaces import Judge
from thresher.core.records import Fetched, Page, PageRecord, ReadResult, Reason
from thresher.engine.reader_process import Parse, ParserProcess, parsed
from thresher.text.languages import PLAIN
from thresher.text.page_record import record_of

MOST_AT_ONCE = 32  # pages that an awaited judge is asked about together


@dataclass
class PageReader:
    """Parses and judges pages; another process parses large ones, and a slow judge is waited for."""

    parse: Parse
    judge: Judge
    aside: ParserProcess | None = None  # for what is large or a document
    counts_words: bool = False
    judges: bool = True  # False: what learns from the page judges it
    language: str = PLAIN  # that the words of pages are cut by
    _batches: "JudgeBatcher | None" = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Gather the pages of an awaited judge."""
        if self.judges and self.judge.in_batches:
            self._batches = JudgeBatcher(self.judge)

    async def read(self, fetched: Fetched) -> ReadResult:
        """Return the reading of a page, however long it takes."""
        is_aside = self.aside is not None and self.aside.is_for(fetched)
        read = await self.aside.read(fetched) if self.aside and is_aside else parsed(fetched, self.parse)
        if (page := read.page) is None:
            return read
        record = record_of(page, self.language, self.counts_words)
        if self._batches:
            return await self._batches.judged(replace(read, record=record), page)
        return judged(read, page, record, self.judge if self.judges else None)

    async def close(self) -> None:
        """End the other process."""
        if self.aside:
            await self.aside.close()

    def __str__(self) -> str:
        where = "; another parses large pages and documents" if self.aside else ""
        what = f"parse and judge by {type(self.judge).__name__}" if self.judges else "parse"
        return f"{what}, in this process{where}"


def judged(reading: ReadResult, page: Page, record: PageRecord, judge: Judge | None) -> ReadResult:
    """Return what was parsed with its record, and judged if a judge is given."""
    if judge is None:
        return replace(reading, record=record, relevance=nan)
    try:
        return replace(reading, record=record, relevance=_checked(judge.score_read(page, record)))
    except Exception as error:
        return _unjudged(replace(reading, record=record), error)


def _unjudged(reading: ReadResult, error: Exception) -> ReadResult:
    return replace(reading, failure=repr(error), detail=Detail.JUDGE_FAILED)


def _checked(score: float) -> float:
    if not isfinite(score):
        raise ValueError(f"the score {score} is no number from 0 to 1")
    return score


class JudgeBatcher:
    """Gathers pages into batches for an awaited judge, without blocking."""

    def __init__(self, judge: Judge) -> None:
        """Know the judge."""
        self._judge = judge
        self._waiting: list[tuple[Page, asyncio.Future[float]]] = []
        self._work: asyncio.Task[None] | None = None

    async def judged(self, reading: ReadResult, page: Page) -> ReadResult:
        """Return the reading with what the judge says of the page."""
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append((page, answer))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._ask())
        try:
            return replace(reading, relevance=_checked(await answer))
        except Exception as error:
            return _unjudged(reading, error)

    async def _ask(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            try:
                scores = await self._judge.score_many([page for page, _ in batch])
                for (_, answer), score in zip(batch, scores, strict=True):
                    _settle(answer, score)
            except Exception as error:
                for _, answer in batch:
                    _settle(answer, error)


def as_sync(judge: Judge) -> Judge:
    """Return a judge that answers at once; an awaited one is waited for."""
    return SyncJudge(judge) if judge.in_batches else judge


class SyncJudge(Judge):
    """Runs an awaited judge synchronously, in a thread with its own loop."""

    def __init__(self, judge: Judge) -> None:
        """Know the judge."""
        self.judge, self.threshold = judge, judge.threshold

    @override
    def score(self, page: Page) -> float:
        return self.score_all([page])[0]

    def score_all(self, pages: Sequence[Page]) -> Sequence[float]:
        """Return how well each of the pages fits the topic, asked about as one batch."""
        with ThreadPoolExecutor(1) as thread:  # there may be a loop in this one
            return thread.submit(asyncio.run, self._ask(pages)).result()

    @override
    def similarity(self, text: str) -> float:
        return self.judge.similarity(text)

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        return self.judge.explain(page)

    async def _ask(self, pages: Sequence[Page]) -> Sequence[float]:
        return await self.judge.score_many(pages)


def _settle(answer: "asyncio.Future[float]", outcome: float | Exception) -> None:
    """Set the result of a pending job, if it is still waited for."""
    if answer.done():
        return
    if isinstance(outcome, Exception):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)
