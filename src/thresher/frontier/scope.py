"""The scope of a crawl: which links may be followed at all, and why not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.core.errors import SettingsError
from thresher.core.records import Candidate, Url
from thresher.core.url import hostname_of


@dataclass(frozen=True)
class Scope:
    """The user's rules and the page authors' wishes, asked once for each new URL."""

    domains: frozenset[str] = frozenset()
    include: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()
    depth: int = 0
    obey_nofollow: bool = True

    def refuses(self, candidate: Candidate) -> str:
        """Return why a candidate is out of scope, or nothing."""
        via = candidate.via
        if via is None:
            return ""  # a seed is the user's own word
        if self.depth and candidate.depth > self.depth:
            return "too deep"
        if self.obey_nofollow and "nofollow" in via.rel.split():
            return "nofollow"
        if self.domains and not self._in_domains(candidate.url):
            return "outside the domains"
        return self._breaks_pattern(candidate.url)

    def _in_domains(self, url: Url) -> bool:
        host = hostname_of(url)
        return any(host == domain or host.endswith(f".{domain}") for domain in self.domains)

    def _breaks_pattern(self, url: Url) -> str:
        if self.include and not any(pattern.search(url) for pattern in self.include):
            return "not included"
        return "excluded" if any(pattern.search(url) for pattern in self.exclude) else ""


def patterns(expressions: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Return the compiled expressions of `include` and `exclude`."""
    return tuple(_compiled(expression) for expression in expressions)


def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise SettingsError(f"{expression!r} is not a regular expression: {error}.") from None
