"""The gate: which of the links that a strategy offers are queued, and why others are not.

Every strategy gets the same rules. A page is always kept and learned from; only its links may be refused: all
because of the page (nofollow, near-duplicate, copy), or one because of its URL (scope, depth, traps). What
the user named is not refused, whatever the rules say.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import NO_NEW_PAGES, OUT_OF_SCOPE, REVISITS, Refusal, Request
from thresher.core.interfaces import Admission, Filters, Unknown
from thresher.core.records import Candidate, UniformOffers, Url, Visit
from thresher.core.url import host_of, key_of, same_domain
from thresher.filters.pages import OF_A_FOLDER, Novelty, PageRules, PageSignature
from thresher.filters.traps import Traps
from thresher.filters.urls import Scope, common_part, pattern

_FREE = NO_NEW_PAGES | {Request.SEED}
"""The requests that no rule concerns: the user's own word, a known page, a question about a page."""

BEYOND = OUT_OF_SCOPE | {Refusal.TOO_DEEP, Refusal.NOFOLLOW}
"""The refusals that say nothing of a site: where the user or an author has drawn a line."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(PageSignature).decode


@dataclass
class FilterChain(Filters):
    """Scope, depth, nofollow, canonical forms, duplicates and traps; without `rules` only the scope."""

    scope: Scope = Scope()
    traps: Traps = field(default_factory=Traps)
    pages: PageRules = field(default_factory=PageRules)
    rules: bool = True
    max_redirects: int = 10
    refused: Counter[Refusal] = field(default_factory=Counter)
    _new: list[PageSignature] = field(default_factory=list)  # since they were last saved
    _seen: tuple[Visit, PageSignature | None] | None = None  # of the visit at hand
    _fresh: list[Candidate] = field(default_factory=list)  # what it led to that is new, as far as we may go

    @override
    def admit(self, offers: Sequence[Candidate], visit: Visit | None, unknown: Unknown) -> Admission:
        signature = self._signature_of(visit) if visit else None
        offers, rejected = self._without_closed(offers, signature)
        admission = Admission([], rejected)
        for candidate in unknown(offers):
            reason = None if candidate.kind in _FREE else self._refuses(candidate, visit)
            if reason:
                admission.rejected.append((candidate, reason))
            else:
                admission.accepted.append(candidate)
            if signature and reason not in BEYOND:
                self._fresh.append(candidate)
        self.refused.update([reason for _, reason in admission.rejected])
        return admission

    @override
    def canonical(self, visit: Visit) -> Candidate | None:
        """Return the canonical form of a page as what it is, the page's redirect without a redirect."""
        candidate, page = visit.candidate, visit.page
        if page is None or page.canonical in (None, page.url) or not self.rules:
            return None
        if candidate.kind in NO_NEW_PAGES or candidate.redirects >= self.max_redirects:
            return None
        if not same_domain(page.canonical, page.url):
            return None  # who may speak for another site is not ours to decide
        return replace(
            candidate, url=page.canonical, redirects=candidate.redirects + 1, kind=Request.CANONICAL
        )

    @override
    def commit(self, visit: Visit) -> None:
        if signature := self._signature_of(visit):
            signature = _with_links(signature, visit, self._fresh)
            self._take_in(signature)
            self._new.append(signature)
        self._seen, self._fresh = None, []

    @override
    def recheck(self, candidate: Candidate) -> Refusal | None:
        if not self.rules or candidate.kind in NO_NEW_PAGES:
            return None
        if candidate.kind is Request.SEED:
            return None
        if reason := self.traps.over_budget(candidate.url):
            self.refused[reason] += 1
        else:
            self.traps.count_request(candidate.url)
        return reason

    @override
    def changes(self) -> Sequence[bytes]:
        new, self._new = self._new, []
        return [*map(_encode, new)]

    @override
    def restore(self, pieces: Iterable[bytes]) -> None:
        for signature in map(_decode, pieces):
            self._take_in(signature)
            if signature.counts:
                self.traps.count_request(signature.url)

    def __str__(self) -> str:
        rules = "duplicates, canonical forms, traps" if self.rules else "no rules about pages"
        return f"Gate: {self.scope}; {rules}"

    def _take_in(self, signature: PageSignature) -> None:
        self.pages.remember(signature)
        self.traps.learn(signature)

    def _signature_of(self, visit: Visit) -> PageSignature | None:
        """Return what a visit tells of its page, worked out once; a question is no page."""
        if self._seen is None or self._seen[0] is not visit:
            asked = visit.candidate.kind
            if not self.rules or asked is Request.BACKLINKS:
                seen = None
            else:
                seen = self.pages.recheck(visit) if asked in REVISITS else self.pages.see(visit)
            self._seen, self._fresh = (visit, seen), []
        return self._seen[1]

    def _without_closed(
        self, offers: Sequence[Candidate], signature: PageSignature | None
    ) -> tuple[Sequence[Candidate], list[tuple[Candidate, Refusal]]]:
        """Return offers without the links of pages that are not expanded, and those links."""
        if not self.pages.closed and not (signature and signature.closed):
            return offers, []
        closed = {url: why for url in _sources(offers) if (why := self.pages.closed.get(key_of(url)))}
        if signature:
            closed.pop(signature.url, None)
            closed |= {signature.url: signature.closed} if signature.closed else {}
        if not closed:
            return offers, []
        judged = [(each, closed.get(each.via.source) if each.via else None) for each in offers]
        return [each for each, why in judged if not why], [(each, why) for each, why in judged if why]

    def _refuses(self, candidate: Candidate, visit: Visit | None) -> Refusal | None:
        if candidate.via is None and candidate.kind is not Request.LINK:
            return self._beyond_seed(candidate, visit)
        source = candidate.via.source if candidate.via else candidate.url
        if (reason := self.scope.refuses(candidate)) or not self.rules:
            return reason
        if candidate.url.endswith(OF_A_FOLDER) and self.pages.has_read_otherwise(candidate.url):
            return Refusal.OTHER_NAME
        return self.traps.refuses(candidate.url, source)

    def _beyond_seed(self, candidate: Candidate, visit: Visit | None) -> Refusal | None:
        """Return why a seed's redirect may not be followed: the user named the seed, not where it leads."""
        if visit and same_domain(candidate.url, visit.candidate.url):
            return None
        return self.scope.excludes(candidate.url)


def _sources(offers: Sequence[Candidate]) -> set[Url]:
    """Return the pages that offers are links of."""
    if isinstance(offers, UniformOffers):
        return {link.source for link in offers.links}
    return {each.via.source for each in offers if each.via}


def _with_links(seen: PageSignature, visit: Visit, new: Sequence[Candidate]) -> PageSignature:
    """Return what was seen of a page together with where its links lead, as far as the user lets us go."""
    if seen.worth is Novelty.NEUTRAL:
        return seen
    host, begins = f"{host_of(seen.url)}/", common_part(pattern(seen.url))
    links = visit.page.links if visit.page else ()
    home = {link.target for link in links if link.target.startswith(host)}
    fresh = {offer.url for offer in new if offer.via and offer.via.source == seen.url}
    new_home = {url for url in fresh if url.startswith(host)}
    return replace(
        seen,
        own=sum([url.startswith(begins) for url in home]),
        home=len(home),
        new_own=sum([url.startswith(begins) for url in new_home]),
        new_home=len(new_home),
        new_away=len(fresh) - len(new_home),
    )
