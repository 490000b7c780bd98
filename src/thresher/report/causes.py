"""Why visits brought no page, in words that equal causes share."""

from thresher.core.records import Visit


def cause_of(visit: Visit) -> str:
    """Return why a visit brought no page, without what is its alone, so that equal causes count together."""
    if visit.detail:
        return visit.detail.value
    return "moved to a page" if visit.moved_to else visit.reason or visit.outcome.value
