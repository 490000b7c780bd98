"""What another mention of a URL means for the candidate that waits."""

from collections.abc import Mapping

from msgspec.structs import replace

from thresher.core.enums import LOOKS, Request
from thresher.core.records import Candidate, SamePrice, Shelved
from thresher.core.url import link_keys
from thresher.frontier.host import SeenKeys

_LEADING = frozenset({Request.REDIRECT, Request.CANONICAL})


def names_way(candidate: Candidate) -> bool:
    """Tell whether an offer says how its URL was found; one that only names a price is for what waits."""
    return candidate.via is not None or not candidate.reprice or candidate.kind is not Request.LINK


def gains_by(waiting: Candidate, mention: Candidate) -> bool:
    """Tell whether another mention of its URL changes anything for a waiting candidate."""
    if waiting.kind in LOOKS and mention.kind not in LOOKS:
        return False  # a look gives way to another look only
    better = mention.priority > waiting.priority or _is_priced_anew(waiting, mention)
    return better or mention.life > waiting.life or mention.depth < waiting.depth


def telling(offers: SamePrice, seen: SeenKeys, hot: Mapping[int, Shelved], all_hot: bool) -> list[Candidate]:
    """Return the offers that may change something: most are of links that wait under a price as good."""
    price, depth, told = offers.priority, offers.depth, []
    keys = link_keys(offers.links)
    olds, recent = seen.among_old(keys), seen.recent
    for place, (key, old) in enumerate(zip(keys, olds, strict=True)):
        if old or key in recent:
            if (waiting := hot.get(key)) is None:
                if all_hot:
                    continue  # it waits no longer
            elif (
                price <= (candidate := waiting.candidate).priority
                and depth >= candidate.depth
                and candidate.life >= 0
                and candidate.kind is Request.LINK
            ):
                continue
        told.append(place)
    return [offers[place] for place in told]


def merge(waiting: Candidate, mention: Candidate) -> Candidate:
    """Return a waiting candidate after another mention of its URL (the rule of Fish, Shark and FCMRPS)."""
    life, depth = max(waiting.life, mention.life), min(waiting.depth, mention.depth)
    if waiting.kind in LOOKS and mention.kind not in LOOKS:
        return waiting
    kind = _kind(waiting, mention)
    if _is_priced_anew(waiting, mention):
        via, due = (
            mention.via or waiting.via,
            mention.due or waiting.due if waiting.kind in LOOKS else waiting.due,
        )
        return replace(
            waiting, priority=mention.priority, via=via, inherited=mention.inherited, kind=kind, due=due
        )
    if mention.priority > waiting.priority:
        return replace(mention, url=waiting.url, life=life, depth=depth, kind=kind, due=waiting.due)
    return replace(waiting, life=life, depth=depth, kind=kind)


def _is_priced_anew(waiting: Candidate, mention: Candidate) -> bool:
    """Tell whether another price replaces that of what waits.

    It cannot lower the price of a redirect's target: the request that led there had its turn already, and
    would have been answered by now if its host had not to rest. A page that leads to what waits, or calls it
    canonical, knows no better what that is worth.
    """
    led_here = waiting.kind is Request.REDIRECT or mention.kind in _LEADING
    return mention.reprice and not (led_here and mention.priority <= waiting.priority)


def _kind(waiting: Candidate, mention: Candidate) -> Request:
    """Return the kind of what waits after another mention: a better price by a redirect is kept as one's."""
    led_here = mention.kind is Request.REDIRECT and mention.priority > waiting.priority
    followed = led_here and waiting.kind is Request.LINK
    return mention.kind if mention.kind is Request.SEED or followed else waiting.kind
