"""CT-FC, the more comprehensive traversal (Maimunah et al. 2011): forward along links, and backward.

Score(q)  1 when the lexicon of the topic's local ontology reaches theta on the page, else less
d(q)      irrelevant pages since the last relevant one
lambda    what a hop through an irrelevant page leaves of a link's weight; the paper only says that it falls

I    relevant page: all its links                                                          eq. (3)
II   irrelevant page: its links while d < 12, weight lambda^d                              eq. (4)
III  x is linked by two relevant pages: an authority; other pages that link to it: spouses  box before eq. (5)
star how often that is done again: 2 asks which pages link to the spouses, too             eq. (5)
IV   y links to two relevant pages: a hub; what else it links to is a sibling              eq. (6)
Q:C  1:1, the query is taken for one concept; meanings = c takes it for c of them          Figure 6b
O_L  the concepts beside it: concepts = n keeps the n nearest; synonyms = false one name of each    Table 1

Back-links have to be asked for outside (Request.BACKLINKS): about authorities for III, about every
relevant page for IV. A question is worth what questions have led to, beside what links have; eager = true
takes it for a link of a relevant page; where it costs nothing (charged = false) it comes first.
When all four are dry, the sitemaps of relevant hosts and the user's search endpoint give new places to start.
The sound form adds to a link's weight how well its own words fit the lexicon, and asks about authorities only
as long as the answers lead to relevant pages as often as links do. docs/papers/ctfc.md
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import Origin, Request
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, StrategyTable, Topic, Url, Visit
from thresher.core.strategy import Defaults, Needs, Strategy, StrategyState
from thresher.core.url import parse, tokens
from thresher.judges.baselines import LexiconJudge
from thresher.strategies.base import ShortTexts, follow, links_of
from thresher.strategies.ctfc_graph import ANSWERS, STARTS, Neighbours, Yield, tables_of
from thresher.topic.ontology import heaviest, named_by

SEARCHES = 20  # entries of the lexicon that are searched for
LISTED = 1_000  # links of a sitemap or of search results that are offered
AT_ONCE = 2.0  # the priority of a question that costs nothing: before any page
FAIR_TRIAL = 20  # answers after which a source of back-links may be given up


@dataclass
class Ctfc(Strategy):
    """Follow relevant pages forward, others for a while, and ask which pages link to the same pages."""

    needs = Needs(context=False, place=False)
    defaults = Defaults(judge="lexicon", threshold_parameter="theta", takes_node=True)
    state_version = 2  # counts its questions
    bytes_per_link = 150  # relevant pages that link to each URL are counted

    tunnel: int = 12
    decay: float = 0.5
    theta: float = 0.1
    spouses: bool = True
    siblings: bool = True
    weak_parent: bool = False
    star: int = 1
    eager: bool = False
    charged: bool = True
    entries: int = 0
    concepts: int = 0
    synonyms: bool = True
    meanings: int = 1
    search: str = ""
    sound: bool = False

    def __post_init__(self) -> None:
        """Make the judge of the lexicon and an empty neighbourhood."""
        self.lexicon = LexiconJudge(self._topic(), self.theta)
        self.known = Neighbours(authority=1 if self.weak_parent else 2)
        self.asked, self.followed, self.lies, self.questions = Yield(), Yield(), Yield(), Yield()
        self.searched = False
        self.words = ShortTexts(self.lexicon)

    @override
    def goes_by(self) -> str:
        entries = len(self._topic().lexicon)
        return f"lexicon of {self.topic.concept}, {entries} entries" if entries else "its words"

    @override
    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Offer the seeds with a whole tunnel ahead."""
        return [Candidate(seed, priority=1.0, hops_left=self.tunnel, inherited=1.0) for seed in seeds]

    @override
    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Offer what the four quadrants see in a visit."""
        candidate = visit.candidate
        if candidate.kind is Request.BACKLINKS:
            self.questions.add(visit.page is not None)
            return self._answered(visit, memory) if self._worth_asking() else []
        if visit.page is None:
            return []
        if candidate.via and _only_lists(candidate.via, visit.page.text):
            return self._listed(visit)
        relevant = self.is_relevant(visit)
        self._watch(visit, relevant)
        offers = self._relevant(visit, memory) if relevant else self._irrelevant(visit)
        return [self._worded(offer) for offer in offers] if self.sound else offers

    @override
    def is_relevant(self, visit: Visit) -> bool:
        """Tell whether Score(q) = 1."""
        page = visit.page
        return page is not None and self.lexicon.score(page) >= self.theta and not self.judge.distrusts(page)

    @override
    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        """Offer new places to start from: sitemaps of relevant hosts, and searches for the lexicon."""
        hosts = self.known.new_hosts()
        maps = [Link(Url(f"{host}/"), Url(f"{host}/sitemap.xml"), origin=Origin.SITEMAP) for host in hosts]
        return [self._new(link, 1.0, depth=1) for link in (*maps, *self._searches())]

    @override
    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        if not (via := candidate.via):
            return []
        paid = f"weight {candidate.priority:g}"
        if candidate.kind is Request.BACKLINKS:
            return [f"{paid}: {self._asked_for(candidate)}"]
        if via.origin in ANSWERS:
            return [f"{paid}: {self._said_of(via)}"]
        if via.origin in STARTS:
            return [f"{paid}: a new place to start from, by {via.origin.value}"]
        page = memory.page(via.source)
        score = f"Score {self.lexicon.score(page):.3f}, theta {self.theta:g}" if page else "not fetched"
        passed = self.tunnel - candidate.hops_left
        if passed:
            return [f"II: {paid}, d = {passed} of {self.tunnel}", f"by {via.source}: {score}"]
        quadrant = "I: a link of" if self.known.is_relevant(via.source) else "IV: a sibling by the hub"
        return [f"{quadrant} {via.source}, {paid}", f"by {via.source}: {score}"]

    @override
    def tables(self, crawl: CrawlView) -> Sequence[StrategyTable]:
        return tables_of(crawl, self.known, self.tunnel)

    @override
    def missing(self) -> str:
        if self.topic.lexicon:
            return self._without_ontology()
        return (
            f"Topic {self.topic.name!r} has no concept in the ontology: its words stand in for the lexicon. "
            "Name a node with topic.node, or words for one concept with topic.query."
        )

    @override
    def left_out(self, crawl: CrawlView) -> str:
        """Say when nothing was asked for backward, and why."""
        if not (self.spouses or self.siblings) or self.questions.hits:
            return ""
        if self.questions.tries:
            return (
                f"CT-FC went forward only: of {self.questions.tries} questions who links to a page none was "
                "answered. Name a source, such as another crawl: --set backlinks.crawl=FOLDER."
            )
        if any(each.kind is Request.BACKLINKS for each in crawl.queue()):
            return "CT-FC went forward only: it ended before a question was due. Give it more pages."
        return (
            f"CT-FC went forward only: no page had a Score of {self.theta:g}, so none was asked about. Other "
            "words, or a node of the taxonomy (topic.node), may help."
        )

    def _without_ontology(self) -> str:
        """Say when parts of an ontology are asked for and there is none."""
        if self.topic.ontology or not self._cuts_the_ontology():
            return ""
        return (
            f"Topic {self.topic.name!r} has a lexicon without an ontology behind it: concepts, synonyms and "
            "meanings change nothing. Name a node with topic.node."
        )

    @override
    def save(self) -> StrategyState:
        counts = (self.asked, self.followed, self.lies, self.questions)
        return StrategyState(msgspec.json.encode((*counts, self.searched)).decode(), self.known.changes())

    @override
    def load(self, state: StrategyState) -> None:
        *counts, self.searched = msgspec.json.decode(state.head, type=tuple[Yield, Yield, Yield, Yield, bool])
        self.asked, self.followed, self.lies, self.questions = counts
        self.known.restore(state.rows)

    def _topic(self) -> Topic:
        """Return the topic, with a part of its lexicon alone if that is asked for (Table 1, Figure 6b)."""
        lexicon = self.topic.lexicon
        if self._cuts_the_ontology() and self.topic.ontology:
            lexicon = named_by(self.topic.ontology, self.concepts, self.synonyms, max(1, self.meanings))
        if self.entries:
            lexicon = dict(heaviest(lexicon or self.topic.keywords, self.entries))
        return replace(self.topic, lexicon=lexicon) if lexicon is not self.topic.lexicon else self.topic

    def _cuts_the_ontology(self) -> bool:
        """Tell whether another part of the local ontology is asked for than all of one concept's."""
        return self.concepts > 0 or not self.synonyms or self.meanings > 1

    def _relevant(self, visit: Visit, memory: CrawlView) -> list[Candidate]:
        """Quadrants I, III and IV: all links, authorities among them, and what hubs that lead here list."""
        here, depth = visit.candidate.url, visit.candidate.depth + 1
        offers = [self._new(link, 1.0, depth) for link in links_of(visit)]
        authorities = self.known.relevant(here, links_of(visit))
        for link in authorities if self.spouses and self._worth_asking() else ():
            offers += self._spouses(self.known.take_answer(link.target), depth, self.star)
            offers.append(self._question(link, depth, self.star))
        if self.siblings:
            offers += [self._question(Link(here, here), depth, 0)] if self._worth_asking() else []
            offers += self._siblings(memory, memory.sources(here), depth)
        return offers

    def _irrelevant(self, visit: Visit) -> list[Candidate]:
        """Quadrant II, or IV if the page is a hub: its links, as long as the tunnel goes on."""
        links, here = links_of(visit), visit.candidate.url
        found = sum(map(self.known.is_relevant, dict.fromkeys(link.target for link in links)))
        if self.known.shows(here, found) and self.siblings:
            return [self._new(link, 1.0, visit.candidate.depth + 1) for link in links]
        life, weight = visit.candidate.hops_left - 1, visit.candidate.inherited * self.decay
        return (
            [follow(visit, link, weight, life=life, inherited=weight) for link in links] if life > 0 else []
        )

    def _siblings(self, memory: CrawlView, sources: Iterable[Url], depth: int) -> list[Candidate]:
        """Return what else the pages list that become hubs because one more relevant page is theirs."""
        hubs = [source for source in sources if self.known.becomes_hub(source)]
        hubs = [hub for hub in hubs if not self.known.is_relevant(hub)]
        return [self._new(link, 1.0, depth) for hub in hubs for link in memory.outlinks(hub)]

    def _question(self, link: Link, depth: int, star: int) -> Candidate:
        """Return the back-link question for a page: for III as often as the star says, 0 for IV alone."""
        return Candidate(
            link.target, self._worth_of_questions(), link, star, 1.0, depth, kind=Request.BACKLINKS
        )

    def _worth_of_questions(self) -> float:
        """Return what a question is worth: what questions and answers led to, beside what links led to."""
        if not self.charged:
            return AT_ONCE
        rate = (self.asked.hits + 1) / (self.asked.tries + self.questions.tries + 1)
        return 1.0 if self.eager else min(1.0, rate / self.followed.rate)

    def _answered(self, visit: Visit, memory: CrawlView) -> list[Candidate]:
        """Offer the pages that link to an authority (III), or to two relevant pages (IV)."""
        here, depth, star = visit.candidate.url, visit.candidate.depth + 1, visit.candidate.hops_left
        said = [replace(link, origin=_by(link)) for link in links_of(visit)]
        if self.spouses and (star or self.known.is_authority(here)):
            return self._spouses(said, depth, max(star, 1))
        self.known.keep_answer(here, said)
        unseen = [link for link in said if memory.relevance(link.source) is None]
        return [self._back(link, depth) for link in unseen if self.known.becomes_hub(link.source)]

    def _spouses(self, said: Sequence[Link], depth: int, star: int) -> list[Candidate]:
        """Return the pages that link to an authority and, while the star goes on, questions for theirs."""
        offers = [self._back(link, depth) for link in said]
        further = said if star > 1 else ()
        return offers + [self._question(_backwards(link), depth, star - 1) for link in further]

    def _back(self, link: Link, depth: int) -> Candidate:
        """Return a page that is said to link to another; its link says to which."""
        return self._new(_backwards(link), 1.0, depth)

    def _asked_for(self, question: Candidate) -> str:
        """Return why the back-links of a page were asked for."""
        if question.hops_left or self.known.is_authority(question.url):
            return f"III: {question.url} is an authority, and who else links to it is asked"
        return f"IV: {question.url} is relevant, and who links to it is asked: two answers make a hub"

    def _said_of(self, via: Link) -> str:
        """Return why a page was asked for that a back-link source named."""
        if self.known.is_authority(via.source) or not self.known.is_relevant(via.source):
            return f"III: it is said to link to the authority {via.source}"
        return f"IV: a hub, said to link to {via.source} and to another relevant page"

    def _listed(self, visit: Visit) -> list[Candidate]:
        """Return the links of a sitemap or of search results whose words or URLs fit the lexicon best."""
        fits = self.lexicon.similarity
        weighed = [(fits(f"{link.anchor} {' '.join(tokens(link.target))}"), link) for link in links_of(visit)]
        best = sorted(weighed, key=lambda pair: -pair[0])[:LISTED]
        depth = visit.candidate.depth + 1
        return [self._new(link, self.decay * fit, depth) for fit, link in best]

    def _searches(self) -> list[Link]:
        """Return what to ask the search endpoint, once."""
        if not self.search or self.searched:
            return []
        self.searched = True
        wanted = [phrase for phrase, _ in heaviest(self.topic.lexicon or self.topic.keywords, SEARCHES)]
        asked = [(phrase, parse(self.search.replace("{words}", quote(phrase)))) for phrase in wanted]
        return [Link(url, url, phrase, origin=Origin.SEARCH) for phrase, url in asked]

    def _new(self, link: Link, worth: float, depth: int) -> Candidate:
        return Candidate(link.target, worth, link, self.tunnel, worth, depth)

    def _worded(self, offer: Candidate) -> Candidate:
        """Return a link at its weight and what its words say; a question has none."""
        if offer.kind is Request.BACKLINKS or offer.via is None:
            return offer
        return replace(offer, priority=offer.priority + self.words.similarity(offer.via.anchor))

    def _watch(self, visit: Visit, relevant: bool) -> None:
        """Count what answers and links are good for, and answers that were not true."""
        via = visit.candidate.via
        if via and via.origin in ANSWERS:
            self.asked.add(relevant)
        elif via:
            self.followed.add(relevant)
        if via and via.origin is Origin.BACKLINK:
            self.lies.add(all(link.target != via.source for link in links_of(visit)))

    def _worth_asking(self) -> bool:
        """Tell whether back-links are still asked for: not of a source that mostly lied."""
        if self.lies.tries >= FAIR_TRIAL and 2 * self.lies.hits > self.lies.tries:
            return False
        return not self.sound or self.asked.tries < FAIR_TRIAL or self.asked.rate >= self.followed.rate


def _by(link: Link) -> Origin:
    """Return the source of a link to a page: an answer is a claim, even if it quotes a page."""
    return Origin.BACKLINK if link.origin is Origin.PAGE else link.origin


def _backwards(link: Link) -> Link:
    """Return the way back along a link."""
    return Link(link.target, link.source, link.anchor, origin=link.origin)


def _only_lists(via: Link, text: str) -> bool:
    """Tell whether a page was asked for because of what it lists: search results, or a sitemap."""
    return via.origin is Origin.SEARCH or (via.origin in STARTS and not text)
