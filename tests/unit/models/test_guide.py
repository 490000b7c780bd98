"""A model as guide: what it says of links counts, and it costs no more than it may."""

import asyncio
import json

import pytest

from tests.command_line import thresher
from tests.unit.fake_model import NETWORK, fake_model, limits
from thresher.core.records import Candidate, Link, Topic, Url
from thresher.models.endpoint import ModelEndpoint
from thresher.models.guide import BATCH, EVERY, ModelGuide, scores_in
from thresher.settings.components import Secret
from thresher.store.database import Database


class Waiting(Database):
    """A crawl in which so many links wait."""

    several = 30

    def next_up(self, most):
        seed = Url("http://a.test/")
        urls = [Url(f"http://a.test/{'bees' if n % 2 else 'trains'}-{n}") for n in range(self.several)]
        return [Candidate(url, 1.0, Link(seed, url, "Read on")) for url in urls[:most]]


def by_words(text):
    """Score each link of a question: 9 where it speaks of bees."""
    return json.dumps([9 if "bees" in line else 1 for line in text.splitlines() if " | " in line])


@pytest.fixture
def fake():
    with fake_model() as model:
        model.strategy = by_words
        yield model


def guide_of(fake, tokens=1_000):
    endpoint = ModelEndpoint(Secret(fake.address), "m", Secret(), (NETWORK,), tries=1)
    return ModelGuide(Topic("beekeeping"), endpoint, tokens)


async def opinions(guide, visits, store):
    """Return what the guide says in so many visits."""
    found: dict[Url, float] = {}
    for _ in range(visits):
        found |= guide.new_opinions(store)
        if guide._question:
            await guide._question
    return found | guide.new_opinions(store)


def test_every_ten_visits_the_best_links_are_asked_about_and_each_once(fake):
    found = asyncio.run(opinions(guide_of(fake), 5 * EVERY, Waiting()))
    assert len(found) == 30 and len(fake.asked) == 2  # twenty, then the ten that are left
    assert found[Url("http://a.test/bees-1")] == 0.9 and found[Url("http://a.test/trains-2")] == 0.1
    assert fake.asked[0]["messages"][1]["content"].count("Read on | ") == BATCH


def test_a_guide_whose_tokens_are_spent_is_not_asked_again(fake):
    asyncio.run(opinions(guide_of(fake, tokens=9), 5 * EVERY, Waiting()))
    assert len(fake.asked) == 1


def test_a_guide_that_is_away_is_no_hindrance(fake):
    fake.behave = limits
    assert asyncio.run(opinions(guide_of(fake), EVERY, Waiting())) == {}


@pytest.mark.parametrize("answer", ["", "[1, 2]", "[1, 2, 3, 4]", '["a", 1, 2]', "follow all", "[1, [2], 3]"])
def test_an_answer_in_another_form_says_nothing(answer):
    assert scores_in(answer, 3) == ()


def test_scores_lie_between_none_and_all():
    assert scores_in("```json\n[-5, 5, 99]\n```", 3) == [0.0, 0.5, 1.0]


def test_a_crawl_follows_its_guide(fake, tmp_path):
    fake.strategy = lambda text: json.dumps([5 for line in text.splitlines() if " | " in line])
    given = ["--guide", fake.address, "--guide-model", "m", "--allow-network", NETWORK, "--pages", "60"]
    told = thresher("crawl", "beekeeping", *given, "-o", str(tmp_path / "bees"))
    assert told.code == 0
    assert fake.asked and "Topic: beekeeping" in fake.asked[0]["messages"][1]["content"]


def test_a_strategy_that_follows_no_guide_says_so(fake, tmp_path):
    given = ["--guide", fake.address, "--guide-model", "m", "--strategy", "best_first"]
    told = thresher("crawl", "beekeeping", *given, "-o", str(tmp_path / "bees"))
    assert told.code == 4 and "follows no guide" in told.err
