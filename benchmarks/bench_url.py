"""Prints what the questions to a URL cost, in microseconds per call: the best of five rounds."""

from contextlib import suppress
from timeit import repeat

from thresher.core.errors import InvalidUrl
from thresher.core.url import blocks, host_of, join, key, link_type, parse, registered_domain, tokens

TEXT = "http://www.sports.example.com/2008/Basketball/games.html?season=7&page=2"
PAGE = parse(TEXT)
TARGET = join(PAGE, "../archive/final.html")
CALLS = 20_000


def refused() -> None:
    with suppress(InvalidUrl):
        join(PAGE, "javascript:void(0)")


QUESTIONS = {
    "parse": lambda: parse(TEXT),
    "join, relative": lambda: join(PAGE, "../archive/final.html"),
    "join, absolute": lambda: join(PAGE, "https://www.example.org/news/"),
    "join, with escapes": lambda: join(PAGE, "/%E7%AF%AE%E7%90%83/%7Euser"),
    "join, lower escapes": lambda: join(PAGE, "/%e7%af%ae%e7%90%83/%7euser"),
    "join, refused": refused,
    "host_of": lambda: host_of(PAGE),
    "registered_domain": lambda: registered_domain(PAGE),
    "key, with query": lambda: key(PAGE),
    "key, without query": lambda: key(TARGET),
    "tokens": lambda: tokens(PAGE),
    "blocks": lambda: blocks(PAGE),
    "link_type": lambda: link_type(PAGE, TARGET),
}

if __name__ == "__main__":
    for name, question in QUESTIONS.items():
        print(f"{name:20} {min(repeat(question, number=CALLS, repeat=5)) / CALLS * 1e6:6.2f} us")
