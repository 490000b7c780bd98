"""How fresh a crawl was kept: the looks at its pages, what they found, and what they found in vain."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np
from msgspec import Struct

from thresher.core.url import host_of
from thresher.export.wording import moment, plain
from thresher.freshness.page_state import DAY, Trust
from thresher.freshness.policies import Evidence, believed_rates
from thresher.freshness.word_diff import Fate, changed_lines, excerpt
from thresher.report.charts import Chart, Line, Place
from thresher.store.queries import Version, VersionCheck
from thresher.store.read import Reading

POINTS = 120  # of a curve
NEWS = 15  # rows of the table of what changed
LINES, LETTERS = 3, 300  # of one change: lines, and letters of a piece of a line


class HostRate(Struct, frozen=True):
    """How often the pages of one host change, by what the looks have shown."""

    host: str
    pages: int
    looks: int
    news: int
    rate: float  # changes a day of a page
    word: str  # what the host's own word on its pages was worth


class Freshness(Struct, frozen=True):
    """Everything the report says about the looks."""

    looks: int
    news: int
    kinds: dict[str, int]
    wasted: float  # share of looks that found no news
    first: float  # moments of the first and the last look
    last: float
    fresh: tuple[Place, ...]  # day, and share of pages that were as we had them
    made: tuple[Place, ...]  # day, and looks so far
    found: tuple[Place, ...]  # day, and news so far
    hosts: tuple[HostRate, ...]
    changes: tuple[Version, ...]  # the latest news

    @property
    def fastest(self) -> float:
        """The largest rate of a host, for the bars."""
        return max((host.rate for host in self.hosts), default=0.0) or 1.0


def freshness_of(store: Reading) -> Freshness | None:
    """Return how fresh a crawl was kept, or None if no page was revisited."""
    looks = sorted(store.looks(), key=lambda look: look.at)
    if not looks:
        return None
    versions = store.versions()
    news = {(version.url, version.at) for version in versions if version.news}
    told = [look for look in looks if (look.url, look.at) in news]
    first, last = looks[0].at, looks[-1].at
    return Freshness(
        looks=len(looks),
        news=len(told),
        kinds=dict(sorted(Counter(look.kind.value if look.kind else "nothing" for look in looks).items())),
        wasted=1 - len(told) / len(looks),
        first=first,
        last=last,
        fresh=_fresh(looks, {(look.url, look.at) for look in told}),
        made=_counted([look.at for look in looks], first, last),
        found=_counted([look.at for look in told], first, last),
        hosts=_hosts(store, told),
        changes=tuple([version for version in versions if version.news][-NEWS:][::-1]),
    )


def charts_of(kept: Freshness) -> list[Chart]:
    """Return two pictures: how fresh the pages were, and how many looks found how much."""
    return [
        Chart("Pages as we had them", "days", (Line("fresh", kept.fresh),), percent=True, least_step=0.1),
        Chart("Looks, and news found", "days", (Line("looks", kept.made), Line("news", kept.found))),
    ]


def span_of(kept: Freshness) -> str:
    """Return from when to when the looks were made."""
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


def _fresh(looks: Sequence[VersionCheck], news: set[tuple[str, float]]) -> tuple[Place, ...]:
    """Return for each moment the share of pages that had not changed since the look before it.

    Between two visits a changed page counts as fresh for the first half: when it changed is unknown.
    """
    start, end = min(look.since for look in looks), looks[-1].at
    moments = np.linspace(start, end, POINTS + 1)[1:].tolist() if end > start else [end]
    begun = np.array([look.since for look in looks])
    ended = np.array([look.at for look in looks])
    stale = np.array(
        [(look.since + look.at) / 2 if (look.url, look.at) in news else np.inf for look in looks]
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


def _hosts(store: Reading, told: Sequence[VersionCheck]) -> tuple[HostRate, ...]:
    """Return the hosts, the liveliest first."""
    rows, trusts = store.watch_list(), store.trusts()
    names, codes = np.unique([host_of(row[0]) for row in rows], return_inverse=True)
    looks, changes, changed_days, days = (np.array([row[place] for row in rows]) for place in (1, 2, 3, 4))
    rates = believed_rates(Evidence(looks, changes, changed_days, days), (codes,))
    news = Counter(host_of(look.url) for look in told)
    found = [
        HostRate(
            str(name),
            int((codes == code).sum()),
            int(looks[codes == code].sum()),
            news[str(name)],
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
