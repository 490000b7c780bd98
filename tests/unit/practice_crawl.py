"""A crawl of the practice web in a few lines: a plain cosine, a priority queue, no politeness."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from heapq import heappop, heappush
from math import sqrt

from thresher.core.url import key
from thresher_practice import PracticeWeb
from thresher_practice.site_plan import Address

Price = Callable[[float, int], float]
"""What a link is worth, from the score of its page and the number of pages fetched so far."""

STRATEGIES: dict[str, Price] = {
    "breadth first": lambda score, fetched: 0.0,
    "best first": lambda score, fetched: score,
    "depth first": lambda score, fetched: float(fetched),
}


@cache
def web_of(seed: int) -> PracticeWeb:
    return PracticeWeb(seed)


def found_by(seed: int, topic: str, priority: Price, downloads: int) -> list[Address]:
    """Return the relevant pages among the first so many downloads."""
    atlas = web_of(seed).atlas
    queue = [(-1e9, number, address) for number, address in enumerate(atlas.seeds[topic])]
    worth_of = {key_of(address): 1e9 for address in atlas.seeds[topic]}
    fetched: dict[str, Address] = {}
    while queue and len(fetched) < downloads:
        address = heappop(queue)[2]
        if key_of(address) in fetched or web_of(seed).is_forbidden(address):
            continue
        fetched[key_of(address)] = address
        worth = priority(score(seed, topic, address), len(fetched))
        for target in onward(seed, address):
            if worth_of.get(key_of(target), -1.0) < worth:
                worth_of[key_of(target)] = worth
                heappush(queue, (-worth, len(worth_of), target))
    return [address for address in fetched.values() if _label(seed, address) == topic]


@cache
def shown(seed: int, address: Address) -> str:
    """Return what a reader sees of a page, its title included, in lower case."""
    charset = web_of(seed).atlas.sites[address.partition("/")[0]].charset
    markup = web_of(seed).answer(address).body.decode(charset)
    return re.sub("<[^>]*>", " ", markup).lower()


@cache
def onward(seed: int, address: Address) -> list[Address]:
    """Return where an address leads: as planned, or as a trap decides."""
    web = web_of(seed)
    if address in web.atlas.moved:
        return [web.atlas.moved[address][1]]
    if address in web.atlas.pages:
        return web.atlas.pages[address].links
    site, _, path = address.partition("/")
    written = re.findall('<a href="([^"]+)"', web.answer(address).body.decode())
    return [
        f"{site}{href}" if href[0] == "/" else f"{site}/{path}{href}" for href in written if href != "../"
    ]


@cache
def score(seed: int, topic: str, address: Address) -> float:
    """Return the cosine of a page's word counts with the topic's keywords."""
    wanted, counts = _wanted(topic), Counter(_terms(shown(seed, address)))
    shared = sum(weight * counts[term] for term, weight in wanted.items())
    return shared / (_length(counts) * _length(wanted)) if shared else 0.0


def key_of(address: Address) -> str:
    return key(web_of(1).locate(address)) if "?" in address else address


@cache
def _wanted(topic: str) -> Counter[str]:
    keywords = next(each.keywords for each in web_of(1).topics if each.name == topic)
    return Counter({term: int(weight) for word, weight in keywords.items() for term in _terms(word)})


def _terms(text: str) -> list[str]:
    """Return English words without a plural s, and Chinese in pairs of characters."""
    english = [word.removesuffix("s") for word in re.findall("[a-z]{3,}", text) if word not in _EMPTY]
    return english + re.findall("(?=([\u4e00-\u9fff]{2}))", text)


def _length(counts: Counter[str]) -> float:
    return sqrt(sum(count * count for count in counts.values()))


def _label(seed: int, address: Address) -> str:
    page = web_of(seed).atlas.pages.get(address)
    return page.label if page else ""


_EMPTY = frozenset("the and with for that was are not but you had have all our from this".split())
