"""What a picture looks like: in one number (Mali & Meshram 2011, layer 2), and in a hash of its look.

n      the picture is scaled to n x n pixels, n = 2^x, x = 4, 5, 6; brighter than the mean is 1, the rest 0
word   16 pixels of a row as one number of 4 hexadecimal digits, the leftmost pixel its highest bit
Ival   the determinant of the words

The rows become n x n/16 words, which have no determinant; we add up the 16 rows of each block, which leaves
n/16 x n/16 numbers. A blank band makes the determinant of a larger picture 0 whatever else changes: hence
n = 16, where it is a plain sum. The sound forms are the digest of the bytes and the 64 bits of `likeness`.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from io import BytesIO
from itertools import pairwise
from typing import Any

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
