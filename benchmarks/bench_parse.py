"""Prints what a page costs to parse, in milliseconds of processor time: the best of many rounds."""

from collections.abc import Callable
from random import Random
from time import process_time

import turbohtml

from thresher.core.records import Candidate, Fetched, Url
from thresher.parse import parse
from thresher.parse.charset import decode
from thresher.parse.fingerprint import digest, fingerprint, simhash, text_code
from thresher.parse.html import read
from thresher.parse.links import UrlResolver, links_of

ADDRESS = Url("https://www.example.org/news/2024/basketball/")
SYLLABLES = "ba sket ball ga me sea son play er coach court re bound score team lea gue".split()
ROUNDS = 30


def sentence(random: Random, words: int) -> str:
    return " ".join("".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(words))


def item(random: Random, number: int) -> str:
    href = f"../{number}/{sentence(random, 1)}.html?page={number}"
    return f'<li class="item level-{number % 3}"><a class="link" href="{href}">{sentence(random, 3)}</a></li>'


def paragraph(random: Random) -> str:
    words = [sentence(random, 12) for _ in range(7)]
    words[2] = f"<b>{words[2]}</b>"
    words[4] = f'<span class="note"><i>{words[4]}</i></span>'
    return f'<p class="text">{", ".join(words)}.</p>'


def document(links: int, paragraphs: int) -> bytes:
    """Write a page as they are: a menu, a column of text with links in it, tables, scripts and a footer."""
    random = Random(7)
    menu = "\n".join(item(random, number) for number in range(links * 2 // 3))
    text = "\n".join(paragraph(random) for _ in range(paragraphs))
    cells = "".join(
        f"<tr><td>{n}</td><td>{sentence(random, 2)}</td><td>{n * 7}</td></tr>" for n in range(200)
    )
    related = " ".join(
        f'<div class="card"><img src="/i/{n}.png" alt="{sentence(random, 2)}"><a href="/r/{n}">'
        f"<h3>{sentence(random, 5)}</h3></a><p>{sentence(random, 15)}</p></div>"
        for n in range(links - links * 2 // 3)
    )
    script = f"<script>{'var a = {b: 1};' * 1500}</script>"
    head = f'<meta charset="utf-8"><title>{sentence(random, 6)}</title>{script}'
    column = f"<main><article>{text}<table>{cells}</table></article></main>"
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body><nav id="top"><ul>{menu}</ul></nav>{column}'
        f'<aside id="related">{related}</aside><footer>{sentence(random, 40)}</footer></body></html>'
    ).encode()


def milliseconds(question: Callable[[], object]) -> float:
    """Return the time of the best of many calls."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = process_time()
        question()
        best = min(best, process_time() - started)
    return best * 1e3


def report(name: str, links: int, paragraphs: int) -> None:
    """Print the cost of a page of so many links and paragraphs, as a whole and in parts."""
    body = document(links, paragraphs)
    fetched = Fetched(Candidate(ADDRESS), ADDRESS, 200, (("content-type", "text/html"),), body)
    markup, _ = decode(body)
    reading, page = read(markup), parse(fetched)
    tree = turbohtml.parse(markup, positions=False)
    print(f"{name}: {len(body):,} bytes, {len(reading.tags)} elements, {len(page.links)} links")
    questions: dict[str, Callable[[], object]] = {
        "parse, all of it": lambda: parse(fetched),
        "  bytes to text": lambda: decode(body),
        "  text to reading": lambda: read(markup),
        "    tree alone": lambda: turbohtml.parse(markup, positions=False),
        "    main text alone": tree.main_text,
        "  links": lambda: links_of(ADDRESS, reading.mentions, UrlResolver(ADDRESS), 5000),
        "  fingerprint": lambda: fingerprint(reading.tags, reading.text, reading.main, reading.images),
        "    simhash": lambda: simhash(reading.main),
        "    text code": lambda: text_code(reading.text),
        "    digest": lambda: digest(reading.main),
    }
    for label, question in questions.items():
        print(f"  {label:22} {milliseconds(question):7.3f} ms")


if __name__ == "__main__":
    report("A long page", 144, 95)
    report("A usual page", 79, 25)
    report("A short page", 16, 4)
