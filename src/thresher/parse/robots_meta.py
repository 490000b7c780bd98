"""What a page asks of robots: X-Robots-Tag and meta robots, the strictest word wins."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def verdict(rules: Iterable[str], now: float = 0.0) -> tuple[bool, bool]:
    """Return (noindex, nofollow) of the rules that hold for us; `now` decides what is no longer available."""
    noindex = nofollow = False
    for rule in rules:
        words = _words(rule)
        noindex |= not words.isdisjoint({"noindex", "none"}) or _is_over(rule, now)
        nofollow |= not words.isdisjoint({"nofollow", "none"})
    return noindex, nofollow


def header_rules(values: Iterable[str], agent: str) -> list[str]:
    """Return the rules of X-Robots-Tag headers that speak to everybody or to the agent by name."""
    return [_spoken_to(agent, value) for value in values]


_WITH_VALUE = frozenset("unavailable_after max-snippet max-image-preview max-video-preview".split())
_PREFIX = re.compile(r"\s*([\w.*-]+)\s*:")
_UNAVAILABLE = re.compile(
    r"\bunavailable_after\s*:(?:\s*[a-z]+,)?([^,]*)", re.IGNORECASE
)  # the weekday apart


def _spoken_to(agent: str, value: str) -> str:
    """Leave out what a header says to other robots; a name holds until the next one."""
    rules, speaks_to_us = [], True
    for part in value.split(","):
        name, rule = _addressed(part)
        speaks_to_us = name == agent if name else speaks_to_us
        if speaks_to_us:
            rules.append(rule)
    return ",".join(rules)


def _addressed(part: str) -> tuple[str, str]:
    """Split 'otherbot: noindex' into the robot it speaks to and the rule; 'max-snippet: 20' speaks to all."""
    prefix = _PREFIX.match(part)
    if prefix is None or prefix[1].lower() in _WITH_VALUE:
        return "", part
    return prefix[1].lower(), part[prefix.end() :]


def _words(rule: str) -> set[str]:
    """Return the rules that are a word; 'max-image-preview: none' is not the word none."""
    parts = rule.lower().split(",")
    return {word for part in parts if ":" not in part for word in part.replace(";", " ").split()}


def _is_over(rule: str, now: float) -> bool:
    until = _UNAVAILABLE.search(rule)
    return until is not None and 0 < _timestamp(until[1]) <= now


def _timestamp(text: str) -> float:
    """Return the moment a date stands for, in either of the two forms in use; zero when it is in neither."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text.strip().upper())
        except (ValueError, OverflowError, IndexError):  # what the two raise on nonsense
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return 0.0
