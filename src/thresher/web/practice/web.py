"""The practice web behind the door of every web: a synthetic web made from a seed, with known labels."""

from collections.abc import Sequence
from functools import cached_property

from thresher.core.doors import Clock
from thresher.core.errors import HostUnreachable, RobotsForbidden, UnknownName
from thresher.core.records import Candidate, Fetched, Headers, Topic, Url
from thresher.web.practice.answers import STANDSTILL, Answer, Responder
from thresher.web.practice.atlas import Address, Atlas
from thresher.web.practice.plan import draw
from thresher.web.practice.subjects import NAMES, TOPICS, topic_of


class PracticeWeb:
    """A web that is a pure function of its seed, the URL and the time.

    It proves behaviour and is never evidence of merit. Its pages live on `http://NAME.localhost/`, or on
    `http://NAME.localhost:PORT/` when a server lends it a port; nothing else depends on the port.
    Like the live web it refuses what robots.txt forbids, by the plain prefixes its own rules consist of.
    """

    def __init__(
        self, seed: int = 1, clock: Clock | None = None, port: int | None = None, atlas: Atlas | None = None
    ) -> None:
        """Draw the plan, or take one drawn from the same seed; without a clock the pages stand still."""
        self.seed, self.clock, self.port = seed, clock, port
        self.atlas = atlas or draw(seed)
        self._authority = f".localhost:{port}/" if port else ".localhost/"
        self._responder = Responder(self.atlas, self.locate)

    async def get(self, candidate: Candidate) -> Fetched:
        """Return the response, whatever its status; raise FetchError when there is none."""
        address = self.address(candidate.url)
        if self._responder.is_forbidden(address):
            raise RobotsForbidden(f"robots.txt forbids {candidate.url}.")
        answer = self.answer(address)
        now = self.now()
        return Fetched(candidate, candidate.url, answer.status, answer.headers, answer.body, fetched_at=now)

    async def close(self) -> None:
        """Let go of nothing: there are no connections."""

    def on_port(self, port: int) -> "PracticeWeb":
        """Return the same web with its sites on another port."""
        return PracticeWeb(self.seed, self.clock, port, self.atlas)

    @cached_property
    def topics(self) -> Sequence[Topic]:
        """The topics of this web, with the seeds to start from."""
        return tuple(topic_of(subject, tuple(self.seeds(subject.name))) for subject in TOPICS)

    @cached_property
    def pages(self) -> Sequence[Url]:
        """Every page an obedient crawler may fetch; traps, redirects and missing pages are not among them."""
        return tuple(self.locate(address) for address in self.atlas.pages)

    def labels(self, topic: str) -> frozenset[Url]:
        """Return the pages that are truly about a topic: for the referee, never for a strategy."""
        _check(topic)
        pages = self.atlas.pages.items()
        return frozenset(self.locate(address) for address, page in pages if page.label == topic)

    def seeds(self, topic: str) -> tuple[Url, ...]:
        """Return where to start: a hub, an ordinary relevant page and an off-topic page."""
        _check(topic)
        return tuple(self.locate(address) for address in self.atlas.seeds[topic])

    def locate(self, address: Address) -> Url:
        """Return the URL of an address of the plan."""
        name, _, path = address.partition("/")
        return Url(f"http://{name}{self._authority}{path}")

    def address(self, url: str) -> Address:
        """Return the address of the plan that a URL stands for; raise HostUnreachable for another web."""
        name, found, path = url.removeprefix("http://").partition(self._authority)
        if not found or name not in self.atlas.sites:
            raise HostUnreachable(f"{url} is not on this practice web.")
        return f"{name}/{path}"

    def answer(self, address: Address, conditions: Headers = ()) -> Answer:
        """Return the response to GET now, as the server sends it."""
        return self._responder.answer(address, self.now(), conditions)

    def is_forbidden(self, address: Address) -> bool:
        """Say whether robots.txt closes an address."""
        return self._responder.is_forbidden(address)

    def now(self) -> float:
        """Return the time on this web."""
        return self.clock.now() if self.clock else float(STANDSTILL)


def _check(topic: str) -> None:
    if topic not in NAMES:
        raise UnknownName("topic", topic, NAMES)
