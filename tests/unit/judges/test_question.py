"""The default judge: the phrase before its words, more words never less, and what a crawl teaches."""

from math import nan

import numpy as np
import pytest

from thresher.core.enums import Outcome, Request
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.judges.question import QuestionJudge
from thresher.judges.question.feedback import CERTAIN, Feedback, logit
from thresher.judges.question.judge import THRESHOLD
from thresher.judges.question.page import Fields, Vector, Weighed
from thresher.judges.question.scale import FeedbackExample, batch_of
from thresher.store.database import Database
from thresher.text.page_record import words_of
from thresher.text.tokenize import word_counts, words
from thresher_lab.judge_data import meet_all

PROSE = (
    "The manual explains how it is done, step by step, with an example for each of them and a short table. "
)


def page(text: str, title: str = "", url: str = "http://a.com/x.html", links: tuple[Link, ...] = ()) -> Page:
    return Page(Url(url), title, text, text, links=links)


def judge(name: str, *further: str, **rest) -> QuestionJudge:
    return QuestionJudge(Topic(name, facets=((name, *further), *rest.pop("also", ())), **rest))


REGEX = page(
    "Regular expressions match text. A regular expression is a pattern; compile the regular expression once. "
    + 3 * PROSE,
    "Regular Expression HOWTO",
    "http://a.com/howto/regex.html",
)
CONDITIONAL = page(
    "A conditional expression returns a value. REGULAR = 'R'. A regular customer pays. Use an expression. "
    + 3 * PROSE,
    "Conditional Expressions",
    "http://a.com/ref/conditional-expressions.html",
)
RECIPE = page("Stir the flour into the milk, add two eggs and bake the cake for an hour. " + PROSE, "Cake")


def test_the_phrase_is_the_question():
    """One of two words was enough: Conditional Expressions passed for regular expressions."""
    asked = judge("regular expressions")
    assert asked.score(REGEX) > 0.5 > asked.score(CONDITIONAL) > asked.score(RECIPE)


@pytest.mark.parametrize("further", [("regex",), ("regexp", "pattern matching"), ("garbage", "bees", "hive")])
@pytest.mark.parametrize("one", [REGEX, CONDITIONAL, RECIPE])
def test_a_word_more_never_lowers_a_page(further, one):
    assert judge("regular expressions", *further).score(one) >= judge("regular expressions").score(one)


def test_keywords_beside_a_description_never_lower_a_page():
    described = {"description": "Patterns that match text"}
    bare = judge("regular expressions", **described).score(REGEX)
    assert judge("regular expressions", "bees", **described).score(REGEX) >= bare


def test_an_alternative_will_do():
    other = page("A regex is compiled; the regex then finds what the regex describes. " + PROSE, "Regex")
    assert (
        judge("regular expressions", "regex").score(other) > judge("regular expressions").score(other) + 0.1
    )


def test_what_is_wanted_besides_must_be_there_too():
    both = page(f"{REGEX.text} The text editor vim has them; a text editor is handy.", REGEX.title, REGEX.url)
    asked = judge("regular expressions", also=(("text editor",),))
    assert asked.score(REGEX) < judge("regular expressions").score(REGEX)
    assert asked.score(both) > 2 * asked.score(REGEX)


def test_what_is_not_wanted_takes_away():
    snake = page("The python is a snake. This snake eats rats; a python is a large snake. " + PROSE, "Python")
    assert judge("python", excluded=("snake",)).score(snake) < 0.6 * judge("python").score(snake)
    assert judge("python", excluded=("snake",)).similarity("python snake") == 0.0


def test_a_chinese_compound_is_found_where_its_parts_stand_apart():
    """推荐的分区方案 had 0.000 with seven judges."""
    apart = page(
        "推荐的分区方案。安装程序会给磁盘分区，先选择磁盘，然后建立分区。每个分区都有大小。", "推荐的分区方案"
    )
    other = page("邮件服务器的设置。安装程序会询问邮件地址，然后建立帐户。", "邮件服务器")
    asked = judge("磁盘分区")
    assert asked.score(apart) > 3 * asked.score(other)
    assert judge("磁碟分割", "磁盘分区").score(apart) > judge("磁碟分割").score(apart)


@pytest.mark.parametrize(("name", "title"), [("Qt", "PyQt5"), ("path", "SVGMPathElement")])
def test_a_word_inside_a_longer_one_is_seen_in_titles(name, title):
    asked = judge(name)
    assert asked.score(page(PROSE, title)) > asked.score(page(PROSE, "Reference"))


def test_names_of_one_letter_are_found_capitals_and_all():
    language = page(
        "C is a language. Programs in C are compiled; C has pointers. " + PROSE, "Programming in C"
    )
    letters = page("Choose a, b or c. Then press c again. C++ and C# are others. " + PROSE, "Keys")
    assert judge("C").score(language) > 3 * judge("C").score(letters)
    assert judge("C").similarity("A book on C") > 0.5 > judge("C").similarity("A book on c") == 0.0


def test_a_trail_at_the_top_tells_what_a_page_belongs_to():
    """Main text is without menus, so the trail stands only in all that a reader sees."""
    below = "A hive is opened in the evening. " + PROSE
    placed, alone = (Page(Url("http://a.com/x"), "Hives", top + below, below) for top in ("Bees\n", "Home\n"))
    assert judge("bees").score(placed) > judge("bees").score(alone) + 0.05


def test_a_list_of_links_is_not_what_it_lists():
    lines = [f"Regular expressions, part {number}" for number in range(30)]
    links = tuple(Link(Url("http://a.com/"), Url(f"http://a.com/{line}"), line) for line in lines)
    text = "\n".join(lines)
    plain, listed = page(text, "Contents"), page(text, "Contents", links=links)
    assert judge("regular expressions").score(listed) < judge("regular expressions").score(plain)


def test_a_page_that_could_not_be_said_better_is_nearly_certain_and_an_empty_one_is_not():
    clear = page(8 * "Regular expressions are explained here. " + PROSE, "Regular expressions",
                 "http://a.com/regular-expressions.html")  # fmt: skip
    assert judge("regular expressions").score(clear) > 0.8
    assert judge("regular expressions").score(page("")) < 0.05


def visit(learned, asked, one: Page) -> float:
    """Fold the visit of a page, and return its relevance."""
    brought = Visit(Candidate(one.url), Outcome.FETCHED, 0.0, one, asked.score(one))
    return learned.update(brought).relevance


BEES = "The beekeeper opens the hive; the bees fly over frames of brood, wax and honey near the queen. "
CARS = "The engine of the car has four cylinders, a gearbox, brakes, tyres and a steering wheel for driving. "


def test_a_crawl_teaches_what_pages_of_the_topic_are_like():
    asked = judge("zorbing")
    learned = asked.learner()
    wanted, other = page(3 * BEES, "In spring"), page(3 * CARS, "In spring")
    before = asked.score(wanted)
    for number in range(30):
        visit(learned, asked, page(f"Zorbing, lesson {number}. Zorbing means: " + 3 * BEES, "Zorbing"))
        visit(learned, asked, page(f"Driving, lesson {number}. " + 3 * CARS, "Driving"))
    assert visit(learned, asked, wanted) > 2 * before
    assert visit(learned, asked, other) < visit(learned, asked, wanted) / 2


def test_what_was_learned_about_a_page_is_told_word_by_word():
    asked = judge("zorbing")
    learned = asked.learner()
    for number in range(30):
        visit(learned, asked, page(f"Zorbing, lesson {number}. Zorbing means: " + 3 * BEES, "Zorbing"))
        visit(learned, asked, page(f"Driving, lesson {number}. " + 3 * CARS, "Driving"))
    bees, cars = (learned.taught(page(f"{3 * text} In spring.", "In spring")) for text in (BEES, CARS))
    words = {reason.term: reason.weight for reason in (*bees.words, *cars.words)}
    assert words["hive"] > 0.05 > -0.05 > words["gearbox"]
    assert bees.alone < bees.now and bees.pages == 60

    def log_odds(told) -> float:
        """Return what the line makes of a page, but for what it adds to every page alike."""
        return learned._weights.relevance.weights[0] * logit(told.alone) + sum(
            reason.weight for reason in told.words
        )

    assert log_odds(bees) - log_odds(cars) == pytest.approx(logit(bees.now) - logit(cars.now), abs=0.05)


def test_a_seed_is_an_example_as_far_as_it_is_topical_and_readable():
    """Words that stand on other pages as well tell nothing of the seed."""
    asked = judge("zorbing")
    learned, listed = asked.learner(), asked.learner()
    seed, menu = page(f"Zorbing. {BEES} {PROSE}", "Zorbing"), page(f"{CARS} {PROSE}", "Cars")
    assert likeness(learned, page(BEES)) == 0.0, "before there is a seed"
    likeness(learned, seed, Request.SEED)
    likeness(learned, menu)
    assert likeness(learned, page(BEES)) > 0.2 > 0.0 > likeness(learned, page(CARS))
    assert likeness(learned, page(PROSE)) < likeness(learned, page(f"{BEES} {PROSE}"))
    links = tuple(Link(seed.url, Url(f"http://a.com/{n}"), BEES) for n in range(9))
    likeness(listed, page(seed.text, "Zorbing", links=links), Request.SEED)
    assert listed.examples.totals[0] < learned.examples.totals[0] / 5


def likeness(learned, one: Page, kind: Request = Request.LINK) -> float:
    """Fold the visit of a page, and return how like the seeds it is."""
    via = None if kind is Request.SEED else Link(Url("http://a.com/"), one.url)
    return learned.update(
        Visit(Candidate(one.url, via=via, kind=kind), Outcome.FETCHED, 0.0, one, nan)
    ).likeness


def test_the_examples_of_a_crawl_that_goes_on_are_those_it_had():
    asked = judge("zorbing")
    learned, again = asked.learner(), asked.learner()
    likeness(learned, page(f"Zorbing. {BEES}", "Zorbing"), Request.SEED)
    for number in range(1_000):
        likeness(learned, page(CARS, url=f"http://a.com/{number}"))
    kept = learned.save()
    assert kept and again.restore(kept)
    assert likeness(again, page(BEES)) == likeness(learned, page(BEES)) > 0.1


def test_a_page_without_any_of_the_question_cannot_teach():
    """Fifty pages at .019 would weigh as much as one at .95."""
    asked = judge("磁盘分区")
    learned = asked.learner()
    for number in range(50):
        visit(learned, asked, page(f"Git 的第 {number} 个命令。" + CARS, "Git"))
    assert not learned.feedback.knows_enough
    assert visit(learned, asked, REGEX) == asked.score(REGEX)


def test_a_crawl_taken_up_again_has_learned_the_same():
    asked = judge("zorbing")
    pages = [
        page(f"{'Zorbing: ' + BEES if n % 2 else CARS} {n}", f"Page {n}", f"http://a.com/{n}")
        for n in range(60)
    ]
    straight, again = asked.learner(), asked.learner()
    for each in pages:
        visit(straight, asked, each)
    again.recall((Visit(Candidate(each.url), Outcome.FETCHED, 0.0, each) for each in pages), {})
    assert straight.now(pages[7]) == pytest.approx(again.now(pages[7]))
    assert straight.feedback.met == again.feedback.met == 60


def test_a_label_stands_in_the_place_of_what_the_question_made_of_the_page():
    asked = judge("zorbing")
    pages = [
        page(f"{'Zorbing: ' + BEES if n % 2 else CARS} {n}", f"Page {n}", f"http://a.com/{n}")
        for n in range(60)
    ]
    memory, learned = Database(), asked.learner()
    for each in pages:
        visit(learned, asked, each)
        memory.add(Visit(Candidate(each.url), Outcome.FETCHED, 0.0, each))
    before = learned.now(pages[3])
    said = {each.url: False for each in pages[1:30:2]}
    learned.hear(said, memory)
    once = learned.now(pages[3])
    assert once < before
    assert learned.feedback.met == 60
    learned.hear(said, memory)
    assert learned.now(pages[3]) == once, "every label is handed over again when there is a new one"
    again = asked.learner()
    again.recall(memory.pages(), said)
    taught = again.now(pages[3])
    again.hear(said, memory)
    memory.close()
    assert again.now(pages[3]) == taught, "and when a crawl is taken up again"


def test_examples_teach_before_the_first_page():
    shown = judge("zorbing", examples=("a", "b"), centroid={"hive": 0.8, "brood": 0.6}).learner()
    assert shown.feedback.totals[1] == pytest.approx(2 * 0.99)


def test_what_the_user_says_teaches_more_than_the_question():
    asked = judge("beekeeping")
    question_score = asked.question_score(page(3 * CARS, "Cars"))
    assert question_score.lesson().wanted == 0.0
    assert question_score.lesson(True).wanted > 0.9
    assert question_score.lesson(False).wanted < 0.1


def vector_of(text: str) -> Vector:
    return Weighed(words_of(page(text), word_counts(text))).vector()


def _lessons(count: int) -> list[FeedbackExample]:
    texts = [f"{BEES if number % 3 else CARS} word{number} word{number % 7}" for number in range(count)]
    return [FeedbackExample(vector_of(text), 0.9 if n % 3 else 0.05) for n, text in enumerate(texts)]


def test_a_page_is_never_judged_by_what_it_taught_itself():
    lessons = _lessons(40)
    without, whole = Feedback(), Feedback()
    for lesson in lessons[1:]:
        without.meet(lesson)
    for lesson in lessons:
        whole.meet(lesson)
    fresh = batch_of([lessons[0].vector])
    met = batch_of([lessons[0].vector], np.array([lessons[0].wanted]), np.ones(1))
    assert whole._likeness(met) == pytest.approx(without._likeness(fresh))
    assert whole._bayes(met) == pytest.approx(without._bayes(fresh))


def test_pages_met_at_once_teach_as_one_by_one():
    lessons, one, all_ = _lessons(40), Feedback(), Feedback()
    for lesson in lessons:
        one.meet(lesson)
    pages = batch_of([each.vector for each in lessons], np.array([e.wanted for e in lessons]), np.ones(40))
    meet_all(all_, pages, lessons)
    assert one.of_all(pages)[0] == pytest.approx(all_.of_all(pages)[0])
    assert one.of_all(pages)[1] == pytest.approx(all_.of_all(pages)[1])
    assert one.scale.slopes == pytest.approx(all_.scale.slopes)


def test_a_page_that_teaches_something_else_now_teaches_as_if_it_always_had():
    lessons, replaced, always = _lessons(40), Feedback(), Feedback()
    other = _lessons(41)[40]
    for number, lesson in enumerate(lessons):
        replaced.meet(lesson)
        always.meet(other if number == 7 else lesson)
    replaced.replace(lessons[7], other)
    assert (replaced.met, len(replaced.sample.lessons)) == (40, 40)
    assert replaced.wanted == pytest.approx(always.wanted, abs=1e-6)
    assert replaced.sample.lessons == always.sample.lessons
    assert replaced.sample.latest == always.sample.latest


def test_a_page_of_no_words_has_a_vector_of_none():
    assert len(vector_of("").places) == 0


def test_one_page_at_hand_is_weighed_like_a_batch_of_one():
    """A crawl asks of one page at a time, the lab of all at once: to the last digits the same."""
    lessons, feedback = _lessons(40), Feedback()
    for lesson in lessons[:30]:
        feedback.meet(lesson)
    for vector in (lesson.vector for lesson in lessons[30:]):
        many = feedback.of_all(batch_of([vector]))
        assert feedback.of(vector) == pytest.approx([float(each[0]) for each in many], abs=1e-9)


def test_words_that_share_a_place_teach_both():
    shared = Vector(np.array([7, 7, 9]), np.array([0.5, 0.25, 0.5], "f4"))
    feedback = Feedback()
    feedback.meet(FeedbackExample(shared, 1.0))
    assert not shared.has_no_collisions and feedback.wanted[[7, 9]].tolist() == [0.75, 0.5]


ENDINGS = "studies ponies operational abilities dying hopping sensitivities generously"


@pytest.mark.parametrize("word", ENDINGS.split())
def test_a_url_is_searched_for_a_word_whatever_its_ending(word):
    """No ending may be lost."""
    stem = words(word)[0]
    fields = Fields(Page(Url(f"http://a.com/x/{word}.html"), "", ""))
    assert fields.strengths[stem] > 0
    assert fields.strengths["zebra"] == 0


def test_a_crawl_that_is_sure_of_its_pages_asks_more_of_a_page():
    """Ten pages at .9, ten at .1: the F1 to be expected of the first is 2 x 9 / (10 + 10), half of it .45."""
    asked = judge("bees")
    assert asked.threshold_for([0.9, 0.1] * 10) == pytest.approx(0.45)
    assert asked.threshold_for([0.6, 0.1] * 10) == pytest.approx(0.35)  # 2 x 6 / (10 + 7) / 2


def test_where_no_page_is_certain_none_is_relevant():
    """Half of the F1 to be expected is .3 here: all twenty would be relevant, though hardly any is."""
    assert judge("bees").threshold_for([0.4] * 20 + [0.02] * 60) == CERTAIN


def test_nothing_is_relevant_below_the_threshold_on_the_way_and_few_pages_tell_nothing():
    assert judge("bees").threshold_for([0.5, *[0.02] * 1_000]) == THRESHOLD
    assert judge("bees").threshold_for([0.9, 0.1]) == THRESHOLD


def test_a_judge_teaches_itself_hardly_anything_before_a_page_is_certain():
    """Twenty pages at .06 moved each other to .1 and more by the menus that they share."""
    one, sure = Feedback(), Feedback()
    vector = judge("bees").question_score(page("Bees", "Bees. " + BEES)).vector
    for number in range(40):
        one.meet(FeedbackExample(vector, 0.06))
        sure.meet(FeedbackExample(vector, 0.9 if not number else 0.06))
    assert one.sure < 0.001 < 0.3 < sure.sure
    assert Feedback.unpacked(sure.packed()).sure == sure.sure


def test_one_word_of_a_phrase_counts_far_less_in_an_anchor_than_the_phrase():
    asked = judge("garbage collection")
    assert asked.similarity("Collection") < 0.35 * asked.similarity("Garbage collection")


def test_a_part_of_a_chinese_compound_says_most_of_it():
    """Pages on 磁盘分区 (partitions of disks) are called 分区 more often than not."""
    asked = judge("磁盘分区")
    assert asked.similarity("为 Debian 准备分区") > 0.5 * asked.similarity("磁盘分区")
