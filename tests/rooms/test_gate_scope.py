"""The scope of a crawl: which links may be followed at all, and under which name the others are counted."""

from collections.abc import Iterator

import pytest

from thresher.core.errors import SettingsError
from thresher.core.protocols import Shelf
from thresher.core.records import Candidate, Link, Url
from thresher.core.url import key_of
from thresher.frontier.workbench import Workbench
from thresher.gate.scope import Scope, first_reason, patterns
from thresher.store.database import Database

HOME = Url("http://a.test/")


def link(target: str, rel: str = "", depth: int = 1) -> Candidate:
    return Candidate(Url(target), via=Link(HOME, Url(target), rel=rel), depth=depth)


def test_without_rules_everything_is_in_scope() -> None:
    assert Scope().refuses(link("http://elsewhere.example/x")) == ""


def test_domains_take_their_subdomains_with_them_and_nobody_else() -> None:
    scope = Scope(domains=frozenset({"a.test"}))
    assert scope.refuses(link("http://a.test/x")) == ""
    assert scope.refuses(link("http://deep.down.a.test:8080/x")) == ""
    assert scope.refuses(link("http://not-a.test/x")) == "outside the domains"
    assert scope.refuses(link("http://a.test.evil.example/x")) == "outside the domains"


def test_a_url_is_out_of_scope_or_in_it_whoever_links_to_it() -> None:
    scope = Scope(domains=frozenset({"a.test"}), exclude=patterns(["draft"]), depth=1)
    assert scope.excludes(Url("http://b.test/")) == "outside the domains"
    assert scope.excludes(Url("http://a.test/draft")) == "excluded"
    assert scope.excludes(Url("http://a.test/x")) == ""


def test_include_and_exclude_are_searched_anywhere_in_the_url() -> None:
    scope = Scope(include=patterns([r"/docs/", r"\.pdf$"]), exclude=patterns([r"draft"]))
    assert scope.refuses(link("http://a.test/en/docs/1")) == ""
    assert scope.refuses(link("http://a.test/paper.pdf")) == ""
    assert scope.refuses(link("http://a.test/paper.pdf?x=1")) == "not included"
    assert scope.refuses(link("http://a.test/docs/draft/1")) == "excluded"


def test_depth_counts_links_since_a_seed() -> None:
    scope = Scope(depth=2)
    assert scope.refuses(link("http://a.test/x", depth=2)) == ""
    assert scope.refuses(link("http://a.test/x", depth=3)) == "too deep"


def test_nofollow_is_obeyed_unless_the_user_says_otherwise() -> None:
    """sponsored and ugc only say who wrote a link; they do not ask anybody to leave it alone."""
    for rel in ("nofollow", "noopener nofollow"):
        assert Scope().refuses(link("http://a.test/x", rel)) == "nofollow"
        assert Scope(obey_nofollow=False).refuses(link("http://a.test/x", rel)) == ""
    for rel in ("sponsored", "ugc", "noopener"):
        assert Scope().refuses(link("http://a.test/x", rel)) == ""


def test_a_seed_is_never_refused() -> None:
    narrow = Scope(frozenset({"b.test"}), patterns(["never"]), patterns(["a"]), depth=1)
    assert narrow.refuses(Candidate(HOME)) == ""


def test_a_bad_expression_is_refused_by_name_with_what_to_do() -> None:
    with pytest.raises(SettingsError, match=r"'\(docs' is not a regular expression: .*\. Write .*"):
        patterns(["/fine/", "(docs"])


def test_the_first_rule_that_objects_gives_the_reason() -> None:
    both = first_reason(Scope(depth=1).refuses, lambda candidate: "unlucky" if "13" in candidate.url else "")
    assert both(link("http://a.test/1")) == ""
    assert both(link("http://a.test/13")) == "unlucky"
    assert both(link("http://a.test/13", depth=2)) == "too deep"


@pytest.fixture(params=["in memory", "on a shelf"])
def shelf(request: pytest.FixtureRequest) -> Iterator[Shelf | None]:
    store = Database()
    yield None if request.param == "in memory" else store.shelf
    store.close()


def test_the_frontier_counts_refusals_when_offered_and_when_their_turn_has_come(shelf: Shelf | None) -> None:
    bench = Workbench(
        refuses=Scope(depth=1).refuses,
        shelf=shelf,
        spent=lambda candidate: "spent" if "/p/" in candidate.url else "",
    )
    addresses = ["http://a.test/p/1", "http://a.test/p/2", "http://a.test/3"]
    assert bench.offer(map(link, addresses)) == 3
    assert bench.offer([link("http://a.test/4", depth=2)]) == 0
    taken = bench.take(0.0)
    assert taken and taken.url == "http://a.test/3"  # the host need not rest after a request never made
    assert (len(bench), bench.take(9.0)) == (0, None)
    assert bench.refused == {"too deep": 1, "spent": 2}
    assert shelf is None or key_of(Url("http://a.test/p/1")) not in shelf.backlog().keys
