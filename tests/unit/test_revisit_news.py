"""One pass with a budget is for the pages that are known, and what is substantive has something to show."""

import pytest

from tests.unit.changing_site import Site, html
from thresher.engine.revisit import RevisitTask

STORY = ("The queen bees keep warm all winter long.", "Honey is what they live on until spring comes.")
FOOT = "Last updated 2024-01-01 10:00, 1 234 visitors"


@pytest.fixture
def site(tmp_path) -> Site:
    """A home page that leads to three others."""
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", *STORY, links=("/a", "/b", "/c"))
    for name in "abc":
        site.pages[f"/{name}"] = html(f"Page {name}", f"Honey {name}.", *STORY)
    site.crawl()
    return site


@pytest.mark.parametrize(("budget", "revisits", "new"), [(3, 3, 0), (6, 4, 2)])
def test_one_pass_with_a_budget_looks_at_so_many_known_pages_first(site, budget, revisits, new):
    links = tuple(f"/new{number}" for number in range(9))
    site.pages |= {path: html("New", "Fresh honey from the queen and her bees.") for path in links}
    site.pages["/"] = html("Bees", *STORY, "See what is new.", links=("/a", "/b", "/c", *links))
    site.revisit()  # now the new pages wait
    site.asked.clear()
    result = site.revisit(errand=RevisitTask(budget=budget, once=True))
    assert (result.revisits, result.discovered) == (revisits, new)
    assert all(path in ("/", "/a", "/b", "/c") for path in site.asked[:revisits])


def test_no_news_without_something_to_show(site):
    """A page comes back as it was, another moves, one of which no word is kept says something else."""
    hidden = '<head><meta name="robots" content="noindex">'
    site.pages["/c"] = html("C", *STORY, "Honey at noon.").replace("<head>", hidden)
    site.revisit()
    site.answers["/b"] = (410, {})
    site.revisit()
    del site.answers["/b"]
    site.answers["/a"] = (301, {"location": "/elsewhere"})
    site.pages["/c"] = html("C", "Nothing but kites over the hills by the sea.").replace("<head>", hidden)
    site.revisit()
    store = site.crawl_folder.open()
    told = {(version.kind.value, version.diff) for version in store.versions() if version.substantive}
    store.close()
    assert {kind for kind, _ in told} >= {"vanished", "back", "moved", "text"}
    assert [kind for kind, diff in told if not diff] == []
    assert ("back", f"+ {site.url('/b')}") in told
