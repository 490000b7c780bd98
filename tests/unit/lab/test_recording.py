"""Corpora of one's own, and published numbers beside ours."""

import asyncio

import pytest

from tests.command_line import thresher
from thresher.cli.strategies import read_papers
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Fetched, Page, Topic, Url, Visit
from thresher.store.folder import CrawlFolder
from thresher_lab.corpus import Corpus
from thresher_lab.record import examine, own_judgements, record_practice
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, stage
from thresher_practice import PracticeWeb

PAGES = {"a": "bees and honey", "b": "nothing at all", "c": "honey of bees"}


def finished_crawl(folder):
    """Store three visits as a live crawl leaves them, bytes and all."""
    crawl = CrawlFolder(folder)
    store = crawl.create()
    for name, words in PAGES.items():
        url = Url(f"http://own.test/{name}")
        body = f"<p>{words}</p><a href='/c'>c</a>".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        candidate = Candidate(url, depth=0 if name == "a" else 1)
        fetched = Fetched(
            candidate, url, 200, (("content-type", "text/html"),), body, 1.0, head=head, raw_body=body
        )
        store.add(
            Visit(
                candidate, Outcome.FETCHED, 1.0, Page(url, text=words), 0.5, 200, len(body), fetched=fetched
            )
        )
    store.facts.topic, store.facts.judge = Topic("Bees", {"bees": 1.0, "honey": 1.0}), "cosine"
    store.close()
    return crawl


def test_a_crawl_with_one_s_own_judgements_becomes_a_corpus_that_plays(tmp_path):
    finished_crawl(tmp_path / "crawl")
    (tmp_path / "judged.tsv").write_text(
        "http://own.test/a\tyes\nhttp://own.test/b\tno\nhttp://own.test/c\tyes\n"
    )
    ran = thresher(
        "lab",
        "record",
        str(tmp_path / "crawl"),
        "--labels",
        str(tmp_path / "judged.tsv"),
        "-o",
        str(tmp_path / "own"),
    )
    assert (ran.code, ran.err) == (0, "")
    assert "2 of 3 pages relevant by the user's own judgements" in ran.out
    corpus = Corpus(tmp_path / "own")
    assert examine(corpus).problems == ()
    with stage(corpus, cache=tmp_path / "cache") as place:
        steps = play(place, ReplayPlan("bees", "breadth_first", 5)).steps
    assert [step.url for step in steps if step.relevant] == ["http://own.test/a", "http://own.test/c"]
    assert "own judgements" in (tmp_path / "own" / "README.md").read_text()


def test_a_second_judge_is_named_in_the_labels_and_the_guide_is_refused(tmp_path):
    crawl = str(finished_crawl(tmp_path / "crawl").path)
    refused = thresher("lab", "record", crawl, "--judge", "cosine", "-o", str(tmp_path / "own"))
    assert refused.code == 2 and "guided this crawl" in refused.err
    ran = thresher(
        "lab", "record", crawl, "--judge", "tfidf", "--threshold", "0.01", "-o", str(tmp_path / "own")
    )
    assert ran.code == 0, ran.err
    labels = (tmp_path / "own" / "labels.tsv").read_text().splitlines()
    assert {line.split("\t")[1] for line in labels} == {"judge/tfidf"}


@pytest.mark.parametrize("arguments", [(), ("crawl",), ("crawl", "--judge", "x", "--labels", "judged.tsv")])
def test_nobody_or_two_to_judge_is_one_sentence(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judged.tsv").write_text("")
    ran = thresher("lab", "record", *arguments, "-o", "own")
    assert ran.code == 2 and "say who judges" in ran.err


def test_a_file_of_judgements_with_a_line_that_is_no_url_names_the_line(tmp_path):
    (tmp_path / "judged.tsv").write_text("http://own.test/a\tyes\nnonsense\tyes\n")
    with pytest.raises(Exception, match="line 2"):
        own_judgements(tmp_path / "judged.tsv")


def test_a_corpus_is_never_written_over(tmp_path):
    (tmp_path / "something").touch()
    ran = thresher("lab", "record", "--practice", "1", "-o", str(tmp_path))
    assert ran.code == 2 and "is not empty" in ran.err


def test_the_practice_web_recorded_answers_as_it_did(tmp_path):
    web, corpus = PracticeWeb(3), record_practice(tmp_path / "practice", seed=3, topics=("cider",))
    assert list(corpus.topics) == ["cider"]
    with stage(corpus, cache=tmp_path / "cache") as place:
        for url in web.pages[:40]:
            then, now = asyncio.run(web.get(Candidate(url))), place.web.peek(url)
            assert now is not None and (now.status, now.body) == (then.status, then.body)
    assert corpus.relevant("cider") == web.labels("cider")


def test_the_same_seed_records_the_same_bytes(tmp_path):
    one, two = (record_practice(tmp_path / name, seed=2, topics=("cider",)) for name in ("one", "two"))
    assert (one.path / "pages.warc.gz").read_bytes() == (two.path / "pages.warc.gz").read_bytes()


def test_every_published_number_says_whether_ours_can_be_compared():
    papers = read_papers()
    assert {paper.name for paper in papers} >= {"Jamali et al. 2006", "CT-FC", "Chen et al. 2009"}
    for claim in (claim for paper in papers for claim in paper.claims):
        assert claim.why and (claim.ours is None or claim.corpus)
        assert not claim.comparable or claim.ours is not None


def test_jamali_s_average_could_not_be_a_mean_of_segments():
    """Equal segments: their mean is the overall rate, and Table I prints another number."""
    (paper,) = [paper for paper in read_papers() if paper.name.startswith("Jamali")]
    rates = {
        claim.where: claim.value
        for claim in reversed(paper.claims)
        if claim.what.startswith("focused crawler, from a page")
    }
    assert rates["Table I"] == pytest.approx(19_904 / 25_000)
    assert rates["Table I, AHR"] - rates["Table I"] > 0.05


def test_a_paper_with_a_wrong_row_is_named(tmp_path):
    (tmp_path / "x.toml").write_text('name = "X"\ntitle = "Y"\nclaims = [{ what = 1 }]\n')
    ran = thresher("lab", "papers", "--folder", str(tmp_path))
    assert ran.code == 2 and "x.toml" in ran.err
