"""What is decided by a URL alone: the scope of a crawl, and the marks of a trap."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec import Struct

from thresher.core.enums import Refusal
from thresher.core.errors import SettingsError
from thresher.core.records import Candidate, Url
from thresher.core.url import hostname_of

# Scope: which links may be followed at all, and why not


@dataclass(frozen=True)
class Scope:
    """The user's rules and the page authors' rules, asked once for each new URL.

    `include` and `exclude` are regular expressions searched anywhere in the URL. Links marked sponsored or
    ugc are followed: the marks say who wrote a link, not that it be left alone.
    """

    domains: frozenset[str] = frozenset()
    include: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()
    depth: int = 0
    obey_nofollow: bool = True

    def refuses(self, candidate: Candidate) -> Refusal | None:
        """Return why a link may not be followed, or nothing."""
        if self.depth and candidate.depth > self.depth:
            return Refusal.TOO_DEEP
        if self.obey_nofollow and candidate.via and "nofollow" in candidate.via.rel.split():
            return Refusal.NOFOLLOW
        return self.excludes(candidate.url) if self.domains or self.include or self.exclude else None

    def excludes(self, url: Url) -> Refusal | None:
        """Return why a URL is out of scope, whatever page links to it, or None."""
        if self.domains and not self._in_domains(url):
            return Refusal.OUTSIDE_DOMAINS
        return self._breaks_pattern(url)

    def __str__(self) -> str:
        limits = [f"within {', '.join(sorted(self.domains))}"] if self.domains else ["any domain"]
        limits += [f"at most {self.depth} links deep"] if self.depth else []
        return ", ".join([*limits, f"nofollow {'obeyed' if self.obey_nofollow else 'ignored'}"])

    def _in_domains(self, url: Url) -> bool:
        host = hostname_of(url)
        return any(host == domain or host.endswith(f".{domain}") for domain in self.domains)

    def _breaks_pattern(self, url: Url) -> Refusal | None:
        if self.include and not any(pattern.search(url) for pattern in self.include):
            return Refusal.NOT_INCLUDED
        return Refusal.EXCLUDED if any(pattern.search(url) for pattern in self.exclude) else None


def patterns(expressions: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Return the compiled expressions of `include` and `exclude`."""
    return tuple(_compiled(expression) for expression in expressions)


def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise SettingsError(
            f"{expression!r} is not a regular expression: {error}. "
            "Write one that is searched in the URL, such as '/docs/' or '\\.pdf$'."
        ) from None


# URL patterns: what the spelling of a URL gives away


class UrlLimits(Struct, frozen=True):
    """How long, deep and repetitive a URL may be."""

    url_length: int = 2083
    path_depth: int = 20
    repeats: int = 3
    query_parameters: int = 24


def misshapen(url: Url, source: Url, limits: UrlLimits) -> Refusal | None:
    """Return what is wrong with a URL found on the page `source`, or nothing."""
    if len(url) > limits.url_length:
        return Refusal.LONG_URL
    path, question, query = url.partition("?")
    segments = path.split("/")[3:]
    if len(segments) > limits.path_depth:
        return Refusal.DEEP_PATH
    if len(segments) - len(set(segments)) >= limits.repeats - 1 and _repeats(segments, limits.repeats):
        return Refusal.REPEATED_PATH
    return _overgrown(path, query, source, limits) if question else None


def climbs_forever(found: re.Match[str], source: Url, year: int) -> bool:
    """Tell whether a link with a month steps over its edge: five years ahead of `year`, or before archives.

    Only a step from a month within is one: `/thread/1234/2` is no month, and is found on `/thread/1234/1`.
    """
    if _EARLIEST <= int(found[1]) <= year + 5:
        return False
    before = MONTH.match(source, found.start())
    return before is not None and _EARLIEST <= int(before[1]) <= year + 5


@lru_cache(maxsize=64)  # that of a page is asked for twice after its visit
def pattern(url: Url) -> str:
    """Return what a URL has in common with its kind: numbers, ids and dates are blanked, as is a last name.

    A query keeps the names of its parameters; a path of seven segments or more keeps its first two.
    """
    path, question, query = url.partition("?")
    end = path.index("/", 8)
    segments = _VARIABLE.sub(_blank, path[end:]).split("/")
    if len(segments) > _DEEP:
        segments = [*segments[:3], "**"]
    if question:
        names = sorted({pair.partition("=")[0] for pair in query.split("&")})
        return f"{path[:end]}{'/'.join(segments)}?{'&'.join(names[:8])}"
    return f"{path[:end]}{'/'.join(_unnamed(segments))}"


def has_date(of: str) -> bool:
    """Tell whether the URLs of a pattern differ by a date."""
    return "{date}" in of


def common_part(of: str) -> str:
    """Return how every URL of a pattern begins."""
    return _UNTIL_BLANK.match(of)[0]  # type: ignore[index]  # it matches everything


def masked(url: Url) -> str:
    """Return a URL with everything blanked that only a machine could have thought of."""
    return _OPAQUE.sub("{id}", url)


_EARLIEST = 1800
_DEEP = 7
_OPAQUE_SOURCE = (
    r"(?<![0-9A-Za-z])(?:"
    r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    r"|(?=[A-Fa-f]*[0-9])(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{8,}"
    r"|(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{16,}"
    r")(?![0-9A-Za-z])"
)
_DATE_SOURCE = (
    r"(?<![0-9])[12][0-9]{3}[-/._](?:0?[1-9]|1[0-2])(?:[-/._](?:0?[1-9]|[12][0-9]|3[01]))?(?![0-9])"
)
_OPAQUE = re.compile(_OPAQUE_SOURCE)
_VARIABLE = re.compile(f"(?P<date>{_DATE_SOURCE})|(?P<id>{_OPAQUE_SOURCE})|(?P<n>[0-9]+)")
MONTH = re.compile(r"([12][0-9]{3})(?<![0-9]{5})(?:[-/._]|&month=)(?:0?[1-9]|1[0-2])(?![0-9])")
_UNTIL_BLANK = re.compile(r"[^{*?]*\??")
_BLANKED = re.compile(r"\{[a-z]+\}|\.[a-z]+$")


def _unnamed(segments: list[str]) -> list[str]:
    """Blank the name a path ends in; a closing slash does not hide it."""
    last = -1 if segments[-1] else -2
    named = segments[last] not in ("", "**") and _is_name(segments[last])
    return [*segments[:last], "*", *segments[last:][1:]] if named else segments


def _is_name(segment: str) -> bool:
    """Return whether a name was chosen ('spring-in-the-garden-2') rather than numbered ('photo-2.html')."""
    return "{" not in segment or len(_BLANKED.sub("", segment)) > 9


def _repeats(segments: list[str], limit: int) -> bool:
    """Tell whether a name comes back too often; numbers may, and so may one closing slash."""
    named = [segment for segment in segments if not segment.isdigit()]
    return any(named.count(segment) >= limit + (not segment) for segment in set(named))


def _overgrown(path: str, query: str, source: Url, limits: UrlLimits) -> Refusal | None:
    names = [pair.partition("=")[0] for pair in query.split("&")]
    if len(names) > limits.query_parameters:
        return Refusal.MANY_PARAMETERS
    known_path, _, known = source.partition("?")
    if not known or known_path != path or len(query) <= len(known):
        return None
    grown = len(names) > known.count("&") + 1
    if grown and (len(names) > _FACETS or len(names) - len(set(names)) >= limits.repeats - 1):
        return Refusal.GROWING_QUERY
    return Refusal.GROWING_QUERY if len(query) > max(_LONG_QUERY, 2 * len(known)) else None


_FACETS = 4
_LONG_QUERY = 256


def _blank(found: re.Match[str]) -> str:
    return f"{{{found.lastgroup}}}"
