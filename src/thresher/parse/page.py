"""From a response to a page: what kind of document it is, its text, its links and its fingerprint."""

import re

from msgspec.structs import replace

from thresher.core.records import Fetched, Page, Url
from thresher.core.url import hostname_of
from thresher.parse.charset import decode
from thresher.parse.feed import read_feed
from thresher.parse.fingerprint import fingerprint, image_fingerprint
from thresher.parse.html import Reading, read
from thresher.parse.indexing import header_rules, verdict
from thresher.parse.links import Resolver, canonical_of, canonicals_in_header, links_of
from thresher.parse.memory import Debt
from thresher.parse.rendering import LONGEST
from thresher.parse.sniff import Kind, kind_of
from thresher.parse.tidy import tidy

MAX_BYTES = 10 * 1024 * 1024
MAX_LINKS = 5_000


def parse(
    fetched: Fetched,
    *,
    agent: str = "thresher",
    max_bytes: int = MAX_BYTES,
    max_links: int = MAX_LINKS,
    context: bool = True,
    place: bool = True,
    codes: bool = True,
) -> Page:
    """Return the page a response holds; one without text and links when it is no document we can read.

    Who does not ask for the `context` or the `place` of links, or for the `codes` of Mali & Meshram, is
    spared the time they take.
    """
    kind = kind_of(fetched.header("content-type"), fetched.body)
    if kind is Kind.OTHER or kind is Kind.IMAGE:
        page = _page(fetched, Reading(), "", agent, max_links, codes)
        return replace(page, fingerprint=image_fingerprint(fetched.body)) if kind is Kind.IMAGE else page
    label = _CHARSET.search(fetched.header("content-type"))
    domain = hostname_of(fetched.url).rpartition(".")[2]
    markup, charset = decode(fetched.body[:max_bytes], label[1] if label else "", domain)
    _debt.before(len(markup))
    reading = read(markup, agent, context=context, place=place) if kind is Kind.HTML else _read(kind, markup)
    _debt.after(len(markup))
    return _page(fetched, reading, charset, agent, max_links, codes)


_debt = Debt()
_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3})(?![A-Za-z])")


def _read(kind: Kind, markup: str) -> Reading:
    if kind is Kind.FEED:
        return read_feed(markup)
    text = tidy(markup[:LONGEST])
    return Reading(text=text, main=text)


def _page(fetched: Fetched, reading: Reading, charset: str, agent: str, max_links: int, codes: bool) -> Page:
    resolver = Resolver(fetched.url, reading.base or "", charset)
    noindex, nofollow = verdict(
        header_rules(_headers(fetched, "x-robots-tag"), agent.lower()) + reading.robots,
        fetched.fetched_at,
    )
    return Page(
        url=fetched.url,
        title=reading.title,
        text=reading.text,
        main=reading.main,
        language=_primary(reading.language) or _primary(fetched.header("content-language")),
        charset=charset,
        links=links_of(fetched.url, reading.mentions, resolver, max_links),
        canonical=_canonical(fetched, reading, resolver),
        noindex=noindex,
        nofollow=nofollow,
        fingerprint=fingerprint(
            reading.tags,
            reading.text,
            reading.main,
            filter(None, map(resolver.__getitem__, reading.images)),
            codes=codes,
        ),
    )


def _headers(fetched: Fetched, name: str) -> list[str]:
    return [value for key, value in fetched.headers if key == name]


def _canonical(fetched: Fetched, reading: Reading, resolver: Resolver) -> Url | None:
    announced = [target for value in _headers(fetched, "link") for target in canonicals_in_header(value)]
    return canonical_of([*reading.canonicals, *announced], resolver)


def _primary(language: str) -> str:
    """Return the primary tag of a language: 'zh' for 'zh-CN'."""
    match = _LANGUAGE.match(language)
    return match[1].lower() if match else ""
