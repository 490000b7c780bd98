"""The frontier's rules in their plainest form, too slow to use: the oracle of the contract tests."""

from dataclasses import dataclass, field

from msgspec.structs import replace

from thresher.core.enums import Request
from thresher.core.records import Candidate
from thresher.core.url import host_of


@dataclass
class NaiveFrontier:
    """Every question is answered by looking at everything."""

    delay: float
    waiting: dict[str, tuple[int, Candidate]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    busy: set[str] = field(default_factory=set)
    flying: dict[str, tuple[int, Candidate]] = field(default_factory=dict)
    ready_at: dict[str, float] = field(default_factory=dict)
    arrivals: int = 0

    def __len__(self) -> int:
        return len(self.waiting)

    def offer(self, candidate: Candidate) -> None:
        if candidate.url in self.waiting:
            arrival, known = self.waiting[candidate.url]
            self.waiting[candidate.url] = (arrival, self.prioritised(known, candidate))
        elif self.is_new(candidate):
            self.arrivals += 1
            self.seen.add(candidate.url)
            self.waiting[candidate.url] = (self.arrivals, candidate)

    def is_new(self, candidate: Candidate) -> bool:
        if candidate.kind is Request.REVISIT:
            return candidate.url not in self.flying
        leads = candidate.kind is Request.REDIRECT  # whoever may priority it, it is what the page moved to
        return candidate.url not in self.seen and (leads or not candidate.replaces_priority)

    def prioritised(self, known: Candidate, mention: Candidate) -> Candidate:
        if known.kind is Request.REVISIT and mention.kind is not Request.REVISIT:
            return known
        redirected = Request.REDIRECT in (known.kind, mention.kind)
        if redirected and mention.priority > known.priority and known.kind is Request.LINK:
            return replace(
                known,
                priority=mention.priority,
                kind=mention.kind,
                hops_left=max(known.hops_left, mention.hops_left),
            )
        led = known.kind is Request.REDIRECT or mention.kind is Request.REDIRECT
        if mention.replaces_priority and not (led and mention.priority <= known.priority):
            due = mention.not_before if known.kind is Request.REVISIT else 0.0
            return replace(known, priority=mention.priority, not_before=due)
        return replace(
            known,
            priority=max(known.priority, mention.priority),
            hops_left=max(known.hops_left, mention.hops_left),
        )

    def take(self, now: float) -> Candidate | None:
        best = min(
            (
                (candidate.kind is not Request.REVISIT, -candidate.priority, arrival, candidate.url)
                for arrival, candidate in self.waiting.values()
                if candidate.not_before <= now
                and host_of(candidate.url) not in self.busy
                and self.ready_at.get(host_of(candidate.url), 0.0) <= now
            ),
            default=None,
        )
        if best is None:
            return None
        arrival, candidate = self.waiting.pop(best[3])
        self.busy.add(host_of(candidate.url))
        self.flying[candidate.url] = arrival, candidate
        return candidate

    def land(self) -> None:
        """Let everything in flight wait again, as after a crash."""
        self.waiting |= self.flying
        self.flying.clear()
        self.busy.clear()

    def done(self, candidate: Candidate, now: float, rest: float) -> None:
        host = host_of(candidate.url)
        self.busy.remove(host)
        del self.flying[candidate.url]
        self.ready_at[host] = max(self.ready_at.get(host, 0.0), now + max(self.delay, rest))
