"""An OpenAI-compatible endpoint: chat and embeddings by plain HTTP, each answer taken for a stranger's."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from thresher.core.errors import EndpointFailed
from thresher.fetch.post import Answer, ask
from thresher.settings.components import Secret

MOST_ANSWER = 1 << 20  # bytes of an answer to a chat
MOST_VECTORS = 32 << 20  # bytes of an answer with vectors
MOST_TOKENS = 200  # that a model may write about one page
LONGEST_REST = 20.0  # seconds that we wait for who limits the rate
TRIES = 3
BUSY = frozenset({429, 503})
PATHS = ("/chat/completions", "/embeddings")

T = TypeVar("T")


class Message(Struct, frozen=True):
    """What a model wrote."""

    content: str


class Choice(Struct, frozen=True):
    """One of its answers."""

    message: Message


class Usage(Struct, frozen=True):
    """What it says that it cost."""

    total_tokens: int = 0


class Completion(Struct, frozen=True):
    """What a chat endpoint answers, as far as we read it."""

    choices: list[Choice]
    usage: Usage | None = None


class Embedding(Struct, frozen=True):
    """The vector of one text."""

    index: int
    embedding: list[float]


class Embeddings(Struct, frozen=True):
    """What an embeddings endpoint answers, as far as we read it."""

    data: list[Embedding]


@dataclass
class Endpoint:
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
        answer = await self._ask(PATHS[1], {"input": list(texts)}, Embeddings, MOST_VECTORS)
        vectors = {each.index: each.embedding for each in answer.data}
        if sorted(vectors) != list(range(len(texts))) or len(answer.data) != len(texts):
            raise EndpointFailed("it sent other vectors than were asked for")
        if len({len(each) for each in vectors.values()}) != 1 or not vectors[0]:
            raise EndpointFailed("its vectors have different lengths")
        if not all(isfinite(number) for each in vectors.values() for number in each):
            raise EndpointFailed("its vectors are no numbers")
        return [vectors[place] for place in range(len(texts))]

    async def _ask(self, path: str, document: dict[str, Any], kind: type[T], most: int) -> T:
        """Ask, and ask again who is busy; any other answer than the one asked for is a failure by name."""
        wire = msgspec.json.encode({"model": self.model, **document})
        for left in reversed(range(self.tries)):
            self.requests += 1
            place, key = f"{self._base()}{path}", self.key.reveal()
            answer = await ask(place, wire, self.allow_networks, self.seconds, most, key)
            if answer.status not in BUSY or not left:
                break
            await self.sleep(min(LONGEST_REST, 2.0 if answer.retry_after is None else answer.retry_after))
        return _decoded(answer, kind)

    def _base(self) -> str:
        base = self.address.reveal().rstrip("/")
        return next((base.removesuffix(path) for path in PATHS if base.endswith(path)), base)


NOT_AS_ASKED = "it is no answer of such an endpoint"


def _decoded(answer: Answer, kind: type[T]) -> T:
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
