"""`report --tables`: what Figure 1 or 2 of each paper draws, as it stands in a crawl."""

import pytest

from tests.command_line import thresher

TITLES = {
    "jamali": ["Seed Pages", "Candidate Crawled Pages"],
    "ctfc": ["Quadrants", "Hubs", "Authorities"],
    "ratna": ["Result database"],
    "mali": ["URL list"],
    "fcmrps": ["Sets of Figure 2", "RUCUS", "IUCUS"],
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The tables of a crawl of 120 pages with each paper's strategy."""

    def crawled(strategy: str) -> str:
        folder = str(tmp_path_factory.mktemp(strategy) / "x")
        given = [*"crawl astronomy --pages 120 --delay 0 --strategy".split(), strategy, "-o", folder]
        assert thresher(*given).code == 0
        return thresher("report", folder, "--tables", "--top", "1000").out

    return {strategy: crawled(strategy) for strategy in TITLES}


def rows(text: str, title: str) -> list[list[str]]:
    """Return the cells of a table, its heads left out."""
    lines = f"\n{text}".split(f"\n{title}, ")[-1].split("\n\n")[0].splitlines()[2:]
    return [line.split(maxsplit=2) for line in lines]


@pytest.mark.parametrize("strategy", TITLES)
def test_every_paper_shows_the_tables_it_draws(tables, strategy):
    assert all(f"{title}, " in tables[strategy] for title in TITLES[strategy])


def test_the_sets_of_figure_2_add_up(tables):
    """Chen et al. 2009, Figure 2: KUS = CUS + UCUS, and each of these has two parts."""
    sizes = {row[1].rstrip(","): int(row[0]) for row in rows(tables["fcmrps"], "Sets of Figure 2")}
    assert sizes["KUS"] == sizes["CUS"] + sizes["UCUS"] and sizes["CUS"] == 120
    assert sizes["CUS"] == sizes["RCUS"] + sizes["ICUS"] and sizes["UCUS"] == sizes["RUCUS"] + sizes["IUCUS"]
    assert sizes["RUCUS"] == len(rows(tables["fcmrps"], "RUCUS")) and sizes["RCUS"] > 0


def test_every_request_of_ctfc_belongs_to_a_quadrant(tables):
    counted = rows(tables["ctfc"], "Quadrants")
    assert sum(int(row[0]) for row in counted) >= 120
    assert any(row[2].startswith("I,") and int(row[1]) for row in counted)
    assert all(int(row[0]) >= 2 for row in rows(tables["ctfc"], "Hubs"))
