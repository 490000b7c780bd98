"""How fresh a crawl was kept: the revisits of its pages, what they found, and what they found in vain."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np
from msgspec import Struct

from thresher.core.url import host_of
from thresher.export.wording import moment, plain
from thresher.freshness.page_state import DAY, Trust
from thresher.freshness.policies import ChangeHistory, believed_rates
from thresher.freshness.word_diff import Fate, changed_lines, excerpt
from thresher.report.charts import Chart, ChartLine, Place
from thresher.store.queries import Version, VersionCheck
from thresher.store.read import CrawlReader

POINTS = 120  # of a curve
LATEST_CHANGES = 15  # rows of the table of what changed
LINES, LETTERS = 3, 300  # of one change: lines, and letters of a piece of a line


class HostRate(Struct, frozen=True):
    """How often the pages of one host change, by what the revisits have shown."""

    host: str
    pages: int
    revisits: int
    substantive: int
    rate: float  # changes a day of a page
    word: str  # what the host's own word on its pages was worth


class Freshness(Struct, frozen=True):
    """Everything the report says about the revisits."""

    revisits: int
    substantive: int
    kinds: dict[str, int]
    wasted: float  # share of revisits that found no changes
    first: float  # moments of the first and the last revisit
    last: float
    fresh: tuple[Place, ...]  # day, and share of pages that were as we had them
    made: tuple[Place, ...]  # day, and revisits so far
    found: tuple[Place, ...]  # day, and changes so far
    hosts: tuple[HostRate, ...]
    changes: tuple[Version, ...]  # the latest changes

    @property
    def fastest(self) -> float:
        """The largest rate of a host, for the bars."""
        return max((host.rate for host in self.hosts), default=0.0) or 1.0


def freshness_of(store: CrawlReader) -> Freshness | None:
    """Return how fresh a crawl was kept, or None if no page was revisited."""
    revisits = sorted(store.revisits(), key=lambda revisit: revisit.at)
    if not revisits:
        return None
    versions = store.versions()
    substantive = {(version.url, version.at) for version in versions if version.substantive}
    told = [revisit for revisit in revisits if (revisit.url, revisit.at) in substantive]
    first, last = revisits[0].at, revisits[-1].at
    return Freshness(
        revisits=len(revisits),
        substantive=len(told),
        kinds=dict(
            sorted(Counter(revisit.kind.value if revisit.kind else "nothing" for revisit in revisits).items())
        ),
        wasted=1 - len(told) / len(revisits),
        first=first,
        last=last,
        fresh=_fresh(revisits, {(revisit.url, revisit.at) for revisit in told}),
        made=_counted([revisit.at for revisit in revisits], first, last),
        found=_counted([revisit.at for revisit in told], first, last),
        hosts=_hosts(store, told),
        changes=tuple([version for version in versions if version.substantive][-LATEST_CHANGES:][::-1]),
    )


def charts_of(kept: Freshness) -> list[Chart]:
    """Return two pictures: how fresh the pages were, and how many revisits found how much."""
    return [
        Chart(
            "Pages as we had them", "days", (ChartLine("fresh", kept.fresh),), percent=True, least_step=0.1
        ),
        Chart(
            "Revisits, and changes found",
            "days",
            (ChartLine("revisits", kept.made), ChartLine("substantive", kept.found)),
        ),
    ]


def span_of(kept: Freshness) -> str:
    """Return from when to when the revisits were made."""
    return f"{moment(kept.first)} to {moment(kept.last)}"


def marked(diff: str) -> list[list[tuple[str, str]]]:
    """Return the first lines of a diff in pieces: the tag that marks each, or none, and its words."""
    lines = islice(changed_lines(diff), LINES)
    return [[(_TAGS[each.fate], _shown(each.text)) for each in excerpt(line)] for line in lines]


_TAGS = {Fate.STAYED: "", Fate.WENT: "del", Fate.CAME: "ins"}


def _shown(text: str) -> str:
    """Return words on one line, with the space that parts them from their neighbours."""
    before, after = (" " if end.isspace() else "" for end in (text[:1], text[-1:]))
    return f"{before}{plain(text, LETTERS)}{after}"


def _fresh(revisits: Sequence[VersionCheck], substantive: set[tuple[str, float]]) -> tuple[Place, ...]:
    """Return for each moment the share of pages that had not changed since the revisit before it.

    Between two visits a changed page counts as fresh for the first half: when it changed is unknown.
    """
    start, end = min(revisit.since for revisit in revisits), revisits[-1].at
    moments = np.linspace(start, end, POINTS + 1)[1:].tolist() if end > start else [end]
    begun = np.array([revisit.since for revisit in revisits])
    ended = np.array([revisit.at for revisit in revisits])
    stale = np.array(
        [
            (revisit.since + revisit.at) / 2 if (revisit.url, revisit.at) in substantive else np.inf
            for revisit in revisits
        ]
    )
    points = []
    for at in moments:
        open_now = (begun < at) & (at <= ended)
        if count := int(open_now.sum()):
            points.append(((at - start) / DAY, float((stale[open_now] >= at).sum()) / count))
    return tuple(points)


def _counted(times: Sequence[float], first: float, last: float) -> tuple[Place, ...]:
    moments = [first + (last - first) * step / POINTS for step in range(POINTS + 1)]
    return tuple(((at - first) / DAY, float(bisect_right(times, at))) for at in moments)


def _hosts(store: CrawlReader, told: Sequence[VersionCheck]) -> tuple[HostRate, ...]:
    """Return the hosts, the liveliest first."""
    rows, trusts = store.watch_list(), store.trusts()
    names, codes = np.unique([host_of(row[0]) for row in rows], return_inverse=True)
    revisits, changes, changed_days, days = (np.array([row[place] for row in rows]) for place in (1, 2, 3, 4))
    rates = believed_rates(ChangeHistory(revisits, changes, changed_days, days), (codes,))
    substantive = Counter(host_of(revisit.url) for revisit in told)
    found = [
        HostRate(
            str(name),
            int((codes == code).sum()),
            int(revisits[codes == code].sum()),
            substantive[str(name)],
            float(rates[codes == code].mean()),
            _word(str(name), trusts),
        )
        for code, name in enumerate(names)
    ]
    return tuple(sorted(found, key=lambda each: (-each.rate, each.host)))


def _word(host: str, trusts: dict[str, Trust]) -> str:
    """Return what a host's own word was worth, in a few words."""
    trust = trusts.get(host, Trust())
    said = [
        "dates trusted" if trust.dates else f"dates wrong {trust.wrong} times" if trust.wrong else "",
        "a 304 hid a change" if trust.lies else "",
        f"{trust.fickle} new ETags without a change" if trust.fickle else "",
    ]
    return ", ".join(filter(None, said))
