"""robots.txt: parsed as RFC 9309 says, fetched once per host before anything else of it."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from urllib.parse import quote_from_bytes

from msgspec import Struct

from thresher.core.caches import LruDict
from thresher.core.errors import (
    CertificateRefused,
    FetchError,
    GuardRefused,
    HostParked,
    IncompleteResponse,
    InvalidUrl,
    NameUnresolved,
    RobotsForbidden,
    RobotsUnreachable,
)
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import host_of, join

# The rules: groups for a user agent, the longest rule wins, `*` and `$`


MOST_BYTES = 500 << 10  # read of a file; RFC 9309 asks for at least this much
GRAM, MOST_RULES = 3, 200  # letters that are looked up first, where a file has more than so many rules
MOST_STARS = 8  # of a pattern: each costs time at every URL, and files that people wrote have two or three


class Rule(Struct, frozen=True):
    """One Allow or Disallow line."""

    allow: bool
    pattern: str
    line: int
    gram: str = ""  # three letters of the pattern: a path that has them not does not match

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.pattern} (line {self.line})"


class RobotsVerdict(Struct, frozen=True):
    """What a robots.txt says about one URL, and the rule that says it."""

    allowed: bool
    rule: Rule | None = None


class Rules(Struct, frozen=True):
    """What a robots.txt says to one user agent, in two spellings; the longest pattern comes first.

    `rules` are spelled as written, which is how Google matches them; in `canonical` every character has one
    spelling, which is what RFC 9309 asks for. A URL must pass both, so that no spelling slips through.
    """

    rules: tuple[Rule, ...] = ()
    canonical: tuple[Rule, ...] = ()
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()

    def verdict(self, url: str) -> RobotsVerdict:
        """Return whether a URL may be fetched: the longest matching rule says so, Allow among equals."""
        path = path_of(url)
        verdict = _decide(self.rules, path)
        plain = _canonical(path).replace("$", "%24").replace("*", "%2A")
        if not verdict.allowed or (self.canonical is self.rules and plain == path):
            return verdict
        strict = _decide(self.canonical, plain)
        return verdict if strict.allowed else strict


def parse_robots(body: bytes, token: str) -> Rules:
    """Return the rules for a product token such as 'thresher', or those for all agents."""
    ours, everybody, sitemaps = _Group(token.lower()), _Group("*"), []
    text = _without_bom(body[:MOST_BYTES]).decode("utf-8", "surrogateescape")
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        name, value = _field(line)
        if name == "sitemap":
            sitemaps.append(value)
        elif name:
            ours.hear(name, value, number)
            everybody.hear(name, value, number)
    group = ours if ours.named else everybody
    written, canonical = _ranked(group.rules), _ranked(_canonical_rule(rule) for rule in group.rules)
    return Rules(written, written if canonical == written else canonical, group.crawl_delay, tuple(sitemaps))


def matches(pattern: str, path: str) -> bool:
    """Tell whether a pattern matches the beginning of a path (with `$`: all of it), in linear time."""
    anchored = pattern.endswith("$")
    first, *others = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    if not others:
        return not anchored or position == len(path)
    last = others.pop() if anchored else ""
    for part in others:
        position = path.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return len(path) - len(last) >= position and path.endswith(last)


def path_of(url: str) -> str:
    """Return the path and query of a URL."""
    rest = url.partition("#")[0].partition("://")[2] or url
    slash = re.search(r"[/?;]", rest)
    path = rest[slash.start() :] if slash else "/"
    return path if path.startswith("/") else f"/{path}"


class _Group:
    """The rules for one user agent, from however many groups of the file speak to it."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.named = False
        self.rules: list[Rule] = []
        self.crawl_delay: float | None = None
        self._spoken_to = False
        self._header = False  # whether the lines before this one were User-agent lines

    def hear(self, name: str, value: str, line: int) -> None:
        """Take a line of the file; lines that are no rules do not part the User-agent lines of a group."""
        if name == "user-agent":
            self._spoken_to = (self._header and self._spoken_to) or _agent(value) == self.agent
            self.named |= self._spoken_to
            self._header = True
            return
        self._header = self._header and name in _PAUSES
        if self._spoken_to:
            self._add(name, value, line)

    def _add(self, name: str, value: str, line: int) -> None:
        if name in _PAUSES:
            if found := _PAUSES[name].fullmatch(value):
                self.crawl_delay = max(self.crawl_delay or 0.0, _seconds(found))
        elif value:
            self._add_rule(name == "allow", _spelled(value), line)

    def _add_rule(self, allow: bool, pattern: str, line: int) -> None:
        """Take a rule; one with too many stars counts by its beginning if it forbids, and else not at all."""
        parts = pattern.split("*", MOST_STARS + 1)
        if len(parts) <= MOST_STARS + 1:
            self.rules.append(_rule(allow, pattern, line))
        elif not allow:
            self.rules.append(_rule(allow, "*".join(parts[:-1]), line))


_NAMES = {
    "user-agent": "user-agent",
    "useragent": "user-agent",
    "user agent": "user-agent",
    "allow": "allow",
    "disallow": "disallow",
    "dissallow": "disallow",
    "dissalow": "disallow",
    "disalow": "disallow",
    "diasllow": "disallow",
    "disallaw": "disallow",
    "crawl-delay": "crawl-delay",
    "request-rate": "request-rate",
    "sitemap": "sitemap",
    "site-map": "sitemap",
}
_PAUSES = {
    "crawl-delay": re.compile(r"(?P<time>[0-9]{1,9}(\.[0-9]*)?|\.[0-9]+)"),
    "request-rate": re.compile(r"(?P<pages>[0-9]{1,9})\s*/\s*(?P<time>[0-9]{1,9})\s*(?P<unit>[smh]?)(\s.*)?"),
}
_UNITS = {"s": 1, "m": 60, "h": 3600}
_ESCAPE = re.compile("%[0-9a-fA-F]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_UNSAFE = re.compile(r"(?:[^!-~]|[\"'<>\\^`{|}])+")


def _without_bom(body: bytes) -> bytes:
    """Take off a byte order mark, whole or cut short, as Google does."""
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):
        body = body.removeprefix(mark) if body.startswith(mark) else body
    return body


def _field(line: str) -> tuple[str, str]:
    """Return the name we know and the value of a line, or two empty strings."""
    line = line.partition("#")[0]
    name, colon, value = line.partition(":")
    if not colon:
        name, _, value = line.strip().partition(" ")
    return _NAMES.get(name.strip(" \t").lower(), ""), value.strip()


def _seconds(found: re.Match[str]) -> float:
    """Return the pause that a line asks for: '5', or '1/10m', one page in ten minutes."""
    named = found.groupdict()
    return float(named["time"]) * _UNITS[named.get("unit") or "s"] / (int(named.get("pages") or 0) or 1)


def _agent(value: str) -> str:
    """Return the product token of a User-agent line, `*` for all agents."""
    if value == "*" or value.startswith(("* ", "*\t")):
        return "*"
    found = re.match(r"[A-Za-z_-]+", value)
    return found[0].lower() if found else ""


def _rule(allow: bool, pattern: str, line: int) -> Rule:
    longest = max(pattern.removesuffix("$").split("*"), key=len)
    return Rule(allow, pattern, line, longest[-GRAM:] if len(longest) >= GRAM else "")


def _decide(rules: tuple[Rule, ...], path: str) -> RobotsVerdict:
    if len(rules) > MOST_RULES:
        grams = {"", *(path[at : at + GRAM] for at in range(len(path)))}
        rules = tuple([rule for rule in rules if rule.gram in grams])
    rule = next((rule for rule in rules if matches(rule.pattern, path)), None)
    return RobotsVerdict(rule is None or rule.allow, rule)


def _ranked(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return each rule once, the strongest first."""
    once = {(rule.pattern, rule.allow): rule for rule in rules}
    return tuple(sorted(once.values(), key=lambda rule: (-len(rule.pattern), not rule.allow)))


def _spelled(pattern: str) -> str:
    """Return a pattern with bytes beyond ASCII escaped and escapes in upper case."""
    return _FOREIGN.sub(_escaped, _ESCAPE.sub(lambda escape: escape[0].upper(), pattern))


def _canonical_rule(rule: Rule) -> Rule:
    """Return a rule in canonical spelling: a `$` inside its pattern is no anchor but a dollar."""
    body, anchor = (rule.pattern[:-1], "$") if rule.pattern.endswith("$") else (rule.pattern, "")
    pattern = _canonical(body).replace("$", "%24") + anchor
    return rule if pattern == rule.pattern else _rule(rule.allow, pattern, rule.line)


def _canonical(path: str) -> str:
    """Return a path with unreserved characters plain, and those that browsers escape escaped."""
    return _ESCAPE.sub(_plainest, _UNSAFE.sub(_escaped, path))


def _plainest(escape: re.Match[str]) -> str:
    letter = chr(int(escape[0][1:], 16))
    return letter if letter in _UNRESERVED else escape[0].upper()


def _escaped(letters: re.Match[str]) -> str:
    return quote_from_bytes(letters[0].encode("utf-8", "surrogateescape"), safe="")


# The gate that every request passes


HOSTS = 20_000  # whose rules are remembered, a few kilobytes each
MOST_REDIRECTS = 5  # of a robots.txt: RFC 9309 asks for at least so many to be followed
REDIRECTS = frozenset({301, 302, 303, 307, 308})

LARGE = 32 << 10
"""A file from here on is read in a thread, so that the loop does not wait for it."""

MOST_HOSTS = 2_000
"""Rules from here on are asked aside as well."""

HOSTLESS = frozenset({GuardRefused, NameUnresolved, CertificateRefused})
"""Errors that say there is no host to have rules."""

Ask = Callable[[Candidate, int], Awaitable[Fetched]]
"""Asks for a URL and reads at most so many bytes of it."""


class RobotsResponse(Struct, frozen=True):
    """What came of asking for a robots.txt, and until when it counts."""

    rules: Rules
    until: float
    source: str  # what came: "status 200", "more than 5 redirects", the sentence of an error
    refusal: type[FetchError] | None = None  # why nothing of the host may be asked for now


class RobotsGate:
    """Says for each URL what its host's robots.txt says. One request per host, however many ask at once."""

    def __init__(
        self,
        ask: Ask,
        token: str,
        *,
        crawl_delay_cap: float = 60.0,
        keep: float = 86_400.0,
        retry: float = 600.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._ask, self._token, self._now = ask, token, now
        self._crawl_delay_cap, self._keep, self._retry = crawl_delay_cap, keep, retry
        self._answers: LruDict[str, RobotsResponse] = LruDict(HOSTS)
        self._asking: dict[str, asyncio.Task[RobotsResponse]] = {}

    async def admit(self, url: Url) -> Rules:
        """Return the host's rules if they let the URL pass; raise what stands in the way otherwise."""
        answer = await self.answer(url)
        if answer.refusal is not None:
            raise self._refusal(answer)
        verdict = (
            RobotsVerdict(True) if url == f"{host_of(url)}/robots.txt" else await _verdict(answer.rules, url)
        )
        if not verdict.allowed:
            raise RobotsForbidden(f"robots.txt says {verdict.rule}")
        self._park(url, answer.rules.crawl_delay or 0.0)
        return answer.rules

    async def verdict(self, url: Url) -> RobotsVerdict:
        """Return what robots.txt says about a URL, without asking for it."""
        answer = await self.answer(url)
        return RobotsVerdict(False) if answer.refusal else await _verdict(answer.rules, url)

    async def answer(self, url: Url) -> RobotsResponse:
        """Return what is known of the host's robots.txt, asking for it if need be."""
        host = host_of(url)
        kept = self._answers.get(host)
        if kept is not None and self._now() < kept.until:
            return kept
        if host not in self._asking:
            self._asking[host] = asyncio.create_task(self._read(host))
        return await asyncio.shield(self._asking[host])  # one who gives up does not take the others along

    def _park(self, url: Url, delay: float) -> None:
        if delay > self._crawl_delay_cap:
            raise HostParked(
                f"robots.txt of {host_of(url)} asks for {delay:g} seconds between requests, "
                f"more than the {self._crawl_delay_cap:g} of web.crawl_delay_cap"
            )

    def _refusal(self, answer: RobotsResponse) -> FetchError:
        """Return what stands in the way of the whole host: its robots.txt, or its very address."""
        kind = answer.refusal or RobotsUnreachable
        if kind in HOSTLESS:
            return kind(answer.source)
        refusal = RobotsUnreachable(f"Cannot read robots.txt: {answer.source}")
        refusal.rest = max(0.0, answer.until - self._now())
        return refusal

    async def _read(self, host: str) -> RobotsResponse:
        try:
            answer = await self._follow(Url(f"{host}/robots.txt"))
            self._answers.put(host, answer)
            return answer
        finally:
            del self._asking[host]

    async def _follow(self, url: Url) -> RobotsResponse:
        """Ask for the file through its redirects; the rules count for the host we began with."""
        for hop in range(1 + MOST_REDIRECTS):
            try:
                fetched = await self._ask(Candidate(url), MOST_BYTES)
            except IncompleteResponse as error:
                fetched = error.partial
            except FetchError as error:
                return self._unreachable(str(error), RobotsUnreachable if hop else type(error))
            if fetched.status not in REDIRECTS:
                return await self._conclude(fetched)
            try:
                url = join(url, fetched.header("location"))
            except InvalidUrl:
                return self._allow_all("redirect to nowhere")
        return self._allow_all(f"more than {MOST_REDIRECTS} redirects")

    async def _conclude(self, fetched: Fetched) -> RobotsResponse:
        status = fetched.status
        if 200 <= status < 300:
            return RobotsResponse(
                await self._rules(fetched.body), self._now() + self._keep, f"status {status}"
            )
        if status == 429 or status >= 500:  # 429 is a plea for rest, not a lack of rules
            return self._unreachable(f"status {status}")
        return self._allow_all(f"status {status}")

    async def _rules(self, body: bytes) -> Rules:
        if len(body) < LARGE:
            return parse_robots(body, self._token)
        return await asyncio.to_thread(parse_robots, body, self._token)

    def _allow_all(self, why: str) -> RobotsResponse:
        return RobotsResponse(Rules(), self._now() + self._keep, why)

    def _unreachable(self, why: str, refusal: type[FetchError] = RobotsUnreachable) -> RobotsResponse:
        return RobotsResponse(Rules(), self._now() + self._retry, why, refusal)


async def _verdict(rules: Rules, url: Url) -> RobotsVerdict:
    if len(rules.rules) < MOST_HOSTS:
        return rules.verdict(url)
    return await asyncio.to_thread(rules.verdict, url)
