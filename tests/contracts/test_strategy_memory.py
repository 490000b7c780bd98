"""What a strategy may hold in memory for every link it is shown.

THRESHER_LINKS=1000000 pytest -m slow tests/contracts/test_strategy_memory.py   the same with a million
"""

import gc
import os
import tracemalloc
from functools import _lru_cache_wrapper

import pytest

from tests.contracts.forms import FORMS
from tests.endless_web import LINKS, TOPIC, EndlessWeb
from thresher.judges.baselines import Cosine

WARM = 40
PAGES = int(os.environ.get("THRESHER_LINKS", "30000")) // LINKS
ALLOWANCE = 40_000  # bytes of anything that does not grow with the links


def traced() -> int:
    """Return the bytes in use, without what caches of a fixed size hold."""
    for each in gc.get_objects():
        if isinstance(each, _lru_cache_wrapper):
            each.cache_clear()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.parametrize("form", ["ctfc", "fish_search", "jamali", "mali", "ratna", "thresher"])
def test_a_strategy_grows_by_no_more_than_it_says(form: str) -> None:
    grows_by_no_more_than_it_says(form, PAGES // 3)


@pytest.mark.slow
@pytest.mark.timeout(120 + PAGES)
@pytest.mark.parametrize("form", list(FORMS))
def test_a_strategy_shown_many_links_grows_by_no_more_than_it_says(form: str) -> None:
    grows_by_no_more_than_it_says(form, PAGES)


def grows_by_no_more_than_it_says(form: str, pages: int) -> None:
    kind, parameters = FORMS[form]
    web = EndlessWeb(kind(judge=Cosine(TOPIC), topic=TOPIC, **parameters))
    tracemalloc.start()
    try:
        web.crawl(WARM)
        before, links = traced(), web.links
        web.crawl(pages)
        growth, shown = traced() - before, web.links - links
    finally:
        tracemalloc.stop()
    print(f"{form}: {growth / shown:.1f} bytes a link, {kind.bytes_per_link} declared")
    assert shown >= pages * LINKS
    assert web.offered > links, "hardly a link was offered"
    assert growth <= kind.bytes_per_link * shown + ALLOWANCE, f"{growth / shown:.1f} bytes a link"
