"""A crawl of endless sites without a page limit: it ends, misses nothing, and the traps stay small."""

from pathlib import Path

import pytest

from thresher.build import CrawlResult, run
from thresher.core.records import Url, Visit
from thresher.core.url import host_of, hostname_of
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher_practice import PracticeWeb
from thresher_practice.html import entrances, trap
from thresher_practice.site_plan import Address, PageKind, Quirk

WEB = PracticeWeb(1)
SITES = sorted({address.partition("/")[0] for address in entrances(WEB.atlas.sites.values())})
"""The six sites of the practice web that have a trap: calendar, session ids, growing query, growing path."""


async def crawled(folder: Path, **more: object) -> tuple[list[Visit], CrawlResult]:
    visits: list[Visit] = []
    homes = tuple(WEB.locate(f"{site}/") for site in SITES)
    wanted = {
        "topic": "beekeeping",
        "seeds": homes,
        "strategy": "breadth_first",
        "web.kind": "practice",
        "web.delay": 0.0,
        "scope.domains": tuple(map(hostname_of, homes)),
        "stop.pages": 0,
        **more,
    }
    settings = read(None, list(wanted.items()))
    result = await run(settings, CrawlFolder(folder), watch=lambda visit, progress: visits.append(visit))
    return visits, result


def reachable() -> set[Url]:
    """Return the real pages that links and redirects within the sites lead to, where authors allow it."""
    atlas = WEB.atlas
    seen: set[Address] = set()
    waiting = [f"{site}/" for site in SITES]
    while waiting:
        address = waiting.pop()
        if address in seen or address.partition("/")[0] not in SITES:
            continue
        seen.add(address)
        page = atlas.pages.get(address)
        if address in atlas.moved:
            waiting.append(atlas.moved[address][1])
        elif page and page.quirk is not Quirk.NOFOLLOW:
            waiting += (page.original or page).links if page.kind is PageKind.ALIAS else page.links
    return {WEB.locate(address) for address in seen if address in atlas.pages}


def is_trap(url: Url) -> bool:
    name, _, path = WEB.address(url).partition("/")
    return trap(WEB.atlas.sites[name], path) is not None


async def test_endless_sites_are_read_to_their_last_page_and_their_traps_stay_small(tmp_path: Path) -> None:
    visits, result = await crawled(tmp_path / "with")
    asked = {visit.candidate.url for visit in visits}
    assert result.finish_reason == "nothing left to visit"
    assert len(reachable()) > 500
    copies = {f"{host_of(url)}/index.html" for url in asked}  # of home pages, asked for as / alone
    assert reachable() - copies <= asked
    assert 20 < sum(map(is_trap, asked)) < 200
    assert {"growing query", "repeated path", "on a near-duplicate"} <= result.refused.keys()


@pytest.mark.slow
async def test_without_the_rules_the_same_crawl_goes_on_for_ever(tmp_path: Path) -> None:
    visits, result = await crawled(tmp_path / "without", **{"scope.rules": False, "stop.pages": 1_200})
    assert result.finish_reason == "page limit of 1200 reached"
    assert result.refused.keys() <= {"nofollow", "outside the domains"}
    assert sum(is_trap(visit.candidate.url) for visit in visits) > 200
