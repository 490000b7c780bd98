"""The address a user may have meant: one that is a slip away, never one that merely shares a host."""

from collections.abc import Iterable

from rapidfuzz.distance import OSA

from thresher.core.records import Url
from thresher.core.url import host_of
from thresher.store.read import CrawlReader

NEIGHBOURS = 2_000  # URLs of one host among which a similar one is sought
HOSTS = 20_000
SLIPS = 3  # letters more, fewer, others or swapped, in one part of an address
A_LETTER_IN = 4  # of a part may be wrong: in a shorter part every letter counts


def nearest(url: Url, store: CrawlReader) -> str:
    """Return the visited URL that looks most like it, on its host or on the host most like its own."""
    own = host_of(url)
    if not (here := store.known_urls(f"{own}/", NEIGHBOURS)):
        hosts = {host_of(known) for known in store.known_urls("http", HOSTS)}
        near = _best(own, hosts)
        here = store.known_urls(f"{near}/", NEIGHBOURS) if near else []
    return _best(url, here)


def _best(asked: str, known: Iterable[str]) -> str:
    """Return what is fewest slips away, if anything is no more than slips away."""
    slips = {each: far for each in known if (far := slips_between(asked, each)) is not None}
    return min(slips, key=lambda each: (slips[each], each), default="")


def slips_between(asked: str, known: str) -> int | None:
    """Return how many letters differ between two addresses, or None if one is no slip for the other."""
    ours, theirs = _parts(asked), _parts(known)
    if len(ours) != len(theirs):
        return None
    slips = [_slips(one, other) for one, other in zip(ours, theirs, strict=True)]
    return None if None in slips else sum(filter(None, slips))


def _parts(address: str) -> list[str]:
    """Return host and segments of an address, without what says where a page is in no other words."""
    bare = address.lower().rpartition("://")[2].removeprefix("www.")
    return bare.removesuffix("/index.html").rstrip("/").split("/")


def _slips(one: str, other: str) -> int | None:
    """Return how many letters differ between two names, if they are few for their length."""
    if one == other:
        return 0
    short = min(len(name.rpartition(".")[0] or name) for name in (one, other))
    slips = OSA.distance(one, other, score_cutoff=SLIPS)
    return slips if slips <= min(SLIPS, short // A_LETTER_IN) else None
