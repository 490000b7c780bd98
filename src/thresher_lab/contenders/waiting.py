"""What several contenders share: the links that wait, priced anew, and a linear model of word counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, log

from thresher.core.records import Candidate, Link, Url, Visit
from thresher.core.url import tokens
from thresher.strategies.base import links_of
from thresher.text.tokenize import words

Bag = Mapping[str, int]
"""Words with how often they stand there."""


def link_words(link: Link) -> Bag:
    """Return the words of a link, each with its field: its URL, its anchor, the text around it."""
    fields = {"url": tokens(link.target), "anchor": words(link.anchor), "around": words(link.context)}
    return Counter(f"{name}:{word}" for name, said in fields.items() for word in said)


@dataclass
class WaitingLinks:
    """The links that were found and not visited, each with the first page that named it."""

    links: dict[Url, tuple[Link, int]] = field(default_factory=dict)  # with the depth
    visited: set[Url] = field(default_factory=set)

    def meet(self, visit: Visit) -> list[Link]:
        """Take in a visit, and return the links of its page that are new."""
        self.visited.add(visit.candidate.url)
        self.links.pop(visit.candidate.url, None)
        new = {
            link.target: link
            for link in links_of(visit)
            if link.target not in self.links and link.target not in self.visited
        }
        self.links |= {target: (link, visit.candidate.depth + 1) for target, link in new.items()}
        return list(new.values())

    def offers(self, urls: Iterable[Url], priority: Callable[[Url], float]) -> Iterator[Candidate]:
        """Yield waiting URLs at the priority they have now."""
        for url in urls:
            if url in self.links:
                link, depth = self.links[url]
                yield Candidate(url, priority(url), link, depth=depth, replaces_priority=True)


@dataclass
class NaiveBayes:
    """Multinomial naive Bayes with one added to every count: Pr(c | d) ~ Pr(c) prod_t Pr(t | c)^n(t)."""

    classes: int = 2
    pages: list[int] = field(init=False)
    counts: list[Counter[str]] = field(init=False)
    totals: list[int] = field(init=False)
    vocabulary: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Know nothing."""
        self.pages, self.totals = [0] * self.classes, [0] * self.classes
        self.counts = [Counter() for _ in range(self.classes)]

    def learn(self, bag: Bag, label: int) -> None:
        """Take in an example."""
        self.pages[label] += 1
        self.counts[label].update(bag)
        self.totals[label] += sum(bag.values())
        self.vocabulary.update(bag)

    @property
    def knows(self) -> bool:
        """Whether there is an example of two classes."""
        return sum(map(bool, self.pages)) > 1

    def probabilities(self, bag: Bag) -> Sequence[float]:
        """Return the probability of each class; one without examples has none."""
        size = len(self.vocabulary)
        logs = [
            log(pages) + fsum(n * log((counts[t] + 1) / (total + size)) for t, n in bag.items() if size)
            if pages
            else float("-inf")
            for pages, counts, total in zip(self.pages, self.counts, self.totals, strict=True)
        ]
        best = max(logs)
        worth = [2.718281828459045 ** max(each - best, -700.0) for each in logs]
        return [each / fsum(worth) for each in worth]
