"""A judge by vectors from an endpoint: what it scores, and who stands in when that lies, hangs or is away."""

import asyncio
import re
import time
from itertools import pairwise

import pytest

from tests.command_line import thresher
from tests.unit.fake_model import NETWORK, answer, babbles, fake_model, hangs, limits
from thresher import crawl
from thresher.core.records import Page, Topic, Url
from thresher.judges.baselines import Cosine
from thresher.models.endpoint import NOTHING, REST, Embeddings, ModelEndpoint
from thresher.settings.components import Secret

TOPIC = Topic("bees", keywords={"bee": 1.0, "hive": 1.0})
BEES = Page(Url("http://a.test/bees"), title="Bees", text="bee bee hive", main="bee bee hive")
STEAM = Page(Url("http://a.test/steam"), title="Steam", text="steam engine", main="steam engine")


BY_HAND = (13 / 170**0.5 - 1 / 10**0.5) / (1 - 1 / 10**0.5)


@pytest.fixture
def fake():
    with fake_model() as model:
        yield model


def judge_by(fake, seconds=5.0, now=time.monotonic):
    endpoint = ModelEndpoint(Secret(fake.address), "m", allow_networks=(NETWORK,), seconds=seconds, tries=1)
    return Embeddings(TOPIC, 0.3, endpoint=endpoint, fallback=Cosine(TOPIC), fallback_name="cosine", now=now)


async def test_a_page_scores_by_how_near_it_is_beyond_what_everything_is(fake):
    """Topic (3, 1, 0); texts about nothing (0, 1, 0): base 1 / sqrt 10; the page (4, 1, 0), by hand."""
    judge = judge_by(fake)
    near, far = await judge.score_many([BEES, STEAM])
    assert near == pytest.approx(BY_HAND)
    assert far == 0.0
    assert near > judge.threshold
    assert judge.in_batches
    assert [len(each["input"]) for each in fake.asked] == [1 + len(NOTHING), 2], "the topic is asked once"


async def test_a_model_that_puts_everything_near_everything_is_no_better(fake):
    fake.vector = lambda text: [1.0, 1.0, float("bee" in text.lower()) / 4]
    bees, steam = await judge_by(fake).score_many([BEES, STEAM])
    assert steam < 0.01 < bees


def broken(numbers):
    return lambda text: numbers


@pytest.mark.parametrize(
    ("behave", "vector", "why"),
    [
        (hangs, None, "no answer in time"),
        (babbles, None, "no answer in time|longer than"),
        (limits, None, r"it is busy \(status 429\)"),
        (None, broken([]), "different lengths"),
        (None, broken([float("nan"), 1.0]), "no answer of such an endpoint|no numbers"),
        (None, broken(["bee"]), "no answer of such an endpoint"),
    ],
)
async def test_an_endpoint_that_sends_no_vectors_is_named_and_another_judge_stands_in(
    fake, behave, vector, why, caplog
):
    fake.behave = behave or fake.behave
    fake.vector = vector or fake.vector
    judge = judge_by(fake, seconds=0.3)
    scores = await judge.score_many([BEES, STEAM])
    assert scores[0] > 0.3 > scores[1] == 0.0
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("The endpoint of the judge embeddings is away (")
    assert "pages are judged by cosine until it is back" in said
    assert re.search(why, said)


async def test_vectors_for_other_texts_than_were_sent_are_refused(fake, caplog):
    def too_few(handler, model):
        answer(handler, 200, {"data": [{"index": 0, "embedding": [1.0]}]})
        return True

    fake.behave = too_few
    await judge_by(fake).score_many([BEES, STEAM])
    assert "other vectors than were asked for" in caplog.text


async def test_an_endpoint_that_was_away_is_left_alone_and_asked_again_after_a_rest(fake, caplog):
    clock = [0.0]
    judge = judge_by(fake, now=lambda: clock[0])
    fake.behave = limits
    await judge.score_many([BEES])
    await judge.score_many([BEES])
    assert len(fake.asked) == 1, "nobody is asked while it rests"
    fake.behave = lambda handler, model: False
    clock[0] = REST + 1
    (score,) = await judge.score_many([BEES])
    assert score == pytest.approx(BY_HAND)
    assert "is back" in caplog.text
    assert len([each for each in caplog.records if "is away" in each.getMessage()]) == 1


def test_the_threshold_of_who_stands_in_is_laid_on_ours(fake):
    judge = judge_by(fake)
    assert judge._scaled(0.1) == pytest.approx(0.3), "that of cosine is 0.1"
    assert judge._scaled(0.0) == 0.0 and judge._scaled(1.0) == pytest.approx(1.0)
    assert judge.similarity("hives and a bee") > 0.3 > judge.similarity("steam")


async def test_evidence_names_who_said_it(fake):
    judge = judge_by(fake)
    assert all(each.term.endswith("(by cosine)") for each in judge.explain(BEES))
    await judge.score_many([BEES])
    assert judge.explain(BEES)[0].term == "embeddings by m"


def asking(fake, **more):
    judge = {"name": "embeddings", "endpoint": fake.address, "model": "m", **more}
    return {"judge": judge, "web": {"allow_networks": [NETWORK]}}


def test_a_crawl_is_judged_by_vectors(fake, tmp_path):
    found = crawl("beekeeping", pages=40, folder=tmp_path / "bees", **asking(fake))
    assert 0 < found.result.relevant < 40
    words = {page.url: f"{page.title}\n{page.main}"[:2000].lower() for page in found.pages()}
    bees = {url for url, text in words.items() if "bee" in text or "hive" in text}
    kept = {page.url for page in found.pages(relevant=True) if page.main}  # of the others no word is kept
    assert kept <= bees
    assert len(fake.asked) > 1
    told = thresher("why", str(next(found.pages(top=1)).url), str(found.folder))
    assert told.code == 0 and "(by question)" in told.out, told.err


def test_a_crawl_goes_on_when_the_endpoint_goes_away_and_says_so(fake, tmp_path, caplog):
    fake.behave = lambda handler, model: len(model.asked) > 4 and limits(handler, model)
    found = crawl("beekeeping", pages=40, folder=tmp_path / "bees", **asking(fake))
    assert found.result.pages == 40
    assert "pages are judged by question until it is back" in caplog.text
    assert len(fake.asked) <= 6


def test_judging_again_asks_about_many_pages_at_once(fake, tmp_path):
    found = crawl("beekeeping", pages=40, folder=tmp_path / "bees")
    before = len(fake.asked)
    again = found.rejudge(**asking(fake))
    assert again.judge == "embeddings"
    assert [len(each["input"]) for each in fake.asked[before:]][:2] == [1 + len(NOTHING), 32]
    assert len(fake.asked) - before <= 4, "the topic, and two times as many pages as fit"


async def test_the_loop_goes_on_while_vectors_are_awaited(fake):
    fake.behave = hangs
    ticks = []

    async def tick():
        while True:
            ticks.append(time.perf_counter())
            await asyncio.sleep(0.01)

    ticking = asyncio.create_task(tick())
    await judge_by(fake, seconds=0.5).score_many([BEES])
    ticking.cancel()
    assert len(ticks) > 10
    assert max(after - before for before, after in pairwise(ticks)) < 0.3


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "The judge embeddings asks a model for vectors: name it with --set judge.endpoint=URL"),
        (
            "--set judge.endpoint=http://a.test/ --set judge.model=m --set judge.fallback=embeddings".split(),
            "judge.fallback stands in while the endpoint is away: name one that needs none.",
        ),
    ],
)
def test_what_the_judge_needs_is_asked_for(tmp_path, more, sentence):
    ran = thresher(
        "crawl",
        "beekeeping",
        "--set",
        "judge.name=embeddings",
        *more,
        "-o",
        str(tmp_path / "b"),
        "--pages",
        "2",
    )
    assert ran.code == 4
    assert ran.err.startswith(sentence)


def test_the_key_is_shown_nowhere_in_the_folder(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("VECTORS", "sesame-43")
    crawl("beekeeping", pages=5, folder=tmp_path / "bees", **asking(fake, key="env:VECTORS"))
    assert set(fake.keys) == {"Bearer sesame-43"}
    assert 'key = "env:VECTORS"' in (tmp_path / "bees" / "crawl.toml").read_text()
    found = [path for path in (tmp_path / "bees").iterdir() if path.is_file()]
    assert [path.name for path in found if b"sesame" in path.read_bytes()] == []
