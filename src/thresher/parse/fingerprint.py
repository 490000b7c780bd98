"""What a page looks like in a few numbers, so that a later look can tell what changed.

Mali & Meshram's layer 2 compares structure, then text, then images; its codes collide (anagrams, tags alike
in their first and last letters), so a sound form stands beside each: a hash of all tags, a digest of the main
text, and a SimHash whose distance says how much changed.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from unicodedata import normalize

import numpy as np
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from thresher.core.records import Fingerprint

STRUCTURE = 4_096  # start tags spelled out; the hash covers all of them
IMAGES = 500  # images remembered
WORDS = 20_000  # words the SimHash reads
SHINGLE = 3  # words in a row that count as one feature


def fingerprint(tags: Sequence[str], text: str, main: str, images: Iterable[str]) -> Fingerprint:
    """Return the fingerprint of a page from its start tags, texts and the addresses of its images."""
    return Fingerprint(
        structure=structure(tags[:STRUCTURE]),
        tags=xxh3_64_hexdigest("/".join(tags).encode()),
        text_code=text_code(text),
        images=tuple(dict.fromkeys(images))[:IMAGES],
        digest=digest(main),
        simhash=simhash(main),
    )


def structure(tags: Sequence[str]) -> tuple[str, str]:
    """Return the first and the last letters of the start tags in document order (Mali & Meshram, layer 2)."""
    return "".join(tag[0] for tag in tags), "".join(tag[-1] for tag in tags)


def text_code(text: str, legacy: bool = False) -> float:
    """Return the sum of the code points over the number of distinct symbols (Mali & Meshram, layer 2).

    `legacy` repeats the paper's C program: cp1252 bytes read as signed characters, the end of file (-1)
    summed too, only symbols of at least zero counted as distinct, and a quotient in single precision.
    """
    if legacy:
        return _legacy_text_code(text)
    if not text:
        return 0.0
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return int(codes.sum(dtype=np.uint64)) / len(set(text))


def digest(text: str) -> str:
    """Return the BLAKE2b of a text whose white space and Unicode form do not count."""
    return blake2b(" ".join(normalize("NFC", text).split()).encode(), digest_size=16).hexdigest()


def simhash(text: str) -> int:
    """Return 64 bits that differ in few places when two texts differ in few words."""
    words = np.array([_hash(word) for word in _WORD.findall(text.lower())[:WORDS]], dtype=np.uint64)
    if not words.size:
        return 0
    votes = np.unpackbits(_shingles(words).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little").sum(
        axis=0, dtype=np.int64
    )
    majority = np.packbits(2 * votes > max(1, words.size - SHINGLE + 1), bitorder="little")
    return int.from_bytes(majority.tobytes(), "little")


_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


@lru_cache(maxsize=32_768)
def _hash(word: str) -> int:
    return xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))


def _shingles(
    words: "np.ndarray[tuple[int], np.dtype[np.uint64]]",
) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Hash every few words in a row, in their order, with the mixer of SplitMix64."""
    if words.size < SHINGLE:
        words = np.resize(words, SHINGLE)
    mixed = np.zeros(words.size - SHINGLE + 1, dtype=np.uint64)
    for offset in range(SHINGLE):
        mixed = (mixed + words[offset : words.size - SHINGLE + 1 + offset]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(31)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _legacy_text_code(text: str) -> float:
    symbols = np.frombuffer(text.encode("cp1252", "replace"), dtype=np.int8)
    total = int(symbols.sum(dtype=np.int64)) - 1
    distinct = len(set(symbols[symbols >= 0].tolist()))
    return float(np.float32(total) / np.float32(max(1, distinct)))
