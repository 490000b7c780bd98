"""The plan of the practice web: how big it is, and what stands between a crawl and its relevant pages."""

import sys
from collections import Counter, deque
from collections.abc import Iterable

import pytest

from thresher.core.errors import UnknownName
from thresher_practice import web
from thresher_practice.site_plan import Address, Atlas, PageKind, Role
from thresher_practice.text import NAMES, TOPICS
from thresher_practice.web import PracticeWeb, draw, plan_of

SEEDS = (1, 2)
ATLASES = {seed: draw(seed) for seed in SEEDS}
WEB = PracticeWeb(1)


def onward(atlas: Atlas, address: Address) -> Iterable[Address]:
    """Return where an address leads; an obedient crawler follows no comment."""
    if address in atlas.moved:
        return [atlas.moved[address][1]]
    page = atlas.pages.get(address)
    return page.links if page else []


def reachable(atlas: Atlas, starts: Iterable[Address], avoiding: Iterable[Address] = ()) -> set[Address]:
    seen, queue = set(avoiding) | set(starts), deque(starts)
    while queue:
        for address in onward(atlas, queue.popleft()):
            if address not in seen:
                seen.add(address)
                queue.append(address)
    return seen - set(avoiding)


def relevant(atlas: Atlas, topic: str) -> set[Address]:
    return {address for address, page in atlas.pages.items() if page.label == topic}


@pytest.mark.parametrize("seed", SEEDS)
def test_there_are_three_thousand_pages_on_forty_sites(seed):
    atlas = ATLASES[seed]
    assert len(atlas.pages) >= 3000
    assert len(atlas.sites) == 40
    assert {page.site.name for page in atlas.pages.values()} == set(atlas.sites)


def test_a_dozen_topics_five_of_them_chinese():
    assert len(NAMES) == 12
    assert [topic.language for topic in TOPICS].count("zh") == 5
    assert all(40 <= len(_words(topic)) <= 70 for topic in TOPICS)


def _words(topic) -> set[str]:
    return {*topic.things, *topic.stuff, *topic.people, *topic.deeds, *topic.qualities}


def test_a_topic_knows_its_name_keywords_path_and_seeds():
    tea = next(topic for topic in WEB.topics if topic.name == "茶艺")
    assert (tea.path, tea.labels) == (("饮食", "茶艺"), {"zh": "茶艺", "en": "tea"})
    assert len(tea.keywords) == 11
    assert len(tea.spellings) == len(tea.path)
    assert tea.seeds == WEB.seeds("茶艺")


def test_an_unknown_topic_is_answered_with_the_nearest_name():
    with pytest.raises(UnknownName, match="beekeeping"):
        WEB.labels("beekeping")


@pytest.mark.parametrize("seed", SEEDS)
def test_another_seed_is_another_web(seed):
    first, other = ATLASES[1], draw(seed + 10)
    assert set(first.sites) != set(other.sites)
    assert not set(first.seeds["sailing"]) & set(other.seeds["sailing"])


@pytest.mark.parametrize("topic", NAMES)
def test_a_topic_starts_from_a_hub_a_relevant_page_and_an_everyday_page(topic):
    atlas = ATLASES[1]
    hub, ordinary, everyday = (atlas.pages[address] for address in atlas.seeds[topic])
    assert (hub.kind, hub.label) == (PageKind.HUB, "")
    assert (ordinary.kind, ordinary.label) == (PageKind.ARTICLE, topic)
    assert (everyday.kind, everyday.label) == (PageKind.ARTICLE, "")


@pytest.mark.parametrize("topic", NAMES)
def test_relevant_pages_link_to_relevant_pages_far_above_the_base_rate(topic):
    atlas = ATLASES[1]
    wanted = relevant(atlas, topic)
    links = [link for address in wanted for link in atlas.pages[address].links]
    share = sum(link in wanted for link in links) / len(links)
    assert 0.25 < share < 0.6, "locality, with noise"
    assert share > 5 * len(wanted) / len(atlas.pages)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("topic", NAMES)
def test_links_lead_everywhere_but_to_islands_and_the_hubs_that_know_them(seed, topic):
    atlas = ATLASES[seed]
    missed = set(atlas.pages) - reachable(atlas, atlas.seeds[topic])
    islands = {address for each in atlas.islands.values() for address in each}
    assert islands <= missed
    assert all(atlas.pages[address].kind is PageKind.HUB for address in missed - islands)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("topic", NAMES)
def test_whoever_cites_an_island_also_cites_pages_that_links_can_reach(seed, topic):
    atlas = ATLASES[seed]
    reached = reachable(atlas, atlas.seeds[topic]) & relevant(atlas, topic)
    islands = set(atlas.islands[topic])
    assert len(islands) >= 20
    citing = [page for page in atlas.pages.values() if islands & set(page.links)]
    assert all(page.kind is PageKind.HUB and len(reached & set(page.links)) >= 3 for page in citing)
    assert islands == {link for page in citing for link in page.links} & islands


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("topic", ["beekeeping", "观鸟"])
def test_beyond_a_tunnel_lie_relevant_pages_that_nothing_else_leads_to(seed, topic):
    """Close any one of the tunnel's off-topic pages, and the pages behind it cannot be reached."""
    atlas = ATLASES[seed]
    wanted = relevant(atlas, topic)
    everything = reachable(atlas, atlas.seeds[topic])
    for way in atlas.tunnels[topic]:
        assert not wanted & set(way)
        behind = everything - reachable(atlas, atlas.seeds[topic], avoiding=way[:1])
        for step in way:
            lost = everything - reachable(atlas, atlas.seeds[topic], avoiding=[step])
            assert len(lost & wanted) >= 4
            assert lost <= behind


def test_tunnels_are_two_to_four_pages_long():
    lengths = Counter(len(way) for way in ATLASES[1].tunnels["beekeeping"])
    assert set(lengths) == {2, 3, 4}


@pytest.mark.parametrize("topic", NAMES)
def test_some_relevant_pages_are_known_to_one_hub_only(topic):
    atlas = ATLASES[1]
    citing: dict[Address, list[PageKind]] = {address: [] for address in relevant(atlas, topic)}
    for page in atlas.pages.values():
        for link in page.links:
            if link in citing:
                citing[link].append(page.kind)
    assert sum(kinds == [PageKind.HUB] for kinds in citing.values()) >= 30  # islands, and the hubs' own


def test_copies_keep_the_label_of_their_original():
    copies = [page for page in ATLASES[1].pages.values() if page.original]
    assert {page.kind for page in copies} == {PageKind.ALIAS, PageKind.MIRROR, PageKind.PRINT}
    assert all(page.original and page.label == page.original.label for page in copies)
    assert {page.site.role for page in copies if page.kind is PageKind.MIRROR} == {Role.MIRROR}


def test_labels_and_seeds_do_not_depend_on_the_port():
    served = WEB.on_port(8080)
    assert [url.replace(":8080", "") for url in served.pages] == list(WEB.pages)
    assert {url.replace(":8080", "") for url in served.labels("围棋")} == WEB.labels("围棋")
    assert tuple(url.replace(":8080", "") for url in served.seeds("围棋")) == WEB.seeds("围棋")


def test_the_plan_that_is_kept_is_the_one_that_is_drawn(monkeypatch, tmp_path):
    (tmp_path / "web.py").touch()
    (tmp_path / "__pycache__").mkdir()
    monkeypatch.setattr(web, "COMPILED", tmp_path / "__pycache__")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert plan_of(1) == plan_of(1) == ATLASES[1]
    kept = tmp_path / "__pycache__" / "atlas.pickle"
    kept.write_bytes(kept.read_bytes()[:-9])
    assert plan_of(1) == ATLASES[1], "a damaged file is not believed"
