"""Sleeping bandits over tag paths (SB-CLASSIFIER: Gauquier, Manolescu and Senellart 2026, arXiv 2602.11874).

Links that stand at like places of their pages are one action; an action is awake while a link of it waits.

    lambda(e)  the tag path from the root of the page to the link
    action     tag paths whose n-gram vectors have a cosine of theta or more with its centre
    score(a) = R(a) + alpha sqrt(ln t / N(a)),  R the mean reward of its N links so far, t the requests
    next       a link of the awake action with the best score, drawn at random
    reward     what the page brought

Holes: its abstract and a summary were read, not the text. There a target is a file of data, the reward of
a link is how many new targets its page links to, and an online classifier of URLs guesses which links are
targets, to save requests. Here the targets are relevant pages and a link's reward is 1 if its page is
one; theta, alpha and n are ours; a page's place is the tags above its links as the parser keeps them;
links of no action yet tried have the best score, as in UCB.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import fsum, log, sqrt
from random import Random

from typing_extensions import override

from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy
from thresher_lab.contenders.waiting import Bag, WaitingLinks

N_GRAM = 2
EVERY = 5  # pages after which all actions are priced anew


@dataclass
class Action:
    """Links at like places: the centre of their paths, what they brought, and which wait."""

    centre: Bag
    tries: int = 0
    reward: float = 0.0
    waiting: list[Url] = field(default_factory=list)


@dataclass
class SbClassifier(Strategy):
    """Follow links at places where links led to relevant pages."""

    needs = Needs(context=False, place=True)
    defaults = Defaults(default_judge_in_lab=True)

    alpha: float = 0.5
    theta: float = 0.75
    seed: int = 1
    _waiting: WaitingLinks = field(default_factory=WaitingLinks)
    _actions: list[Action] = field(default_factory=list)
    _of: dict[str, Action] = field(default_factory=dict)  # the action of a path
    _requests: int = 0

    def __post_init__(self) -> None:
        """Make the dice."""
        self._dice = Random(self.seed)

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Reward the action of the link that led here, and offer the links of the page by theirs."""
        self._requests += 1
        if (via := visit.candidate.via) and via.place in self._of:
            action = self._of[via.place]
            action.tries += 1
            action.reward += visit.page is not None and self.is_relevant(visit)
        changed = dict.fromkeys(id(self.action(link.place)) for link in self._meet(visit))
        if via and via.place in self._of:
            changed[id(self._of[via.place])] = None
        if self._requests % EVERY == 0:
            changed = dict.fromkeys(map(id, self._actions))
        return [offer for each in self._actions if id(each) in changed for offer in self._priced(each)]

    def _meet(self, visit: Visit) -> list:  # type: ignore[type-arg]
        new = self._waiting.meet(visit)
        for link in new:
            self.action(link.place).waiting.append(link.target)
        return new

    def score(self, action: Action) -> float:
        """Return R + alpha sqrt(ln t / N)."""
        if not action.tries:
            return 1 + self.alpha * sqrt(log(self._requests + 1))
        mean = action.reward / action.tries
        return mean + self.alpha * sqrt(log(max(2, self._requests)) / action.tries)

    def action(self, path: str) -> Action:
        """Return the action of a path: the one it is most like, or a new one."""
        if path not in self._of:
            bag = grams(path)
            likest = max(self._actions, key=lambda each: cosine(bag, each.centre), default=None)
            if likest is None or cosine(bag, likest.centre) < self.theta:
                likest = Action(bag)
                self._actions.append(likest)
            self._of[path] = likest
        return self._of[path]

    def _priced(self, action: Action) -> list[Candidate]:
        """Return what waits of an action at its score; which is first is drawn at random."""
        action.waiting = [url for url in action.waiting if url in self._waiting.links]
        worth = self.score(action)
        return list(self._waiting.offers(action.waiting, lambda url: worth + 1e-6 * self._dice.random()))


def grams(path: str) -> Bag:
    """Return the n-grams of the tags of a path."""
    tags = ["", *path.split("/"), ""]
    return Counter(" ".join(tags[at : at + N_GRAM]) for at in range(len(tags) - N_GRAM + 1))


def cosine(one: Bag, other: Bag) -> float:
    """Return the cosine of two vectors of counts."""
    shared = fsum(n * other.get(gram, 0) for gram, n in one.items())
    return (
        shared / sqrt(fsum(n * n for n in one.values()) * fsum(n * n for n in other.values()))
        if shared
        else 0.0
    )
