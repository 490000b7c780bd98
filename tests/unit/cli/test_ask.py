"""What --ask asks at the terminal: two pages, one key each, and the crawl goes on meanwhile."""

import os
import sys
from types import SimpleNamespace

import pytest

from tests.command_line import thresher
from thresher import crawl
from thresher.build.resume import readable_strategy_of
from thresher.cli.ask import AFTER, LabelPrompt
from thresher.core.platform import pressed_keys
from thresher.store.folder import CrawlFolder
from thresher.store.labels import read_labels

pytestmark = pytest.mark.posix  # a terminal

pty = pytest.importorskip("pty")


@pytest.fixture
def running(tmp_path):
    """Return what stands for a running crawl, with its folder."""
    folder = CrawlFolder(crawl("beekeeping", pages=40, folder=tmp_path / "bees").folder)
    with folder.open() as store:
        strategy = readable_strategy_of(folder.asked(), store)
        yield SimpleNamespace(progress=SimpleNamespace(pages=AFTER), strategy=strategy, store=store), folder


def test_two_pages_are_asked_about_and_the_answers_stand_where_the_crawl_finds_them(running):
    crawl, folder = running
    best = [each.url for each in crawl.strategy.insights().label_suggestions[:2]]
    keys = iter(["", "x", "y", "n"])
    prompt = LabelPrompt(crawl, folder, lambda: next(keys))
    asked = [prompt.question() for _ in range(4)]
    assert [best[0] in each for each in asked[:2]] == [True, True], "another key answers nothing"
    assert best[1] in asked[2]
    assert asked[3] == prompt.question() == ""
    assert read_labels(folder.labels) == {best[0]: True, best[1]: False}


def test_a_page_that_is_skipped_gets_no_label(running):
    crawl, folder = running
    prompt = LabelPrompt(crawl, folder, lambda: "s")
    assert [prompt.question() != "" for _ in range(3)] == [True, False, False]
    assert not folder.labels.exists()


def test_before_thirty_pages_nothing_is_asked(running):
    crawl, folder = running
    crawl.progress.pages = AFTER - 1
    assert LabelPrompt(crawl, folder, lambda: "y").question() == ""


def test_keys_are_read_without_waiting_and_the_terminal_is_as_before(monkeypatch):
    termios = pytest.importorskip("termios")
    leader, follower = pty.openpty()
    with os.fdopen(follower) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(follower)
        with pressed_keys() as key:
            assert key() == ""
            os.write(leader, b"Y")
            assert key() == "y"
        assert termios.tcgetattr(follower) == before
    os.close(leader)


def test_without_a_terminal_or_a_strategy_that_learns_it_says_so(monkeypatch):
    told = thresher("crawl", "beekeeping", "--ask")
    assert told.code == 2 and "--ask needs a terminal" in told.err
    monkeypatch.setattr("thresher.cli.ask.sys", SimpleNamespace(stdin=Terminal(), stderr=Terminal()))
    told = thresher("crawl", "beekeeping", "--ask", "--strategy", "best_first")
    assert told.code == 2 and "best_first learns nothing from labels" in told.err


class Terminal:
    def isatty(self):
        return True
