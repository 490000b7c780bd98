"""Mali and Meshram 2011: the P-value, broken links, what is discarded, and pictures on request."""

from msgspec.structs import replace

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Fingerprint, Link, Page, Topic, Url, Visit
from thresher.core.url import folders
from thresher.judges.baselines import TopicVector
from thresher.store.database import Database
from thresher.strategies.mali import Mali
from thresher.strategies.mali_waiting import BEHIND

FOOTBALL = Topic("football", keywords={"football": 0.5, "goal": 0.3, "league": 0.2})
ON_TOPIC, OFF_TOPIC = "football football goal match team win", "nothing of the kind"
HERE, OTHER = Url("http://a.com/x/p.html"), Url("http://b.com/")
SEED = Link(OTHER, HERE)


def mali(**parameters) -> Mali:
    return Mali(judge=TopicVector(FOOTBALL), topic=FOOTBALL, **parameters)


def visit(*targets: str, text: str = ON_TOPIC, url: Url = HERE, via: Link | None = SEED) -> Visit:
    page = Page(url, text=text, links=tuple(Link(url, Url(target)) for target in targets))
    relevance = TopicVector(FOOTBALL).score(page)
    return Visit(Candidate(url, via=via), Outcome.FETCHED, 0.0, page, relevance)


def priorities(strategy: Mali, *visits: Visit) -> dict[str, float]:
    """The priority of each URL after all mentions; standing behind the best of its host does not count."""
    found: dict[str, float] = {}
    for each in visits:
        for offer in strategy.on_visit(each, Database()):
            value = offer.priority + (BEHIND if offer.priority < BEHIND / -2 else 0.0)
            found[offer.url] = value if offer.replaces_priority else max(found.get(offer.url, -1e9), value)
    return found


def test_the_p_value_is_forward_less_backward_links():
    """Section 3.1.2 a): Pvalue = FwdLK - BkLK."""
    assert mali().pvalue(5, 2) == 3


def test_a_broken_link_has_no_forward_links_and_is_never_positive():
    """Section 3.1.2: 'a URL will have a zero value for FwdLK ... Pvalue will always be negative'."""
    strategy = mali()
    broken = Visit(Candidate(Url("http://dead.com/")), Outcome.GONE, 0.0)
    found = priorities(strategy, broken, visit("http://dead.com/x", "http://a.com/y", "http://a.com/z"))
    assert found["http://dead.com/x"] == 0 - 1
    assert found["http://a.com/y"] == 3 - 1


def test_every_page_that_cites_a_url_lowers_it():
    """It prefers hubs and punishes what is well cited: the paper's formula, not ours."""
    first, second = visit(OTHER, "http://a.com/y"), visit(OTHER, "http://a.com/z", url=Url("http://a.com/q"))
    found = priorities(mali(), first, second)
    assert found["http://a.com/z"] - found[OTHER] == 1


def test_the_links_of_an_irrelevant_page_are_discarded():
    """Layer 3; the seeds are expanded whatever they say, because the user gave them."""
    assert priorities(mali(), visit(OTHER, text=OFF_TOPIC)) == {}
    assert list(priorities(mali(), visit(OTHER, text=OFF_TOPIC, via=None))) == [OTHER]


def test_pictures_are_fetched_only_when_asked_for():
    picture, linked = Url("http://a.com/ball.png"), Url("http://a.com/goal.jpg")
    seen = visit(linked, OTHER)
    assert seen.page is not None
    shown = replace(seen, page=replace(seen.page, fingerprint=Fingerprint(images=(picture,))))
    assert list(priorities(mali(), shown)) == [OTHER]
    assert list(priorities(mali(images=True), shown)) == [linked, OTHER, picture]
    assert priorities(mali(images=True), shown)[picture] > priorities(mali(images=True), shown)[OTHER]


def test_path_ascending_offers_every_folder_above():
    """Section 2.3.2."""
    assert folders(HERE) == ["http://a.com/x/", "http://a.com/"]
    assert list(priorities(mali(ascend=True), visit(OTHER))) == [OTHER, "http://a.com/x/", "http://a.com/"]


def test_links_may_be_restricted_to_pages():
    """Section 2.3.1."""
    assert list(priorities(mali(pages_only=True), visit("http://a.com/f.zip", OTHER))) == [OTHER]


def test_the_sound_form_puts_irrelevant_pages_behind_and_rewards_citations():
    strategy = mali(sound=True)
    first = visit(OTHER, "http://a.com/y")
    second = visit(OTHER, "http://a.com/z", url=Url("http://a.com/q"))
    far = visit("http://a.com/far", text=OFF_TOPIC, url=Url("http://a.com/r"))
    found = priorities(strategy, first, second, far)
    assert found[OTHER] > found["http://a.com/z"] > found["http://a.com/far"]


def test_the_counts_outlive_the_process():
    before = mali()
    priorities(before, visit(OTHER, "http://a.com/y"))
    saved = before.save()
    assert list(before.save().rows) == []
    after = mali()
    after.load(saved)
    later = visit(OTHER, url=Url("http://a.com/q"))
    assert priorities(after, later) == priorities(before, later)


def test_why_shows_the_two_counts():
    strategy = mali()
    (offer,) = strategy.on_visit(visit(OTHER), Database())
    told = ["Pvalue 0.000 = FwdLK 1.000 - BkLK 1, on http://b.com"]
    assert strategy.explain(offer, Database()) == told
