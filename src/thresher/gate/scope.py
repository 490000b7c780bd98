"""The scope of a crawl: which links may be followed at all, and why not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.core.enums import Refusal
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

    def refuses(self, candidate: Candidate) -> Refusal | None:
        """Return why a link may not be followed, or nothing."""
        if self.depth and candidate.depth > self.depth:
            return Refusal.TOO_DEEP
        if self.obey_nofollow and candidate.via and "nofollow" in candidate.via.rel.split():
            return Refusal.NOFOLLOW
        return self.excludes(candidate.url)

    def excludes(self, url: Url) -> Refusal | None:
        """Return why a URL is out of scope, whoever links to it, or nothing."""
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
