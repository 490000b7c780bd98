"""What a page looks like in a few numbers, so that a later visit can tell what changed.

Mali & Meshram's layer 2 compares structure, then text, then images; its codes collide (anagrams, tags alike
in their first and last letters), so a sound form stands beside each: a hash of all tags, a digest of the main
text, and a SimHash whose distance says how much changed.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from importlib import import_module
from io import BytesIO
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np
from xxhash import xxh3_64_hexdigest

from thresher.core.optional import CORE
from thresher.core.records import Fingerprint
from thresher.parse.tree import in_utf8

STRUCTURE = 4_096  # start tags spelled out; the hash covers all of them
SIMHASHED = 100_000  # characters the SimHash reads
VERSION = 3  # of what is taken for the main text: 1 was the renderer's own, 2 and 3 are main_text.py
SHINGLE = 3  # words in a row that count as one feature


def fingerprint(
    tags: Sequence[str], text: str, main: str, images: Iterable[str], *, codes: bool = True
) -> Fingerprint:
    """Return the fingerprint of a page from its start tags, texts and the addresses of its images.

    Without `codes`, those of the paper are left out.
    """
    return Fingerprint(
        structure=structure(tags[:STRUCTURE]) if codes else ("", ""),
        tags=xxh3_64_hexdigest("/".join(tags).encode()),
        text_code=text_code(text) if codes else 0.0,
        images=tuple(dict.fromkeys(images)),
        digest=digest(main),
        simhash=simhash(main),
        version=VERSION,
    )


def image_fingerprint(body: bytes) -> Fingerprint:
    """Return the fingerprint of a picture; without a way to look at it, that of its bytes alone."""
    code, likeness = codes(body) or ("", 0)
    return Fingerprint(
        digest=blake2b(body, digest_size=16).hexdigest(), image_code=str(code), likeness=likeness
    )


def structure(tags: Sequence[str]) -> tuple[str, str]:
    """Return the first and the last letters of the start tags in document order (Mali & Meshram, layer 2)."""
    joined = "\n".join(("", *tags, ""))
    if not tags or not joined.isascii():
        return "".join(tag[0] for tag in tags), "".join(tag[-1] for tag in tags)
    letters = np.frombuffer(joined.encode(), np.uint8)
    (between,) = (letters == ord("\n")).nonzero()
    return letters[between[:-1] + 1].tobytes().decode(), letters[between[1:] - 1].tobytes().decode()


def text_code(text: str, legacy: bool = False) -> float:
    """Return the sum of the symbols over the number of distinct ones (Mali & Meshram, layer 2)."""
    symbols = count_symbols(text, legacy)
    code = symbols.total / max(1, symbols.distinct)
    return float(np.float32(code)) if legacy else code


class Symbols(NamedTuple):
    """What a text code is made of."""

    total: int
    length: int
    distinct: int


def count_symbols(text: str, legacy: bool = False) -> Symbols:
    """Return the sum of the code points of a text, how many there are, and how many different ones.

    `legacy` repeats the paper's C program, which reads cp1252 bytes as signed characters, takes the end of
    the file (-1) for one more, and counts only symbols of at least zero as distinct.
    """
    if not legacy:
        foreign = _foreign(text)
        plain = text.encode("ascii", "ignore")
        total = int(np.frombuffer(plain, np.uint8).sum(dtype=np.int64)) + sum(map(ord, foreign))
        return Symbols(total, len(text), 128 - len(_ASCII.translate(None, plain)) + len(set(foreign)))
    signed = np.frombuffer(text.encode("cp1252", "replace"), dtype=np.int8)
    total = int(signed.sum(dtype=np.int64)) - 1
    return Symbols(total, signed.size + 1, int(np.unique(signed[signed >= 0]).size))


def digest(text: str) -> str:
    """Return the BLAKE2b of a text; its white space and its Unicode form do not count."""
    letters = normalize("NFC", text).replace("\xa0", " ").encode().translate(None, b" \t\n\r")
    return blake2b(letters, digest_size=16).hexdigest()


def simhash(text: str) -> int:
    """Return 64 bits that differ in few places when two texts differ in few words."""
    found = CORE.simhash(text, SIMHASHED)
    return simhash(in_utf8(text)) if found is None else found


_ASCII = bytes(range(128))


def _foreign(text: str) -> str:
    """Return the characters of a text outside ASCII."""
    encoded = text.encode("utf-8", "surrogatepass")
    return encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")


# What a picture looks like: in one number (Mali & Meshram 2011, layer 2), and in a hash of its appearance.
#
# n      the picture is scaled to n x n pixels, n = 2^x, x = 4, 5, 6; brighter than the mean is 1, the rest 0
# word   16 pixels of a row as one number of 4 hexadecimal digits, the leftmost pixel its highest bit
# Ival   the determinant of the words
#
# The rows become n x n/16 words, which have no determinant; we add up the 16 rows of each block, which leaves
# n/16 x n/16 numbers. A blank band makes the determinant of a larger picture 0 whatever else changes: hence
# n = 16, where it is a plain sum. The sound forms are the digest of the bytes and the 64 bits of `likeness`.


SIZE = 16
WORD = 16  # pixels
MOST_CLAIMED = 40_000_000  # pixels: a picture that claims more is not looked at
MOST_PIXELS = 4_000_000  # pixels that are unpacked: 40 ms; of a JPEG they are few, whatever its size
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")

Rows = Sequence[Sequence[int]]


def codes(body: bytes) -> tuple[int, int] | None:
    """Return Ival and likeness of a picture that is unpacked once, or None if it cannot be read."""
    picture = _unpacked(body, SIZE)
    return (_code(picture, SIZE), _likeness(picture)) if picture else None


def image_code(body: bytes, size: int = SIZE) -> int | None:
    """Return Ival of a picture, or None if it cannot be read."""
    picture = _unpacked(body, size)
    return _code(picture, size) if picture else None


def likeness(body: bytes) -> int | None:
    """Return 64 bits, few of which differ when pictures look alike: whether a pixel outshines the next."""
    picture = _unpacked(body, SIZE)
    return _likeness(picture) if picture else None


def _code(picture: Any, size: int) -> int:
    return determinant(folded(words(two_tone(_scaled(picture, size, size)))))


def _likeness(picture: Any) -> int:
    bits = [left > right for row in _scaled(picture, 9, 8) for left, right in pairwise(row)]
    return sum(bit << place for place, bit in enumerate(reversed(bits)))


def two_tone(grey: Rows) -> list[list[int]]:
    """Return 1 for every pixel that is brighter than the mean, else 0."""
    mean = sum(map(sum, grey)) / sum(map(len, grey))
    return [[int(pixel > mean) for pixel in row] for row in grey]


def words(pixels: Rows) -> list[list[int]]:
    """Return each row of a two-tone picture as words of 16 pixels."""
    texts = ["".join(map(str, row)) for row in pixels]
    return [[int(text[at : at + WORD], 2) for at in range(0, len(text), WORD)] for text in texts]


def folded(rows: Rows) -> list[list[int]]:
    """Return the sums of the 16 rows of each block: as many rows as columns."""
    return [
        [sum(column) for column in zip(*rows[at : at + WORD], strict=True)]
        for at in range(0, len(rows), WORD)
    ]


def determinant(square: Rows) -> int:
    """Return the determinant of whole numbers, exactly (Bareiss): with n = 64 it passes what floats hold."""
    rows, sign, before = [list(row) for row in square], 1, 1
    for step in range(len(rows) - 1):
        pivot = next((at for at in range(step, len(rows)) if rows[at][step]), None)
        if pivot is None:
            return 0
        if pivot != step:
            rows[step], rows[pivot], sign = rows[pivot], rows[step], -sign
        for below in range(step + 1, len(rows)):
            for right in range(step + 1, len(rows)):
                crossed = rows[below][right] * rows[step][step] - rows[below][step] * rows[step][right]
                rows[below][right] = crossed // before
        before = rows[step][step]
    return sign * rows[-1][-1]


def _unpacked(body: bytes, size: int) -> Any:
    """Return a picture in grey, of a JPEG what suffices for that size; None for what is broken or huge."""
    if not (pillow := _pillow()):
        return None
    try:
        image = pillow.open(BytesIO(body), formats=FORMATS)
        if image.width * image.height > MOST_CLAIMED:
            return None
        image.draft("L", (8 * size, 8 * size))
        return image.convert("L") if image.width * image.height <= MOST_PIXELS else None
    except Exception:  # a broken file may make a decoder raise anything
        return None


def _scaled(picture: Any, width: int, height: int) -> list[list[int]]:
    """Return the pixels of a picture at that size, row by row."""
    pixels = picture.resize((width, height), _pillow().Resampling.BILINEAR).tobytes()
    return [list(pixels[at : at + width]) for at in range(0, len(pixels), width)]


@cache
def _pillow() -> Any:
    """Return Pillow, None without the extra [media]; read only by crawls that look at pictures."""
    try:
        return import_module("PIL.Image")
    except ImportError:
        return None
