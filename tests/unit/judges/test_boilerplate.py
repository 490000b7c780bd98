"""Lines that a host repeats say nothing of one page: a portal with the topic's word in its menu."""

from collections.abc import Iterable

import pytest

from thresher.build.reading import learner_of, make_judge
from thresher.core.enums import Outcome
from thresher.core.interfaces import OnlineJudge
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.judges.baselines import Cosine
from thresher.judges.boilerplate import FEWEST, MOST, Boilerplate, HostLines, WithoutBoilerplate
from thresher.judges.question import QuestionJudge
from thresher.judges.question.learned import LearnedQuestion
from thresher.settings.components import JudgeSettings
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.text.page_record import counts_without, page_counts

MENU, FOOT = "Home About beekeeping Contact", "Subscribe to our letter on beekeeping"
TOPIC = Topic("beekeeping", {"beekeeping": 1.0}, facets=(("beekeeping",),))
BEES = "Beekeeping in {}: the hive is opened in spring; who keeps bees looks for brood, wax and the queen."
CARS = "The engine of car {} has four cylinders, a gearbox, brakes, tyres and a steering wheel for driving."


def page(number: int, *lines: str, links: tuple[Link, ...] = ()) -> Page:
    text = "\n".join(lines)
    return Page(Url(f"http://portal.test/{number}"), f"Page {number}", text, lines[-1], links=links)


def portal(pages: int = 200, every: int = 8) -> list[Page]:
    """Return pages of which one in `every` is about beekeeping; the word stands in the menu of all."""
    said = [(CARS if number % every else BEES).format(number) for number in range(1, pages + 1)]
    return [page(number, MENU, text, FOOT, text) for number, text in enumerate(said, 1)]


def learner(judge: QuestionJudge, memory: Database) -> LearnedQuestion:
    found = learner_of(judge, JudgeSettings(), TOPIC, memory)
    assert isinstance(found, LearnedQuestion)
    return found


def fold(learned: OnlineJudge, memory: Database, pages: Iterable[Page]) -> list[Visit]:
    visits = []
    for one in pages:
        visit = learned.update(Visit(Candidate(one.url), Outcome.FETCHED, 0.0, one, float("nan")))
        memory.add(visit)
        visits.append(visit)
    return visits


def relevant(judge: QuestionJudge, learned: OnlineJudge, pages: Iterable[Page]) -> set[Url]:
    now = {each.url: learned.now(each) for each in pages}
    return {url for url, score in now.items() if score >= judge.threshold_for([*now.values()])}


def test_the_default_judge_finds_the_pages_of_a_portal_that_are_about_its_menu():
    pages, judge, memory = portal(), QuestionJudge(TOPIC), Database()
    learned = learner(judge, memory)
    fold(learned, memory, pages)
    true = {each.url for each in pages if "hive" in each.text}
    assert len(true) == 25
    assert relevant(judge, learned, pages) == true


def test_without_that_it_takes_every_page_of_the_portal_for_one_of_the_topic():
    pages, judge, memory = portal(), QuestionJudge(TOPIC), Database()
    learned = judge.learner()
    visits = fold(learned, memory, pages)
    assert sum(visit.relevance >= judge.threshold for visit in visits) > 3 * 25


@pytest.mark.parametrize("name", ["tfidf", "cosine", "topic_vector", "vocabulary"])
def test_the_judges_of_papers_stay_as_printed_unless_asked(name):
    pages, settings = portal(), JudgeSettings(name, skip_boilerplate=True)
    judge = make_judge(Settings(judge=settings), TOPIC)
    assert learner_of(judge, JudgeSettings(name), TOPIC, Database()) is None
    assert all(judge.score(each) >= judge.threshold for each in pages)
    learned = learner_of(judge, settings, TOPIC, Database())
    assert learned
    for each in pages:
        learned.update(Visit(Candidate(each.url), Outcome.FETCHED, 0.0, each, judge.score(each)))
    assert sum(learned.now(each) >= judge.threshold for each in pages) == 25


def test_pages_judged_before_a_line_was_known_are_judged_again():
    pages, judge, memory = portal(), QuestionJudge(TOPIC), Database()
    learned = learner(judge, memory)
    first = fold(learned, memory, pages[:FEWEST])[0]
    assert first.relevance > 10 * learned.now(pages[0])


def test_what_was_learned_by_boilerplate_is_taken_back():
    pages, judge = [page(n, MENU, CARS.format(n)) for n in range(16)], QuestionJudge(TOPIC)
    taken_back, never = learner(judge, memory := Database()), judge.learner()
    fold(taken_back, memory, pages)
    fold(never, Database(), [page(n, CARS.format(n)) for n in range(16)])
    assert taken_back.feedback.met == never.feedback.met == 16
    assert taken_back.feedback.totals[1] == pytest.approx(never.feedback.totals[1], abs=1e-9)
    samples = [each.feedback.sample for each in (taken_back, never)]
    taught = [[lesson.wanted for lesson in (*each.lessons, *each.latest)] for each in samples]
    assert taught[0] == pytest.approx(taught[1], abs=1e-9)


def test_a_trail_on_most_of_the_pages_met_is_no_menu():
    """A crawl meets the pages of a topic first: on those that never say its word the trail is missing."""
    below = [page(n, "Home > Beekeeping", BEES.format(n)) for n in range(30)]
    beside = [page(n, "Home > Cars", CARS.format(n)) for n in range(30, 50)]
    found = Boilerplate(["beekeep"])
    for each in (*below, *beside):
        found.add(each)
    assert all(found.without(each) == (each, "") for each in below)


def test_a_host_that_is_all_about_the_topic_keeps_its_lines():
    pages = [page(n, MENU, BEES.format(n)) for n in range(64)]
    found = Boilerplate(["beekeep"])
    for each in pages:
        found.add(each)
    assert found.without(pages[0]) == (pages[0], "")


def test_links_of_boilerplate_go_with_it():
    url = Url("http://portal.test/about")
    menu, own = Link(url, url, "beekeeping"), Link(url, url, "an engine")
    pages = [page(n, MENU, f"Number {n}", links=(menu, own)) for n in range(8)]
    found = Boilerplate(["beekeep"])
    for each in pages:
        found.add(each)
    kept, gone = found.without(pages[0])
    assert (kept.text, gone, kept.links) == ("Number 0", MENU, (own,))


def test_a_crawl_taken_up_again_knows_the_same_boilerplate():
    pages, judge, memory = portal(), QuestionJudge(TOPIC), Database()
    straight = learner(judge, memory)
    fold(straight, memory, pages)
    again = learner(judge, memory)
    again.recall(memory.pages(), {})
    assert [again.now(each) for each in pages] == [straight.now(each) for each in pages]


def test_what_was_counted_is_kept_and_taken_up():
    pages, found, again = portal(), Boilerplate(["beekeep"]), Boilerplate(["beekeep"])
    for each in pages[:50]:
        found.add(each)
    again.unpack(found.packed())
    for each in pages[50:]:
        assert again.add(each) == found.add(each)
    assert again.packed() == found.packed()


def test_what_was_counted_for_another_topic_is_not_taken_up():
    """The lines of a menu are counted if they have words of the topic: an edited one has other lines."""
    bees, cars = WithoutBoilerplate(Cosine(TOPIC), ["beekeep"]), WithoutBoilerplate(Cosine(TOPIC), ["car"])
    bees.recall((Visit(Candidate(each.url), Outcome.FETCHED, 0.0, each) for each in 10 * portal()), {})
    state = bees.save()
    assert state and WithoutBoilerplate(Cosine(TOPIC), ["beekeep"]).restore(state)
    assert not cars.restore(state)


def test_the_lines_of_a_host_are_bounded():
    lines = HostLines()
    for number in range(500):
        lines.add(Url(f"http://portal.test/{number}"), [7, *range(10 * number + 8, 10 * number + 18)])
    assert len(lines.counts) <= MOST
    assert lines.counts[7] == 500


@pytest.mark.parametrize("text", ["Bees fly.\nBees and bees\nA hive", "蜜蜂在花园里\n养蜂人\n蜂巢"])
def test_the_words_of_lost_lines_are_taken_from_those_of_the_page(text):
    one, gone = page(1, text), text.split("\n")[1]
    rest = Page(one.url, one.title, "\n".join(line for line in text.split("\n") if line != gone))
    assert counts_without(page_counts(one), one, gone) == page_counts(rest)
