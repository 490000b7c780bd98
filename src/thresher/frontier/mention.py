"""What another mention of a URL means for the candidate that waits."""

from msgspec.structs import replace

from thresher.core.kinds import LOOKS, Request
from thresher.core.records import Candidate


def names_way(candidate: Candidate) -> bool:
    """Tell whether an offer says how its URL was found; one that only names a price is for what waits."""
    return candidate.via is not None or not candidate.reprice or candidate.kind is not Request.LINK


def gains_by(waiting: Candidate, mention: Candidate) -> bool:
    """Tell whether another mention of its URL changes anything for a waiting candidate."""
    if waiting.kind in LOOKS and mention.kind not in LOOKS:
        return False  # a look gives way to another look only
    better = mention.priority > waiting.priority or mention.reprice
    return better or mention.life > waiting.life or mention.depth < waiting.depth


def merge(waiting: Candidate, mention: Candidate) -> Candidate:
    """Return a waiting candidate after another mention of its URL (the rule of Fish, Shark and FCMRPS)."""
    life, depth = max(waiting.life, mention.life), min(waiting.depth, mention.depth)
    if waiting.kind in LOOKS and mention.kind not in LOOKS:
        return waiting
    kind = Request.SEED if mention.kind is Request.SEED else waiting.kind
    if mention.reprice:
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
