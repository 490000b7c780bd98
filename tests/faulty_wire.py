"""A wire in memory that loses, doubles and delays; the messages of one sender keep their order."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from thresher.core.errors import ThresherError


@dataclass
class Weather:
    """How bad the wire is."""

    dice: random.Random
    lost: float = 0.0
    doubled: float = 0.0
    slowest: float = 0.0

    def times(self) -> int:
        return 0 if self.dice.random() < self.lost else 1 + (self.dice.random() < self.doubled)

    def delay(self) -> float:
        return self.dice.uniform(0.0, self.slowest)


@dataclass
class Lane:
    """One direction between two: what is said later never arrives earlier."""

    weather: Weather
    free: float = 0.0
    is_cut: bool = False

    def carry(self, hear: Callable[[bytes], None], message: bytes) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(self.weather.times()):
            self.free = max(self.free, loop.time() + self.weather.delay())
            loop.call_at(self.free, self._arrive, hear, message)

    def _arrive(self, hear: Callable[[bytes], None], message: bytes) -> None:
        if not self.is_cut:
            hear(message)


@dataclass
class MemoryTransport:
    """The crawl's end, and the place where workers' ends are made."""

    weather: Weather
    failure: ThresherError | None = None
    ends: dict[str, "MemoryEnd"] = field(default_factory=dict)

    async def open(self, hear, gone) -> None:
        self.hear = hear

    def say(self, worker: str, message: bytes) -> None:
        if end := self.ends.get(worker):
            end.down.carry(end.take, message)

    def call(self, message: bytes) -> None:
        for worker in list(self.ends):
            self.say(worker, message)

    def lost(self, worker: str) -> None:
        pass

    async def close(self) -> None:
        self.hear = lambda worker, message: None

    def end(self, name: str) -> "MemoryEnd":
        made = self.ends[name] = MemoryEnd(self, name, Lane(self.weather), Lane(self.weather))
        return made


@dataclass
class MemoryEnd:
    """A worker's end."""

    raw_body: MemoryTransport
    name: str
    up: Lane
    down: Lane
    _hear: Callable[[bytes], None] | None = None
    most: int = 1 << 20

    def take(self, message: bytes) -> None:
        if self._hear:
            self._hear(message)

    async def open(self, hear, gone) -> None:
        self._hear = hear

    async def join(self, crawl: str) -> None:
        pass

    def say(self, message: bytes) -> None:
        self.up.carry(lambda said: self.raw_body.hear(self.name, said), message)

    def cut(self, is_cut: bool = True) -> None:
        self.up.is_cut = self.down.is_cut = is_cut

    async def close(self) -> None:
        self._hear = None
