"""Every number that the five papers print, beside ours: where ours stands, and what makes it."""

from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.cli.strategies import Claim, read_papers

ROOT = Path(__file__).parents[2]
PRINTED = {"jamali": 21, "ctfc": 6, "ratna": 0, "mali": 10, "fcmrps": 47}
CLAIMS = [claim for paper in read_papers() for claim in paper.claims]


def spelt(value: float) -> set[str]:
    """Return how a document may write a number: as it is, in per cent, or as a count of 2,000 pages."""
    rates = {f"{100 * value:.2f}%", f"{100 * value:.1f}%", f"{100 * value:.1f} %"}
    thirds = {"1/3"} if abs(value - 1 / 3) < 1e-3 else {"2/3"} if abs(value - 2 / 3) < 1e-3 else set()
    return (
        {f"{value:.10g}", f"{value:,.0f}", f"{value:.3f}", f"{value:.2f}", f"{2000 * value:.0f}"}
        | rates
        | thirds
    )


def test_every_printed_number_has_its_row():
    assert {paper.strategy: len(paper.claims) for paper in read_papers()} == PRINTED


@pytest.mark.parametrize("claim", [each for each in CLAIMS if each.ours is not None])
def test_ours_is_found_in_the_document_it_names_and_a_command_makes_it(claim: Claim):
    assert claim.command and claim.document and claim.ours is not None
    text = (ROOT / claim.document).read_text()
    assert any(form in text for form in spelt(claim.ours)), (claim.what, claim.ours, claim.document)


def test_a_number_that_compares_has_ours_and_one_that_does_not_says_why():
    assert all(claim.why for claim in CLAIMS)
    assert all(claim.ours is not None for claim in CLAIMS if claim.comparable)


def test_the_text_code_of_mali_compares_exactly():
    (code,) = [claim for claim in CLAIMS if claim.value == 1317.488403]
    assert (code.ours, code.comparable) == (1317.488403, True)
    assert "1317.488403" in thresher("lab", "papers").out


@pytest.mark.parametrize("strategy", PRINTED)
def test_a_strategy_of_a_paper_tells_its_equations_judge_differences_and_experiment(strategy):
    said = thresher("strategies", strategy).out
    assert f"strategies/{strategy}" in said and "Judge: " in said
    (paper,) = [each for each in read_papers() if each.strategy == strategy]
    assert len(paper.differs) == 3 and all(line in said for line in paper.differs)
    assert paper.experiment in said
