"""The learner's table of what waits: keys in arrays, and URLs with the store, whatever the size."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.store.database import Database
from thresher.strategies.learned import rows as row_index
from thresher.strategies.learned import rows as row_urls
from thresher.strategies.learned.rows import GONE, RowIndex
from thresher.strategies.learned.state import RowsBack
from thresher.strategies.learned.table import Rows, RowTable

KEYS = st.integers(-9, 9)


class Keeper(Database):
    """A store that has entries, and counts how often it is asked for them."""

    def __init__(self) -> None:
        super().__init__()
        self.entries_kept: dict[int, bytes] = {}
        self.asked: list[int] = []

    def entries_at(self, keys: Sequence[int]) -> Mapping[int, bytes]:
        self.asked += keys
        return {key: self.entries_kept[key] for key in keys}


def add(table: RowTable, urls: list[Url]) -> Rows:
    return table.add(urls, [*map(key_of, urls)], 1)


def urls(several: int, host: str = "a") -> list[Url]:
    return [Url(f"http://{host}.test/{number}") for number in range(several)]


@given(st.lists(st.tuples(KEYS, st.integers(-1, 99))), st.lists(KEYS, min_size=1))
def test_keys_have_the_rows_that_were_last_given_to_them(given_rows, asked):
    index, plain = RowIndex(), dict[int, int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_index, "RECENT", 3)  # so that most are old
        for key, row in given_rows:
            index[key] = plain[key] = row
    assert index.get_many(asked) == [*map(plain.get, asked)]
    assert index.get(asked[0]) == plain.get(asked[0])


def test_a_url_is_held_until_it_is_kept_and_then_read_again_when_it_is_needed(monkeypatch):
    monkeypatch.setattr(row_urls, "HELD", 10)
    table, keeper, known = RowTable(), Keeper(), urls(200)
    rows = add(table, known).tolist()
    assert table.urls.of(rows, keeper) == known and not keeper.asked
    keeper.entries_kept.update(table.urls.changes())
    assert table.urls.of(rows[-10:], keeper) == known[-10:] and not keeper.asked
    assert table.urls.of(rows, keeper) == known
    assert len(keeper.asked) == 3, "190 URLs in pieces of 64"


def test_a_row_that_was_given_to_another_url_has_that_one(monkeypatch):
    monkeypatch.setattr(row_urls, "HELD", 0)
    table, keeper, known = RowTable(), Keeper(), urls(3)
    add(table, known)
    keeper.entries_kept.update(table.urls.changes())
    table.remove(known[1])
    (row,) = add(table, urls(1, "b")).tolist()
    assert row == 1 and table.urls.of([row], keeper) == urls(1, "b")
    table.rename(0, known[0], Url("http://c.test/"))
    keeper.entries_kept.update(table.urls.changes())
    assert table.urls.of([0, 1, 2], keeper) == ["http://c.test/", "http://b.test/0", known[2]]
    assert table.find(known[0]) == GONE and table.find(Url("http://c.test/")) == 0


def test_what_is_put_back_knows_every_url_that_waits_and_every_one_that_is_gone(monkeypatch):
    monkeypatch.setattr(row_urls, "HELD", 0)
    before, keeper, known = RowTable(), Keeper(), urls(150)
    add(before, known)
    keeper.entries_kept.update(before.urls.changes())
    before.remove(known[7])
    add(before, urls(1, "b"))  # takes the row of the one that is gone
    keeper.entries_kept.update(before.urls.changes())
    after = RowTable()
    after.cells, after.urls.pieces, after.used = before.cells, before.urls.pieces, before.used
    back = RowsBack(after)
    for key, value in keeper.entries_kept.items():
        back.take(value[1], key, value)
    back.take(1, key_of(known[7]), b"")
    back.finish()
    assert [after.find(url) for url in known] == [GONE if number == 7 else number for number in range(150)]
    assert after.find(urls(1, "b")[0]) == 7
    assert after.urls.of([7, 8], keeper) == ["http://b.test/0", known[8]]
    assert after.urls.written == before.urls.written
