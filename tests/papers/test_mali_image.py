"""Mali & Meshram 2011, layer 2, change in image: the words, the fold and the determinant, worked."""

import random
import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from tests.stopwatch import MOMENT, cpu_seconds
from thresher.core.records import Candidate, Fetched, Url
from thresher.parse import parse
from thresher.parse.fingerprint import (
    determinant,
    folded,
    image_code,
    image_fingerprint,
    likeness,
    two_tone,
    words,
)


def drawn(size, rule):
    return [[int(rule(row, column)) for column in range(size)] for row in range(size)]


def checkerboard(row, column):
    return (row + column) % 2


def waves(row, column):
    return (row * row + 3 * column) % 7 < 3


def blank(row, column):
    return 0


def png(pixels) -> bytes:
    """A grey picture as a PNG file, written by hand."""
    rows = b"".join(b"\0" + bytes(255 * pixel for pixel in row) for row in pixels)
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


@pytest.mark.parametrize(
    ("size", "rule", "first_row", "ival"),
    [
        (16, checkerboard, ["5555"], 524280),
        (16, waves, ["952A"], 575884),
        (16, blank, ["0000"], 0),
        (32, checkerboard, ["5555", "5555"], 0),
        (32, waves, ["952A", "54A9"], 4598857733),
        (32, blank, ["0000", "0000"], 0),
        (64, checkerboard, ["5555"] * 4, 0),
        (64, waves, ["952A", "54A9", "52A5", "4A95"], 0),
        (64, blank, ["0000"] * 4, 0),
    ],
)
def test_sixteen_pixels_are_a_word_and_the_folded_words_a_determinant(size, rule, first_row, ival):
    """Section 3.2, 'Change in Image': n = 2^x, 2^4 elements at a time, a 4 digit hexadecimal number."""
    rows = words(drawn(size, rule))
    assert [f"{word:04X}" for word in rows[0]] == first_row
    assert determinant(folded(rows)) == ival


def test_a_picture_file_is_scaled_and_made_two_tone():
    assert image_code(png(drawn(16, waves))) == 575884
    assert image_code(png(drawn(16, checkerboard))) == 524280
    assert image_code(png(drawn(64, blank))) == 0


def test_two_tone_is_brighter_than_the_mean_or_not():
    assert two_tone([[0, 200], [100, 100]]) == [[0, 1], [0, 0]]


def test_a_changed_pixel_changes_the_code_at_sixteen_pixels_and_is_lost_on_a_blank_at_thirty_two():
    """A change is invisible wherever its cofactor is 0, so a larger n sees less: the default is 16."""
    for size, seen in ((16, True), (32, False)):
        before, after = drawn(size, blank), drawn(size, blank)
        after[3][5] = 1
        codes = [determinant(folded(words(each))) for each in (before, after)]
        assert (codes[0] != codes[1]) is seen


def test_swapped_rows_look_the_same_to_the_code_but_not_to_the_sound_hash():
    pixels = drawn(16, waves)
    swapped = [pixels[1], pixels[0], *pixels[2:]]
    assert image_code(png(pixels)) == image_code(png(swapped))
    assert parsed(png(pixels)).digest != parsed(png(swapped)).digest


def test_likeness_hardly_changes_when_the_picture_hardly_does():
    draw = random.Random("picture")
    blocks = [[draw.randrange(2) for _ in range(9)] for _ in range(8)]
    pixels = [[blocks[row // 8][column // 8] for column in range(72)] for row in range(64)]
    touched = [list(row) for row in pixels]
    touched[20][20] = 1 - touched[20][20]
    other = [list(row) for row in reversed(pixels)]
    one, near, far = (likeness(png(each)) or 0 for each in (pixels, touched, other))
    assert (one ^ near).bit_count() <= 4 < (one ^ far).bit_count()


def test_what_is_no_picture_has_no_code():
    for body in (b"", b"no picture", b"\x89PNG\r\n\x1a\n broken", png(drawn(16, waves))[:60]):
        assert image_code(body) is None
        assert likeness(body) is None


def test_a_picture_that_claims_to_be_huge_is_not_unpacked():
    small = png(drawn(16, waves))
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 0, 0, 0, 0)
    crc = struct.pack(">I", zlib.crc32(b"IHDR" + header))
    assert image_code(small[:16] + header + crc + small[33:]) is None


def test_determinants_are_exact_beyond_what_floats_hold():
    big = 2**40 + 1
    assert determinant([[big, 1], [1, big]]) == big * big - 1
    assert determinant([[0, 2], [3, 4]]) == -6
    assert determinant([[0, 1, 2], [1, 0, 3], [4, -3, 8]]) == -2


def parsed(body: bytes):
    url = Url("http://a.com/logo.png")
    return parse(Fetched(Candidate(url), url, 200, (("content-type", "image/png"),), body)).fingerprint


def test_a_picture_that_was_fetched_has_its_code_in_its_fingerprint():
    found = parsed(png(drawn(16, waves)))
    assert found.image_code == "575884"
    assert found.likeness
    assert len(found.digest) == 32


def test_a_small_file_that_unpacks_to_a_huge_picture_is_not_unpacked():
    """5,000 x 5,000 black pixels are 73 kB, and took 0.6 s and 119 MB."""
    file = BytesIO()
    Image.new("RGB", (5_000, 5_000)).save(file, "PNG")
    body = file.getvalue()
    assert cpu_seconds(lambda: image_fingerprint(body)) < MOMENT
    assert image_fingerprint(body).image_code == ""


def test_a_large_photograph_is_unpacked_no_larger_than_is_needed():
    file = BytesIO()
    Image.effect_noise((4_000, 3_000), 50).save(file, "JPEG")
    assert image_code(file.getvalue()) is not None
