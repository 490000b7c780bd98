"""The pages of a crawl under watch: every revisit, every version, and when to look again, in its database."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override
from xxhash import xxh3_64_intdigest

from thresher.core import files
from thresher.core.enums import REVISITS, ChangeKind, Outcome
from thresher.core.records import Candidate, Url, Visit
from thresher.core.url import host_of, key_of
from thresher.freshness.page_state import MOST_UNMODIFIED, Availability, Trust, Watched, after_visit, is_probe
from thresher.freshness.policies import ChangeHistory
from thresher.freshness.schedule import WatchTable
from thresher.store.codecs import unpack, unpack_keys
from thresher.store.database import Database
from thresher.store.schema import WATCH_TABLES

STATE = (
    "url, last, relevance, revisits, changes, changed_days, days, interval, brought, hinted, standing,"
    " misses,"
    " streak, unmodified, etag, modified, noise"
)
EVIDENCE = ("revisits", "changes", "changed_days", "days", "interval")
ROW = np.dtype(
    [
        *((name, "i8") for name in ("key", "host", "section")),
        *((name, "f8") for name in ("last", "hinted")),
        *((name, "f4") for name in (*EVIDENCE, "relevance", "brought")),
        ("standing", "i4"),
    ]
)
SOME = 50_000  # rows held in memory at a time

Codes = NDArray[Any]

_encode = msgspec.msgpack.Encoder().encode
_decode_numbers = msgspec.msgpack.Decoder(tuple[int, ...]).decode


class RevisitDatabase(Database):
    """The store of a crawl kept fresh: a revisit and what it changes share the visit's transaction."""

    def _set_up(self, path: Any) -> None:
        super()._set_up(path)
        self._connection.executescript(WATCH_TABLES)

    @override
    def add(self, visit: Visit) -> None:
        """Keep the visit, its page and its links; of a revisit also what it found, as a new version."""
        super().add(visit)
        with self._named:
            if visit.candidate.kind in REVISITS:
                (number,) = self._connection.execute("SELECT max(number) FROM visit").fetchone()
                self._store_revisit(number, visit)
            elif visit.candidate.via:
                self._credit(visit.candidate.via.source, visit)

    def watched(self, url: Url) -> Watched | None:
        """Return what is remembered of a page under watch."""
        query = f"SELECT {STATE} FROM watched WHERE key = ?"
        row = self._connection.execute(query, (key_of(url),)).fetchone()
        return Watched(*(*row[:-1], _decode_numbers(row[-1]))) if row else None

    def enrol(self) -> None:
        """Put every page that was fetched since the last time under watch."""
        with self._named:
            self._begin()
            known = self.facts.enrolled
            rows = self._connection.execute(
                "SELECT page.id, url, at, page.relevance FROM page JOIN visit ON number = page.visit"
                " WHERE page.id > ? ORDER BY page.id",
                (known,),
            )
            while some := rows.fetchmany(SOME):
                self._insert([Watched(url, at, relevance) for _, url, at, relevance in some])
                known = some[-1][0]
            self.facts.enrolled = known

    def newest(self) -> float:
        """Return when the last visit was made."""
        return float(self._connection.execute("SELECT ifnull(max(at), 0) FROM visit").fetchone()[0])

    def table(self) -> WatchTable:
        """Return all pages under watch, in columns."""
        (count,) = self._connection.execute("SELECT count(*) FROM watched").fetchone()
        columns = ", ".join(ROW.names or ()).replace("relevance", self._held("watched."))
        rows = self._connection.execute(f"SELECT {columns} FROM watched ORDER BY key")
        read = {name: np.empty(count, ROW[name]) for name in ROW.names or ()}
        for start in range(0, count, SOME):
            some = np.fromiter(islice(rows, SOME), ROW)
            for name, column in read.items():
                column[start : start + SOME] = some[name]
        evidence = ChangeHistory(*(read.pop(name) for name in EVIDENCE))
        hosts, read["host"] = _numbered(read["host"])
        _, read["section"] = _numbered(read["section"])
        trusted = [code for code, *row in self._trust_rows() if Trust(*row).dates]
        return WatchTable(**read, evidence=evidence, trusted=np.flatnonzero(np.isin(hosts, trusted)))

    def with_pvalues(self, table: WatchTable) -> WatchTable:
        """Return a table with the P-value of each page: the links on it less the pages that link to it."""
        forward: dict[int, int] = {}
        backward: Counter[int] = Counter()
        newest = "SELECT key, targets FROM page JOIN link ON link.source = page.visit"
        for key, packed in self._connection.execute(newest):
            targets = unpack_keys(packed)
            forward[key] = len(targets)
            backward.update(targets)
        broken = {key for (key,) in self._connection.execute("SELECT key FROM watched WHERE misses > 0")}
        keys = table.key.tolist()
        values = [(0 if key in broken else forward.get(key, 0)) - backward[key] for key in keys]
        standing = np.where([key in broken for key in keys], Availability.BROKEN, table.standing)
        return replace(table, pvalue=np.array(values, np.float64), standing=standing)

    def candidates(self, keys: Iterable[int]) -> Sequence[Candidate]:
        """Return the candidate for a revisit of each page under watch, in this order."""
        query = (
            "SELECT watched.url, visit.url, candidate FROM watched LEFT JOIN page USING (key)"
            " LEFT JOIN visit ON number = page.visit WHERE watched.key = ?"
        )
        rows = (self._connection.execute(query, (key,)).fetchone() for key in keys)
        return [_candidate(*row) for row in rows]

    def trust(self, host: str) -> Trust:
        """Return what a host's own word was worth so far."""
        query = "SELECT right, wrong, lies, fickle FROM trust WHERE host = ?"
        row = self._connection.execute(query, (host,)).fetchone()
        return Trust(*row) if row else Trust()

    def hint(self, source: Url, dates: Iterable[tuple[Url, float]]) -> None:
        """Note when pages changed last, by the word of a sitemap or feed; it is worth a revisit itself."""
        rows = [(at, key_of(url)) for url, at in dates]
        with self._named:
            self._begin()
            self._connection.executemany("UPDATE watched SET hinted = ? WHERE key = ?", rows)
            raised = "UPDATE watched SET brought = max(brought, revisits + 1) WHERE key = ?"
            self._connection.execute(raised, (key_of(source),))

    def skip(self, urls: Sequence[Url], now: float) -> None:
        """Let pages that may not be asked for wait for their next turn."""
        with self._named:
            self._begin()
            rows = [(now, key_of(url)) for url in urls]
            self._connection.executemany("UPDATE watched SET last = ? WHERE key = ?", rows)

    def mark_told(self, visits: Iterable[int]) -> None:
        """Note that the hook was called for these versions."""
        with self._named:
            self._begin()
            rows = [(visit,) for visit in visits]
            self._connection.executemany("UPDATE version SET told = 1 WHERE visit = ?", rows)

    def revisits_waiting(self) -> int:
        """Return how many revisits wait from an earlier run."""
        query = "SELECT count(*) FROM waiting WHERE revisit"
        return int(self._connection.execute(query).fetchone()[0])

    def calm(self, now: float, longest: float) -> None:
        """Let nothing lie in the future, as it does when a clock was wrong: no rest, no revisit."""
        with self._named:
            self._begin()
            self._connection.execute("UPDATE host SET ready_at = min(ready_at, ?)", (now + longest,))
            self._connection.execute("UPDATE watched SET last = min(last, ?)", (now,))

    def _store_revisit(self, number: int, visit: Visit) -> None:
        state = self.watched(visit.candidate.url)
        if state is None:
            return
        self._check_host(state, visit)
        files.reached(files.BEFORE_VERSION)
        change = visit.change
        kind, substantive = (change.kind.value, change.substantive) if change else ("", False)
        row = (number, key_of(state.url), visit.at, min(state.last, visit.at), kind, substantive)
        self._connection.execute("INSERT INTO revisit VALUES (?,?,?,?,?,?)", row)
        if change and change.kind is not ChangeKind.NOISE:
            self._insert_version(number, visit, state)
        self._update(after_visit(state, visit))
        files.reached(files.AFTER_VERSION)

    def _insert_version(self, number: int, visit: Visit, state: Watched) -> None:
        change = visit.change
        assert change is not None
        page = change.page or state.url
        relevance = visit.relevance if visit.outcome is Outcome.FETCHED else state.relevance
        row = (
            number,
            key_of(page),
            _code(host_of(page)),
            page,
            visit.at,
            min(state.last, visit.at),
            change.kind.value,
            change.substantive,
            change.distance,
            state.relevance,
            relevance,
            change.diff,
            _encode(change.edits),
            0,
        )
        marks = ",".join("?" * len(row))
        self._connection.execute(f"INSERT INTO version VALUES ({marks})", row)

    def _check_host(self, state: Watched, visit: Visit) -> None:
        """Hold what the host said of the page against what we saw."""
        if visit.outcome not in (Outcome.FETCHED, Outcome.UNCHANGED) or is_probe(state, visit):
            return
        trust = self.trust(host_of(state.url))
        changed = visit.change is not None and visit.change.kind is not ChangeKind.NOISE
        if state.hinted:
            agreed = (state.hinted > state.last) == changed
            trust = msgspec.structs.replace(
                trust, right=trust.right + agreed, wrong=trust.wrong + (not agreed)
            )
        if (fetched := visit.fetched) and fetched.status == 200 and state.etag:
            same = fetched.header("etag") == state.etag
            lied = same and changed and state.unmodified >= MOST_UNMODIFIED
            fickle = not same and not changed
            trust = msgspec.structs.replace(trust, lies=trust.lies + lied, fickle=trust.fickle + fickle)
        self._keep_trust(host_of(state.url), trust)

    def _keep_trust(self, host: str, trust: Trust) -> None:
        row = (host, _code(host), *msgspec.structs.astuple(trust))
        self._connection.execute("INSERT OR REPLACE INTO trust VALUES (?,?,?,?,?,?)", row)

    def _trust_rows(self) -> list[tuple[int, int, int, int, int]]:
        return self._connection.execute("SELECT code, right, wrong, lies, fickle FROM trust").fetchall()

    def _credit(self, source: Url, visit: Visit) -> None:
        """Let a page under watch count what a link that appeared on it has led to."""
        if visit.outcome is Outcome.FETCHED and visit.relevance > 0:
            self._connection.execute(
                "UPDATE watched SET brought = brought + ? WHERE key = ? AND revisits > 0",
                (visit.relevance, key_of(source)),
            )

    def _insert(self, states: Sequence[Watched]) -> None:
        names = f"key, host, section, {STATE}"
        marks = ",".join("?" * (names.count(",") + 1))
        rows = [
            (key_of(each.url), _code(host_of(each.url)), _code(section_of(each.url)), *_row(each))
            for each in states
        ]
        self._connection.executemany(f"INSERT OR IGNORE INTO watched ({names}) VALUES ({marks})", rows)

    def _update(self, state: Watched) -> None:
        fields = ", ".join(f"{name.strip()} = ?" for name in STATE.split(","))
        values = (*_row(state), key_of(state.url))
        self._connection.execute(f"UPDATE watched SET {fields} WHERE key = ?", values)


def section_of(url: Url) -> str:
    """Return the part of its site that a page belongs to: its first folder, and whether it is a list."""
    host = host_of(url)
    path = url[len(host) :].partition("?")[0]
    folders = path.split("/")[1:-1]
    return f"{host}/{folders[0] if folders else ''}{'/' if path.endswith('/') else ''}"


def _numbered(codes: Codes) -> tuple[Codes, Codes]:
    """Return the different codes, and each as its number among them: half the memory."""
    different, numbers = np.unique(codes, return_inverse=True)
    return different, numbers.astype(np.int32)


def _code(name: str) -> int:
    """Return 64 bits that stand for a name."""
    return xxh3_64_intdigest(name.encode()) - (1 << 63)


def _row(state: Watched) -> tuple[Any, ...]:
    *values, noise = msgspec.structs.astuple(state)
    return (*values, _encode(noise))


def _candidate(url: str, asked: str, blob: bytes | None) -> Candidate:
    """Return what was asked for the last time, under the page's own address.

    What an author says of one link (nofollow) is no reason to leave a known page alone.
    """
    first = unpack(blob, asked) if blob else Candidate(Url(url))
    via = msgspec.structs.replace(first.via, rel="") if first.via else None
    return msgspec.structs.replace(first, url=Url(url), via=via, redirects=0)
