"""What a guide would bring: one that knows the labels, but for some errors."""

from tests.command_line import thresher
from tests.unit.lab_examples import make_corpus
from thresher.core.url import parse
from thresher_lab.setup import stage
from thresher_lab.studies.guide import KnowingGuide


def test_a_guide_says_what_is_relevant_what_leads_there_and_errs_as_often_as_it_should(tmp_path):
    """hub -> a, far: a is relevant, far is not and leads to e, which is."""
    with stage(make_corpus(tmp_path), cache=tmp_path / "cache") as place:
        urls = [next(url for url in place.web.index if url.endswith(name)) for name in ("/a", "/far")]
        right, wrong = (KnowingGuide(place, "bees", errors) for errors in (0.0, 1.0))
        assert [right._said(parse(url)) for url in urls] == [1.0, 0.5]
        assert [wrong._said(parse(url)) for url in urls] == [0.0, 0.5]


def test_the_command_sets_each_guide_beside_the_crawl_without(tmp_path):
    corpus = make_corpus(tmp_path)
    told = thresher(
        "lab", "guide", str(corpus.path), "--errors", "0,0.5", "--seeds", "hub", "--topics", "bees"
    )
    assert told.code == 0
    assert [line.split("|")[1].strip() for line in told.out.splitlines() if "%  " in line] == ["0%", "50%"]
