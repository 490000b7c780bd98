"""What every strategy starts from: a judge, a topic, and no opinion."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from thresher.core.interfaces import Judge, Ledger, Memory
from thresher.core.records import Candidate, Link, SamePrice, Table, Topic, Url, Visit
from thresher.topic.build import TopicForm


@dataclass
class BaseStrategy:
    """Offers the seeds, then nothing. The fields a subclass adds are its parameters."""

    bytes_per_link: ClassVar[int] = 200
    """How much a link that was offered may add to the memory of the mind, beyond the frontier's."""

    reads_context: ClassVar[bool] = True
    reads_place: ClassVar[bool] = True
    """Whether it looks at the context or the place of links; who does not is spared the time they take."""

    reads_context_of_seeds: ClassVar[bool] = False
    """Whether it looks at the context of the links of seeds, though not at that of others."""

    reads_offsets: ClassVar[bool] = False
    """Whether it looks at where the anchors of links stand in the text of their page."""

    reads_codes: ClassVar[bool] = False
    """Whether it looks at the structure and the text code in fingerprints, which nobody else of us reads."""

    reads_words: ClassVar[bool] = False
    """Whether it looks at the words of pages: then they are counted once, by whoever reads the page."""

    guided_by_default: ClassVar[bool] = False
    """Whether the default judge guides it in the lab, too, where the others get the one of their papers."""

    own_judge: ClassVar[str] = ""
    """The judge of its paper, which it gets unless the user names another; empty: the default one."""

    own_threshold: ClassVar[str] = ""
    """The parameter that says from which score on its paper calls a page relevant, if there is one."""

    topic_form: ClassVar[TopicForm] = TopicForm.WHOLE
    """How much of the topic the judge of its paper sees."""

    state_version: ClassVar[int] = 1
    """Of what it keeps of a crawl, if it does: what another number wrote it does not read."""

    judge: Judge = field(kw_only=True)
    topic: Topic = field(kw_only=True)

    def missing(self) -> str:
        """Say what the topic lacks for this strategy and what stands in for it; usually nothing.

        Where nothing sensible can stand in, raise SettingsError with what to add to the topic.
        """
        return ""

    def goes_by(self) -> str:
        """Say in a few words what of the topic its judge goes by."""
        return "its words"

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds, in the order given."""
        return [Candidate(seed, priority=1.0) for seed in seeds]

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Offer nothing."""
        return []

    def more(self, memory: Memory) -> Iterable[Candidate]:
        """Offer nothing: when the frontier is dry the crawl is over."""
        return []

    def explain(self, candidate: Candidate, memory: Memory) -> Sequence[str]:
        """Return the terms of a candidate's price, one equation a line; the price alone has none."""
        return []

    def tables(self, crawl: Ledger) -> Sequence[Table]:
        """Return the tables that its paper draws, the best rows of each first; usually none."""
        return ()

    def is_relevant(self, visit: Visit) -> bool:
        """Tell whether the page visited is about the topic, as the judge sees it."""
        return visit.guidance >= self.judge.threshold


def links_of(visit: Visit) -> Sequence[Link]:
    """Return the links of the page visited, if the visit brought one."""
    return visit.page.links if visit.page else ()


def follow(visit: Visit, link: Link, priority: float, *, life: int = 0, inherited: float = 0.0) -> Candidate:
    """Return the candidate for a link of the page visited."""
    depth = visit.candidate.depth + 1
    return Candidate(link.target, priority, via=link, life=life, inherited=inherited, depth=depth)


def follow_all(visit: Visit, priority: float) -> Sequence[Candidate]:
    """Return the candidates for all links of the page visited, at one price."""
    return SamePrice(links_of(visit), priority, visit.candidate.depth + 1)


REMEMBERED = 4_096  # texts of at most LONGEST characters: some 2 MB however long the crawl
LONGEST = 200


class ShortTexts:
    """The similarity of a link's anchor or, where that says nothing, of the words around it (R_AT, eq. 4)."""

    def __init__(self, judge: Judge) -> None:
        """Ask this judge, but about the same short text only once in a while."""
        self._judge = judge
        self._similarity = lru_cache(REMEMBERED)(judge.similarity)

    def __call__(self, link: Link) -> float:
        """Return the similarity of the anchor or, if it is 0, of the context."""
        return self.similarity(link.anchor) or self.similarity(link.context)

    def similarity(self, text: str) -> float:
        """Return how well a text fits the topic."""
        return self._similarity(text) if len(text) <= LONGEST else self._judge.similarity(text)

    def __deepcopy__(self, memo: object) -> "ShortTexts":
        """Return one with a memory of its own."""
        return ShortTexts(self._judge)
