"""WN-LMF, the exchange format of wordnets: Open English WordNet, Open Multilingual Wordnet."""

import gzip
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element

from thresher.core.errors import BrokenKnowledge
from thresher.knowledge.schema import Writer
from thresher.knowledge.xml import elements

KINDS = {
    "hypernym": "broader",
    "instance_hypernym": "broader",
    "mero_part": "part",
    "mero_member": "part",
    "mero_substance": "part",
    "has_domain_topic": "member",
}


def is_lmf(file: Path) -> bool:
    """Tell whether a file is WN-LMF, by its name and its head."""
    if not file.name.lower().endswith((".xml", ".xml.gz")):
        return False
    with closing(_opened(file)) as opened:
        return b"LexicalResource" in opened.read(2000)


def write_lmf(writer: Writer, file: Path) -> int:
    """Write the nouns of every lexicon in a file; return how many concepts they are.

    The file is read twice: synsets first, so that labels find what other lexicons know by the same ILI.
    """
    identities = {synset.get("id", ""): _write_synset(writer, synset) for synset in _elements(file, "Synset")}
    language = "en"
    for element in _elements(file, "Lexicon", "LexicalEntry"):
        if element.tag == "Lexicon":
            language = element.get("language", "en")[:2].replace("cm", "zh")
        else:
            _write_entry(writer, element, language, identities)
    if not identities:
        raise BrokenKnowledge(str(file), 0, "a WN-LMF file with at least one synset")
    return len(identities)


def _write_synset(writer: Writer, synset: Element) -> str:
    """Write a synset, or join it to the concept that is the same; return the id its labels go to."""
    given = synset.get("id", "")
    shared = synset.get("ili", "").strip()
    offset = _OFFSET.search(given) if given.startswith("omw-") else None
    known = writer.known_as(shared) or (
        f"wn:{offset[0]}" if offset and writer.has(f"wn:{offset[0]}") else None
    )
    if known:
        return known
    gloss = synset.findtext("Definition") or synset.findtext("ILIDefinition") or ""
    writer.concept(
        given, gloss.strip(), synset.get("lexfile") or "noun", shared if shared.startswith("i") else ""
    )
    for relation in synset.iter("SynsetRelation"):
        if kind := KINDS.get(relation.get("relType", "")):
            writer.relation(given, kind, relation.get("target", ""))
    return given


def _write_entry(writer: Writer, entry: Element, language: str, identities: dict[str, str]) -> None:
    lemma = entry.find("Lemma")
    if lemma is None or lemma.get("partOfSpeech") != "n":
        return
    for rank, sense in enumerate(entry.iter("Sense")):
        if identity := identities.get(sense.get("synset", "")):
            writer.labels(identity, language, [lemma.get("writtenForm", "")], rank)


def _elements(file: Path, *names: str) -> Iterator[Element]:
    """Yield the noun synsets or entries of a file, one at a time; a lexicon as soon as it opens."""
    try:
        with closing(_opened(file)) as opened:
            for event, element in elements(file, opened):
                ready = (event == "start") == (element.tag == "Lexicon")
                is_noun = element.tag != "Synset" or element.get("partOfSpeech", "n") == "n"
                if element.tag in names and ready and is_noun:
                    yield element
                if event == "end" and element.tag in ("Synset", "LexicalEntry"):
                    element.clear()
    except (OSError, EOFError):
        raise BrokenKnowledge(str(file), 0, "an XML file, plain or packed with gzip") from None


def _opened(file: Path) -> IO[bytes]:
    return gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


_OFFSET = re.compile(r"\d{8}-n$")
