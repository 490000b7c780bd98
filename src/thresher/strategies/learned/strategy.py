"""Thresher: learns while it crawls which links are worth following, from what every visit brought.

Each waiting URL has one row of evidence: what its parents are worth, what its anchors and its URL say, and
what links of the same page, section, folder and host have yielded. Every visit is a free example: the row as
it stood, and the label that the page earned. A regression sets the priorities, fitted anew every few
visits; it starts from what the evidence was worth on other webs. docs/trust/learner.md

    label = (topical + likeness) * readable
    topical   what the crawl's judge makes of the page, its threshold being one half; less if the page says
              the same words over and over
    likeness  by the same judge: how much more like the seeds than like the rest of this web
    readable  near 1 for a page to read, near 0 for one that is mostly links: a list is not what it lists
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from thresher.core.enums import OUT_OF_SCOPE, Outcome, Refusal
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, PriorityBreakdown, Url, Visit
from thresher.core.strategy import Defaults, Insights, Needs, Strategy, StrategyState
from thresher.core.url import key_of, keys_of
from thresher.judges.question.page import readable
from thresher.strategies.base import links_of
from thresher.strategies.learned import explain, state
from thresher.strategies.learned.explain import explain_terms, mixture
from thresher.strategies.learned.features import NAMES, WIDTH_OF_GROUPS, LinkFeatures
from thresher.strategies.learned.model import LEARNER, MEANING, Experts, PriorityModel
from thresher.strategies.learned.rows import GONE, History
from thresher.strategies.learned.table import NEXT_PRIORITY, Rows
from thresher.text.page_record import record_of

Floats = NDArray[np.float64]

SEED_PRIORITY = 3.0  # above every label
WARM_UP = 10  # visits before the first fit
REFIT = 10  # visits between fits, at least
SHORTEST_NAME = 3  # letters: to the table of pieces Qt is a q and a t
HISTORY = 4_000  # visits learned from, the latest
REPRICES = 20  # URLs the frontier is told of after a fit, for each request until the next
TOLD_AT_ONCE = 1_000  # of them; the others follow, a few with every page: one by one they cost most of a fit
TURN = 5  # every so many visits, as long as the seeds are explored
AT_ONCE = 1_000  # links ranked at a time: hardly a page has more, but a sitemap may
STUFFED, TELLING = 2.5, 60  # fewer different words than 2.5 times the root of all were not written to be read
LEAST_EDGE = 1e-3  # how near to 0 or 1 a threshold counts at most
WANTED, UNWANTED = 0.8, 0.2  # what a page is worth at least, or at most, when the user has said which it is
SHARE_OF_VISITS = 50  # the more was learned, the less one visit changes: fit again after 2 % more


@dataclass
class Thresher(Strategy):
    """Follow the links that promise most by what the crawl has learned so far."""

    state_version = 9
    bytes_per_link = 420  # where every link is to another URL: its row of evidence, its key and the URL
    needs = Needs(context=False, words=True, context_of_seeds=True)
    defaults = Defaults(default_judge_in_lab=True)

    ridge: float = 100.0
    explore: int = 60
    learner: float = LEARNER
    without: str = ""  # names of evidence with slashes between them, to find out what it is worth

    def __post_init__(self) -> None:
        """Know nothing yet but the topic."""
        left_out = filter(None, self.without.split("/"))
        self._evidence = LinkFeatures(self.topic, self.judge, left_out)
        self._history = History(HISTORY, len(NAMES), WIDTH_OF_GROUPS)
        known = "named" if self.missing() else "described"
        is_telling = self.topic.name.isascii() and len(self.topic.name) >= SHORTEST_NAME
        experts = Experts(self.learner, MEANING[known if is_telling else "unsure"])
        self._priority_model = PriorityModel(self._evidence, self._history, experts, self.ridge)
        self._course = state.Counters(next_fit=WARM_UP)
        self._untold: tuple[Rows, Floats, Floats] | None = None  # rows, priorities, and what they wait at

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds before everything else."""
        for seed in seeds:
            self._expect(seed)
        return [Candidate(seed, priority=SEED_PRIORITY) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Take the visit as an example, rank the links of its page, and now and then all that wait."""
        course, url = self._course, visit.candidate.url
        course.asked += 1
        if visit.page is None:
            self._give_up(visit)
            return self._rank_again(memory) if self._has_failed_enough() else []
        record = visit.page_record or record_of(visit.page)
        about, read = topical(visit, self.judge.threshold), readable(record)
        self._take_example(url, (about + visit.likeness) * read)
        if (key := key_of(url)) in course.seeds:
            self._priority_model.seeds_shown += about * read
            course.roots.append(key)
        course.pages += 1
        links, keys = links_of(visit), keys_of(visit)
        if len(links) > AT_ONCE:
            return self._rank_many(visit, about, memory)
        return [*self._rank_some(visit, links, keys, about), *self._think_again(memory)]

    def _think_again(self, memory: CrawlView) -> list[Candidate]:
        """Rank all that waits anew now and then, and give the links of seeds their turns."""
        course, offers = self._course, list[Candidate]()
        if course.pages >= course.next_fit:
            course.next_fit = course.pages + max(REFIT, course.pages // SHARE_OF_VISITS)
            offers += self._rank_again(memory)
        else:
            offers += self._tell_more(2 * REPRICES, memory)
        if course.pages % TURN == 0 and course.pages < self.explore:
            offers += self._explore(course.pages // TURN, memory)
        return offers

    @override
    def on_rejected(self, rejected: Sequence[tuple[Candidate, Refusal]]) -> None:
        """Keep what was refused out of what waits; only what is out of scope cannot be offered again."""
        for candidate, reason in rejected:
            if reason in OUT_OF_SCOPE:
                self._evidence.table.remove(candidate.url)
            elif (row := self._row_of(candidate.url)) is not None:
                self._evidence.table.withdraw(row)

    @override
    def missing(self) -> str:
        """Say when there is little to go by but the name of the topic."""
        if self.topic.description or self.topic.examples or len(self.topic.keywords) > 1:
            return ""
        return f"Tip: only {self.topic.name!r} is given; add --keyword, --description or --example."

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        """Return the terms of a priority, the weightiest first, in the model's own numbers."""
        priority = self.breakdown(candidate, memory)
        brought = self._label_of(candidate.url) if self._row_of(candidate.url) is None else None
        return [
            *self._mixture(candidate.url),
            *(explain_terms(priority) if priority else ()),
            *([f"reward {brought:.3f}"] if brought is not None else ()),
        ]

    def _mixture(self, url: Url) -> list[str]:
        """Return what the experts say of a URL that waits."""
        if (row := self._row_of(url)) is None:
            return []
        rows = np.array([row])
        chance = float(self._evidence.chances(rows)[0])
        turn = [explain.IN_TURN] if self._evidence.table.in_turn(rows)[0] else []
        return turn + mixture(self._priority_model.experts, self._priority_model.opinions(rows), chance)

    @override
    def breakdown(self, candidate: Candidate, memory: CrawlView) -> PriorityBreakdown | None:
        """Return what the learner's part of a priority is made of, as the model sees it now."""
        row, priority_model = self._row_of(candidate.url), self._priority_model
        if row is not None:
            evidence = self._evidence.matrix(np.array([row]))[0]
        elif candidate.url in self._history.urls:
            evidence = self._history.at(self._history.urls.index(candidate.url))[1]
        else:
            return None
        return explain.priority_of(evidence, priority_model.weights, priority_model.expected)

    def _label_of(self, url: Url) -> float | None:
        """Return what a page brought, if it was learned from."""
        known = url in self._history.urls
        return self._history.at(self._history.urls.index(url))[3] if known else None

    @override
    def insights(self) -> Insights:
        """Return what groups of links have brought, and the pages whose label would teach most."""
        asked = explain.questions(self._evidence, self._history, self._course.taught)
        return Insights(explain.lessons(self._evidence), asked)

    @override
    def on_labels(self, labels: Mapping[Url, bool], memory: CrawlView) -> Iterable[Candidate]:
        """Let the user's word stand for the label of a page that was learned from, and rank what waits anew.

        Labels of one kind wait for one of the other: many a no says that nothing was found yet.
        """
        taught = self._course.taught
        before = {*taught.values()}
        said = {url: wanted for url, wanted in labels.items() if memory.relevance(url) is not None}
        new = {url: wanted for url, wanted in said.items() if taught.get(url) is not wanted}
        taught |= new
        if not new or len(before | {*taught.values()}) < 2:
            return []
        for place, url in enumerate(self._history.urls):
            if url in taught:
                self._correct(place, taught[url])
        return self._rank_again(memory)

    @override
    def on_opinions(self, opinions: Mapping[Url, float], memory: CrawlView) -> Iterable[Candidate]:
        said = {row: each for url, each in opinions.items() if (row := self._row_of(url)) is not None}
        self._evidence.table.cells["guided"][[*said]] = [*said.values()]
        self._evidence.table.touch(said)
        self._course.guided = self._priority_model.guided = True
        return self._rank_again(memory)

    def _correct(self, place: int, wanted: bool) -> None:
        """Give a page that was learned from the label that the user's word is worth at least, or at most."""
        _, _, groups, before = self._history.at(place)
        label = max(before, WANTED) if wanted else min(before, UNWANTED)
        self._history.correct(place, label)
        self._evidence.count(groups, label - before, visits=0)

    @override
    def warm_start(self, earlier: Strategy) -> bool:
        """Start from the weights and the labels of an earlier crawl, but not from its URLs."""
        if not isinstance(earlier, Thresher) or not earlier._course.pages:
            return False
        self._priority_model.inherit(earlier._priority_model)
        self._course.taught = dict(earlier._course.taught)
        return True

    @override
    def save(self) -> StrategyState:
        """Return what is known of the crawl as a whole, and the rows of links, groups, pages and words."""
        learned = (self._evidence, self._history, self._priority_model)
        return StrategyState(state.remember(self._course, *learned), state.changes(*learned))

    @override
    def load(self, saved: StrategyState) -> None:
        learned = (self._evidence, self._history, self._priority_model)
        self._course = state.recall(saved.head, *learned)
        state.restore(saved.rows, *learned)

    def _row_of(self, url: Url) -> int | None:
        """Return the row of a URL, if it waits."""
        row = self._evidence.table.find(url)
        return None if row == GONE else row

    def _expect(self, seed: Url) -> None:
        """Know a seed, which keeps its priority: without a row no page that links to it can rank it."""
        self._course.seeds.add(key_of(seed))
        self._evidence.table.remove(seed)

    def _give_up(self, visit: Visit) -> None:
        """Let go of a URL that brought no page; where it moved to takes over its evidence."""
        table, url = self._evidence.table, visit.candidate.url
        row = self._row_of(url)
        if visit.outcome is Outcome.MOVED and visit.redirect:
            target = visit.redirect.url
            if key_of(url) in self._course.seeds:
                self._expect(target)
            elif row is not None and table.find(target) is None:
                table.rename(row, url, target)
        elif row is not None:
            self._evidence.answer(row, brought=False)
            if visit.outcome is Outcome.FAILED:
                self._evidence.penalise_host(row)
        table.remove(url)

    def _take_example(self, url: Url, label: float) -> None:
        """Keep the row as it stands beside its label, then count the label for its groups."""
        row = self._row_of(url)
        if row is not None:
            groups = self._evidence.groups(row)
            evidence = self._priority_model.show(row, label)
            self._evidence.answer(row, brought=True)
            self._history.add(url, evidence, groups, label)
            self._evidence.count(groups, label)
        self._evidence.table.remove(url)

    def _rank_many(self, visit: Visit, topical: float, memory: CrawlView) -> Iterator[Candidate]:
        """Rank the links of a large page as they are taken."""
        links, keys = links_of(visit), keys_of(visit)
        for start in range(0, len(links), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            yield from self._rank_some(visit, links[some], keys[some], topical)
        yield from self._think_again(memory)

    def _rank_some(
        self, visit: Visit, links: Sequence[Link], keys: Sequence[int], topical: float
    ) -> list[Candidate]:
        """Add what the page says of its links to their rows, and offer what is worth telling.

        A list may lead to what is wanted without being it: for its links counts how topical it is.
        """
        depth = visit.candidate.depth + 1
        mentions = self._evidence.mentions(links, keys, depth)
        if not mentions:
            return []
        first = self._evidence.gather(visit, mentions, topical)
        rows, links = np.fromiter(first, np.int64, len(first)), list(first.values())
        fresh, priorities = self._priority_model.worth_offering(rows)
        self._evidence.table.tell(rows[fresh], priorities)
        return [
            Candidate(links[each].target, priority, links[each], depth=depth, replaces_priority=True)
            for each, priority in zip(fresh.tolist(), priorities.tolist(), strict=True)
        ]

    def _has_failed_enough(self) -> bool:
        """Tell whether to rank anew though no page came: links that are all dead stand side by side."""
        course = self._course
        return course.pages >= WARM_UP and course.asked >= course.next_update

    def _rank_again(self, memory: CrawlView) -> list[Candidate]:
        """Fit the regression anew, and offer what waits at priorities that have changed, the best first."""
        if not len(self._evidence.table.waiting()) or not self._history:
            return []
        self._priority_model.fit()
        course = self._course
        course.next_update = course.asked + max(REFIT // 2, course.asked // SHARE_OF_VISITS)
        # as many requests as so far will bring no page
        requests = max(REFIT, (course.next_fit - course.pages) * course.asked // course.pages)
        rows, priorities = self._priority_model.changes(REPRICES * requests)
        self._untold = (rows, priorities, self._evidence.table.cells["told"][rows])
        return self._tell_more(TOLD_AT_ONCE, memory)

    def _tell_more(self, several: int, memory: CrawlView) -> list[Candidate]:
        """Offer more of what changed at the latest fit, but for what was asked for or ranked again since."""
        if not self._untold:
            return []
        rows, priorities, told = self._untold
        self._untold = (rows[several:], priorities[several:], told[several:]) if len(rows) > several else None
        rows, priorities = rows[:several], priorities[:several]
        still = self._evidence.table.still_told(rows, told[:several])
        return self._offers(rows[still], priorities[still], memory)

    def _explore(self, turn: int, memory: CrawlView) -> list[Candidate]:
        """Offer the best link of one of the seeds, each in turn, before all others.

        The user chose the seeds: where their links lead is worth a look, whatever the words say.
        """
        table, rows = self._evidence.table, self._evidence.table.waiting()
        rows = rows[~table.in_turn(rows)]
        roots = [self._evidence.tallies["page"].number(key) for key in self._course.roots]
        for place in range(len(roots)):
            root = roots[(turn + place) % len(roots)]
            near = rows[(table.cells["parents"][rows] == root).any(axis=1)]
            if len(near):
                best = near[[int(np.argmax(table.cells["told"][near]))]]
                return self._offers(best, np.array([NEXT_PRIORITY]), memory)
        return []

    def _offers(self, rows: Rows, priorities: Floats, memory: CrawlView) -> list[Candidate]:
        """Tell the frontier of other priorities for what waits."""
        table = self._evidence.table
        table.tell(rows, priorities)
        depths = table.cells["depth"][rows].tolist()
        urls = table.urls.of(rows.tolist(), memory)
        return [
            Candidate(url, priority, depth=depth, replaces_priority=True)
            for url, priority, depth in zip(urls, priorities.tolist(), depths, strict=True)
        ]


def topical(visit: Visit, threshold: float) -> float:
    """Return what the crawl's judge makes of a page, on a scale on which its threshold is one half.

    What is far below counts far less: pages that have one word of a phrase must not outbid what is untried.
    """
    edge, score = min(max(threshold, LEAST_EDGE), 1 - LEAST_EDGE), visit.guidance
    even = (score / edge) ** 2 / 2 if score < edge else 1 - (1 - score) / (2 * (1 - edge))
    return even * _variety(visit.words)


def _variety(words: Mapping[str, int]) -> float:
    """Return 1 for what people write, and less the more often a stuffed page repeats its words."""
    length = sum(words.values())
    return min(1.0, len(words) / (STUFFED * sqrt(length))) ** 2 if length > TELLING else 1.0
