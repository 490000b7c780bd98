"""What another mention of a URL means for the candidate that waits."""

from collections.abc import Mapping

from msgspec.structs import replace

from thresher.core.enums import LEADING, REVISITS, Request
from thresher.core.records import Candidate, QueuedRequest, UniformOffers
from thresher.core.url import key_of
from thresher.frontier.host import SeenKeys


def is_discovery(candidate: Candidate) -> bool:
    """Tell whether an offer says how its URL was found; one that only names a priority is for what waits."""
    return candidate.via is not None or not candidate.replaces_priority or candidate.kind is not Request.LINK


def with_effect(
    offers: UniformOffers, seen: SeenKeys, hot: Mapping[int, QueuedRequest], all_hot: bool
) -> list[Candidate]:
    """Return the offers that may change something: most are of links that wait under a priority as good."""
    priority, depth, told = offers.priority, offers.depth, []
    keys = offers.keys or [key_of(link.target) for link in offers.links]
    olds, recent = seen.among_old(keys), seen.recent
    for place, (key, old) in enumerate(zip(keys, olds, strict=True)):
        if old or key in recent:
            if (waiting := hot.get(key)) is None:
                if all_hot:
                    continue  # it waits no longer
            elif (
                priority <= (candidate := waiting.candidate).priority
                and depth >= candidate.depth
                and candidate.hops_left >= 0
                and candidate.kind is Request.LINK
            ):
                continue
        told.append(place)
    return [offers[place] for place in told]


def merge(waiting: Candidate, mention: Candidate) -> Candidate | None:
    """Return a waiting candidate after another mention of its URL (the rule of Fish, Shark and FCMRPS).

    None where the mention changes nothing. A priority said anew cannot lower that of a redirect's target: the
    request that led there had its turn already, and would have been answered by now if its host had not to
    rest. A page that leads to what waits, or calls it canonical, knows no better what that is worth.
    """
    if waiting.kind in REVISITS and mention.kind not in REVISITS:
        return None  # a revisit gives way to another revisit only
    better = mention.priority > waiting.priority
    led_here = waiting.kind is Request.REDIRECT or mention.kind in LEADING
    anew = mention.replaces_priority and (better or not led_here)
    if not (anew or better or mention.hops_left > waiting.hops_left or mention.depth < waiting.depth):
        return None
    life, depth = max(waiting.hops_left, mention.hops_left), min(waiting.depth, mention.depth)
    kind = waiting.kind if mention.kind is Request.LINK else _kind(waiting, mention)
    if anew:
        via, due = (
            mention.via or waiting.via,
            mention.not_before or waiting.not_before if waiting.kind in REVISITS else waiting.not_before,
        )
        return replace(
            waiting,
            priority=mention.priority,
            via=via,
            inherited=mention.inherited,
            kind=kind,
            not_before=due,
        )
    if better:
        return replace(
            mention, url=waiting.url, hops_left=life, depth=depth, kind=kind, not_before=waiting.not_before
        )
    return replace(waiting, hops_left=life, depth=depth, kind=kind)


def _kind(waiting: Candidate, mention: Candidate) -> Request:
    """Return the kind of what waits after another mention: a better priority by a redirect is kept so."""
    led_here = mention.kind is Request.REDIRECT and mention.priority > waiting.priority
    followed = led_here and waiting.kind is Request.LINK
    return mention.kind if mention.kind is Request.SEED or followed else waiting.kind
