"""An OpenAI-compatible endpoint: chat and embeddings, and the judge that works by embeddings."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from typing_extensions import override

from thresher.core.caches import LruDict
from thresher.core.errors import EndpointFailed
from thresher.core.interfaces import Judge
from thresher.core.records import Page, Reason, Topic, Url
from thresher.fetch.post import PostResponse, ask
from thresher.settings.components import Secret

MOST_ANSWER = 1 << 20  # bytes of an answer to a chat
MOST_VECTORS = 32 << 20  # bytes of an answer with vectors
MOST_TOKENS = 200  # that a model may write about one page
LONGEST_REST = 20.0  # seconds that we wait for who limits the rate
TRIES = 3
BUSY = frozenset({429, 503})
PATHS = ("/chat/completions", "/embeddings")

T = TypeVar("T")


class ModelMessage(Struct, frozen=True):
    """What a model wrote."""

    content: str


class CompletionChoice(Struct, frozen=True):
    """One of its answers."""

    message: ModelMessage


class Usage(Struct, frozen=True):
    """What it says that it cost."""

    total_tokens: int = 0


class Completion(Struct, frozen=True):
    """What a chat endpoint answers, as far as we read it."""

    choices: list[CompletionChoice]
    usage: Usage | None = None


class Embedding(Struct, frozen=True):
    """The vector of one text."""

    index: int
    embedding: list[float]


class EmbeddingsAnswer(Struct, frozen=True):
    """What an embeddings endpoint answers, as far as we read it."""

    data: list[Embedding]


@dataclass
class ModelEndpoint:
    """Where a model is asked. It counts what it sends."""

    address: Secret
    model: str
    key: Secret = Secret()
    allow_networks: Sequence[str] = ()
    seconds: float = 60.0  # that one answer may take
    tries: int = TRIES  # where it is busy
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    requests: int = 0
    tokens: int = 0  # as the endpoint says

    async def chat(self, system: str, text: str) -> str:
        """Return what the model answers to a text."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
        asked = {"messages": messages, "temperature": 0, "max_tokens": MOST_TOKENS, "stream": False}
        answer = await self._ask(PATHS[0], asked, Completion, MOST_ANSWER)
        if not answer.choices:
            raise EndpointFailed(NOT_AS_ASKED)
        self.tokens += max(0, answer.usage.total_tokens) if answer.usage else 0
        return answer.choices[0].message.content

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order; all of one length, and of numbers."""
        answer = await self._ask(PATHS[1], {"input": list(texts)}, EmbeddingsAnswer, MOST_VECTORS)
        vectors = {each.index: each.embedding for each in answer.data}
        if sorted(vectors) != list(range(len(texts))) or len(answer.data) != len(texts):
            raise EndpointFailed("it sent other vectors than were asked for")
        if len({len(each) for each in vectors.values()}) != 1 or not vectors[0]:
            raise EndpointFailed("its vectors have different lengths")
        if not all(isfinite(number) for each in vectors.values() for number in each):
            raise EndpointFailed("its vectors are no numbers")
        return [vectors[place] for place in range(len(texts))]

    async def _ask(self, path: str, document: dict[str, Any], kind: type[T], most: int) -> T:
        """Ask, and ask again when the endpoint is busy; any other answer is a named failure."""
        raw_body = msgspec.json.encode({"model": self.model, **document})
        for left in reversed(range(self.tries)):
            self.requests += 1
            place, key = f"{self._base()}{path}", self.key.reveal()
            answer = await ask(place, raw_body, self.allow_networks, self.seconds, most, key)
            if answer.status not in BUSY or not left:
                break
            await self.sleep(min(LONGEST_REST, 2.0 if answer.retry_after is None else answer.retry_after))
        return _decoded(answer, kind)

    def _base(self) -> str:
        base = self.address.reveal().rstrip("/")
        return next((base.removesuffix(path) for path in PATHS if base.endswith(path)), base)


NOT_AS_ASKED = "it is no answer of such an endpoint"


def _decoded(answer: PostResponse, kind: type[T]) -> T:
    if answer.status in BUSY:
        raise EndpointFailed(f"it is busy (status {answer.status})")
    if answer.status in (401, 403):
        raise EndpointFailed(f"it wants another key (status {answer.status})")
    if answer.status != 200:
        raise EndpointFailed(f"status {answer.status}")
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.MsgspecError, RecursionError):
        raise EndpointFailed(NOT_AS_ASKED) from None


# A judge by embeddings: how near a page's vector is to the topic's, beyond what unrelated texts are anyway.
#
#     base  = mean cosine of the topic with texts about nothing in particular
#     score = (cosine(topic, page) - base) / (1 - base), and 0 below it
#
# Models differ in how near to each other they put everything; the base takes that out. The vectors come from
# an endpoint, many pages at once, while the crawl goes on. When it is away, another judge stands in, by name,
# with its scores laid on this scale so that its threshold is ours; it is asked again after a rest.


log = logging.getLogger(__name__)

THRESHOLD = 0.3  # a guess that suits no model in particular: set judge.threshold after a look at the report
LETTERS = 2_000  # of a page that are sent: most models read no further
MOST_BASE = 0.999  # where everything is the same to a model, nothing is near
REST = 30.0  # seconds before an endpoint that was away is asked again
REMEMBERED = 10_000  # pages of which it is known by whom they were judged
NOTHING = (
    "Opening hours, prices and how to get here.",
    "The weather will be mild with some rain in the afternoon.",
    "Click here to accept cookies and sign up for the newsletter.",
    "The committee met on Tuesday and agreed to meet again.",
    "A recipe for soup with carrots, onions and a little salt.",
    "The film was shown for the first time last autumn.",
    "版权所有，联系我们，隐私政策。",
    "昨天他在车站等了很久，后来坐公共汽车回家。",
)
"""Texts about nothing in particular."""

Vector = NDArray[np.float64]


class Embeddings(Judge):
    """Judges by vectors; never longer than the endpoint may take, and never stuck without it."""

    in_batches = True

    def __init__(
        self,
        topic: Topic,
        threshold: float = THRESHOLD,
        *,
        endpoint: ModelEndpoint,
        fallback: Judge,
        fallback_name: str = "",
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask nothing yet."""
        self.threshold = threshold
        self._topic, self._endpoint = _told(topic), endpoint
        self._fallback, self._name, self._now = fallback, fallback_name or type(fallback).__name__, now
        self._known: tuple[Vector, float] | None = None  # the topic's vector, and the base
        self._away_until = float("-inf")
        self._judged: LruDict[Url, float] = LruDict(REMEMBERED)

    @override
    async def score_many(self, pages: Sequence[Page]) -> Sequence[float]:
        """Return how well each of the pages fits the topic; by the other judge while the endpoint is away."""
        if self._now() < self._away_until:
            return self._stood_in(pages)
        try:
            topic, base = self._known or await self._learn_topic()
            near = _cosines(await self._endpoint.embed([_text(page) for page in pages]), topic)
        except EndpointFailed as error:
            self._leave(error)
            return self._stood_in(pages)
        self._return()
        scores = [float(score) for score in np.clip((near - base) / (1 - base), 0.0, 1.0)]
        for page, score in zip(pages, scores, strict=True):
            self._judged.put(page.url, score)
        return scores

    @override
    def similarity(self, text: str) -> float:
        return self._scaled(self._fallback.similarity(text))

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        score = self._judged.get(page.url)
        words = [
            Reason(f"{each.term} (by {self._name})", each.weight) for each in self._fallback.explain(page)
        ]
        return words if score is None else [Reason(f"embeddings by {self._endpoint.model}", score), *words]

    async def _learn_topic(self) -> tuple[Vector, float]:
        topic, *others = await self._endpoint.embed([self._topic, *NOTHING])
        vector = np.asarray(topic, dtype=np.float64)
        base = float(np.clip(_cosines(others, vector).mean(), 0.0, MOST_BASE))
        self._known = vector, base
        return self._known

    def _stood_in(self, pages: Sequence[Page]) -> list[float]:
        return [self._scaled(self._fallback.score(page)) for page in pages]

    def _scaled(self, score: float) -> float:
        """Return a score of the other judge on our scale: its threshold becomes ours."""
        his, ours = self._fallback.threshold, self.threshold
        if score < his:
            return ours * score / his
        return ours + (1 - ours) * (score - his) / (1 - his) if his < 1 else 1.0

    def _leave(self, error: EndpointFailed) -> None:
        if self._away_until == float("-inf"):
            log.warning(
                "The endpoint of the judge embeddings is away (%s): pages are judged by %s until it is back. "
                "'thresher label --apply FOLDER' has it judge them later.",
                *(error, self._name),
            )
        self._away_until = self._now() + REST

    def _return(self) -> None:
        if self._away_until != float("-inf"):
            log.warning("The endpoint of the judge embeddings is back.")
        self._away_until = float("-inf")


def _cosines(vectors: Sequence[Sequence[float]], topic: Vector) -> Vector:
    table = np.asarray(vectors, dtype=np.float64)
    if table.shape[1] != len(topic):
        raise EndpointFailed("its vectors have different lengths")
    lengths = np.linalg.norm(table, axis=1) * float(np.linalg.norm(topic))
    cosines: Vector = np.divide(table @ topic, lengths, out=np.zeros(len(table)), where=lengths > 0)
    return np.nan_to_num(cosines, nan=0.0, posinf=0.0, neginf=0.0)


def _told(topic: Topic) -> str:
    keywords = ", ".join(list(topic.keywords)[:10])
    return ". ".join(part for part in (topic.name, topic.description, keywords) if part)


def _text(page: Page) -> str:
    return f"{page.title}\n{page.main or page.text}"[:LETTERS].strip() or page.url
