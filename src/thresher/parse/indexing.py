"""What a page asks of robots: X-Robots-Tag and meta robots, the strictest word wins."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def verdict(rules: Iterable[str], now: float = 0.0) -> tuple[bool, bool]:
    """Return (noindex, nofollow) of the rules that hold for us; `now` decides what is no longer available."""
    noindex = nofollow = False
    for rule in rules:
        dated, words = _dates_and_words(rule.lower())
        noindex |= not words.isdisjoint({"noindex", "none"}) or any(0 < date <= now for date in dated)
        nofollow |= not words.isdisjoint({"nofollow", "none"})
    return noindex, nofollow


def header_rules(values: Iterable[str], agent: str) -> list[str]:
    """Return the rules of X-Robots-Tag headers that speak to everybody or to the agent by name."""
    rules = []
    for value in values:
        name, rule = _addressed(value)
        if name in {"", agent}:
            rules.append(rule)
    return rules


_WITH_VALUE = frozenset("unavailable_after max-snippet max-image-preview max-video-preview".split())
_PREFIX = re.compile(r"\s*([\w.*-]+)\s*:")
_UNAVAILABLE = re.compile(r"unavailable_after:(.*)", re.S)
_WORD = re.compile(r"[a-z_-]+")


def _addressed(value: str) -> tuple[str, str]:
    """Split 'otherbot: noindex' into the robot it speaks to and the rule; 'max-snippet: 20' speaks to all."""
    prefix = _PREFIX.match(value)
    if prefix is None or prefix[1].lower() in _WITH_VALUE:
        return "", value
    return prefix[1].lower(), value[prefix.end() :]


def _dates_and_words(rule: str) -> tuple[list[float], set[str]]:
    dated = _UNAVAILABLE.search(rule)
    words = set(_WORD.findall(rule[: dated.start()] if dated else rule))
    return [_timestamp(dated[1])] if dated else [], words


def _timestamp(text: str) -> float:
    """Return the moment a date stands for, in either of the two forms in use; zero when it is in neither."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text.strip().upper())
        except (ValueError, OverflowError, IndexError):  # what the two raise on nonsense
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return 0.0
