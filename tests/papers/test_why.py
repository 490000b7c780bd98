"""`why` explains the priority that was paid: the terms it shows add up to it, for all five papers."""

import re

import pytest

from tests.command_line import thresher
from thresher.build.resume import load_strategy
from thresher.core.enums import Outcome
from thresher.store.folder import CrawlFolder

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def paid(line: str) -> float:
    """Return what the first line of an explanation adds up to."""
    if plain := re.search(rf"(?:rank|weight) ({NUMBER})", line):  # jamali's, ctfc's
        return float(plain[1])
    terms = line.partition(" = ")[2]
    if " x R_" in terms:
        return sum(
            float(weight) * float(value)
            for weight, value in re.findall(rf"({NUMBER}) x R_\w+ ({NUMBER})", terms)
        )
    behind = re.search(rf" - ({NUMBER}), behind", terms)
    back = re.search(rf"- BkLK ({NUMBER})", terms)
    added = sum(map(float, re.findall(rf"(?:FwdLK|ATR|CTR|PR) ({NUMBER})", terms)))
    return added - (float(back[1]) if back else 0.0) - (float(behind[1]) if behind else 0.0)


@pytest.mark.parametrize("strategy", ["jamali", "ctfc", "ratna", "mali", "fcmrps"])
def test_the_terms_of_every_page_are_those_of_the_price_it_was_asked_at(strategy, tmp_path):
    folder = CrawlFolder(tmp_path / "x")
    assert (
        thresher(
            "crawl",
            "astronomy",
            "--strategy",
            strategy,
            *"--pages 300 --delay 0 -o".split(),
            str(folder.path),
        ).code
        == 0
    )
    store = folder.open()
    strategy = load_strategy(folder.asked(), store)
    assert strategy is not None
    wrong, pages = [], 0
    for visit in store.visits():
        candidate = visit.candidate
        if visit.outcome is Outcome.FETCHED and candidate.via and not candidate.redirects:
            pages += 1
            first = strategy.explain(candidate, store)[0]
            if abs(paid(first) - candidate.priority) > 1e-3 * max(1.0, abs(candidate.priority) / 1e3):
                wrong.append((candidate.priority, first))
    store.close()
    assert pages > 40 and not wrong
