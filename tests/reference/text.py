"""Words, SimHash and letters by Python: the oracles of the native core's loops."""

import re
from functools import cache

import numpy as np
import numpy.typing as npt

from thresher.parse.document import TAGS
from thresher.parse.fingerprint import SHINGLE, SIMHASHED
from thresher.text.languages import PLAIN as PLAIN_LANGUAGE
from thresher.text.tokenize import WordCounts, stems_in, words_by_python

PIECE = 1 << 14  # bytes of text between two tags that are looked at


def words(text: str, language: str = PLAIN_LANGUAGE) -> list[str]:
    """Return the words of a text."""
    return list(words_by_python(text, stems_in(language)))


def word_counts(text: str, language: str = PLAIN_LANGUAGE) -> WordCounts:
    """Return how often each of the words of a text occurs."""
    return WordCounts(words_by_python(text, stems_in(language)))


def simhash(text: str) -> int:
    """Return 64 bits that differ in few places when two texts differ in few words."""
    shingles = _shingles(_word_hashes(text[:SIMHASHED]))
    if not shingles.size:
        return 0
    won = 2 * _votes(shingles) > shingles.size
    return int.from_bytes(np.packbits(won, bitorder="little").tobytes(), "little")


Numbers = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
Kinds = npt.NDArray[np.int8]

_APART, _LETTER, _IDEOGRAPH = 0, 1, 2
_PUNCTUATION = (
    *((0x00, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0xBF), (0x2000, 0x206F), (0x3000, 0x3004)),
    *((0x3008, 0x3020), (0xFE30, 0xFE6F), (0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF5B, 0xFF65)),
)
_IDEOGRAPHS = ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


@cache
def _alphabet() -> Kinds:
    """Sort all code points into what stands between words, letters, and words of their own.

    Ranges and not Python's tables: those change with its version, and a fingerprint must not.
    """
    alphabet = np.full(0x110000, _LETTER, dtype=np.int8)
    for kind, ranges in ((_APART, _PUNCTUATION), (_IDEOGRAPH, _IDEOGRAPHS)):
        for first, last in ranges:
            alphabet[first : last + 1] = kind
    return alphabet


@cache
def _powers(base: int) -> Numbers:
    powers = np.full(SIMHASHED, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers)


_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2**64
_INVERSE = pow(_BASE, -1, 2**64)
_PLACES = np.arange(8, dtype=np.uint64)[:, None, None]
_ONE_A_BYTE = np.uint64(0x0101010101010101)
_ASCII = bytes(range(128))
_CLASSES = bytes(48) + b"\1" * 10 + bytes(7) + b"\1" * 26 + bytes(6) + b"\1" * 26 + bytes(133)  # of ASCII


def _word_hashes(text: str) -> Numbers:
    """Hash every word of a text at once: differences of one running polynomial, moved to the origin."""
    codes, kinds = _plain(text) if _is_plain(text) else _mixed(text)
    letters = kinds == _LETTER
    (borders,) = (letters[1:] != letters[:-1]).nonzero()
    starts, ends = borders[::2], borders[1::2]
    if codes.itemsize > 1 and (alone := (kinds[1:-1] == _IDEOGRAPH).nonzero()[0]).size:
        starts, ends = np.sort(np.append(starts, alone)), np.sort(np.append(ends, alone + 1))
    running = np.empty(codes.size + 1, dtype=np.uint64)
    running[0] = 0
    np.add.accumulate(codes * _powers(_BASE)[: codes.size], out=running[1:])
    return _mix((running[ends] - running[starts]) * _powers(_INVERSE)[starts])


def _is_plain(text: str) -> bool:
    """Tell whether all characters of a text outside ASCII stand between words."""
    return text.isascii() or all(_alphabet()[ord(each)] == _APART for each in set(_foreign(text)))


def _plain(text: str) -> tuple[Codes, Kinds]:
    """Return the characters of a text, and their kinds between two that stand for its ends."""
    plain = text.encode("ascii", "replace")  # a question mark, too, stands between words
    return np.frombuffer(plain, np.uint8), np.frombuffer(b"\0%b\0" % plain.translate(_CLASSES), np.int8)


def _mixed(text: str) -> tuple[Codes, Kinds]:
    """Return the same for a text with letters beyond ASCII; an ideograph is a word of its own."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = np.zeros(codes.size + 2, np.int8)
    _alphabet().take(codes, out=kinds[1:-1], mode="clip")
    return codes, kinds


def _shingles(words: Numbers) -> Numbers:
    """Hash every few words in a row, in their order; a shorter text is one shingle."""
    size = min(SHINGLE, words.size)
    count = words.size - size + 1 if size else 0
    shingles = np.zeros(count, dtype=np.uint64)
    for offset in range(size):
        shingles = shingles * np.uint64(_BASE) + words[offset : offset + count]
    return _mix(shingles)


def _votes(numbers: Numbers) -> npt.NDArray[np.uint64]:
    """Return how many numbers have each of 64 bits, of up to 255 of them counted in the bytes of one."""
    rows = np.zeros((-(-numbers.size // 255), 255), dtype=np.uint64)
    rows.reshape(-1)[: numbers.size] = numbers
    counts = ((rows >> _PLACES) & _ONE_A_BYTE).sum(axis=2)
    votes: npt.NDArray[np.uint64] = counts.view(np.uint8).reshape(8, -1, 8).sum(axis=1).T.ravel()
    return votes


def _mix(numbers: Numbers) -> Numbers:
    """Spread every bit over all 64, as SplitMix64 does."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers ^= numbers >> np.uint64(30)
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    numbers ^= numbers >> np.uint64(27)
    numbers *= np.uint64(0x94D049BB133111EB)
    numbers ^= numbers >> np.uint64(31)
    return numbers


def _foreign(text: str) -> str:
    """Return the characters of a text outside ASCII."""
    encoded = text.encode("utf-8", "surrogatepass")
    return encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")


def letters_in(markup: bytes, most: int) -> int:
    """Return how many letters a reader sees, or the first number above `most` that is found."""
    at, count = 0, 0
    for _ in range(TAGS):
        if at >= len(markup) or count >= most:
            return count
        opened = markup.find(b"<", at, at + PIECE)
        text = markup[at : at + PIECE] if opened < 0 else markup[at:opened]
        count += sum(map(len, _LETTERS.findall(_ENTITY.sub(b"", text))))
        at = at + PIECE if opened < 0 else _behind(markup, opened)
    return most  # nobody makes so many tags by hand, or by script, to show nothing


def _behind(markup: bytes, opened: int) -> int:
    """Return where text may go on behind a tag, a comment, or an element that nobody sees."""
    found = _TAG.match(markup, opened)
    if found is None:
        return opened + 1
    if found[1] is None:
        end = markup.find(b"-->", opened) + 2
        return end + 1 if end > 1 else len(markup)
    if found[1].lower() in _HIDDEN and markup[opened + 1] != ord("/"):
        return _closing(markup, found.end(), found[1].lower())
    return markup.find(b">", opened) + 1 or len(markup)


def _closing(markup: bytes, at: int, name: bytes) -> int:
    """Return where an element that holds no other is closed, or the end."""
    while (at := markup.find(b"</", at)) >= 0:
        at += 2
        if markup[at : at + len(name)].lower() == name:
            return at
    return len(markup)


_HIDDEN = frozenset({b"script", b"style", b"template", b"svg", b"title"})
_TAG = re.compile(rb"<(?:!--|/?([a-z][a-z0-9-]*))", re.IGNORECASE)
_LETTERS = re.compile(rb"[0-9A-Za-z\x80-\xff]+")
_ENTITY = re.compile(rb"&[#0-9A-Za-z]{1,31};")
