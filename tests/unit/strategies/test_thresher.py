"""The learning strategy: what it learns, and that it forgets nothing when a crawl is cut off."""

from collections.abc import Sequence

import pytest

from thresher.core.enums import Outcome, Refusal, Request
from thresher.core.errors import UnknownName
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.strategy import StrategyState
from thresher.judges.baselines import Cosine
from thresher.store.database import Database
from thresher.strategies.learned import model
from thresher.strategies.learned import strategy as strategy_module
from thresher.strategies.learned.explain import IN_TURN, IN_WORDS
from thresher.strategies.learned.features import NAMES
from thresher.strategies.learned.strategy import TURN, Thresher
from thresher.strategies.learned.table import NEXT_PRIORITY

TOPIC = Topic("bees", {"bee": 1.0, "honey": 0.5})
SEED = Url("http://a.test/")
JUDGE = Cosine(TOPIC)


def make(**parameters) -> Thresher:
    return Thresher(judge=JUDGE, topic=TOPIC, **parameters)


def page(url: str, text: str, targets: list[str], anchor: str = "more", place: str = "ul/li/a") -> Page:
    links = tuple(Link(Url(url), Url(target), anchor, place=place) for target in targets)
    return Page(Url(url), text=text, links=links)


def visit(page: Page, number: int = 0) -> Visit:
    return Visit(Candidate(page.url), Outcome.FETCHED, float(number), page, JUDGE.score(page))


def priorities(offers) -> dict[str, float]:
    return {offer.url: offer.priority for offer in offers}


def crawled(strategy: Thresher, count: int) -> list[list[Candidate]]:
    """Let a strategy see a site whose folder /bee/ is about bees, and whose folder /car/ is not."""
    answers = [list(strategy.start([SEED]))]
    answers.append(list(strategy.on_visit(visit(site_page(SEED, 0)), Database())))
    for number in range(1, count):
        folder = "bee" if number % 2 else "car"
        url = Url(f"http://a.test/{folder}/{number}")
        answers.append(list(strategy.on_visit(visit(site_page(url, number), number), Database())))
    return answers


def site_page(url: str, number: int) -> Page:
    targets = [f"http://a.test/{folder}/{number + step}" for step in range(1, 9) for folder in ("bee", "car")]
    return page(url, "bee honey " * 20 if "/bee/" in url else "engine wheel " * 20, targets)


def test_links_into_the_folder_that_yields_come_first():
    strategy = make()
    crawled(strategy, 40)
    offers = strategy.on_visit(
        visit(page("http://a.test/new", "nothing", ["http://a.test/bee/z", "http://a.test/car/z"])),
        Database(),
    )
    found = priorities(offers)
    assert found["http://a.test/bee/z"] > found["http://a.test/car/z"] + 0.1


def test_before_anything_is_learned_the_words_of_anchor_and_url_decide():
    strategy = make()
    strategy.start([SEED])
    links = (
        Link(SEED, Url("http://a.test/1"), "honey bee"),
        Link(SEED, Url("http://a.test/2"), "wheels"),
    )
    found = priorities(strategy.on_visit(visit(Page(SEED, text="bee", links=links)), Database()))
    assert found["http://a.test/1"] > found["http://a.test/2"]


def test_what_a_seed_says_beside_a_link_counts_but_less_than_its_anchor():
    strategy = make()
    strategy.start([SEED])
    links = (
        Link(SEED, Url("http://a.test/1"), "honey bee", "honey bee"),
        Link(SEED, Url("http://a.test/2"), "Jo", "Jo writes about honey and the bee"),
        Link(SEED, Url("http://a.test/3"), "Al", "Al writes about wheels"),
    )
    found = priorities(strategy.on_visit(visit(Page(SEED, text="sites", links=links)), Database()))
    assert found["http://a.test/1"] > found["http://a.test/2"] > found["http://a.test/3"]


def test_the_heading_that_a_link_stands_under_says_what_it_is_about():
    strategy = make()
    strategy.start([SEED])
    links = (
        Link(SEED, Url("http://a.test/1"), "Jo", heading="Bee and honey"),
        Link(SEED, Url("http://a.test/2"), "Al", heading="Wheels"),
    )
    found = priorities(strategy.on_visit(visit(Page(SEED, text="sites", links=links)), Database()))
    assert found["http://a.test/1"] > found["http://a.test/2"]


def test_a_heading_whose_links_brought_what_is_wanted_is_known_on_other_pages_of_the_host():
    strategy = make(without="host/folder/page/section")
    strategy.start([SEED])
    lists = tuple(
        Link(SEED, Url(f"http://{kind}{n}.test/"), "x", heading=kind)
        for n in range(20)
        for kind in ("ann", "cy")
    )
    strategy.on_visit(visit(Page(SEED, text="sites", links=lists)), Database())
    for number in range(20):
        for kind, text in (("ann", "bee honey " * 20), ("cy", "engine wheel " * 20)):
            strategy.on_visit(visit(page(f"http://{kind}{number}.test/", text, [])), Database())
    other = Url("http://a.test/more")
    links = tuple(
        Link(other, Url(f"http://{kind}.test/"), "x", heading=kind) for kind in ("cy", "ann", "ben")
    )
    found = priorities(strategy.on_visit(visit(Page(other, text="sites", links=links)), Database()))
    assert found["http://ann.test/"] > found["http://ben.test/"] > found["http://cy.test/"]


def first_of(seed_text: str) -> str:
    """Return what comes first: a link of the seed, or one with better words five clicks away."""
    strategy = make()
    strategy.start([SEED])
    seen = visit(page(SEED, seed_text, ["http://a.test/near"], "wheels"))
    found = priorities(strategy.on_visit(seen, Database()))
    far = page("http://a.test/5", "bee", ["http://a.test/far"], "bee")
    deep = Visit(Candidate(far.url, depth=5), Outcome.FETCHED, 1.0, far, JUDGE.score(far))
    found |= priorities(strategy.on_visit(deep, Database()))
    return max(found, key=lambda url: found[url])


def test_before_anything_is_learned_what_is_near_a_seed_comes_first_if_the_seed_is_on_topic(monkeypatch):
    assert first_of("bee honey " * 20) == "http://a.test/near"
    assert first_of("engine wheel " * 20) == "http://a.test/far"
    monkeypatch.setattr(model, "NEAR", 0.0)
    assert first_of("bee honey " * 20) == "http://a.test/far"


def test_who_starts_from_an_earlier_crawl_expects_what_that_has_learned_and_no_more():
    earlier, later = make(), make()
    crawled(earlier, 40)
    later.warm_start(earlier)
    weights = earlier._priority_model.weights
    assert weights is not None
    learned = weights.as_prior(earlier._priority_model.expected)
    assert later._priority_model.expected == pytest.approx(learned)
    later.start([SEED])
    later.on_visit(visit(page(SEED, "bee honey " * 20, [])), Database())
    assert later._priority_model.expected == pytest.approx(learned)  # nor does a seed of its own add to it


def test_before_anything_is_learned_a_better_mention_is_told_though_it_is_far_from_the_seeds():
    strategy, store = make(), Database()
    strategy.start([SEED])
    strategy.on_visit(visit(page(SEED, "bee honey " * 20, [])), store)
    deep = page("http://a.test/5", "wheel", ["http://b.test/far"], "more")
    first = priorities(
        strategy.on_visit(Visit(Candidate(deep.url, depth=5), Outcome.FETCHED, 1.0, deep, 0.0), store)
    )
    better = page("http://a.test/6", "bee honey " * 20, ["http://b.test/far"], "honey bee")
    told = Visit(Candidate(better.url, depth=5), Outcome.FETCHED, 1.0, better, JUDGE.score(better))
    again = priorities(strategy.on_visit(told, store))
    assert first["http://b.test/far"] < again["http://b.test/far"] < 0.0


@pytest.mark.parametrize(
    ("topic", "weight"),
    [
        (Topic("type theory"), 0.4),
        (TOPIC, 0.2),
        (Topic("社会学"), 0.1),
        (Topic("社会学", description="bees"), 0.1),
    ],
)
def test_meaning_weighs_most_where_an_english_name_is_all_that_is_known(topic, weight):
    weights = Thresher(judge=Cosine(topic), topic=topic)._priority_model.experts.weights
    assert weights[[*model.EXPERTS].index("meaning")] == weight


def test_evidence_that_is_left_out_decides_nothing():
    strategy = make(without="anchor words/anchor meaning/URL meaning")
    strategy.start([SEED])
    links = (
        Link(SEED, Url("http://a.test/1"), "honey bee"),
        Link(SEED, Url("http://a.test/2"), "wheels"),
    )
    found = priorities(strategy.on_visit(visit(Page(SEED, text="bee", links=links)), Database()))
    assert found["http://a.test/1"] == found["http://a.test/2"]


def test_evidence_that_nobody_knows_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="anchor words"):
        make(without="anchor word")


def test_a_link_that_waits_is_offered_again_when_its_price_has_changed():
    answers = crawled(make(), 40)
    assert any(offer.replaces_priority and offer.via is None for answer in answers for offer in answer)


def test_a_redirect_hands_its_evidence_on():
    strategy = make()
    strategy.start([SEED])
    strategy.on_visit(visit(page(SEED, "bee", ["http://a.test/old"])), Database())
    onward = Candidate(Url("http://a.test/new"), redirects=1)
    moved = Visit(Candidate(Url("http://a.test/old")), Outcome.MOVED, 1.0, redirect=onward)
    strategy.on_visit(moved, Database())
    strategy.on_visit(visit(page("http://a.test/new", "bee", [])), Database())
    assert len(strategy._history) == 1


def given_its_turn() -> tuple[Thresher, Url]:
    """Let a strategy see five pages, of which the last gives a link of the seed its turn."""
    strategy = make()
    offers = crawled(strategy, TURN)[-1]
    return strategy, next(offer.url for offer in offers if offer.priority == NEXT_PRIORITY)


def test_who_was_given_its_turn_keeps_it_until_it_is_asked_for():
    strategy, chosen = given_its_turn()
    for number in range(TURN, 40):
        folder = "bee" if number % 2 else "car"
        url = Url(f"http://a.test/{folder}/{number}x")
        offers = strategy.on_visit(visit(site_page(url, number), number), Database())
        assert chosen not in priorities(offers), number
    assert IN_TURN in strategy.explain(Candidate(chosen), Database())
    strategy.on_visit(visit(page(chosen, "bee", [])), Database())
    assert IN_TURN not in strategy.explain(Candidate(chosen), Database())


def test_a_redirect_hands_its_turn_on():
    strategy, chosen = given_its_turn()
    onward = Candidate(Url("http://a.test/new"), NEXT_PRIORITY, redirects=1, kind=Request.REDIRECT)
    strategy.on_visit(Visit(Candidate(chosen), Outcome.MOVED, 1.0, redirect=onward), Database())
    for number in range(TURN, 20):
        offers = strategy.on_visit(visit(site_page(Url(f"http://a.test/car/{number}x"), number)), Database())
        assert onward.url not in priorities(offers)
    assert IN_TURN in strategy.explain(onward, Database())


def test_what_was_visited_is_not_offered_again():
    strategy = make()
    strategy.start([SEED])
    strategy.on_visit(visit(page(SEED, "bee", ["http://a.test/x"])), Database())
    strategy.on_visit(visit(page("http://a.test/x", "bee", [])), Database())
    again = visit(page("http://a.test/y", "bee", ["http://a.test/x"]))
    assert list(strategy.on_visit(again, Database())) == []


def test_what_is_out_of_scope_is_told_of_once_and_never_learned_about():
    strategy, outside = make(), list[Url]()
    for offers in crawled(strategy, 1):
        refused = [offer for offer in offers if "/car/" in offer.url]
        strategy.on_rejected([(offer, Refusal.EXCLUDED) for offer in refused])
        outside += [offer.url for offer in refused]
    assert outside
    for number in range(1, 6):
        again = strategy.on_visit(visit(site_page(Url(f"http://a.test/bee/{number}"), 0), number), Database())
        assert not {offer.url for offer in again} & {*outside}
    assert strategy.explain(Candidate(outside[0]), Database()) == []


class Keeper(Database):
    """A store that has what a strategy left, and nothing else."""

    def __init__(self, entries: dict[int, bytes]) -> None:
        super().__init__()
        self.left = entries

    def entries_at(self, keys: Sequence[int]) -> dict[int, bytes]:
        return {key: self.left[key] for key in keys}


@pytest.mark.parametrize("cut", [1, 12, 33, 60])
def test_a_crawl_that_is_resumed_goes_on_as_if_it_had_never_stopped(cut, monkeypatch):
    monkeypatch.setattr(strategy_module, "HISTORY", 20)
    whole = crawled(make(), 80)
    first, kept = make(), dict[int, bytes]()
    crawled(first, cut)
    saved, second = first.save(), make()
    kept.update(saved.rows)
    second.load(StrategyState(saved.head, kept.items()))
    for number in range(cut, 80):
        folder = "bee" if number % 2 else "car"
        url = Url(f"http://a.test/{folder}/{number}")
        answer = list(second.on_visit(visit(site_page(url, number), number), Keeper(kept)))
        kept.update(second.save().rows)
        assert answer == whole[number + 1], number


def test_only_what_changed_is_written_again():
    strategy = make()
    crawled(strategy, 20)
    list(strategy.save().rows)
    assert list(strategy.save().rows) == []
    strategy.on_visit(visit(page("http://b.test/", "bee", ["http://b.test/1"])), Database())
    assert any(b"http://b.test/1" in entry for _, entry in strategy.save().rows)


def test_a_price_is_explained_by_its_terms_the_weightiest_first():
    strategy = make()
    crawled(strategy, 40)
    waiting = strategy.explain(Candidate(Url("http://a.test/bee/47")), Database())
    assert waiting[0].startswith("priority ")
    learned = waiting.index("The learner's own score is made up of:")
    for lines in (waiting[1:learned], waiting[learned + 2 :]):
        sizes = [abs(float(line.split()[0])) for line in lines]
        assert sizes == sorted(sizes, reverse=True) and sizes
    priority, all_experts = (float(waiting[0].split()[place]) for place in (1, 3))
    assert sum(float(line.split()[0]) for line in waiting[1:learned]) == pytest.approx(all_experts, abs=0.005)
    assert priority <= all_experts
    told = strategy._evidence.table.cells["told"][strategy._row_of(Url("http://a.test/bee/47"))]
    assert priority == pytest.approx(told, abs=0.05)
    assert any("folder" in line and line.startswith("+") for line in waiting)
    visited = strategy.explain(Candidate(Url("http://a.test/bee/39")), Database())
    assert visited[-1].startswith("reward ")


def test_every_number_of_a_row_can_be_said_in_words():
    assert list(IN_WORDS) == list(NAMES)


def test_a_topic_of_one_word_is_said_to_be_little_to_go_by():
    assert "add --keyword" in Thresher(judge=JUDGE, topic=Topic("bees")).missing()
    assert make().missing() == ""


def test_the_links_of_every_seed_are_tried_whatever_their_words_say():
    strategy = make()
    silent = Url("http://b.test/")
    strategy.start([SEED, silent])
    offers: list[Candidate] = []
    for each in (site_page(SEED, 0), page(silent, "", [f"http://b.test/{n}" for n in range(5)])):
        offers += strategy.on_visit(visit(each), Database())
    for number in range(1, 20):
        offers += strategy.on_visit(visit(site_page(f"http://a.test/bee/{number}", number)), Database())
    first = {offer.url for offer in offers if offer.priority == max(each.priority for each in offers)}
    assert any(url.startswith(silent) for url in first)
    assert any(url.startswith(SEED) for url in first)


def test_the_folder_that_paid_is_the_best_lesson_and_the_one_that_did_not_the_worst():
    strategy = make()
    crawled(strategy, 40)
    lessons = {(lesson.kind.value, lesson.name): lesson for lesson in strategy.insights().group_yields}
    bees, cars = (lessons["folder", f"http://a.test/{folder}"] for folder in ("bee", "car"))
    assert bees.brought > cars.brought
    assert bees.gain == pytest.approx(-cars.gain)  # against the mean of both
    assert (bees.visits, cars.visits) == (20, 19)
    assert lessons["host", "http://a.test"].gain == pytest.approx(0.0)
    assert {lesson.host for lesson in lessons.values()} == {"http://a.test"}


def test_a_host_that_never_answers_is_asked_last():
    strategy = make()
    strategy.start([SEED])
    dead, alive = ([f"http://{host}.test/bee/{number}" for number in range(20)] for host in ("dead", "alive"))
    strategy.on_visit(visit(page(SEED, "bee", [*dead, *alive])), Database())
    for url in dead[:10]:
        strategy.on_visit(Visit(Candidate(Url(url)), Outcome.FAILED, 1.0, reason="no address"), Database())
    again = page("http://a.test/again", "bee", ["http://dead.test/bee/new", "http://alive.test/bee/new"])
    found = priorities(strategy.on_visit(visit(again), Database()))
    assert found["http://dead.test/bee/new"] < found["http://alive.test/bee/new"] - 0.1


def test_a_link_that_every_page_has_is_told_of_only_while_its_price_is_news():
    strategy = make()
    strategy.start([SEED])
    told = 0
    for number in range(60):
        offers = strategy.on_visit(
            visit(page(f"http://a.test/{number}", "bee", ["http://a.test/menu"])), Database()
        )
        told += "http://a.test/menu" in priorities(offers)
    assert told < 30
