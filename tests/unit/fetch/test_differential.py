"""Our reader of HTTP beside h11's and aiohttp's: where all read a message, all read the same one."""

from itertools import islice
from random import Random

import pytest

from tests.fuzz.mutation import mutated
from tests.fuzz.peers import REFUSED, by_aiohttp, by_h11, disagreement, ours
from tests.fuzz.responses import RESPONSES

ONLY_OTHERS = {  # what we refuse and another client reads, and why
    "in chunks twice": "nobody sends it but to confuse",
    "in chunks on two lines": "nobody sends it but to confuse",
    "in chunks first": "where the chunks end is not told",
    "in chunks and VT": "a strict peer reads another message",
    "in chunks and NBSP": "a strict peer reads another message",
    "in a coding nobody knows": "its body cannot be read",
    "of version 1.2": "there is none",
    "with a control in the reason": "it would come back in our archive",
    "with a control in a value": "it would come back in our requests",
    "with a first line that is folded": "it goes on with no line",
}


def test_there_are_enough_of_them():
    assert len(RESPONSES) >= 80


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_is_read_as_others_read_it(name):
    data = RESPONSES[name]
    for size in (1, 2, 3, 7, 100):
        assert disagreement(data, size) == ""


@pytest.mark.parametrize("name", RESPONSES)
def test_what_others_read_whole_we_read_too(name):
    data = RESPONSES[name]
    refused = ours(data) == REFUSED and any(peer(data).whole for peer in (by_h11, by_aiohttp))
    assert refused == (name in ONLY_OTHERS)


def test_a_thousand_changed_responses_are_read_as_others_read_them():
    """`make fuzz` reads 200,000."""
    random = Random(1)
    for data in islice(mutated(list(RESPONSES.values()), random), 1_000):
        assert disagreement(data, random.randint(1, 60)) == "", data
