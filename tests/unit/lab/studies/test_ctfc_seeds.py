"""Recall against the number of seeds: what is given does not count as found."""

import pytest
from msgspec.structs import replace

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.report.charts import draw
from thresher_lab.setup import stage
from thresher_lab.studies.ctfc_seeds import plot, seeded_runs, table


@pytest.fixture
def runs(tmp_path):
    corpus = make_corpus(tmp_path / "bees")
    with stage(corpus, cache=tmp_path / "cache") as place:
        return list(
            seeded_runs(
                place, "easy", "bees", ["ctfc", "breadth_first"], (1, 2, 80), draws=2, pages="12"
            )  # questions cost as well
        )


def test_every_contender_starts_from_the_same_seeds_and_large_numbers_are_left_out(runs):
    assert [(run.strategy, run.seeds, run.draw) for run in runs[:4]] == [
        ("ctfc", 1, 0),
        ("breadth_first", 1, 0),
        ("ctfc", 2, 0),
        ("breadth_first", 2, 0),
    ]
    assert len(runs) == 8


def test_recall_counts_the_pages_that_were_not_given(runs):
    """Five relevant pages: a -> c and a -> hub, which leads to all; b -> d; the others lead nowhere."""
    for run in runs:
        assert 0.0 <= run.recall <= 1.0
        assert run.spent <= 12
        assert run.recall * (5 - run.seeds) == pytest.approx(round(run.recall * (5 - run.seeds)))


def test_back_links_find_more_than_links(runs):
    """A relevant page without links is a dead end, unless somebody says who links to it."""
    found = table(runs)
    assert found.heads == ("seeds", "topics and modes", "ctfc", "breadth_first")
    assert all(float(row[2]) >= float(row[3]) for row in found.rows)


def test_the_picture_has_the_numbers_of_seeds_at_its_foot(runs):
    picture = draw(plot(runs, "Recall"))
    assert ">1</text>" in picture and ">2</text>" in picture


def test_a_long_name_widens_the_picture(runs):
    """33 letters end beyond the usual 560."""
    long = [replace(run, strategy="ctfc+spouses=false+siblings=false") for run in runs]
    assert 'viewBox="0 0 560 ' in draw(plot(runs, "Recall"))
    assert 'viewBox="0 0 713 ' in draw(plot(long, "Recall"))


def test_the_verb_prints_the_table(tmp_path):
    make_corpus(tmp_path / "bees")
    asked = ["lab", "seeds", str(tmp_path / "bees"), "--counts", "1,2", "--draws", "1", "--pages", "6"]
    done = thresher(*asked, "-o", str(tmp_path / "out"), "--cache", str(tmp_path / "cache"))
    assert done.code == 0, done.err
    assert "| seeds |" in done.out
    assert (tmp_path / "out" / "seeds.svg").exists()
