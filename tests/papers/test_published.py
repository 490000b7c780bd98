"""Every number that the five papers print, beside ours: where ours stands, and what makes it."""

import re
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.cli.strategies import Claim, read_papers
from thresher.strategies import ALL_STRATEGIES

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
    assert {paper.strategy: len(paper.claims) for paper in read_papers() if paper.differs} == PRINTED


def test_every_strategy_has_its_authors_its_idea_in_six_words_and_its_page():
    papers = {paper.strategy: paper for paper in read_papers()}
    assert papers.keys() == ALL_STRATEGIES.keys()
    assert [name for name, paper in papers.items() if not paper.authors or len(paper.idea.split()) > 6] == []
    pages = [ROOT / (paper.page or f"docs/papers/{name}.md") for name, paper in papers.items()]
    assert [page for page in pages if not page.is_file()] == []


@pytest.mark.parametrize("name", ALL_STRATEGIES)
def test_the_list_has_each_strategy_and_a_terminal_of_80_columns_its_equations(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert re.search(rf"^{name} ", thresher("strategies").out, re.M)
    assert [line for line in thresher("strategies", name, "--all").out.splitlines() if len(line) > 80] == []


def test_parameters_that_no_figure_moves_are_shown_with_all_only():
    assert "--set tunnel=12" not in thresher("strategies", "ctfc").out
    assert "--set tunnel=12" in thresher("strategies", "ctfc", "--all").out
    assert thresher("strategies", "CTFC").out == thresher("strategies", "ctfc").out


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
    said = " ".join(thresher("strategies", strategy).out.split())
    assert f"strategies/{strategy}" in said and "Judge: " in said
    (paper,) = [each for each in read_papers() if each.strategy == strategy]
    assert len(paper.differs) == 3 and all(line in said.replace("- ", "-") for line in paper.differs)
    assert paper.experiment in said
