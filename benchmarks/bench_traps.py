"""Prints what the rules about traps and duplicates cost for each new link and each page, in microseconds."""

from collections.abc import Callable
from random import Random
from time import process_time

from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Topic, Url, Visit
from thresher.core.strategy import Strategy
from thresher.core.url import parse
from thresher.filters.filters import PageRules
from thresher.filters.pages import seems_missing
from thresher.filters.traps import Novelty, Traps
from thresher.filters.urls import Scope, first_reason, masked, pattern
from thresher.judges.baselines import Cosine
from thresher.parse.fingerprint import fingerprint
from thresher.store.database import Database
from thresher.strategies.classic import BreadthFirst

ROUNDS = 5
LINKS, PAGES, LINKS_OF_A_PAGE = 20_000, 1_000, 150
WORDS = (
    "spring garden news 2024 item 17 archive en products 9f8e7d6c5b4a review list index photo blog".split()
)
NOW = 1.7e9


def address(random: Random, hosts: int = 50) -> Url:
    """Return a URL as they are: a few segments, sometimes a date, sometimes a query."""
    path = "/".join(
        "-".join(random.choices(WORDS, k=random.randint(1, 4))) for _ in range(random.randint(1, 4))
    )
    dated = f"2019/{random.randint(1, 12)}/" if random.random() < 0.2 else ""
    query = f"?id={random.randint(1, 9999)}&page={random.randint(1, 9)}" if random.random() < 0.3 else ""
    return parse(f"https://www.site{random.randrange(hosts)}.example/{dated}{path}{query}")


def candidates(random: Random) -> list[Candidate]:
    sources = [address(random) for _ in range(100)]
    links = [Link(random.choice(sources), address(random)) for _ in range(LINKS)]
    return [Candidate(link.target, 0.5, link, depth=3) for link in links]


def visits(random: Random) -> list[Visit]:
    found = []
    for _ in range(PAGES):
        url, text = address(random), " ".join(random.choices(WORDS, k=600))
        links = tuple(Link(url, address(random)) for _ in range(LINKS_OF_A_PAGE))
        page = Page(url, "A title", text, text, links=links, fingerprint=fingerprint((), text, text, ()))
        found.append(Visit(Candidate(url, via=Link(url, url)), Outcome.FETCHED, NOW, page))
    return found


def suspicious(traps: Traps) -> Traps:
    """Return traps that have found out one pattern on every host, so that no URL passes unasked."""
    for host in range(50):
        for number in range(120):
            traps.learn(Url(f"https://www.site{host}.example/trap/{number}"), Novelty.STALE, (), NOW)
    traps.learn(Url("https://www.site0.example/"), Novelty.NEUTRAL, (), NOW)
    return traps


def microseconds(step: Callable[[], object], times: int) -> float:
    """Return the best of a few rounds, each over `times` things."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = process_time()
        step()
        best = min(best, process_time() - begun)
    return best / times * 1e6


def main() -> None:
    """Print a line for each step."""
    random = Random(3)
    links, pages, memory = candidates(random), visits(random), Database()
    judge, topic = Cosine(Topic("garden", {"garden": 1.0})), Topic("garden")
    strategy = BreadthFirst(judge=judge, topic=topic)
    alert = suspicious(Traps())
    calm = Traps()
    calm.learn(Url("https://www.site0.example/"), Novelty.NEUTRAL, (), NOW)  # it knows the year
    both = first_reason(Scope().refuses, calm.refuses)
    steps: dict[str, tuple[Callable[[], object], int]] = {
        "a new link, scope and traps": (lambda: [both(link) for link in links], LINKS),
        "a new link on a host with a trap": (lambda: [alert.refuses(link) for link in links], LINKS),
        "a link whose turn has come": (lambda: [alert.over_budget(link) for link in links], LINKS),
        "its pattern": (lambda: [pattern(link.url) for link in links], LINKS),
        "its opaque values": (lambda: [masked(link.url) for link in links], LINKS),
        "a page, strategy alone": (lambda: _learn(strategy, pages, memory), PAGES),
        "a page, strategy and rules": (lambda: _learn(PageRules(strategy), pages, memory), PAGES),
        "a page, soft 404 or not": (
            lambda: [seems_missing(visit.page) for visit in pages if visit.page],
            PAGES,
        ),
    }
    for name, (step, times) in steps.items():
        print(f"{name:36}{microseconds(step, times):8.2f} us")


def _learn(strategy: Strategy, pages: list[Visit], memory: Database) -> None:
    for visit in pages:
        strategy.on_visit(visit, memory)


if __name__ == "__main__":
    main()
