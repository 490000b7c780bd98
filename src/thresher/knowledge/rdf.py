"""RDF statements out of Turtle, N-Triples and RDF/XML: as much of them as a SKOS tree is made of."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from thresher.core.errors import BrokenKnowledge
from thresher.knowledge.xml import elements

Statement = tuple[str, str, str, str]
"""Subject, name of the property (SKOS names without their prefix), value, language of a literal."""

SKOS = "http://www.w3.org/2004/02/skos/core#"


def statements(file: Path) -> Iterator[Statement]:
    """Yield the statements of a file, in whichever of the forms it is written."""
    return _xml(file) if is_rdf_xml(file) else _turtle(file)


def is_rdf_xml(file: Path) -> bool:
    """Tell whether a file is RDF/XML, by its head."""
    with file.open("rb") as opened:
        return b"rdf:RDF" in opened.read(4096)


def _xml(file: Path) -> Iterator[Statement]:
    """Yield the statements of RDF/XML, in which nodes and properties take turns."""
    stack: list[Element] = []
    subjects: list[str] = []
    base = ""
    with file.open("rb") as opened:
        for event, element in elements(file, opened):
            if event == "end":
                stack.pop()
                if len(stack) % 2:
                    subjects.pop()
                elif stack:
                    yield from _literal(subjects[-1], element)
                if len(stack) == 1:
                    element.clear()
                continue
            base = element.get(_BASE, base) if not stack else base
            if len(stack) % 2:
                subjects.append(_subject(element, base))
                yield from _nested(subjects, stack[-1])
            elif stack:
                yield from _resource(subjects[-1], element, base)
            stack.append(element)


def _subject(node: Element, base: str) -> str:
    """Return what a node is about; one without a name is known by nobody else."""
    if (about := node.get(f"{_RDF}about")) is not None:
        return urljoin(base, about)
    if identity := node.get(f"{_RDF}ID"):
        return urljoin(base, f"#{identity}")
    return f"_:{node.get(f'{_RDF}nodeID', id(node))}"


def _nested(subjects: list[str], within: Element) -> Iterator[Statement]:
    """Yield that the node before the last has the last one for the value of the property it stands in."""
    if len(subjects) > 1:
        yield subjects[-2], _name(within), subjects[-1], ""


def _resource(subject: str, element: Element, base: str) -> Iterator[Statement]:
    if (resource := element.get(f"{_RDF}resource")) is not None:
        yield subject, _name(element), urljoin(base, resource), ""


def _literal(subject: str, element: Element) -> Iterator[Statement]:
    if not len(element) and (text := (element.text or "").strip()):
        yield subject, _name(element), text, element.get(_LANGUAGE, "").lower()


def _name(element: Element) -> str:
    return element.tag.replace("{", "").replace("}", "").removeprefix(SKOS)


def _turtle(file: Path) -> Iterator[Statement]:
    """Yield the statements of Turtle, of which N-Triples is the plainest form."""
    try:
        text = re.sub(r"(?m)^\s*#.*$", "", file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise BrokenKnowledge(str(file), 1, "text in UTF-8") from None
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
        return subject, plain.removeprefix(SKOS).removeprefix("skos:"), ""
    return subject, predicate, plain


def _unescaped(text: str) -> str:
    plain = re.sub(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})", lambda m: chr(int(m[1] or m[2], 16)), text)
    return plain.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")


_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_TOKEN = re.compile(
    r"""(?P<prefix>@(?:prefix|base)[^\n]*\n)
      | (?P<literal>"(?P<text>(?:[^"\\]|\\.)*)"(?:@(?P<tag>[A-Za-z-]+)|\^\^\S+)?)
      | (?P<name><[^>\s]*>|[^\s;,."<>\[\]]+(?:\.[^\s;,."<>\[\]]+)*)
      | (?P<next>;) | (?P<again>,) | (?P<end>\.)""",
    re.VERBOSE,
)
