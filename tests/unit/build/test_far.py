"""Who works for a crawl when its user does not say."""

from pathlib import Path

import pytest

from thresher.build import remote_workers
from thresher.build.crawl import make_plan
from thresher.build.remote_workers import workers_here
from thresher.settings.load import read

FAST = (("topic", "honey"), ("seeds", ("http://127.0.0.1/",)), ("web.delay", 0.0), ("stop.pages", 5_000))


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(remote_workers, "cores_here", lambda: 2)


def workers_with(*settings: tuple[str, object]) -> int:
    return workers_here(make_plan(read(None, [*FAST, *settings])))


def test_a_long_crawl_of_hosts_that_need_no_rest_gets_a_worker_for_each_core():
    assert workers_with() == 2
    assert workers_with(("stop.pages", 0)) == 2, "no limit"
    assert workers_with(("web.delay", 1.0), ("web.concurrency", 64)) == 2, "so many hosts at once"


def test_one_process_keeps_up_with_a_polite_crawl_and_a_short_one_ends_before_others_have_begun():
    assert workers_with(("web.delay", 1.0)) == 0
    assert workers_with(("stop.pages", 1_999)) == 0
    assert workers_with(("web.concurrency", 1)) == 0, "one request at a time"


def test_what_the_user_says_counts():
    assert workers_with(("web.workers", 0)) == 0
    assert workers_with(("web.delay", 1.0), ("web.workers", 3)) == 3


@pytest.mark.parametrize(
    "alone",
    [
        ("web.browser", "auto"),
        ("web.cookie_file", "cookies.txt"),
        ("cluster.bus", "nats://127.0.0.1:4222"),
        ("web.kind", "practice"),
        ("judge.name", "judge:WordShare"),
    ],
)
def test_what_workers_cannot_do_stays_in_one_process(alone, monkeypatch, tmp_path):
    (tmp_path / "cookies.txt").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "examples" / "plugins")
    assert workers_with(alone) == 0


def test_one_core_has_no_use_for_workers_and_one_fold_none_for_more_than_four(monkeypatch):
    monkeypatch.setattr(remote_workers, "cores_here", lambda: 1)
    assert workers_with() == 0
    monkeypatch.setattr(remote_workers, "cores_here", lambda: 64)
    assert workers_with() == 4
