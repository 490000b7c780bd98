"""The hosts of a crawl: what each was asked, what it gave, and whether it rests."""

import time
from typing import Any

from msgspec import Struct

from thresher.serve.answers import HostItem, HostItems
from thresher.serve.asks import HostList
from thresher.serve.desk import Desk
from thresher.serve.ledger import ledger


class Behind(Struct, frozen=True):
    """Where a list of hosts goes on."""

    first: int
    second: int
    id: int


def list_hosts(desk: Desk, ask: HostList) -> HostItems:
    """Return hosts, those that gave most first."""
    folder = desk.crawl(ask.id).folder
    store = folder.open()
    try:
        resting = store.resting(time.time())
    finally:
        store.close()
    place = desk.signer.place(ask.after, Behind)
    order = ("relevant", "pages", "id") if ask.sort == "relevant" else ("pages", "0", "id")
    beyond = f"WHERE ({', '.join(order)}) < (?, ?, ?)" if place else ""
    values = (place.first, place.second, place.id) if place else ()
    by = ", ".join(f"{name} DESC" for name in order if name != "0")
    with ledger(folder) as book:
        rows = book.index.execute(
            f"SELECT {', '.join(order)}, name, visits, pages, relevant, forbidden FROM host {beyond}"
            f" ORDER BY {by} LIMIT ?",
            (*values, ask.limit),
        ).fetchall()
        total, _ = book.hosts()
        sums = book.sums()
    next = desk.signer.cursor(Behind(*rows[-1][:3])) if len(rows) == ask.limit else ""
    items = [_item(list(row[3:]), resting.get(row[3], 0.0)) for row in rows]
    return HostItems(items, next, total, sums.relevant / sums.pages if sums.pages else 0.0)


def _item(row: list[Any], seconds: float) -> HostItem:
    name, visits, pages, relevant, forbidden = row
    closed = forbidden and not pages
    state = "closed by robots.txt" if closed else "resting" if seconds > 0 else ""
    return HostItem(name, visits, pages, relevant, forbidden, state, round(seconds, 1))
