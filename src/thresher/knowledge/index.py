"""The knowledge index: one SQLite file, opened in milliseconds, that answers what words mean."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from importlib.resources import files
from pathlib import Path

from thresher.core.errors import SettingsError
from thresher.core.records import Concept, Neighbour
from thresher.text.chinese import pinyin
from thresher.text.tokenize import fold, plain_words

# The tables, and how a source is written into them


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


class IndexWriter:
    """Writes one source into the index; nothing is final until the caller commits."""

    def __init__(self, database: sqlite3.Connection) -> None:
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
        """Add an example page from the source; its URL was never opened."""
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


# Shipped: the taxonomy of 747 topics, and names


TOPIC = "topic"
_BETWEEN_FIELDS = re.compile(r"\s;(?=\s|$)")  # a field may be empty


def write_shipped(writer: IndexWriter) -> None:
    """Write taxonomy, descriptions, example pages, links to WordNet and named things."""
    paths = _write_topics(writer)
    for path, language, title, url, _ in _rows("pages.tsv", 5):
        writer.page(f"topic:{path}", language, title, url)
    for path, wanted in _rows("concepts.tsv", 2):
        if wanted != "-" and path in paths:
            writer.relation(f"topic:{path}", "same", f"?{wanted}")
    writer.source("taxonomy", "topics", len(paths))
    writer.source("entities", "named things", _write_entities(writer))


def _write_topics(writer: IndexWriter) -> set[str]:
    described = {path: (english, chinese) for path, english, chinese in _rows("descriptions.tsv", 3)}
    paths: set[str] = set()
    for path, chinese, further, abbreviations in _tree():
        identity = f"topic:{'/'.join(path)}"
        names = [part.replace("_", " ") for part in path]
        gloss = " ".join(described.get("/".join(path), (_compiled(names, further),)))
        writer.concept(identity, gloss, TOPIC)
        writer.labels(identity, "en", [names[-1]])
        writer.labels(identity, "zh", chinese)
        writer.labels(identity, "en", further, rank=1)
        writer.labels(identity, "abbr", abbreviations, rank=2)
        if len(path) > 1:
            writer.relation(identity, "broader", f"topic:{'/'.join(path[:-1])}")
        paths.add("/".join(path))
    return paths


def _tree() -> Iterator[tuple[tuple[str, ...], list[str], list[str], list[str]]]:
    """Yield each node: its path, Chinese labels, further English labels, abbreviations."""
    path: list[str] = []
    for line in _shipped_lines("topics.txt"):
        depth = (len(line) - len(line.lstrip(" "))) // 2
        name, chinese, further, abbreviations = [*map(str.strip, _BETWEEN_FIELDS.split(line)), "", "", ""][:4]
        path = [*path[:depth], name]
        yield tuple(path), chinese.split("|"), further.split(","), abbreviations.split(",")


def _compiled(names: list[str], further: list[str]) -> str:
    """Return a gloss for a node without description: what it is called, and under what it stands."""
    return f"{', '.join([names[-1], *filter(None, further)])} (under {', '.join(reversed(names[:-1]))})"


def _write_entities(writer: IndexWriter) -> int:
    entries = 0
    for name, english, chinese, broader, gloss in _rows("entities.tsv", 5):
        identity = f"ext:{name}"
        writer.concept(identity, gloss, broader.partition("@")[2])
        writer.labels(identity, "en", english.split("|"))
        writer.labels(identity, "zh", chinese.split("|"))
        writer.relation(identity, "broader", f"?{broader}")
        entries += 1
    return entries


def _rows(name: str, fields: int) -> Iterator[list[str]]:
    for line in _shipped_lines(name):
        row = line.split("\t")
        yield [field.strip() for field in (row + [""] * fields)[:fields]]


def _shipped_lines(name: str) -> list[str]:
    text = files("thresher.knowledge").joinpath("shipped", name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


MOST_SENSES = 40


def knowledge_file() -> Path:
    """Return where the user's knowledge lives: THRESHER_KNOWLEDGE, or the user's data folder."""
    if chosen := os.environ.get("THRESHER_KNOWLEDGE"):
        return Path(chosen)
    local = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".local/share"
    return Path(local) / "thresher" / "knowledge.db"


def open_knowledge(file: Path | None = None) -> "Index":
    """Return the user's index, or the shipped knowledge alone where nothing was added."""
    file = file or knowledge_file()
    if not file.exists():
        return shipped_knowledge()
    try:
        database = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        database.execute("SELECT 1 FROM source LIMIT 1")
    except sqlite3.DatabaseError:
        database.close()
        raise SettingsError(f"{file} is no knowledge index; remove it and add its sources again.") from None
    return Index(database)


def shipped_knowledge() -> "Index":
    """Return what comes with the package, indexed in memory when the first question is asked."""
    return Index(sqlite3.connect(":memory:", check_same_thread=False), create)


def create(database: sqlite3.Connection) -> None:
    """Make an empty database into an index of the shipped knowledge."""
    database.executescript(SCHEMA)
    write_shipped(IndexWriter(database))
    database.executescript(INDEXES)
    database.commit()


class Index:
    """The Lexicon over an open index; it only reads, and is to be closed."""

    def __init__(
        self, database: sqlite3.Connection, fill: Callable[[sqlite3.Connection], None] | None = None
    ) -> None:
        """Read from an open database, which is to be filled before the first question if need be."""
        self._opened, self._fill = database, fill

    def __enter__(self) -> "Index":
        """Be closed at the end of a with statement."""
        return self

    def __exit__(self, *error: object) -> None:
        """Let go of the file."""
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._opened.close()

    @property
    def _database(self) -> sqlite3.Connection:
        if self._fill:
            self._fill(self._opened)
            self._fill = None
        return self._opened

    def senses(self, phrase: str) -> Sequence[Concept]:
        """Return the concepts a word or phrase may mean, the commonest first, through translations too."""
        found = self._named(phrase)
        for translation in self.translations(phrase) if not phrase.isascii() else ():
            found += [concept for concept in self._headed(translation) if concept not in found]
        return [concept for identity in found[:MOST_SENSES] if (concept := self.concept(identity))]

    def neighbours(self, concept: str) -> Sequence[Neighbour]:
        """Return the concepts beside one; what only WordNet knows is left out while it is not there."""
        rows = self._rows("SELECT kind, target FROM relation WHERE source = ? ORDER BY rowid", concept)
        resolved = ((kind, self._resolve(target)) for kind, target in rows)
        return [Neighbour(kind, beside) for kind, beside in resolved if beside]

    def path(self, concept: str) -> Sequence[Concept]:
        """Return the way from the top of the taxonomy to a node."""
        node = self.concept(concept)
        if node is None or node.domain != TOPIC:
            return []
        above = [
            n.concept.id
            for n in self.neighbours(concept)
            if n.kind == "broader" and n.concept.domain == TOPIC
        ]
        return [*(self.path(above[0]) if above else ()), node]

    def below(self, node: str = "") -> Sequence[Concept]:
        """Return the nodes under a node of the taxonomy; those at the top for none."""
        if node:
            beside = (n.concept for n in self.neighbours(node) if n.kind == "narrower")
            return [concept for concept in beside if concept.domain == TOPIC]
        rows = self._rows("SELECT id FROM concept WHERE domain = ? AND instr(id, '/') = 0 ORDER BY id", TOPIC)
        return [concept for (identity,) in rows if (concept := self.concept(identity))]

    def nodes(self, label: str) -> Sequence[Concept]:
        """Return the nodes of that label or path: main labels first, high nodes before deep ones."""
        *above, last = (key_of(part) for part in label.strip("/").split("/"))
        rows = self._rows(
            "SELECT DISTINCT concept, rank FROM label JOIN concept ON concept.id = label.concept"
            " WHERE key = ? AND domain = ? AND language != 'abbr'",
            last,
            TOPIC,
        )
        ranked = sorted(
            (rank, len(path), path[-1].id)
            for identity, rank in rows
            if _fits(path := self.path(identity), above)
        )
        return [
            concept
            for identity in dict.fromkeys(entry[2] for entry in ranked)
            if (concept := self.concept(identity))
        ]

    def nearest(self, label: str, several: int = 5) -> Sequence[Concept]:
        """Return the nodes whose labels share most letters with one that does not exist."""
        wanted = key_of(label.rpartition("/")[2])
        rows = self._rows(
            "SELECT key, concept FROM label JOIN concept ON concept.id = label.concept WHERE domain = ?",
            TOPIC,
        )
        likeness = sorted((-_likeness(wanted, key), identity) for key, identity in rows)
        best = dict.fromkeys(identity for _, identity in likeness)
        return [concept for identity in list(best)[:several] if (concept := self.concept(identity))]

    def translations(self, phrase: str) -> Sequence[str]:
        """Return the dictionary's translations, in its order."""
        asked, given = ("english", "chinese") if phrase.isascii() else ("chinese", "english")
        rows = self._rows(
            f"SELECT {given} FROM translation WHERE {asked} = ? ORDER BY rank, rowid", key_of(phrase)
        )
        return list(dict.fromkeys(str(row[0]) for row in rows))

    def concept(self, identity: str) -> Concept | None:
        """Return a concept by its id."""
        row = self._database.execute("SELECT gloss, domain FROM concept WHERE id = ?", (identity,)).fetchone()
        if row is None:
            return None
        labels = self._rows(
            "SELECT DISTINCT language, form FROM label WHERE concept = ? ORDER BY rank, rowid", identity
        )
        return Concept(identity, row[0], tuple((language, form) for language, form in labels), row[1])

    def pages(self, identity: str) -> Sequence[tuple[str, str, str]]:
        """Return the example pages remembered for a node: language, title, URL; none was ever opened."""
        return self._rows("SELECT language, title, url FROM page WHERE concept = ?", identity)

    def sources(self) -> Sequence[tuple[str, str, int]]:
        """Return what the index was made from: name, kind and number of entries."""
        return self._rows("SELECT name, kind, entries FROM source ORDER BY rowid")

    def _named(self, phrase: str) -> list[str]:
        """Return the concepts labelled with a phrase, singular or plural, or else with its stem."""
        query = "SELECT concept FROM label WHERE {} = ? AND language != 'abbr' ORDER BY rank, rowid"
        rows = [row for form in _forms(key_of(phrase)) for row in self._rows(query.format("key"), form)]
        if not rows and (stem := stem_of(phrase)):
            rows = self._rows(query.format("stem"), stem)
        return list(dict.fromkeys(identity for (identity,) in rows))

    def _headed(self, phrase: str) -> list[str]:
        """Return the concepts of a phrase, or else of its head: 'Indian azalea' is an azalea."""
        parts = phrase.split()
        tails = (" ".join(parts[start:]) for start in range(len(parts)) if len(parts) <= 3)
        return next((named for tail in tails if (named := self._named(tail))), [])

    def _resolve(self, target: str) -> Concept | None:
        """Return the concept of an id; '?label@hint' is one by label and a part of gloss or domain."""
        if not target.startswith("?"):
            return self.concept(target)
        label, _, hint = target[1:].partition("@")
        named = (concept for identity in self._named(label) if (concept := self.concept(identity)))
        return next(
            (each for each in named if each.domain != TOPIC and hint in f"{each.gloss} {each.domain}"), None
        )

    def _rows(self, query: str, *values: str) -> list[tuple]:  # type: ignore[type-arg]
        return self._database.execute(query, values).fetchall()


def _likeness(wanted: str, key: str) -> float:
    """Return how alike two labels are to the eye; Chinese ones that sound alike are often taken for one."""
    likeness = SequenceMatcher(None, wanted, key).ratio()
    if wanted.isascii() or key.isascii() or not likeness:
        return likeness
    return (likeness + SequenceMatcher(None, pinyin(wanted), pinyin(key)).ratio()) / 2


def _forms(key: str) -> list[str]:
    """Return a key, and what it is in the singular or plural if it is English."""
    if not key.isascii() or len(key) < 3:
        return [key]
    singular = (
        [f"{key[:-3]}y"]
        if key.endswith("ies")
        else [key[:-1], key[:-2]]
        if key.endswith("es")
        else [key[:-1]]
    )
    return [key, *(singular if key.endswith("s") and not key.endswith("ss") else [f"{key}s"])]


def _fits(path: Sequence[Concept], above: list[str]) -> bool:
    """Tell whether the labels written before the last one name ancestors of the node, in order."""
    ancestors = iter([{key_of(form) for _, form in concept.labels} for concept in path[:-1]])
    return bool(path) and all(any(label in forms for forms in ancestors) for label in above)
