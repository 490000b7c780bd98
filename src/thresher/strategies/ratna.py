"""TF-IDF, the words of a link and topic-seeded PageRank together (Ratna et al. 2012).

T                       the name and the user's keywords, or a node's names: TopicWords; they are the query q
score(q, d)             sum over t in q of tf(t, d) * idf(t)                     eq. (1) to (4)
ATR, CTR                |T & rel(anchor)| / |T|, and of the link's cohesive text: ratna_link_scores.py
PR(d) = score(q, d), then PR(u) = sum over v that link to u of PR(v) / L(v)      eq. (6) and (7), k sweeps
Rel_Score(d)            = PR(d) + score(q, d)                                    eq. (8), for the results
link score(u)           = ATR + CTR + PR(u): the paper names the terms, the sum is ours

The best of the start pages by their score are the seeds. N and df are those of the pages read so far, so all
scores, ranks and priorities change with every page: ratna_link_scores.py. tunnel: the paper's future work,
links behind irrelevant pages: a page without a word of T hands half of what was said of it on to its links.
sound: idf from a background, so that no word counts against a page, and personalised PageRank:
ratna_pagerank.py.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from typing_extensions import override

from thresher.core.enums import REVISITS, Outcome
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, Page, StrategyTable, Topic, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy, StrategyState
from thresher.judges.baselines import Collection, TfIdf
from thresher.strategies.ratna_link_scores import BEHIND, CurrentPriorities, cohesive_texts
from thresher.strategies.ratna_pagerank import LinkGraph, LocalPush, Sweeps, Values
from thresher.text.page_record import page_counts
from thresher.text.tokenize import fold, plain_words, words
from thresher.topic.build import word_weights

HANDED_ON = 0.5  # of what was said of an irrelevant page; as much as CT-FC and Shark-Search leave of a weight
SAME = 5e-4  # what is told with three digits
REMEMBERED = 16_384  # short texts: menus come again on every page


@dataclass
class Ratna(Strategy):
    """Follow links by their anchor, the sentences round it and the rank that relevant pages lend them."""

    needs = Needs(place=False, offsets=True)
    defaults = Defaults(judge="tfidf")
    state_version = 2
    bytes_per_link = 600  # its words, its rank by every word of the query, and its URL while it waits

    best: int = 10
    k: int = 1
    threshold: float = 0.0
    damping: float = 0.85
    tunnel: bool = False
    sound: bool = False

    def __post_init__(self) -> None:
        """Start with an empty graph and no page read."""
        self.words = TopicWords(self.topic)
        self._collection = Collection(self.words.query)
        self._background = TfIdf(self.topic)
        self._graph = LinkGraph(LocalPush(self.damping))
        self._current = CurrentPriorities(Sweeps(self.k, len(self.words.query)), self._idf)
        self._chosen: dict[Url, float] = {}  # the start pages that are seeds, and their scores then
        self._starts: list[Url] | None = []  # start pages, until the best are chosen
        self._short = lru_cache(REMEMBERED)(self.relevancy)
        self._may_say = lru_cache(REMEMBERED)(self._says_something)

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer the links of a page at their scores; those of start pages when all have been read."""
        if visit.candidate.kind in REVISITS:
            return []
        if visit.page is None or visit.outcome is not Outcome.FETCHED:
            return self._lost(visit, memory)
        self._current.visited(visit.candidate.url)
        self._collection.add(page_counts(visit.page))
        if self._starts is not None and visit.candidate.via is None:
            self._starts.append(visit.page.url)
            return []
        return self._expanded([visit.page], visit.candidate.depth, memory)

    @override
    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        """Choose the best start pages and offer their links."""
        pages = [page for url in self._starts or () if (page := memory.page(url))]
        self._starts = None
        best = sorted(pages, key=self.score, reverse=True)[: self.best]
        self._chosen |= {page.url: self.score(page) for page in best}
        return self._expanded(best, 0, memory) if best else []

    def score(self, page: Page) -> float:
        """Return eq. (4) among the pages read so far; the sound form has a background instead."""
        return self._background.score(page) if self.sound else self._collection.score(page_counts(page))

    def relevancy(self, text: str) -> float:
        """Return |T & rel(text)| / |T|: ATR of an anchor, CTR of a cohesive text."""
        return self.words.relevancy(text)

    @override
    def result_score(self, url: Url) -> float | None:
        graph = self._graph if self.sound else self._current
        score = graph.score_of(url)
        found = None if score is None else score + graph.rank_of(url)
        return found if found is None or found > self.threshold else None

    @override
    def tables(self, crawl: CrawlView) -> Sequence[StrategyTable]:
        graph = self._graph if self.sound else self._current
        urls = [page[0] for page in graph.pages.values()]
        scored = [(graph.score_of(url) or 0.0, graph.rank_of(url), url) for url in urls]
        best = sorted(scored, key=lambda each: -each[0] - each[1])
        rows = tuple((f"{score + rank:.3f}", f"{score:.3f}", f"{rank:.3f}", url) for score, rank, url in best)
        return (StrategyTable("Result database", ("Rel_Score", "score", "PR", "URL"), rows),)

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        if candidate.via is None:
            return self._start_page(candidate.url)
        priority, rank = candidate.priority, candidate.inherited
        behind = BEHIND if priority < BEHIND / -2 else 0.0
        said = self._apart(candidate.via, priority + behind - rank, memory)
        waited = f" - {behind:g}, behind the best" if behind else ""
        return [f"link score {priority:.3f} = {said} + PR {rank:.3f}{waited}"]

    def _apart(self, link: Link, said: float, memory: CrawlView) -> str:
        """Return what the words of a link were worth, by anchor and sentences if it is them that counted."""
        page = memory.page(link.source)
        texts = dict(zip(page.links, cohesive_texts(page), strict=True)) if page else {}
        anchor, around = self.relevancy(link.anchor), self.relevancy(texts.get(link, link.context))
        if abs(anchor + around - said) < SAME:
            return f"ATR {anchor:.3f} + CTR {around:.3f}"
        whose = "the link that said most, or handed on to it" if self.tunnel else "the link that said most"
        return f"ATR + CTR {said:.3f} of {whose}"

    def _start_page(self, url: Url) -> list[str]:
        """Say whether a start page was chosen as a seed, and why one that says more may not be."""
        if self._starts is not None:
            return []
        if url in self._chosen:
            return [f"start page, a seed: score {self._chosen[url]:.3f}, among the best {self.best}"]
        flaw = "" if self.sound else "; by eq. (2) a word that all start pages have counts against them"
        return [f"start page, no seed: its score is not among the best {self.best}{flaw}"]

    @override
    def save(self) -> StrategyState:
        told = list(self._current.told().items())
        counts = (self._collection.documents, self._collection.with_word)
        rows = self._graph.changes() if self.sound else self._current.changes()
        return StrategyState(json.dumps([*counts, self._starts, told, self._chosen]), rows)

    @override
    def load(self, state: StrategyState) -> None:
        documents, with_word, self._starts, told, self._chosen = json.loads(state.head)
        self._collection.documents, self._collection.with_word = documents, with_word
        if self.sound:
            self._graph.restore(state.rows)
        else:
            self._current.restore(state.rows, dict(told))

    def _idf(self) -> Values:
        return np.array(self._collection.idf())

    def _lost(self, visit: Visit, memory: CrawlView) -> list[Candidate]:
        """Note a URL that brought no page, and where it has moved to."""
        moved_to = visit.redirect.url if visit.redirect and visit.outcome is Outcome.MOVED else None
        if self.sound:
            if moved_to:
                self._graph.move(visit.candidate.url, moved_to)
            return []
        self._current.visited(visit.candidate.url)
        self._current.lose(visit.candidate.url, moved_to)
        return self._current.offers((), memory)

    def _expanded(self, pages: Iterable[Page], depth: int, memory: CrawlView) -> list[Candidate]:
        """Take pages into the graph, and return their links, and what else has another priority by now."""
        found = [(page, self._linked(page)) for page in pages]
        if self.sound:
            offers = [offer for page, links in found for offer in self._offered(page, depth, links)]
            return [*offers, *self._refreshed(memory)]
        for page, links in found:
            frequencies = np.array(self._collection.frequencies(page_counts(page)))
            said = {url: worth for url, (_, worth) in links.items()}
            self._current.add(page.url, depth, frequencies, said)
        new = [(link, depth + 1) for _, links in found for link, _ in links.values()]
        return self._current.offers(new, memory)

    def _linked(self, page: Page) -> dict[Url, tuple[Link, float]]:
        """Return the best link of a page to each other, and what its words say."""
        links: dict[Url, tuple[Link, float]] = {}
        handed_on = self._handed_on(page)
        for link, worth in zip(page.links, self._said(page), strict=True):
            if link.target not in links or worth > links[link.target][1]:
                links[link.target] = (link, max(worth, handed_on))
        return links

    def _handed_on(self, page: Page) -> float:
        """Return what the links of an irrelevant page have from the words that led to it, in a tunnel."""
        if not self.tunnel or not self.words.words.isdisjoint(page_counts(page)):
            return 0.0
        return HANDED_ON * (self._graph if self.sound else self._current).words_of(page.url)

    def _offered(self, page: Page, depth: int, links: dict[Url, tuple[Link, float]]) -> list[Candidate]:
        """Take a page into the graph of the sound form, and return its links at what they are worth."""
        said = {url: worth for url, (_, worth) in links.items()}
        priorities = self._graph.add(page.url, depth, self.score(page), said)
        return [
            Candidate(
                url,
                priority,
                link,
                inherited=priority - worth,
                depth=depth + 1,
                replaces_priority=priority < old,
            )
            for (url, (link, worth)), (old, priority) in zip(links.items(), priorities, strict=True)
        ]

    def _said(self, page: Page) -> list[float]:
        """Return ATR + CTR of each link of a page."""
        anchors = [self._short(link.anchor) for link in page.links]
        if self.words.words.isdisjoint(page_counts(page)):
            return anchors  # no sentence says more
        texts = list(cohesive_texts(page, self._may_say))
        said = {text: self._short(text) for text in dict.fromkeys(texts)}
        return [anchor + said[text] for anchor, text in zip(anchors, texts, strict=True)]

    def _says_something(self, text: str) -> bool:
        return not text.isascii() or not self.words.words.isdisjoint(words(text))

    def _refreshed(self, memory: CrawlView) -> list[Candidate]:
        """Return the links of pages whose rank has risen most since then, at their new priorities."""
        risen, self._graph.risen = self._graph.risen, []
        offers = []
        for number in risen:
            url, depth, _ = self._graph.pages[number]
            links: dict[Url, Link] = {link.target: link for link in memory.outlinks(url)}
            for link, priority in zip(links.values(), self._graph.priorities(links), strict=True):
                if self._graph.score_of(link.target) is None:
                    rank = priority - self._graph.words_of(link.target)
                    offer = Candidate(
                        link.target, priority, link, inherited=rank, depth=depth + 1, replaces_priority=True
                    )
                    offers.append(offer)
        return offers


# T and rel(): the words of the topic, and what a text says of them (Ratna et al. 2012, section 5).
#
# T          the name and the keywords that the user gave, cut into words; of a node alone, its names
# rel(text)  the words of a text, and all names of a concept of which one name stands whole in the text
# relevancy  |T & rel(text)| / |T|: ATR of an anchor, CTR of a cohesive text
#
# Several names of one concept are one member of T: who says one of them has said it.


ITSELF = 1.0  # what the names of the concept itself weigh in a lexicon; those beside it weigh less


class TopicWords:
    """The members of T, each with the words and phrases that stand for it."""

    def __init__(self, topic: Topic) -> None:
        """Take the keywords, and join those that are names of one thing."""
        given = _given(topic)
        self.query = frozenset(word_weights(dict.fromkeys(given, 1.0)))
        self._members = 0
        self._words: dict[str, int] = {}
        self._phrases: dict[str, int] = {}
        for group in _groups(topic, given):
            self._add(group)
        for word in sorted(self.query):
            if word not in self._words and not any(word in phrase.split() for phrase in self._phrases):
                self._add([word])
        self.words = frozenset(self._words) | {word for each in self._phrases for word in each.split()}

    def __len__(self) -> int:
        """Return |T|."""
        return self._members

    def relevancy(self, text: str) -> float:
        """Return the share of T that a text speaks of."""
        found = words(text)
        said = {self._words[word] for word in self._words.keys() & found}
        if self._phrases:
            line, folded = f" {' '.join(found)} ", fold(text)
            said |= {member for phrase, member in self._phrases.items() if _stands(phrase, line, folded)}
        return len(said) / self._members

    def _add(self, names: Iterable[str]) -> None:
        """Add a member with all its names."""
        for name in names:
            stems = plain_words(name) if not name.isascii() or " " in name else words(name) or [name]
            if len(stems) == 1:
                self._words.setdefault(stems[0], self._members)
            elif stems:
                phrase = " ".join(stems) if name.isascii() else fold(name)
                self._phrases.setdefault(phrase, self._members)
        self._members += 1


def _stands(phrase: str, line: str, folded: str) -> bool:
    """Tell whether a phrase stands whole in a text, given as a line of stems and as it is written."""
    return f" {phrase} " in line if phrase.isascii() else phrase in folded


def _given(topic: Topic) -> list[str]:
    """Return the user's keywords; the labels of a node are not the user's, but stand in for them."""
    paths = [topic.path, *topic.paths.values()]
    labels = {label for path in paths for label in path}
    given = [keyword for keyword in topic.keywords if keyword not in labels]
    own = [label for path in paths for label in path[-1:]]
    return given or own or list(topic.keywords) or [topic.name]


def _groups(topic: Topic, given: list[str]) -> list[list[str]]:
    """Return the names of the topic's concept, if one of them is given: they are one thing."""
    names = {label for label, weight in topic.lexicon.items() if weight >= ITSELF}
    concept = names | set(topic.labels.values())
    return [sorted(concept)] if concept.intersection(given) else []
