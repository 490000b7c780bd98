"""The tables of the knowledge index, and how a source is written into them."""

import sqlite3
from collections.abc import Iterable

from thresher.text.tokenize import fold, plain_words

SCHEMA = """
CREATE TABLE concept (id TEXT PRIMARY KEY, gloss TEXT NOT NULL, domain TEXT NOT NULL,
                      same TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE label (key TEXT NOT NULL, stem TEXT NOT NULL, form TEXT NOT NULL, language TEXT NOT NULL,
                    concept TEXT NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE relation (source TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL);
CREATE TABLE translation (chinese TEXT NOT NULL, english TEXT NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE page (concept TEXT NOT NULL, language TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL);
CREATE TABLE source (name TEXT PRIMARY KEY, kind TEXT NOT NULL, entries INTEGER NOT NULL);
"""
INDEXES = """
CREATE INDEX IF NOT EXISTS label_key ON label (key);
CREATE INDEX IF NOT EXISTS label_stem ON label (stem);
CREATE INDEX IF NOT EXISTS label_concept ON label (concept);
CREATE INDEX IF NOT EXISTS relation_source ON relation (source);
CREATE INDEX IF NOT EXISTS concept_same ON concept (same);
CREATE INDEX IF NOT EXISTS translation_chinese ON translation (chinese);
CREATE INDEX IF NOT EXISTS translation_english ON translation (english);
"""

OPPOSITE = {"broader": "narrower", "narrower": "broader", "part": "whole", "whole": "part"}
OPPOSITE |= {"member": "domain", "domain": "member", "same": "same", "related": "related"}


def key_of(label: str) -> str:
    """Return the form under which a label is looked up: folded, underscores and hyphens as spaces."""
    return " ".join(fold(label).replace("_", " ").replace("-", " ").split())


def stem_of(label: str) -> str:
    """Return the stems of a label, for looking up a plural or another form of it."""
    return " ".join(plain_words(label.replace("_", " ")))


class Writer:
    """Writes one source into the index; nothing is final until the caller commits."""

    def __init__(self, database: sqlite3.Connection) -> None:
        """Write into an open database."""
        self._database = database

    def concept(self, identity: str, gloss: str, domain: str, same: str = "") -> None:
        """Add a concept; `same` is the identity that other sources may know it by (an ILI)."""
        row = (identity, gloss, domain, same)
        self._database.execute("INSERT OR REPLACE INTO concept VALUES (?, ?, ?, ?)", row)

    def labels(self, concept: str, language: str, forms: Iterable[str], rank: int = 0) -> None:
        """Add what a concept is called; a lower rank means that the word commonly means this concept."""
        rows = [(key_of(form), stem_of(form), form, language, concept, rank) for form in forms if form]
        self._database.executemany("INSERT INTO label VALUES (?, ?, ?, ?, ?, ?)", rows)

    def relation(self, source: str, kind: str, target: str) -> None:
        """Add what the target is to the source, and what the source is to the target."""
        rows = [(source, kind, target), (target, OPPOSITE[kind], source)]
        self._database.executemany("INSERT INTO relation VALUES (?, ?, ?)", rows)

    def translation(self, chinese: str, english: str, rank: int) -> None:
        """Add a translation, the first of an entry with rank 0."""
        row = (key_of(chinese), key_of(english), rank)
        self._database.execute("INSERT INTO translation VALUES (?, ?, ?)", row)

    def page(self, concept: str, language: str, title: str, url: str) -> None:
        """Add an example page somebody remembered; its URL was never opened."""
        self._database.execute("INSERT INTO page VALUES (?, ?, ?, ?)", (concept, language, title, url))

    def known_as(self, same: str) -> str | None:
        """Return the concept another source added under the same shared identity."""
        row = self._database.execute(
            "SELECT id FROM concept WHERE same = ? AND same != ''", (same,)
        ).fetchone()
        return str(row[0]) if row else None

    def has(self, concept: str) -> bool:
        """Tell whether the index has a concept."""
        return self._database.execute("SELECT 1 FROM concept WHERE id = ?", (concept,)).fetchone() is not None

    def source(self, name: str, kind: str, entries: int) -> None:
        """Note that a source is in the index now."""
        self._database.execute("INSERT OR REPLACE INTO source VALUES (?, ?, ?)", (name, kind, entries))
