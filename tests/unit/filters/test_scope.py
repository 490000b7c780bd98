"""The scope of a crawl: which links may be followed at all, and under which name the others are counted."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from thresher.core.enums import Outcome, Refusal, Request
from thresher.core.errors import SettingsError
from thresher.core.interfaces import FrontierStorage
from thresher.core.records import Candidate, Link, Url, Visit
from thresher.core.url import key_of
from thresher.filters.filters import FilterChain
from thresher.filters.urls import Scope, patterns
from thresher.frontier.frontier import Workbench
from thresher.store.database import Database

HOME = Url("http://a.test/")


def link(target: str, rel: str = "", depth: int = 1) -> Candidate:
    return Candidate(Url(target), via=Link(HOME, Url(target), rel=rel), depth=depth)


def test_without_rules_everything_is_in_scope() -> None:
    assert Scope().refuses(link("http://elsewhere.example/x")) is None


def test_domains_take_their_subdomains_with_them_and_nobody_else() -> None:
    scope = Scope(domains=frozenset({"a.test"}))
    assert scope.refuses(link("http://a.test/x")) is None
    assert scope.refuses(link("http://deep.down.a.test:8080/x")) is None
    assert scope.refuses(link("http://not-a.test/x")) is Refusal.OUTSIDE_DOMAINS
    assert scope.refuses(link("http://a.test.evil.example/x")) is Refusal.OUTSIDE_DOMAINS


def test_a_url_is_out_of_scope_or_in_it_whoever_links_to_it() -> None:
    scope = Scope(domains=frozenset({"a.test"}), exclude=patterns(["draft"]), depth=1)
    assert scope.excludes(Url("http://b.test/")) is Refusal.OUTSIDE_DOMAINS
    assert scope.excludes(Url("http://a.test/draft")) is Refusal.EXCLUDED
    assert scope.excludes(Url("http://a.test/x")) is None


def test_include_and_exclude_are_searched_anywhere_in_the_url() -> None:
    scope = Scope(include=patterns([r"/docs/", r"\.pdf$"]), exclude=patterns([r"draft"]))
    assert scope.refuses(link("http://a.test/en/docs/1")) is None
    assert scope.refuses(link("http://a.test/paper.pdf")) is None
    assert scope.refuses(link("http://a.test/paper.pdf?x=1")) is Refusal.NOT_INCLUDED
    assert scope.refuses(link("http://a.test/docs/draft/1")) is Refusal.EXCLUDED


def test_depth_counts_links_since_a_seed() -> None:
    scope = Scope(depth=2)
    assert scope.refuses(link("http://a.test/x", depth=2)) is None
    assert scope.refuses(link("http://a.test/x", depth=3)) is Refusal.TOO_DEEP


def test_nofollow_is_obeyed_unless_the_user_says_otherwise() -> None:
    """sponsored and ugc only say who wrote a link; they do not ask anybody to leave it alone."""
    for rel in ("nofollow", "noopener nofollow"):
        assert Scope().refuses(link("http://a.test/x", rel)) is Refusal.NOFOLLOW
        assert Scope(obey_nofollow=False).refuses(link("http://a.test/x", rel)) is None
    for rel in ("sponsored", "ugc", "noopener"):
        assert Scope().refuses(link("http://a.test/x", rel)) is None


def test_a_seed_is_never_refused() -> None:
    filters = FilterChain(Scope(frozenset({"b.test"}), patterns(["never"]), patterns(["a"]), depth=1))
    seed = Candidate(HOME, kind=Request.SEED)
    assert filters.admit([seed], None, list).accepted == [seed]


def test_a_seed_that_redirects_does_not_take_its_freedom_along() -> None:
    filters = FilterChain(Scope(frozenset({"a.test"})))
    seed = Visit(Candidate(Url("http://a.test/"), kind=Request.SEED), Outcome.MOVED, 0.0, status=301)
    for target, admitted in (("http://www.a.test/", 1), ("http://b.example/x", 0)):
        onward = replace(seed.candidate, url=Url(target), redirects=1, kind=Request.REDIRECT)
        assert len(filters.admit([onward], seed, list).accepted) == admitted
    assert filters.refused == {Refusal.OUTSIDE_DOMAINS: 1}


def test_a_bad_expression_is_refused_by_name_with_what_to_do() -> None:
    with pytest.raises(SettingsError, match=r"'\(docs' is not a regular expression: .*\. Write .*"):
        patterns(["/fine/", "(docs"])


@pytest.fixture(params=["in memory", "on a shelf"])
def shelf(request: pytest.FixtureRequest) -> Iterator[FrontierStorage | None]:
    store = Database()
    yield None if request.param == "in memory" else store.shelf
    store.close()


def test_a_candidate_that_is_skipped_is_gone_and_its_host_need_not_rest(
    shelf: FrontierStorage | None,
) -> None:
    bench = Workbench(shelf=shelf)
    assert bench.offer(map(link, ["http://a.test/p/1", "http://a.test/3"])) == 2
    first = bench.take(0.0)
    assert first and first.url == "http://a.test/p/1"
    bench.skip(first)
    taken = bench.take(0.0)
    assert taken and taken.url == "http://a.test/3"
    assert (len(bench), bench.take(9.0)) == (0, None)
    assert shelf is None or key_of(Url("http://a.test/p/1")) not in shelf.backlog().keys
