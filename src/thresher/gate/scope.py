"""The scope of a crawl: which links may be followed at all, and why not."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thresher.core.errors import SettingsError
from thresher.core.records import Candidate, Url
from thresher.core.url import hostname_of


@dataclass(frozen=True)
class Scope:
    """The user's rules and the page authors' wishes, asked once for each new URL.

    `include` and `exclude` are regular expressions searched anywhere in the URL. Links marked sponsored or
    ugc are followed: the marks say who wrote a link, not that it be left alone.
    """

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
        return self.excludes(candidate.url)

    def excludes(self, url: Url) -> str:
        """Return why a URL is out of scope, whoever links to it, or nothing."""
        if self.domains and not self._in_domains(url):
            return "outside the domains"
        return self._breaks_pattern(url)

    def _in_domains(self, url: Url) -> bool:
        host = hostname_of(url)
        return any(host == domain or host.endswith(f".{domain}") for domain in self.domains)

    def _breaks_pattern(self, url: Url) -> str:
        if self.include and not any(pattern.search(url) for pattern in self.include):
            return "not included"
        return "excluded" if any(pattern.search(url) for pattern in self.exclude) else ""


def first_reason(*rules: Callable[[Candidate], str]) -> Callable[[Candidate], str]:
    """Return the rule that objects when any of the rules does, with the first one's reason."""

    def refuses(candidate: Candidate) -> str:
        for rule in rules:
            if reason := rule(candidate):
                return reason
        return ""

    return refuses


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
