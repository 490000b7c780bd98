"""What the crawl knows of each URL that waits: its own evidence, and the yields of its groups."""

from collections.abc import Mapping, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Link, Topic, Url, Visit
from thresher.core.url import host_of, key_of, tokens
from thresher.strategies.learning.table import COLUMNS, GONE, PARENTS, Rows, Table
from thresher.strategies.learning.texts import TopicTexts
from thresher.strategies.learning.yields import Numbers, Tally, places_of

Floats = NDArray[np.float64]

GROUPS = ("domain", "host", "first folder", "second folder", "pattern")
YIELDS = ("parent", "section", *GROUPS)
"""The columns after those of the table: what groups have yielded, each beside the group above it."""

NAMES = (*COLUMNS, *YIELDS)
WIDTH_OF_GROUPS = len(GROUPS) + 2 * PARENTS
(BEST, MEAN, INHERITED, ANCHOR, ANCHOR_MEANING, URL, URL_MEANING, MENTIONS, SHARED, SAME_HOST, ON_SEED) = (
    range(len(COLUMNS))
)
PRIOR_LABEL, PRIOR_VISITS = 0.1, 2.0  # what a page is worth before any was seen, and how sure that is


class Evidence:
    """Rows of everything that waits, and tallies of everything that was visited."""

    def __init__(self, topic: Topic) -> None:
        """Know nothing yet but the topic."""
        self._texts = TopicTexts(topic)
        self.table = Table()
        self.tallies = {name: Tally() for name in YIELDS}
        for name in YIELDS[:2]:
            self.tallies[name].number("")  # 0 stands for none
        self.sum = 0.0
        self.visits = 0

    @property
    def overall(self) -> float:
        """The mean label of what was visited."""
        return (self.sum + PRIOR_LABEL * PRIOR_VISITS) / (self.visits + PRIOR_VISITS)

    def mentions(self, links: Sequence[Link], depth: int) -> dict[int, list[Link]]:
        """Return the links of a page by the row of their target, without those to URLs that were asked."""
        found: dict[int, list[Link]] = {}
        for link in links:
            row = self.table.find(link.target)
            if row is None:
                row = self._add(link.target, depth)
            if row != GONE:
                found.setdefault(row, []).append(link)
        return found

    def gather(
        self,
        visit: Visit,
        mentions: Mapping[int, Sequence[Link]],
        topical: float,
        inherited: float,
        seed: bool,
    ) -> Rows:
        """Add what one page says of its links to their rows, and return these."""
        table, host = self.table, host_of(visit.candidate.url)
        rows = np.fromiter(mentions, np.int64, len(mentions))
        evidence, counts = table.evidence[rows].astype(np.float32), table.mentions[rows]
        evidence[:, BEST] = np.where(counts > 0, np.maximum(evidence[:, BEST], topical), topical)
        evidence[:, MEAN] += (topical - evidence[:, MEAN]) / (counts + 1)
        evidence[:, INHERITED] = np.maximum(evidence[:, INHERITED], inherited)
        said = np.array([self._said(links) for links in mentions.values()], np.float32)
        evidence[:, [ANCHOR, ANCHOR_MEANING]] = np.maximum(evidence[:, [ANCHOR, ANCHOR_MEANING]], said)
        evidence[:, MENTIONS] = np.log(counts + 1)
        evidence[:, SHARED] += topical / log(3 + len(rows))
        evidence[:, SAME_HOST] = [links[0].target.startswith(host) for links in mentions.values()]
        evidence[:, ON_SEED] = np.maximum(evidence[:, ON_SEED], float(seed))
        table.evidence[rows] = evidence
        section = self.tallies["section"].number
        parent = self.tallies["parent"].number(key_of(visit.candidate.url))
        table.mention(rows, parent, [section(f"{host} {links[0].place}") for links in mentions.values()])
        return rows

    def groups(self, row: int) -> NDArray[np.int32]:
        """Return the numbers of the groups that a URL belongs to: domain to pattern, parents, sections."""
        table = self.table
        return np.concatenate([table.groups[row], table.parents[row], table.sections[row]])

    def count(self, groups: NDArray[np.int32], label: float, visits: int = 1) -> None:
        """Count a label for every group of a URL; without a visit it corrects an earlier one."""
        self.sum += label
        self.visits += visits
        numbers = groups.tolist()
        for name, number in zip(GROUPS, numbers, strict=False):
            self.tallies[name].add(number, label, visits)
        parents, sections = numbers[len(GROUPS) :][:PARENTS], numbers[len(GROUPS) + PARENTS :]
        for name, several in (("parent", parents), ("section", sections)):
            for number in sorted(set(several) - {0}):
                self.tallies[name].add(number, label, visits)

    def matrix(self, rows: Rows) -> Floats:
        """Return the rows with the yields of their groups as they stand now."""
        table, overall = self.table, self.overall
        groups = table.groups[rows]
        domain = self.tallies["domain"].means(groups[:, 0], overall)
        host = self.tallies["host"].means(groups[:, 1], domain)
        first = self.tallies["first folder"].means(groups[:, 2], host)
        second = self.tallies["second folder"].means(groups[:, 3], first)
        pattern = self.tallies["pattern"].means(groups[:, 4], host)
        return np.column_stack(
            [
                table.evidence[rows].astype(np.float64),
                self._best("parent", table.parents[rows]) - overall,
                self._best("section", table.sections[rows]) - overall,
                domain - overall,
                host - domain,
                first - host,
                second - first,
                pattern - host,
            ]
        )

    def _best(self, name: str, numbers: Numbers) -> Floats:
        """Return the best yield among the pages, or sections, that mention each URL."""
        means = self.tallies[name].means(numbers, self.overall)
        means[numbers == 0] = -np.inf
        best = means.max(axis=1)
        return np.where(np.isfinite(best), best, self.overall)

    def _add(self, url: Url, depth: int) -> int:
        numbers = [
            self.tallies[name].number(place) for name, place in zip(GROUPS, places_of(url), strict=True)
        ]
        row = self.table.add(url, numbers, depth)
        self.table.evidence[row, [URL, URL_MEANING]] = self._texts.compare(" ".join(tokens(url)))
        return row

    def _said(self, links: Sequence[Link]) -> tuple[float, float]:
        """Return the best that the anchors of one page say of one URL."""
        said = [self._texts.compare(link.anchor) for link in links]
        return said[0] if len(said) == 1 else (max(each[0] for each in said), max(each[1] for each in said))
