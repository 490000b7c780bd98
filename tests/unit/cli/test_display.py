"""A crawl to watch: what the live display and the plain line say."""

from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from thresher.cli.run import CrawlSnapshot, LineDisplay, choose_display
from thresher.cli.screen import LiveScreen
from thresher.core.clock import VirtualClock
from thresher.core.enums import Detail, Outcome
from thresher.core.interfaces import Judge, Workers
from thresher.core.progress import Budget, Forecast, Progress
from thresher.core.records import Candidate, Topic, Url, Visit
from thresher.engine.crawl import Crawl
from thresher.filters.filters import FilterChain
from thresher.frontier.frontier import Workbench
from thresher.frontier.waiting import steady
from thresher.store.database import Database
from thresher.strategies.classic import BreadthFirst


class Idle(Workers):
    """Workers with nothing to do."""

    free = busy = 0

    async def open(self) -> None:
        pass

    def send(self, candidate):
        raise AssertionError("there is nothing to send")

    async def next(self, timeout):
        return None

    async def close(self):
        pass

    def stages(self):
        return ()


def state(budget: Budget) -> CrawlSnapshot:
    progress = Progress(0.5, 0.0, budget)
    for number in range(100):
        url = Url(f"http://h{number % 4}.org/{number}")
        outcome = Outcome.GONE if number % 10 == 0 else Outcome.FETCHED
        progress.add(Visit(Candidate(url), outcome, 1.0, relevance=0.9 if number % 3 == 0 else 0.1))
    frontier, strategy = Workbench(), BreadthFirst(judge=Judge(), topic=Topic("bees"))
    frontier.offer([Candidate(Url("http://h9.org/"))])
    crawl = Crawl(
        Idle(),
        Database(),
        strategy,
        FilterChain(),
        frontier,
        VirtualClock(30.0),
        progress,
    )
    times = iter([0.0])
    return CrawlSnapshot(crawl, "bees with best_first", lambda: next(times, 10.0))  # ten seconds have passed


def test_the_plain_line_has_every_figure(capsys):
    LineDisplay().show(state(Budget(pages=180)))
    figures = "30 of 90 pages relevant (33.3 %), 4 hosts, 9.0 pages/s, 10 s left"
    last = "last find: http://h3.org/99"
    assert capsys.readouterr() == ("", f"bees with best_first: {figures}; {last}.\n")


def test_both_displays_say_what_is_to_come_once_it_is_known(capsys):
    known, drawn = state(Budget(pages=180)), StringIO()
    known.progress.forecast = Forecast(90, 1000, 120.4, 90, 150)
    words = "90 to 150 of the next 1,000 pages relevant (80 %)"
    LineDisplay().show(known)
    assert capsys.readouterr().err.endswith(f"10 s left; {words}; last find: http://h3.org/99.\n")
    display = LiveScreen(Console(file=drawn, force_terminal=True, width=100, height=30))
    display.show(known)
    display.close()
    assert words in drawn.getvalue()


def test_the_live_display_has_every_figure():
    drawn = StringIO()
    display = LiveScreen(Console(file=drawn, force_terminal=True, width=100, height=30))
    display.show(state(Budget(pages=180)))
    display.close()
    for words in ("bees with best_first", "90", "30", "33.3 %", "pages/s", "9.0", "left", "10 s"):
        assert words in drawn.getvalue()
    lines = Text.from_ansi(drawn.getvalue()).plain.splitlines()
    assert [line.strip() for line in lines[2:4]] == [
        "90      30         33.3 %         4       9.0       10 s",
        "pages   relevant   harvest rate   hosts   pages/s   left",
    ]
    assert "90 fetched, 10 gone; 1 waiting" in drawn.getvalue()


@pytest.mark.parametrize(
    ("budget", "left"),
    [
        (Budget(pages=180), "10 s"),
        (Budget(relevant=90), "20 s"),
        (Budget(seconds=120.0), "30 s"),
        (Budget(pages=180, seconds=40.0), "3.3 s"),
        (Budget(), "?"),
    ],
)
def test_the_time_left_is_that_of_the_limit_that_comes_first(budget, left):
    assert state(budget).left() == left


def test_a_program_that_listens_gets_plain_lines(capsys):
    assert isinstance(choose_display(), LineDisplay)


def test_plain_lines_come_every_few_seconds_at_first_and_every_minute_of_a_long_crawl():
    lines, watched = LineDisplay(), state(Budget(pages=180))
    lines.show(watched)
    assert lines.pause == 5.0
    watched.began -= 3600
    lines.show(watched)
    assert lines.pause == 60.0


def test_both_displays_say_for_whom_the_crawl_waits(capsys):
    watched, drawn = state(Budget(pages=180)), StringIO()
    frontier = Workbench(pace=steady(2.0))
    watched.crawl.frontier, now = frontier, 29.0
    frontier.offer(
        [Candidate(Url("http://tea.example/1"), 0.71), Candidate(Url("http://tea.example/2"), 0.71)]
    )
    frontier.offer([Candidate(Url("http://other.example/"), 0.12)])
    taken = frontier.take(now)
    assert taken
    frontier.done(taken, now, rest=60.0)
    assert frontier.take(29.2) is None
    words = "waiting 1.2 s for tea.example (0.71), best other 0.12"
    LineDisplay().show(watched)
    assert f"; {words}; tea.example asks for 1 min between requests; last find: " in capsys.readouterr().err
    display = LiveScreen(Console(file=drawn, force_terminal=True, width=150, height=30))
    display.show(watched)
    display.close()
    assert words in drawn.getvalue()


def test_pages_that_need_a_browser_are_told_as_soon_as_there_are_some(capsys):
    seen = state(Budget(pages=400))
    for number in range(34):
        made = Visit(Candidate(Url(f"http://app.org/{number}")), Outcome.FETCHED, 1.0)
        seen.progress.add(replace(made, detail=Detail.NEEDS_BROWSER))
    LineDisplay().show(seen)
    assert "34 pages need a browser" in capsys.readouterr().err
