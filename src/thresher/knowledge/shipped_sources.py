"""The knowledge that comes with the package: the taxonomy of 743 topics, and things known by name."""

import re
from collections.abc import Iterator
from importlib.resources import files

from thresher.knowledge.schema import Writer

TOPIC = "topic"
_BETWEEN_FIELDS = re.compile(r"\s;(?=\s|$)")  # a field may be empty


def write_shipped(writer: Writer) -> None:
    """Write taxonomy, descriptions, example pages, links to WordNet and named things."""
    paths = _write_topics(writer)
    for path, language, title, url, _ in _rows("pages.tsv", 5):
        writer.page(f"topic:{path}", language, title, url)
    for path, wanted in _rows("concepts.tsv", 2):
        if wanted != "-" and path in paths:
            writer.relation(f"topic:{path}", "same", f"?{wanted}")
    writer.source("taxonomy", "topics", len(paths))
    writer.source("entities", "named things", _write_entities(writer))


def _write_topics(writer: Writer) -> set[str]:
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
    for line in _lines("topics.txt"):
        depth = (len(line) - len(line.lstrip(" "))) // 2
        name, chinese, further, abbreviations = [*map(str.strip, _BETWEEN_FIELDS.split(line)), "", "", ""][:4]
        path = [*path[:depth], name]
        yield tuple(path), chinese.split("|"), further.split(","), abbreviations.split(",")


def _compiled(names: list[str], further: list[str]) -> str:
    """Return a gloss for a node nobody described: what it is called, and under what it stands."""
    return f"{', '.join([names[-1], *filter(None, further)])} (under {', '.join(reversed(names[:-1]))})"


def _write_entities(writer: Writer) -> int:
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
    for line in _lines(name):
        row = line.split("\t")
        yield [field.strip() for field in (row + [""] * fields)[:fields]]


def _lines(name: str) -> list[str]:
    text = files("thresher.knowledge").joinpath("shipped", name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
