"""What a page looks like in a few numbers, so that a later look can tell what changed.

Mali & Meshram's layer 2 compares structure, then text, then images; its codes collide (anagrams, tags alike
in their first and last letters), so a sound form stands beside each: a hash of all tags, a digest of the main
text, and a SimHash whose distance says how much changed.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from unicodedata import normalize

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_hexdigest

from thresher.core.records import Fingerprint

STRUCTURE = 4_096  # start tags spelled out; the hash covers all of them
IMAGES = 500  # images remembered
SIMHASHED = 200_000  # characters the SimHash reads
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
    codes = _code_points(text)
    seen = np.zeros(int(codes.max()) + 1, dtype=np.bool_)
    seen[codes] = True
    return int(codes.sum(dtype=np.uint64)) / int(np.count_nonzero(seen))


def digest(text: str) -> str:
    """Return the BLAKE2b of a text whose white space and Unicode form do not count."""
    return blake2b(" ".join(normalize("NFC", text).split()).encode(), digest_size=16).hexdigest()


def simhash(text: str) -> int:
    """Return 64 bits that differ in few places when two texts differ in few words."""
    shingles = _shingles(_word_hashes(_code_points(text[:SIMHASHED])))
    if not shingles.size:
        return 0
    bits = np.unpackbits(shingles.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    votes = bits.sum(axis=0, dtype=np.int64)
    return int.from_bytes(np.packbits(2 * votes > shingles.size, bitorder="little").tobytes(), "little")


Numbers = npt.NDArray[np.uint64]
_APART, _LETTER, _IDEOGRAPH = 0, 1, 2


_PUNCTUATION = (
    *((0x00, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0xBF), (0x2000, 0x206F), (0x3000, 0x3004)),
    *((0x3008, 0x3020), (0xFE30, 0xFE6F), (0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF5B, 0xFF65)),
)
_IDEOGRAPHS = ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


def _alphabet() -> npt.NDArray[np.uint8]:
    """Sort all code points into what stands between words, letters, and words of their own.

    Ranges and not Python's tables: those change with its version, and a fingerprint must not.
    """
    alphabet = np.full(0x110000, _LETTER, dtype=np.uint8)
    for kind, ranges in ((_APART, _PUNCTUATION), (_IDEOGRAPH, _IDEOGRAPHS)):
        for first, last in ranges:
            alphabet[first : last + 1] = kind
    return alphabet


_ALPHABET = _alphabet()


def _code_points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _word_hashes(codes: npt.NDArray[np.uint32]) -> Numbers:
    """Hash every word of a text at once: the sum of its letters, each mixed with its position in the word."""
    kinds = _ALPHABET[codes]
    begins = kinds == _IDEOGRAPH
    begins |= (kinds == _LETTER) & (np.concatenate(([_APART], kinds[:-1])) != _LETTER)
    inside = kinds != _APART
    starts = np.flatnonzero(begins[inside])
    if not starts.size:
        return np.empty(0, dtype=np.uint64)
    letters = codes[inside].astype(np.uint64)
    lengths = np.diff(starts, append=letters.size)
    positions = np.arange(letters.size, dtype=np.uint64) - np.repeat(starts, lengths).astype(np.uint64)
    return np.add.reduceat(_mix(letters + (positions << np.uint64(32))), starts)


def _shingles(words: Numbers) -> Numbers:
    """Hash every few words in a row, in their order; a shorter text is one shingle."""
    size = min(SHINGLE, words.size)
    count = words.size - size + 1 if size else 0
    shingles = np.zeros(count, dtype=np.uint64)
    for offset in range(size):
        shingles = _mix(shingles + words[offset : offset + count])
    return shingles


def _mix(numbers: Numbers) -> Numbers:
    """Spread every bit over all 64, as SplitMix64 does."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _legacy_text_code(text: str) -> float:
    symbols = np.frombuffer(text.encode("cp1252", "replace"), dtype=np.int8)
    total = int(symbols.sum(dtype=np.int64)) - 1
    distinct = len(set(symbols[symbols >= 0].tolist()))
    return float(np.float32(total) / np.float32(max(1, distinct)))
