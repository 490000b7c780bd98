"""A further keyword takes nothing away: pages that have only the topic's name stay relevant."""

import pytest
from msgspec.structs import replace

from thresher.build.reading import make_judge, threshold_of
from thresher.build.topic import topic_of
from thresher.build.webs import choose_web, make_world
from thresher.core.records import Page, Url
from thresher.judges import JUDGES
from thresher.settings.model import Settings
from thresher.strategies import ALL_STRATEGIES

ONLY_THE_NAME = Page(
    Url("http://a.test/year.html"),
    title="A year of beekeeping",
    text="Beekeeping in spring begins with the weather. Take time, and ask the neighbours first. " * 3,
)
FIVE = ("hive", "honey", "queen", "nectar", "smoker")


def asked(kind: str, name: str, keywords: tuple[str, ...]) -> Settings:
    settings = Settings()
    named = replace(getattr(settings, kind), name=name)
    topic = replace(settings.topic, name="beekeeping", keywords=dict.fromkeys(keywords, 1.0))
    return replace(settings, topic=topic, **{kind: named})


@pytest.mark.parametrize("keywords", [(), ("hive",), FIVE], ids=len)
@pytest.mark.parametrize(
    ("kind", "name"),
    [*(("strategy", name) for name in ALL_STRATEGIES), *(("judge", name) for name in JUDGES)],
)
def test_a_page_that_has_only_the_name_is_relevant_with_any_keywords(
    kind: str, name: str, keywords: tuple[str, ...]
) -> None:
    settings = asked(kind, name, keywords)
    judge = make_judge(settings, topic_of(settings))
    assert judge.score(ONLY_THE_NAME) >= threshold_of(settings)


def test_a_topic_of_the_practice_web_keeps_its_name_beside_the_users_keywords() -> None:
    topic = make_world(choose_web(asked("strategy", "mali", ("hive",)))).topic
    assert topic.keywords == {"beekeeping": 1.0, "hive": 1.0}
