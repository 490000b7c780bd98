"""The shelf: what waits, written with the visits of its transaction."""

from thresher.core.records import Candidate, QueuedRequest, Url
from thresher.store.database import Database


def waiting(arrival: int, priority: float) -> QueuedRequest:
    url = Url(f"http://a.com/{arrival}")
    return QueuedRequest(arrival, "http://a.com", arrival, Candidate(url, priority))


def test_what_was_put_can_be_had_before_it_is_written():
    shelf = Database().shelf
    shelf.put([waiting(1, 0.2), waiting(2, 0.3)])
    shelf.put([waiting(1, 0.5)])
    assert [each.candidate.priority for each in shelf.get([2, 1])] == [0.3, 0.5]


def test_a_forecast_sees_what_was_put_last():
    store = Database()
    store.shelf.put([waiting(1, 0.2), waiting(2, 0.3)])
    store.shelf.put([waiting(1, 0.5)])
    assert [each.priority for each in store.next_up(10)] == [0.5, 0.3]


def test_what_is_dropped_is_gone_whether_it_was_written_or_not():
    store = Database()
    store.shelf.put([waiting(1, 0.2)])
    store.commit()
    store.shelf.put([waiting(2, 0.3), waiting(3, 0.4)])
    store.shelf.drop(1)
    store.shelf.drop(2)
    store.commit()
    assert [*store.shelf.backlog().keys] == [3]


def test_who_rests_is_written_with_the_rest_of_the_transaction():
    store = Database()
    store.shelf.rest("http://a.com", 7.0)
    store.shelf.rest("http://a.com", 8.0)
    assert [*store.shelf.hosts()] == [(1, "http://a.com", 8.0)]
