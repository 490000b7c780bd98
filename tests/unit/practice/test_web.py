"""The practice web behind its door: every way a request can end, without a network."""

import pytest

from tests.unit.practice_crawl import web_of
from thresher.core.clock import VirtualClock
from thresher.core.errors import HostUnreachable, RobotsForbidden
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import join, key, normalise
from thresher.fetch.robots import parse_robots
from thresher.parse import parse
from thresher.parse.sitemap import parse_sitemap
from thresher_practice import PracticeWeb
from thresher_practice.html import entrances
from thresher_practice.site_plan import Evolution, Role

WEB = web_of(1)
SITES = WEB.atlas.sites


async def get(url: str, web: PracticeWeb = WEB) -> Fetched:
    return await web.get(Candidate(Url(url)))


@pytest.mark.parametrize("topic", ["beekeeping", "书法"])
def test_links_lead_to_202_of_the_232_pages_about_a_topic(topic):
    """28 stand on islands, and two are home pages under their other name."""
    led, labels = WEB.reachable(topic), WEB.labels(topic)
    assert (len(led), len(labels)) == (202, 232)
    assert led < labels
    assert led.isdisjoint(WEB.locate(address) for address in WEB.atlas.islands[topic])


async def test_a_page_is_answered_with_its_type_length_and_validators():
    fetched = await get(WEB.pages[0])
    assert (fetched.status, fetched.url) == (200, WEB.pages[0])
    assert fetched.header("content-length") == str(len(fetched.body))
    assert fetched.header("etag").startswith('"')
    assert fetched.header("last-modified").endswith("GMT")


async def test_time_is_the_clocks():
    clock = VirtualClock(1_650_000_000.0)
    assert (await get(WEB.pages[0], PracticeWeb(1, clock, atlas=WEB.atlas))).fetched_at == 1_650_000_000.0


async def test_a_folder_closed_by_robots_is_not_fetched():
    assert len(WEB.atlas.forbidden) >= 20
    for address in WEB.atlas.forbidden:
        with pytest.raises(RobotsForbidden):
            await get(WEB.locate(address))


async def test_no_page_of_the_list_is_forbidden():
    assert not any(WEB.is_forbidden(address) for address in WEB.atlas.pages)


async def test_robots_txt_says_what_the_door_enforces():
    for site in SITES.values():
        fetched = await get(WEB.locate(f"{site.name}/robots.txt"))
        if fetched.status == 404:
            continue
        rules = parse_robots(fetched.body, "thresher")
        for address in [*list(WEB.atlas.forbidden)[:50], *list(WEB.atlas.pages)[::200]]:
            if address.startswith(f"{site.name}/"):
                assert rules.verdict(WEB.locate(address)).allowed != WEB.is_forbidden(address)


async def test_one_site_has_no_robots_txt_and_one_asks_for_a_delay():
    answers = [await get(WEB.locate(f"{name}/robots.txt")) for name in SITES]
    assert [answer.status for answer in answers].count(404) == 1
    assert sum(b"Crawl-delay: 1" in answer.body for answer in answers) == 1


async def test_sitemaps_list_everyday_pages_and_give_no_topic_away():
    mapped = [site for site in SITES.values() if site.has_sitemap]
    assert len(mapped) >= 5
    for site in mapped:
        answer = await get(WEB.locate(f"{site.name}/sitemap.xml"))
        listed = [entry.url for entry in parse_sitemap(answer.body, answer.url).urls]
        assert len(listed) >= 40
        assert not any(WEB.atlas.pages[WEB.address(url)].label for url in listed)


async def test_moved_pages_lead_to_relevant_ones():
    moved = [address for address in WEB.atlas.moved if "/old/" in address]
    assert len(moved) >= 30
    for address in moved:
        fetched = await get(WEB.locate(address))
        target = WEB.atlas.pages[WEB.address(fetched.header("location"))]
        assert (fetched.status, bool(target.label)) == (301, True)


async def test_a_chain_of_redirects_ends_and_a_loop_does_not():
    news = next(site.name for site in SITES.values() if site.role is Role.NEWS)
    assert await _follow(f"{news}/go/a") == [302, 301, 307, 200]
    assert 200 not in await _follow(f"{news}/go/round")


async def _follow(address: str) -> list[int]:
    url = WEB.locate(address)
    statuses: list[int] = []
    while len(statuses) < 10 and 200 not in statuses:
        fetched = await get(url)
        statuses.append(fetched.status)
        url = Url(fetched.header("location"))
    return statuses


async def test_missing_pages_are_missing_or_gone():
    statuses = {(await get(WEB.locate(address))).status for address in WEB.atlas.gone}
    assert statuses == {404, 410}
    assert (await get(WEB.locate(f"{next(iter(SITES))}/never/was.html"))).status == 404


async def test_another_host_or_port_is_not_on_this_web():
    for url in (
        "http://elsewhere.localhost/",
        "http://127.0.0.1/",
        WEB.pages[0].replace("host/", "host:81/"),
    ):
        with pytest.raises(HostUnreachable):
            await get(url)


@pytest.mark.parametrize("entrance", entrances(SITES.values()))
async def test_a_trap_has_no_end(entrance):
    """Always take the last new link of its own site that the page shows: it never runs out."""
    seen, url = set(), WEB.locate(entrance)
    home = WEB.locate(entrance.partition("/")[0] + "/")
    for _ in range(60):
        seen.add(url)
        page = parse(await get(url))
        fresh = [link.target for link in page.links if link.target not in seen | {home}]
        assert fresh, url
        url = fresh[len(seen) % len(fresh)]
        assert url not in WEB.pages
        assert normalise(url) == url


def test_there_are_four_kinds_of_traps():
    roles = {SITES[entrance.partition("/")[0]].role for entrance in entrances(SITES.values())}
    assert roles == {Role.EVENTS, Role.FORUM, Role.SHOP, Role.PERSONAL}


async def test_session_ids_name_the_same_page_again_and_again():
    forum = next(entrance for entrance in entrances(SITES.values()) if "sid=" in entrance)
    url = WEB.locate(forum)
    threads = {key(link.target) for link in parse(await get(url)).links if "sid=" in link.target}
    again = {key(link.target) for link in parse(await get(url.replace("0f0f", "1e1e"))).links}
    assert threads
    assert threads <= again


@pytest.mark.parametrize("change", list(Evolution))
def test_what_has_not_changed_is_not_sent_again(change):
    address = next(address for address, page in WEB.atlas.pages.items() if page.change is change)
    clock = VirtualClock(1_600_000_000.0)
    web = PracticeWeb(1, clock, atlas=WEB.atlas)
    first = dict(web.answer(address).headers)
    conditions = (
        (("if-none-match", first["etag"]),),
        (("if-modified-since", first["last-modified"]),),
    )
    assert [web.answer(address, asked).status for asked in conditions] == [304, 304]
    assert web.answer(address, conditions[0]).body == b""
    clock._now += 86_400
    later = 304 if change is Evolution.STILL else 200
    assert [web.answer(address, asked).status for asked in conditions] == [later, later]


def test_a_condition_that_makes_no_sense_is_ignored():
    address = next(iter(WEB.atlas.pages))
    assert WEB.answer(address, (("if-modified-since", "yesterday"),)).status == 200


def test_a_path_through_the_album_repeats_itself():
    album = next(entrance for entrance in entrances(SITES.values()) if "album" in entrance)
    deeper = join(WEB.locate(album), "photos/")
    assert deeper.endswith("/album/photos/photos/")
    assert WEB.answer(WEB.address(deeper)).status == 200
