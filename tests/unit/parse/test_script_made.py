"""Which pages are taken for made by script."""

import time

import pytest

from thresher.core.records import Candidate, Fetched, Url
from thresher.parse.document import HARDLY, has_script, is_made_by_script, letters_in

SHELL = "<html><head><title>App</title></head><body><div id=root></div><script src=/app.js></script></body>"
WORDS = "honey and wax " * 30


def page(html: str, kind: str = "text/html", status: int = 200) -> Fetched:
    url = Url("http://site.example/")
    return Fetched(Candidate(url), url, status, (("content-type", kind),), html.encode())


def test_a_shell_with_a_script_is_made_by_script():
    assert is_made_by_script(page(SHELL))


@pytest.mark.parametrize(
    "html",
    [
        SHELL.replace("<div id=root>", f"<div id=root>{WORDS}"),
        SHELL.replace("<body>", f"<body><noscript>{WORDS}</noscript>"),
        SHELL.replace("<script src=/app.js></script>", ""),
        SHELL.replace("<script src", '<script type="application/ld+json" src'),
        SHELL.replace("<div id=root>", f"<div id=root>{'养蜂人照看蜂巢。' * 10}"),
    ],
    ids=["text", "text for readers without scripts", "no script", "only data", "seventy Han letters"],
)
def test_a_page_with_text_or_without_a_script_is_not(html):
    assert not is_made_by_script(page(html))


def test_what_nobody_sees_is_no_text():
    hidden = f"<!-- {WORDS} --><style>{WORDS}</style><script>{WORDS}</script><template>{WORDS}</template>"
    assert is_made_by_script(page(SHELL.replace("<body>", f"<body>{hidden}")))


def test_only_pages_that_came_are_looked_at():
    assert not is_made_by_script(page(SHELL, kind="application/json"))
    assert not is_made_by_script(page(SHELL, status=404))
    assert has_script(page(SHELL.replace("<div id=root>", WORDS)))


def test_a_hostile_page_is_looked_at_in_one_pass():
    """A million tags that never close, of the kinds that hide what is in them, end the look at once."""
    assert letters_in(b"<script>" * 200_000, HARDLY) == 0
    assert letters_in(b"<!--" * 400_000, HARDLY) == 0
    assert letters_in(b"<b" * 800_000, HARDLY) == 0


def test_a_page_of_many_tags_or_of_one_long_text_is_looked_at_in_part():
    begun = time.thread_time()
    assert letters_in(b"<b>" * 2_000_000, 200) == 200
    assert letters_in(b" " * 4_000_000 + b"a bee", 200) == 4
    assert letters_in(b"bees " * 2_000_000, 200) >= 200
    assert time.thread_time() - begun < 0.5
