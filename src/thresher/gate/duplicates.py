"""The texts a crawl has read, so that it knows them again: to the letter, nearly, or but for the numbers."""

import re
from functools import lru_cache

from xxhash import xxh3_64_intdigest

from thresher.core.caches import Recent
from thresher.core.records import Page
from thresher.core.url import host_of
from thresher.gate.sighting import Text

NEAR = 3  # bits of 64 in which the SimHashes of near-duplicates differ at most
BANDS = 4  # pieces of a SimHash: of three differences, one piece at least is free
SHORTEST_DIGEST = 64  # bytes of text; below, pages that say the same may still lead elsewhere
SHORTEST_SIMHASH = 400  # bytes of text; below, a few words decide, and pages look alike that are not
NEWS = 1  # words its host has not used yet, by which a short page says something new
READ = 4_000  # characters of a short page read for such words
REMEMBERED = 100_000  # texts remembered at least


class SimHashes:
    """SimHashes seen lately, found again within three bits by any of their four pieces."""

    def __init__(self, remembered: int) -> None:
        """Remember at least that many: two generations, the older one dropped whole."""
        self._remembered = remembered
        self._young: dict[int, list[int]] = {}
        self._old: dict[int, list[int]] = {}
        self._added = 0

    def has_near(self, simhash: int) -> bool:
        """Tell whether one was seen that differs in three bits at most."""
        return any(
            (simhash ^ other).bit_count() <= NEAR
            for piece in _pieces(simhash)
            for generation in (self._young, self._old)
            for other in generation.get(piece, ())
        )

    def add(self, simhash: int) -> None:
        """Remember one."""
        for piece in _pieces(simhash):
            self._young.setdefault(piece, []).append(simhash)
        self._added += 1
        if self._added >= self._remembered:
            self._old, self._young, self._added = self._young, {}, 0


class Texts:
    """The texts read lately; asking and adding cost the same however many there are."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        """Remember at least that many texts."""
        self._digests: Recent[str] = Recent(remembered)
        self._simhashes = SimHashes(remembered)
        self._numberless: Recent[int] = Recent(remembered)
        self._words: Recent[int] = Recent(remembered)

    def knows(self, page: Page) -> bool:
        """Tell whether the main text of a page was read before, to the letter or nearly."""
        if has_bytes(page.main, SHORTEST_DIGEST) and _digest(page) in self._digests:
            return True
        return has_bytes(page.main, SHORTEST_SIMHASH) and self._simhashes.has_near(page.fingerprint.simhash)

    def is_news(self, page: Page) -> bool:
        """Tell whether a page that is not known says something its host has not said, its numbers apart."""
        if has_bytes(page.main, SHORTEST_SIMHASH):
            return _numberless(page.main) not in self._numberless
        return len(self._new_words(page)) >= NEWS

    def of(self, page: Page) -> Text:
        """Return the text of a page as it is remembered; of a short one the words new to its host."""
        digest = _digest(page) if has_bytes(page.main, SHORTEST_DIGEST) else ""
        if has_bytes(page.main, SHORTEST_SIMHASH):
            return Text(digest, page.fingerprint.simhash, _numberless(page.main))
        return Text(digest, words=self._new_words(page))

    def add(self, text: Text) -> None:
        """Remember a text."""
        if text.digest:
            self._digests.add(text.digest)
        if text.simhash is not None and text.numberless is not None:
            self._simhashes.add(text.simhash)
            self._numberless.add(text.numberless)
        for word in text.words:
            self._words.add(word)

    def _new_words(self, page: Page) -> tuple[int, ...]:
        """Return the words of a short page that its host has not used lately."""
        return tuple(word for word in _said(host_of(page.url), page.text[:READ]) if word not in self._words)


def has_bytes(text: str, least: int) -> bool:
    """Tell whether a text has so many bytes; no character has less than one."""
    return len(text) >= least or len(text.encode()) >= least


def _digest(page: Page) -> str:
    """Return what a text is known by to the letter; a short one under another title is another page."""
    if has_bytes(page.main, SHORTEST_SIMHASH):
        return page.fingerprint.digest
    return f"{page.fingerprint.digest} {xxh3_64_intdigest(page.title.encode('utf-8', 'surrogatepass')):x}"


_WORD = re.compile(r"\b[^\W\d_]{2,}\b")
_COMPARED = 20_000  # characters compared without their numbers


@lru_cache(maxsize=1)  # a page is asked about, then remembered
def _said(host: str, text: str) -> tuple[int, ...]:
    """Return the words of a text of a host, each as a number."""
    words = dict.fromkeys(_WORD.findall(text))
    return tuple(xxh3_64_intdigest(f"{host} {word}".encode("utf-8", "surrogatepass")) for word in words)


@lru_cache(maxsize=1)
def _numberless(text: str) -> int:
    """Return a hash of a text without its digits."""
    return xxh3_64_intdigest(text[:_COMPARED].encode().translate(None, b"0123456789"))


def _pieces(simhash: int) -> list[int]:
    """Return the four 16-bit pieces of a SimHash, each marked with its place."""
    return [(place << 16) | ((simhash >> (16 * place)) & 0xFFFF) for place in range(BANDS)]
