"""robots.txt as RFC 9309 reads it: groups for a user agent, the longest rule wins, `*` and `$`."""

import re
from collections.abc import Iterable
from urllib.parse import quote_from_bytes

from msgspec import Struct

MOST_BYTES = 500 << 10  # read of a file; RFC 9309 asks for at least this much
GRAM, MANY = 3, 200  # letters that are looked up first, where a file has more than so many rules
MOST_STARS = 8  # of a pattern: each costs time at every URL, and files that people wrote have two or three


class Rule(Struct, frozen=True):
    """One Allow or Disallow line."""

    allow: bool
    pattern: str
    line: int
    gram: str = ""  # three letters of the pattern: a path that has them not does not match

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.pattern} (line {self.line})"


class Verdict(Struct, frozen=True):
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

    def verdict(self, url: str) -> Verdict:
        """Return whether a URL may be fetched: the longest matching rule says so, Allow among equals."""
        path = path_of(url)
        verdict = _verdict(self.rules, path)
        plain = _canonical(path).replace("$", "%24").replace("*", "%2A")
        if not verdict.allowed or (self.canonical is self.rules and plain == path):
            return verdict
        strict = _verdict(self.canonical, plain)
        return verdict if strict.allowed else strict


def parse_robots(body: bytes, token: str) -> Rules:
    """Return the rules for a product token such as 'thresher', or those for everybody."""
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
        self._header = self._header and name == "crawl-delay"
        if self._spoken_to:
            self._add(name, value, line)

    def _add(self, name: str, value: str, line: int) -> None:
        if name == "crawl-delay":
            if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?|\.[0-9]+", value):
                self.crawl_delay = float(value)
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
    "sitemap": "sitemap",
    "site-map": "sitemap",
}
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


def _agent(value: str) -> str:
    """Return the product token of a User-agent line, `*` for everybody."""
    if value == "*" or value.startswith(("* ", "*\t")):
        return "*"
    found = re.match(r"[A-Za-z_-]+", value)
    return found[0].lower() if found else ""


def _rule(allow: bool, pattern: str, line: int) -> Rule:
    longest = max(pattern.removesuffix("$").split("*"), key=len)
    return Rule(allow, pattern, line, longest[-GRAM:] if len(longest) >= GRAM else "")


def _verdict(rules: tuple[Rule, ...], path: str) -> Verdict:
    if len(rules) > MANY:
        grams = {"", *(path[at : at + GRAM] for at in range(len(path)))}
        rules = tuple([rule for rule in rules if rule.gram in grams])
    rule = next((rule for rule in rules if matches(rule.pattern, path)), None)
    return Verdict(rule is None or rule.allow, rule)


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
