"""What the crawl knows of each URL that waits: its own evidence, and the yields of its groups."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from zlib import crc32

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from thresher.core.errors import UnknownName
from thresher.core.interfaces import Judge
from thresher.core.records import Link, Topic, Url, Visit
from thresher.core.url import host_of, key_of, tokens
from thresher.strategies.learned.rows import GONE
from thresher.strategies.learned.table import (
    COLUMNS,
    GROUPS,
    PARENTS,
    GroupStats,
    Numbers,
    Rows,
    RowTable,
    places_of,
)
from thresher.text.languages import PLAIN
from thresher.text.meaning import shipped_meaning
from thresher.text.tokenize import words
from thresher.topic.build import NAMELESS, terms

# How likely a request is to bring a page: a ridge regression on what the latest requests have brought.
#
#     chance = level + weights . (row - mean),    row = mentions, host, folder, section, same host, page
#
# Host, folder and section are the shares of requests to the same place that brought a page, each beside the
# one above it; page is that of links of the same page, because an old list is dead from top to bottom. What
# many pages mention is seldom gone; what stands in a menu of edit links always is. Sums are all that is kept
# of the requests, and the oldest fade; so a crawl can go on from them exactly.


Floats = NDArray[np.float64]

REQUEST_NAMES = ("mentions", "host", "folder", "section", "same host", "page")
REQUEST_PRIOR = np.array([0.1, 0.5, 0.5, 0.5, 0.0, 0.5])  # what they were worth on other webs, rounded
RIDGE = np.diag([5.0, 1.0, 1.0, 1.0, 2.0, 1.0])
FADES = 1 - 1 / 2_000  # what is left of a request's weight when the next one comes
FEWEST = 10  # requests before anything is learned from them
LEAST = 0.05  # no chance is smaller: a host may come back


class Requests(Struct):
    """Sums over requests: their number, rows, products of rows, pages, and rows that brought one."""

    number: float = 0.0
    rows: list[float] = field(default_factory=lambda: [0.0] * len(REQUEST_NAMES))
    products: list[list[float]] = field(
        default_factory=lambda: [[0.0] * len(REQUEST_NAMES) for _ in REQUEST_NAMES]
    )
    pages: float = 0.0
    brought: list[float] = field(default_factory=lambda: [0.0] * len(REQUEST_NAMES))


class SuccessFit(Struct):
    """What the requests taught: a level, and what each column adds beside its mean."""

    mean: list[float]
    weights: list[float]
    level: float


class SuccessModel:
    """What requests have brought, and what that says of the next ones."""

    def __init__(self) -> None:
        """Expect that whatever is asked for is there."""
        self.requests = Requests()
        self.lesson: SuccessFit | None = None

    def count(self, evidence: Floats, brought: bool) -> None:
        """Count a request for a row, and whether it brought a page; so few numbers are no work for NumPy."""
        sums, each, row = self.requests, float(brought), evidence.tolist()
        self.requests = Requests(
            FADES * sums.number + 1,
            [FADES * known + new for known, new in zip(sums.rows, row, strict=True)],
            [
                [FADES * known + one * new for known, new in zip(line, row, strict=True)]
                for line, one in zip(sums.products, row, strict=True)
            ],
            FADES * sums.pages + each,
            [FADES * known + each * new for known, new in zip(sums.brought, row, strict=True)],
        )

    def fit(self) -> None:
        """Let the requests so far teach what brings a page."""
        sums = self.requests
        if sums.number < FEWEST:
            return
        mean, level = np.array(sums.rows) / sums.number, (sums.pages + 1.0) / (sums.number + 2.0)
        spread = np.array(sums.products) - sums.number * np.outer(mean, mean)
        missed = np.array(sums.brought) - mean * sums.pages - spread @ REQUEST_PRIOR
        weights = REQUEST_PRIOR + np.linalg.solve(spread + RIDGE, missed)
        self.lesson = SuccessFit(mean.tolist(), weights.tolist(), level)

    def chances(self, rows: Floats) -> Floats:
        """Return how likely a request for each row is to bring a page."""
        if self.lesson is None:
            return np.ones(len(rows))
        found = self.lesson.level + (rows - np.array(self.lesson.mean)) @ np.array(self.lesson.weights)
        return np.asarray(np.clip(found, LEAST, 1.0))


ShortFloats = NDArray[np.float32]

REMEMBERED = 16_384  # texts: menus come again on every page
LONGEST = 120  # characters of a text whose meaning counts: an anchor may be a whole paragraph


class TopicTexts:
    """Compares texts with a topic, a whole page of them at once."""

    def __init__(self, topic: Topic, judge: Judge) -> None:
        """Take the topic and its judge."""
        self._topic, self._judge, self._language = topic, judge, topic.language or PLAIN
        self._knows = judge.knows if self._language == PLAIN else None
        self._known: dict[str, tuple[float, float]] = {}

    @cached_property
    def _direction(self) -> ShortFloats:
        """The direction of what the topic is called and of its terms, found when it is first needed."""
        named = {} if self._topic.name == NAMELESS else {self._topic.name: 1.0}
        return shipped_meaning().direction(named | terms(self._topic))

    def compare(self, texts: Sequence[str]) -> ShortFloats:
        """Return how near each text is by its words, and in meaning, and remember it."""
        known = self._known
        if len(known) > REMEMBERED:
            known.clear()
        if unknown := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(unknown, map(tuple, self.measure(unknown).tolist()), strict=True))
        return np.array([known[text] for text in texts], np.float32)

    def measure(self, texts: Sequence[str]) -> ShortFloats:
        """Return how near each text is by its words, 0 where the judge knows none, and in meaning."""
        by_words, similarity = [0.0] * len(texts), self._judge.similarity
        for place in self._places_known(texts):
            by_words[place] = similarity(texts[place])
        meant = shipped_meaning().cosines([text[:LONGEST] for text in texts], self._direction)
        return np.array([by_words, meant], np.float32).T

    def _places_known(self, texts: Sequence[str]) -> Sequence[int]:
        """Return where the texts stand of which the judge may know any words."""
        if (knows := self._knows) is None:
            return range(len(texts))
        said = [words(text, self._language) for text in texts]
        return [place for place, each in enumerate(said) if knows(each)]


Mentions = Sequence[tuple[int, Link]]

YIELDS = ("page", "section", "heading", "host", "folder")
"""The columns after those of the table: what groups have yielded."""

NAMES = (*COLUMNS, *YIELDS)
MENTIONED = ("page", "section", "heading")  # what a URL belongs to by where it is mentioned
TALLIES = (*MENTIONED, *GROUPS)
WIDTH_OF_GROUPS = len(GROUPS) + len(MENTIONED) * PARENTS
MEAN, ANCHOR, ANCHOR_MEANING, URL, URL_MEANING, SAME_HOST, CLICKS, HEADING_WORDS, HEADING_MEANING = range(
    len(COLUMNS)
)
PAGE, SECTION, HEADING, HOST, FOLDER = range(len(COLUMNS), len(NAMES))
HEADINGS = 1 << 18  # told apart, by a hash: most stand on one page only, and memory is for what waits
FARTHEST = 8  # clicks from a seed; what is farther is as far
ENOUGH = 16  # mentions of a URL: further ones say nothing new of a link in a menu, and are most of all
BESIDE = 0.1  # what words beside a link of a seed count for, next to those of its anchor
FAILURE = -0.5  # what a request that failed was worth: less than a page that is not wanted
PRIOR_LABEL, PRIOR_VISITS = 0.1, 2.0  # what a page is worth before any was seen, and how sure that is


class LinkFeatures:
    """Rows of everything that waits, and tallies of everything that was visited."""

    def __init__(self, topic: Topic, judge: Judge, without: Iterable[str] = ()) -> None:
        """Know nothing yet but the topic, its judge, and what to leave out."""
        self._texts = TopicTexts(topic, judge)
        self._left_out = [_column(name) for name in without]
        self.table = RowTable()
        self.tallies = {name: GroupStats() for name in TALLIES}
        for name in MENTIONED:
            self.tallies[name].put(0, "", -np.inf, 0.0, 0.0, 0.0)  # 0 stands for none
        self.answers = SuccessModel()
        self.asked, self.brought = 1.0, 1.0  # requests, and pages they brought
        self.sum = 0.0
        self.visits = 0

    @property
    def overall(self) -> float:
        """The mean label of what was visited."""
        return (self.sum + PRIOR_LABEL * PRIOR_VISITS) / (self.visits + PRIOR_VISITS)

    def mentions(self, links: Sequence[Link], keys: Sequence[int], depth: int) -> list[tuple[int, Link]]:
        """Return the links of a page with the rows of their targets, but for those known well."""
        table = self.table
        found = table.rows_of(keys)
        if None in found:
            new: dict[int, Url] = {}
            for key, link, row in zip(keys, links, found, strict=True):
                if row is None:
                    new.setdefault(key, link.target)
            self._meet(new, depth)
            found = table.rows_of(keys)
        rows = np.array(found, np.int64)
        told = np.flatnonzero((rows != GONE) & (table.cells["mentions"][rows] < ENOUGH))
        return [*zip(rows[told].tolist(), [links[place] for place in told.tolist()], strict=True)]

    def gather(self, visit: Visit, mentions: Mentions, topical: float) -> dict[int, Link]:
        """Add what one page says of its links to their rows; return each row with its first link."""
        first: dict[int, Link] = {}
        for row, link in mentions:
            first.setdefault(row, link)
        rows = np.fromiter(first, np.int64, len(first))
        cells = self.table.cells[rows]
        evidence, counts = cells["evidence"].astype(np.float32), cells["mentions"]
        evidence[:, MEAN] += (topical - evidence[:, MEAN]) / (counts + 1)
        host = host_of(visit.candidate.url)
        evidence[:, SAME_HOST] = [link.target.startswith(host) for link in first.values()]
        self._hear(evidence, first, mentions, of_seed=visit.candidate.depth == 0)
        cells["depth"] = np.minimum(cells["depth"], visit.candidate.depth + 1)
        evidence[:, CLICKS] = np.minimum(cells["depth"], FARTHEST) / FARTHEST
        cells["evidence"] = evidence
        self._note_places(cells, visit.candidate.url, [*first.values()])
        self.table.cells[rows] = cells
        self.table.touch(first)
        return first

    def groups(self, row: int) -> NDArray[np.int32]:
        """Return the numbers of a URL's groups: by its name, its parents, sections and headings."""
        cells = self.table.cells[row]
        return np.concatenate([cells[name] for name in ("groups", "parents", "sections", "headings")])

    def count(self, groups: NDArray[np.int32], label: float, visits: int = 1) -> None:
        """Count a label for every group of a URL; without a visit it corrects an earlier one."""
        self.sum += label
        self.visits += visits
        numbers = groups.tolist()
        for name, number in zip(GROUPS, numbers, strict=False):
            self.tallies[name].add(number, label, visits)
        for name, start in zip(MENTIONED, range(len(GROUPS), WIDTH_OF_GROUPS, PARENTS), strict=True):
            for number in sorted(set(numbers[start : start + PARENTS]) - {0}):
                self.tallies[name].add(number, label, visits)

    def penalise_host(self, row: int) -> None:
        """Count an unanswered request against the host of a URL: most others will fail, too."""
        for name, number in zip(GROUPS, self.table.cells["groups"][row].tolist(), strict=True):
            self.tallies[name].add(number, FAILURE)

    def answer(self, row: int, brought: bool) -> None:
        """Count a request for a row, and whether it brought a page."""
        self.answers.count(self._requests(np.array([row]))[0], brought)
        self.asked += 1
        self.brought += brought
        cells = self.table.cells[row]
        _, host, folder = cells["groups"].tolist()
        self.tallies["host"].ask(host, brought)
        self.tallies["folder"].ask(folder, brought)
        for name, several in (("section", "sections"), ("page", "parents")):
            for number in sorted(set(cells[several].tolist()) - {0}):
                self.tallies[name].ask(number, brought)

    def chances(self, rows: Rows) -> Floats:
        """Return the chance that a request for each of these rows brings a page, by what is known of it."""
        return self.answers.chances(self._requests(rows))

    def matrix(self, rows: Rows) -> Floats:
        """Return the rows with the yields of their groups as they stand now."""
        cells, overall = self.table.cells[rows], self.overall
        groups = cells["groups"].T
        domain = self.tallies["domain"].means(groups[0], overall)
        host = self.tallies["host"].means(groups[1], domain)
        folder = self.tallies["folder"].means(groups[2], host)
        heading = self._best(
            "heading", cells["headings"], overall
        )  # minus infinity where it stands under none
        matrix = np.empty((len(cells), len(NAMES)))
        matrix[:, : len(COLUMNS)] = cells["evidence"]
        matrix.T[len(COLUMNS) :] = (
            self._best("page", cells["parents"], overall) - overall,
            self._best("section", cells["sections"], overall) - overall,
            np.where(np.isinf(heading), overall, heading) - overall,
            host - overall,
            folder - host,
        )
        if self._left_out:
            matrix[:, self._left_out] = 0.0
        return matrix

    def _requests(self, rows: Rows) -> Floats:
        """Return what is known of requests for such rows: features.py has the columns."""
        cells, overall = self.table.cells[rows], self.brought / self.asked
        groups = cells["groups"].T
        host = self.tallies["host"].shares(groups[1], overall)
        folder = self.tallies["folder"].shares(groups[2], host)
        section = self._best_share("section", cells["sections"], overall) - overall
        page = self._best_share("page", cells["parents"], overall) - overall
        heard, same = np.log1p(cells["mentions"]), cells["evidence"][:, SAME_HOST].astype(np.float64)
        found = np.empty((len(cells), len(REQUEST_NAMES)))
        found.T[:] = (heard, host - overall, folder - host, section, same, page)
        return found

    def _best_share(self, name: str, numbers: Numbers, overall: float) -> Floats:
        """Return the best share of requests that brought a page among the places that mention each URL."""
        places = numbers.T
        found = np.where(places == 0, -1.0, self.tallies[name].shares(places, overall))
        best = np.maximum.reduce(found)
        return np.asarray(np.where(best < 0, overall, best))

    def _best(self, name: str, numbers: Numbers, overall: float) -> Floats:
        """Return the best yield among the pages, or sections, that mention each URL."""
        yields = self.tallies[name].means(numbers.T, overall)  # row by row takes four times as long
        return np.asarray(np.maximum.reduce(yields))

    def _meet(self, first: Mapping[int, Url], depth: int) -> None:
        """Make rows for targets that are new: with the groups they belong to, and the words of their URLs."""
        urls = [*first.values()]
        rows = self.table.add(urls, [*first], depth)
        tallies = [self.tallies[name] for name in GROUPS]
        places = zip(*map(places_of, urls), strict=True)
        for column, (tally, names) in enumerate(zip(tallies, places, strict=True)):
            self.table.cells["groups"][rows, column] = tally.numbers(names)
        said = self._texts.measure([" ".join(tokens(url)) for url in urls])
        self.table.cells["evidence"][rows[:, None], [URL, URL_MEANING]] = said

    def _hear(
        self, evidence: NDArray[np.float32], first: Mapping[int, Link], mentions: Mentions, of_seed: bool
    ) -> None:
        """Let the best that one page says of each URL count: anchors, headings, on a seed what is beside.

        A list of sites says above or beside each what it is about: little, but all there is to begin with.
        """
        said = self._texts.compare([link.anchor for _, link in mentions])
        if of_seed:
            by_words, _ = self._texts.compare([link.context for _, link in mentions]).T
            said[:, 0] = np.maximum(said[:, 0], BESIDE * by_words)
        above = self._texts.compare([link.heading for _, link in mentions])
        if len(first) == len(mentions):  # each URL once, as on most pages: then rows stand in their order
            heard = (slice(ANCHOR, ANCHOR_MEANING + 1), slice(HEADING_WORDS, HEADING_MEANING + 1))
            for columns, spoken in zip(heard, (said, above), strict=True):
                np.maximum(evidence[:, columns], spoken, out=evidence[:, columns])
            return
        place = {row: number for number, row in enumerate(first)}
        numbers = [place[row] for row, _ in mentions]
        each = (ANCHOR, ANCHOR_MEANING, HEADING_WORDS, HEADING_MEANING)
        for column, spoken in zip(each, (*said.T, *above.T), strict=True):
            np.maximum.at(evidence[:, column], numbers, spoken)

    def _note_places(self, cells: NDArray[np.void], page: Url, links: Sequence[Link]) -> None:
        """Remember which page mentions URLs, and where on it, beside the last few others."""
        host, section = host_of(page), self.tallies["section"].number
        sections = {place: section(f"{host} {place}") for place in {link.place: None for link in links}}
        headings = {text: self._heading(host, text) for text in {link.heading: None for link in links}}
        slots = cells["mentions"] % PARENTS
        each = np.arange(len(cells))
        cells["parents"][each, slots] = self.tallies["page"].number(key_of(page))
        cells["sections"][each, slots] = [sections[link.place] for link in links]
        cells["headings"][each, slots] = [headings[link.heading] for link in links]
        cells["mentions"] += 1

    def _heading(self, host: str, text: str) -> int:
        """Return the number of the group of links under a heading of a host, 0 for none."""
        hashed = crc32(f"{host} {text}".encode("utf-8", "surrogatepass")) % HEADINGS
        return self.tallies["heading"].number(hashed) if text else 0


def _column(name: str) -> int:
    """Return where a kind of evidence stands."""
    if name not in NAMES:
        raise UnknownName("evidence", name, NAMES)
    return NAMES.index(name)
