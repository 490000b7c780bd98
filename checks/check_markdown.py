"""Recorded pages as Markdown: a reader of Markdown finds no HTML in them, and most of the main text."""

import os
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from checks.check_parse_corpora import archived
from thresher.parse.document import markup_of
from thresher.parse.html import read
from thresher.parse.markdown import markdown

WEBS = ["dev-webkb", "dev-wikispeedia", "dev-zhblogs"]
EVERY = 5  # page: 120 of the first 600
READER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
ENTITY = re.compile(r"(?<!\\)&(?:#\d+|#x[0-9a-f]+|[a-z]+\d*);", re.I)
WORDS = re.compile(r"\w+")


@pytest.mark.parametrize("web", WEBS)
def test_recorded_pages_have_no_tag_and_no_entity_outside_code(web):
    shared = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "corpora"
    kept = wanted = 0
    for fetched in list(archived(shared / web / "pages.warc.gz"))[::EVERY]:
        markup = markup_of(fetched)[0]
        text = markdown(markup)
        tokens = READER.parse(text)
        inline = [child for token in tokens for child in token.children or ()]
        assert [each.content for each in (*tokens, *inline) if each.type.startswith("html")] == [], (
            fetched.url
        )
        code = {each.content for each in (*tokens, *inline) if each.type in ("fence", "code_inline")}
        assert all(any(found in each for each in code) for found in ENTITY.findall(text)), fetched.url
        words = set(WORDS.findall(read(markup).main))
        kept, wanted = kept + len(words.intersection(WORDS.findall(text))), wanted + len(words)
    assert kept > 0.97 * wanted
