"""What the gate has learned from one visit: enough to learn it again when the crawl is taken up."""

from enum import Enum

from msgspec import Struct

from thresher.core.enums import Refusal
from thresher.core.records import Url

VERSION = 1  # of sightings as they are kept: another number says that older ones cannot be read


class Worth(Enum):
    """What a visit was worth to the crawl."""

    FRESH = "fresh"  # something new to read
    STALE = "stale"  # nothing new: a near-duplicate, a soft 404, no text
    FAILED = "failed"
    NEUTRAL = "neutral"  # says nothing about its kind: a redirect, a refusal


class Text(Struct, frozen=True, array_like=True):
    """The main text of a page, by hashes: of all of it, of what it is like, of it without its numbers.

    Where there is too little to hash, `words` stand for it: those that its host had not used before.
    """

    digest: str = ""
    simhash: int | None = None
    numberless: int | None = None
    words: tuple[int, ...] = ()


class Sighting(Struct, frozen=True, array_like=True):
    """One visit as the gate saw it.

    `own` and `home` count its links to its own kind and host, `new_...` those to URLs that were not known.
    """

    url: Url
    at: float
    worth: Worth
    text: Text | None = None  # None: no page
    simhash: int = 0  # of the page, however short
    closed: Refusal | None = None  # why its links are not followed
    counts: bool = True  # as one of the pages its host may have; what the user named does not
    own: int = 0
    home: int = 0
    new_own: int = 0
    new_home: int = 0
    new_away: int = 0

    def leads_only_on(self) -> bool:
        """Tell whether it links to its own kind, and to none that is known."""
        return self.own > 0 and (self.new_own >= self.own or self.closed is not None)
