"""The inputs from which `make fuzz-core` starts are read by the core of every build."""

from hashlib import sha1

import pytest

from tests.fuzz.reader import CORPUS, FULL, SIZE, WANTS, read_input
from thresher.parse.html import SERIALIZED

INPUTS = {file.name: file.read_bytes() for file in sorted(CORPUS.iterdir())}
FORMS = range(2 * FULL)


def test_the_corpus_is_small_and_named_by_hash():
    assert INPUTS
    assert sum(map(len, INPUTS.values())) <= SIZE
    assert [name for name, data in INPUTS.items() if sha1(data).hexdigest() != name] == []


@pytest.mark.parametrize("full", [0, FULL])
def test_every_input_of_the_corpus_is_read_in_texts(full):
    texts = [read_input(bytes([full | data[0] & WANTS]) + data[1:]) for data in INPUTS.values()]
    assert {type(text) for found in texts for text in found} == {str}


def test_the_first_byte_says_what_is_asked_for():
    page = b"<title>T</title><p>word <a href=/n>next</a><script>code</script>"
    whole = read_input(bytes([FULL]) + page)
    assert (whole[:2], whole[-1]) == (["T", "word next"], "next")
    unread = {form for form in FORMS if "word" not in "".join(read_input(bytes([form]) + page))}
    assert unread == {form for form in range(FULL) if form & SERIALIZED}  # turbohtml ends each element


def test_an_input_without_a_byte_is_an_empty_page():
    assert read_input(b"") == read_input(b"\0")
