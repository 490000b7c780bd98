"""The scale of what a crawl has taught: noise is not stretched, whenever it comes, and learning goes on."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Page, Topic, Url, Visit
from thresher.judges.question import QuestionJudge, learned
from thresher.judges.question.feedback import Feedback, QuestionScore
from thresher.judges.question.page import Vector
from thresher.judges.question.scale import FEWEST, LATEST, FeedbackExample, ScaleSample, contrast_of, fitted
from thresher.store.database import Database
from thresher_lab.judge_data import contrasts

TOPICAL, USUAL, FOREIGN = range(150), range(200, 3_000), range(4_000, 4_400)  # places of words


def question_score(
    dice: np.random.Generator, wanted: float, *words: range, answers: bool = True
) -> QuestionScore:
    """Return a page of 60 words, as many of each kind, and what the question alone makes of it."""
    places = np.concatenate([dice.choice(np.array(kind), 60 // len(words), False) for kind in words])
    values = dice.uniform(0.5, 1.5, len(places))
    return QuestionScore(wanted, answers, Vector(places, (values / np.sqrt(values @ values)).astype("f4")))


def harvest(pages: int = 300) -> list[QuestionScore]:
    """Return pages as a focused crawl finds them: half of them about the topic."""
    dice = np.random.default_rng(5)
    found = [question_score(dice, dice.uniform(0.5, 0.95), TOPICAL, USUAL) for _ in range(pages // 2)]
    usual = [
        question_score(dice, dice.uniform(0.02, 0.1), USUAL, answers=bool(n % 2)) for n in range(pages // 2)
    ]
    return [([*found, *usual])[place] for place in dice.permutation(pages)]


def leftovers(pages: int = 2_500) -> list[QuestionScore]:
    """Return pages of another site, all much alike, without a word of the topic."""
    dice = np.random.default_rng(6)
    return [question_score(dice, 0.02, FOREIGN, USUAL, answers=False) for _ in range(pages)]


def judge(*met: Iterable[QuestionScore]) -> learned.LearnedQuestion:
    """Return what the question has learned from pages."""
    found = QuestionJudge(Topic("zorbing")).learner()
    for pages in met:
        for each in pages:
            found.feedback.meet(each.lesson())
    return found


def said(learner: learned.LearnedQuestion, pages: Sequence[QuestionScore]) -> int:
    """Return how many pages that were met are called relevant."""
    return sum(learner.updated(each, each.lesson()) >= 0.3 for each in pages)


def test_pages_without_a_word_of_the_topic_make_no_page_relevant():
    """The harvest before was judged by the leftovers after it: 142 pages became 292."""
    first, rest = harvest(), leftovers()
    early, late = judge(first), judge(first, rest)
    assert said(early, first) == pytest.approx(150, abs=10)
    assert said(late, first) <= said(early, first) + 10
    assert said(late, rest) <= 10


def test_a_harvest_after_many_leftovers_is_judged_alike():
    first, rest = leftovers(), harvest()
    late = judge(first, rest)
    assert said(late, rest) == pytest.approx(said(judge(rest), rest), abs=10)
    assert said(late, first) <= 10


def test_the_contrast_stretches_them_and_only_a_strategy_hears_it():
    """The two figures part when the topic is used up: what is usual stands out among leftovers."""
    first, rest = harvest(), leftovers()
    learner = judge(first, rest)
    usual = [each for each in first if each.probability < 0.1]
    contrast, relevance = (
        np.mean([of(each) for each in usual]) for of in (learner._contrast, worth(learner))
    )
    assert contrast > 3 * relevance


def worth(learner: learned.LearnedQuestion):
    return lambda each: learner.updated(each, each.lesson())


def test_noise_is_worth_nothing_however_small_its_spread():
    dice = np.random.default_rng(1)
    near, odds, wanted = dice.normal(0, 1e-4, 500), dice.normal(0, 1e-3, 500), np.zeros(500)
    wanted[::50] = 0.5
    scale = fitted(near, odds, wanted)
    assert np.std(scale.above(near, odds)) < 0.4
    assert np.abs(contrasts(contrast_of(near, odds), near, odds)[0]).max() > 2


def test_a_slope_is_never_negative():
    dice = np.random.default_rng(2)
    wanted = (dice.random(800) < 0.3).astype(float)
    near, odds = wanted + dice.normal(0, 0.5, 800), -wanted + dice.normal(0, 0.5, 800)
    scale = fitted(near, odds, wanted)
    assert scale.slopes[0] > 1
    assert scale.slopes[1] == 0
    assert fitted(-near, odds, wanted).slopes == (0, 0)


def test_pages_that_stand_far_apart_are_told_apart():
    """Newton's steps went too far and came back for ever: both slopes ended at 0, and all pages alike."""
    wanted = np.repeat([0.71, 0.0], [25, 175])
    near, odds = np.where(wanted > 0, 0.77, -0.4), np.where(wanted > 0, 7.4, -3.4)
    scale = fitted(near, odds, wanted)
    assert min(scale.slopes) > 0
    assert scale.above(near, odds)[0] - scale.above(near, odds)[-1] > 5


def test_the_probabilities_add_up_to_those_of_the_question():
    dice = np.random.default_rng(3)
    wanted = dice.beta(0.3, 2, 1_000)
    near, odds = wanted + dice.normal(0, 0.2, 1_000), dice.normal(0, 1, 1_000)
    scale = fitted(near, odds, wanted)
    g = scale.above(near, odds) + scale.usual
    assert (1 / (1 + np.exp(-g))).sum() == pytest.approx(wanted.sum(), rel=1e-3)


def test_a_crawl_is_early_until_it_has_met_two_thousand_pages():
    feedback = judge(harvest(200)).feedback
    assert feedback.early == pytest.approx(feedback.sure * np.log(10))
    feedback.met = 2_000
    assert feedback.early == 0


def test_the_sample_is_of_the_whole_crawl_and_learning_never_ends():
    sample, feedback = ScaleSample(), Feedback()
    vector = Vector(np.array([1, 2]), np.array([0.6, 0.8], "f4"))
    for number in range(10_000):
        sample.add(FeedbackExample(vector, number / 10_000))
    assert FEWEST <= len(sample.lessons) < 2 * FEWEST
    wanted = np.array([lesson.wanted for lesson in sample.lessons])
    assert wanted.min() < 0.01 and wanted.max() > 0.99
    assert np.ptp(np.diff(wanted)) < 1e-9, "evenly"
    assert len(sample.latest) == LATEST
    for number in range(6_000):
        feedback.meet(FeedbackExample(vector, float(number % 2)))
    assert feedback.met == 6_000


def test_what_was_learned_is_taken_up_to_the_last_bit(monkeypatch):
    monkeypatch.setattr(learned, "SAVED", 70)
    pages, straight = [*harvest(120), *leftovers(60)], judge()
    again = judge()
    for number, each in enumerate(pages):
        straight.feedback.meet(each.lesson())
        if state := straight.save():
            assert again.restore(state)
            after = number + 1
    assert after == 140
    for each in pages[after:]:
        again.feedback.meet(each.lesson())
    assert [straight.updated(each, None) for each in pages] == [again.updated(each, None) for each in pages]
    assert [straight._contrast(each) for each in pages] == [again._contrast(each) for each in pages]


def test_what_another_question_has_learned_is_not_taken_up(monkeypatch):
    monkeypatch.setattr(learned, "SAVED", 20)
    state = judge(harvest(30)).save()
    assert state
    other = QuestionJudge(Topic("sailing")).learner()
    assert not other.restore(state)
    assert other.feedback.met == 0


URL = Url("http://a.test/1")


def test_a_strategy_goes_by_the_contrast_and_everything_else_by_the_relevance(tmp_path):
    store, plain = Database(), Url("http://a.test/2")
    store.add(Visit(Candidate(URL), Outcome.FETCHED, 1.0, Page(URL), 0.7, contrast=0.2))
    store.add(Visit(Candidate(plain), Outcome.FETCHED, 2.0, Page(plain), 0.4))
    assert [store.relevance(url) for url in (URL, plain)] == [0.7, 0.4]
    assert [store.guidance(url) for url in (URL, plain)] == [0.2, 0.4]
    assert [visit.guidance for visit in store.visits()] == [0.2, 0.4]
    store.rejudge([(visit, 0.9) for visit in store.visits()])
    assert [store.relevance(url) for url in (URL, plain)] == [0.9, 0.9]
    assert store.guidance(URL) == 0.2, "a crawl that goes on hears what it has heard"
    store.close()
