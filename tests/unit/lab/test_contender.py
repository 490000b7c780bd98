"""The names of contenders: a strategy and, after plus signs, its form, topic model and judge."""

import pytest

from thresher.core.errors import UnknownName
from thresher.settings.components import JudgeSettings
from thresher_lab.contenders.named import Contender, check, contender_of


def test_a_bare_name_is_the_strategy_as_it_stands():
    assert contender_of("fish_search") == Contender("fish_search")


def test_parts_are_the_topic_model_parameters_and_the_judge():
    text = "fish_search+rich+width=5+alpha=1.25+sound+judge=lexicon:0.2"
    assert contender_of(text) == Contender(
        "fish_search", {"width": 5, "alpha": 1.25, "sound": True}, "rich", JudgeSettings("lexicon", 0.2)
    )


def test_a_judge_without_a_threshold_has_its_own():
    assert contender_of("best_first+judge=topic_vector").judge == JudgeSettings("topic_vector", 0.002)


@pytest.mark.parametrize(
    "text", ["fish_serch", "fish_search+poor", "fish_search+widht=3", "label_oracle+x=1"]
)
def test_what_nobody_knows_is_refused(text):
    with pytest.raises(UnknownName, match=r"No strategy|No topic model or parameter"):
        check(contender_of(text))


def test_what_is_known_passes():
    check(contender_of("fish_search+rich+width=5"))
    check(contender_of("score_oracle+rich"))
