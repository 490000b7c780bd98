"""A user's own taxonomy: a CSV table of labels, or a SKOS file in Turtle, RDF/XML or N-Triples."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from thresher.core.errors import BrokenKnowledge
from thresher.knowledge.schema import Writer
from thresher.knowledge.shipped_sources import TOPIC

COLUMNS = ("path", "label_en", "label_zh", "further", "abbreviations", "description")
"""The columns of a CSV tree; only `path` is needed ('Sports/Chess'), the others may be left out."""

_SKOS = "http://www.w3.org/2004/02/skos/core#"


def is_tree(file: Path) -> bool:
    """Tell whether a file is a tree we read, by its ending."""
    return file.suffix.lower() in {".csv", ".ttl", ".nt", ".rdf", ".skos"}


def write_tree(writer: Writer, file: Path) -> int:
    """Write a user's tree beside the shipped one; its nodes stand before ours of the same path."""
    if file.suffix.lower() == ".csv":
        return _write_table(writer, file)
    return _write_skos(writer, file)


def _write_table(writer: Writer, file: Path) -> int:
    with file.open(encoding="utf-8-sig", newline="") as opened:
        table = csv.DictReader(opened)
        unknown = set(table.fieldnames or ()) - set(COLUMNS)
        if unknown or "path" not in (table.fieldnames or ()):
            raise BrokenKnowledge(
                str(file), 1, f"the columns {', '.join(COLUMNS)}, of which only path is needed"
            )
        rows = [(table.line_num, row) for row in table]
    for line, row in rows:
        if not (row["path"] or "").strip("/ "):
            raise BrokenKnowledge(str(file), line, "a path such as 'Sports/Chess'")
        _write_node(writer, {name: (value or "").strip() for name, value in row.items() if name})
    return len(rows)


def _write_node(writer: Writer, row: dict[str, str]) -> None:
    """Write a node and the ancestors it needs."""
    parts = [part.strip() for part in row["path"].strip("/").split("/")]
    for depth in range(1, len(parts)):
        _ancestor(writer, parts[:depth])
    identity = f"topic:{'/'.join(parts)}"
    fresh = not writer.has(identity)
    gloss = row.get("description") or f"{parts[-1]} (under {', '.join(reversed(parts[:-1]))})"
    if fresh or row.get("description"):
        writer.concept(identity, gloss, TOPIC)
    writer.labels(identity, "en", [row.get("label_en") or parts[-1].replace("_", " ")])
    writer.labels(identity, "zh", row.get("label_zh", "").split("|"))
    writer.labels(identity, "en", re.split(r"[|,]\s*", row.get("further", "")), rank=1)
    writer.labels(identity, "abbr", re.split(r"[|,]\s*", row.get("abbreviations", "")), rank=2)
    if fresh and len(parts) > 1:
        writer.relation(identity, "broader", f"topic:{'/'.join(parts[:-1])}")


def _ancestor(writer: Writer, parts: list[str]) -> None:
    identity = f"topic:{'/'.join(parts)}"
    if writer.has(identity):
        return
    writer.concept(identity, parts[-1], TOPIC)
    writer.labels(identity, "en", [parts[-1].replace("_", " ")])
    if len(parts) > 1:
        writer.relation(identity, "broader", f"topic:{'/'.join(parts[:-1])}")


def _write_skos(writer: Writer, file: Path) -> int:
    """Write the concepts of a SKOS file: labels in English and Chinese, definitions, and what is broader."""
    facts: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for subject, predicate, value, language in _triples(file):
        facts[subject].append((predicate, value, language))
    concepts = {
        subject: rows for subject, rows in facts.items() if any(name == "prefLabel" for name, _, _ in rows)
    }
    if not concepts:
        raise BrokenKnowledge(str(file), 1, "SKOS concepts with a prefLabel, in Turtle or N-Triples")
    for subject, rows in concepts.items():
        _write_concept(writer, subject, rows, set(concepts))
    return len(concepts)


def _write_concept(writer: Writer, subject: str, rows: list[tuple[str, str, str]], known: set[str]) -> None:
    identity = f"skos:{subject}"
    texts = {name: value for name, value, _ in rows if name in ("definition", "scopeNote")}
    writer.concept(identity, texts.get("definition", texts.get("scopeNote", "")), TOPIC)
    for rank, wanted in enumerate(("prefLabel", "altLabel")):
        for name, value, language in rows:
            if name == wanted:
                writer.labels(identity, "zh" if language.startswith("zh") else "en", [value], rank)
    for name, value, _ in rows:
        if name == "broader" and value in known:
            writer.relation(identity, "broader", f"skos:{value}")


def _triples(file: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield subject, SKOS name, value and language of each statement of a Turtle file."""
    text = re.sub(r"(?m)^\s*#.*$", "", file.read_text(encoding="utf-8"))
    subject = predicate = ""
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        if kind == "end":
            subject = predicate = ""
        elif kind == "next":
            predicate = ""
        elif kind == "literal" and subject and predicate:
            yield subject, predicate, _unescaped(match["text"]), (match["tag"] or "").lower()
        elif kind == "name":
            subject, predicate, value = _placed(subject, predicate, token)
            if value:
                yield subject, predicate, value, ""


def _placed(subject: str, predicate: str, token: str) -> tuple[str, str, str]:
    """Return subject, predicate and value after one more name, in that order."""
    plain = token.strip("<>")
    if not subject:
        return plain, "", ""
    if not predicate:
        return subject, plain.removeprefix(_SKOS).removeprefix("skos:"), ""
    return subject, predicate, plain


def _unescaped(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")


_TOKEN = re.compile(
    r"""(?P<prefix>@(?:prefix|base)[^\n]*\n)
      | (?P<literal>"(?P<text>(?:[^"\\]|\\.)*)"(?:@(?P<tag>[A-Za-z-]+)|\^\^\S+)?)
      | (?P<name><[^>\s]*>|[^\s;,."<>\[\]]+(?:\.[^\s;,."<>\[\]]+)*)
      | (?P<next>;) | (?P<again>,) | (?P<end>\.)""",
    re.VERBOSE,
)
