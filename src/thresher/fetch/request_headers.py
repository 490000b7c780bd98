"""Request headers that identify the client: the user agent, cookies and logins."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from pathlib import Path

from msgspec import Struct

from thresher.core.caches import LruDict
from thresher.core.errors import InvalidUrl, SettingsError
from thresher.core.records import Url
from thresher.core.url import host_of, hostname_of, parse, registered_domain, with_scheme
from thresher.settings.model import WebSettings

# User agent: one honest name, with an address to write to


NAME = "thresher"
VERSION = "0.1"
BROAD_PAGES = 1_000
"""How many pages a crawl beyond the seeds' domains may ask for without a contact address."""


def user_agent(contact: str = "") -> str:
    """Return the user agent, with the web or mail address of the crawl's operator."""
    contact = contact.strip()
    return f"{NAME}/{VERSION} (+{contact})" if contact else f"{NAME}/{VERSION}"


def agent_of(settings: WebSettings) -> str:
    """Return the user agent of a crawl: the user's own, or ours with their contact address."""
    return settings.user_agent or user_agent(settings.contact)


def product_token(agent: str) -> str:
    """Return the word that robots.txt files know a user agent by: 'thresher' for 'thresher/0.1 (+...)'.

    Most crawlers call themselves 'Mozilla/5.0 (compatible; name/1.0)': their word is the name.
    """
    found = re.search(r"\bcompatible;\s*([A-Za-z_-]+)", agent) or re.match(r"([A-Za-z_-]+)", agent)
    return found[1].lower() if found else ""


def robots_token_of(settings: WebSettings) -> str:
    """Return the word that robots.txt files know a crawl by; refuse none, and that of browsers."""
    token = product_token(settings.robots_token or agent_of(settings))
    if token in ("", "mozilla"):
        raise SettingsError(
            f"web.user_agent: {agent_of(settings)!r} has no name that a robots.txt could speak to. Begin it"
            " with a name such as 'mybot/1.0', or give the name with --set web.robots_token=mybot."
        )
    return token


def has_contact(agent: str) -> bool:
    """Return whether a user agent names a web or mail address as contact."""
    return re.search(r"https?://[^\s)]+|[^\s@(+]+@[^\s@)]+\.[^\s@)]+", agent) is not None


def contact_needed(*, agent: str, pages: int | None, leaves_domains: bool, private: bool) -> str:
    """Return the sentence that refuses a broad crawl without a contact address, or the empty string.

    `pages` is the number asked for (None: no limit), `leaves_domains` whether the crawl may leave the seeds'
    registered domains, `private` whether every seed is on loopback or in an allowed network.
    """
    broad = leaves_domains and not private and (pages is None or pages > BROAD_PAGES)
    if not broad or has_contact(agent):
        return ""
    asked = "without a limit" if pages is None else f"of {pages:,} pages"
    return (
        f"A crawl {asked} beyond the domains of its seeds needs an address where site owners can reach you. "
        'Say it with --set web.contact="https://example.org/bot" (or a mail address), '
        f"stay on the seeds' domains with --domain, or ask for at most {BROAD_PAGES:,} pages."
    )


# Cookies: bound to the origin that set them, and few


PER_HOST = 50
BYTES_PER_HOST = 16 << 10
HOSTS = 20_000


class Cookie(Struct, frozen=True):
    """One cookie and the part of its site that it is for."""

    value: str
    path: str


class GivenCookie(Struct, frozen=True):
    """One cookie of the user's own, as a browser wrote it into a file."""

    name: str
    value: str
    path: str
    domain: str
    below: bool  # whether it is for the hosts below the domain, too
    secure: bool  # whether it is for https alone
    expires: float  # 0: at the end of the session, which has just begun

    def is_for(self, url: Url) -> bool:
        """Tell whether a browser would send it with a request."""
        host = hostname_of(url)
        at_home = host == self.domain or (self.below and _may_set(host, self.domain))
        return at_home and (not self.secure or url.startswith("https:")) and _covers(self.path, _path_of(url))


class CookieJar:
    """Cookies by origin (scheme, host and port), never sent to another; and those that the user gave."""

    def __init__(self, given: Iterable[GivenCookie] = ()) -> None:
        """Begin with what the user gave, if anything."""
        self._jars: LruDict[str, dict[str, Cookie]] = LruDict(HOSTS)
        self._given: dict[str, list[GivenCookie]] = {}
        for cookie in given:
            self._given.setdefault(registered_domain(cookie.domain), []).append(cookie)

    def header(self, url: Url) -> str:
        """Return the Cookie header for a request, or the empty string; what a site sets is newer."""
        path, jar = _path_of(url), self._jars.get(host_of(url)) or {}
        given = self._given.get(registered_domain(url), ()) if self._given else ()
        sent = {cookie.name: cookie.value for cookie in given if cookie.is_for(url)}
        sent |= {name: cookie.value for name, cookie in jar.items() if _covers(cookie.path, path)}
        return "; ".join(f"{name}={value}" for name, value in sent.items())

    def learn(self, url: Url, set_cookies: Iterable[str], now: float) -> bool:
        """Keep what a response sets, within the caps; tell whether anything changed."""
        jar = self._jars.get(host_of(url)) or {}
        before = dict(jar)
        for line in set_cookies:
            _learn(jar, url, line, now)
        if jar != before:
            self._jars.put(host_of(url), jar)
        return jar != before


def _learn(jar: dict[str, Cookie], url: Url, line: str, now: float) -> None:
    pair, *attributes = line.split(";")
    name, equals, value = (part.strip() for part in pair.partition("="))
    if not equals or not name or any(letter < " " or letter > "~" for letter in name + value):
        return
    named = {key.strip().lower(): value.strip() for key, _, value in (a.partition("=") for a in attributes)}
    if not _may_set(hostname_of(url), named.get("domain", "")):
        return
    jar.pop(name, None)
    if _expired(named, now):
        return
    jar[name] = Cookie(value, named.get("path", "") or "/")
    if (
        len(jar) > PER_HOST
        or sum(len(key) + len(kept.value) + 3 for key, kept in jar.items()) > BYTES_PER_HOST
    ):
        del jar[name]


def _may_set(host: str, domain: str) -> bool:
    """Refuse a cookie for a foreign domain or for a public suffix, where a browser would refuse it."""
    domain = domain.lstrip(".").lower()
    if domain in ("", host):
        return True
    return host.endswith(f".{domain}") and f".{domain}".endswith(f".{registered_domain(host)}")


def _expired(named: dict[str, str], now: float) -> bool:
    age = named.get("max-age", "")
    if re.fullmatch(r"-?[0-9]{1,10}", age, re.ASCII):
        return int(age) <= 0
    try:
        return parsedate_to_datetime(named["expires"]).timestamp() <= now
    except (KeyError, ValueError, OverflowError):
        return False


def _path_of(url: Url) -> str:
    return url[len(host_of(url)) :].partition("?")[0]


def _covers(cookie_path: str, path: str) -> bool:
    return path == cookie_path or path.startswith(
        cookie_path if cookie_path.endswith("/") else f"{cookie_path}/"
    )


# Logins: passwords, headers and cookies of a file; sent to their origin, kept nowhere


FIELDS = 7  # of a line: domain, whether hosts below it count, path, whether https only, expiry, name, value
HTTP_ONLY = "#HttpOnly_"  # before the domain of a cookie that scripts do not see
OURS = frozenset(
    "host connection content-length transfer-encoding te upgrade trailer expect accept-encoding range"
    " user-agent cookie if-none-match if-modified-since proxy-authorization".split()
)
"""Headers that a request has already, or must not have."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")  # a class of all else takes 3 ms to compile


def secret_lines(passwords: Mapping[str, str], headers: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the lines of a request that each origin gets and no other."""
    lines: dict[str, dict[str, str]] = {}
    for place, password in passwords.items():
        basic = f"Basic {b64encode(password.encode()).decode()}"
        lines.setdefault(_origin(place, "web.credentials"), {})["Authorization"] = basic
    for place, named in headers.items():
        mine = lines.setdefault(_origin(place, "web.headers"), {})
        for name, value in named.items():
            mine[_checked(name, value)] = value
    return {
        origin: "".join(f"{name}: {value}\r\n" for name, value in named.items())
        for origin, named in lines.items()
    }


def read_cookies(file: Path, now: float) -> tuple[GivenCookie, ...]:
    """Return the cookies of a file that browsers and their extensions write, without those that are over."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or "it is no text"
        raise SettingsError(f"web.cookie_file: {file} cannot be read: {why}.") from None
    return tuple(cookie for cookie in _cookies(file, lines) if not 0 < cookie.expires <= now)


def _cookies(file: Path, lines: Iterable[str]) -> Iterable[GivenCookie]:
    for number, line in enumerate(lines, 1):
        told = line.removeprefix(HTTP_ONLY)
        if not told.strip() or (told == line and line.startswith("#")):
            continue
        fields = told.split("\t")
        if len(fields) != FIELDS or not fields[0] or not _is_number(fields[4]):
            raise SettingsError(  # which line, never what it says
                f"web.cookie_file: line {number} of {file} is not a cookie. Export it in Netscape format: "
                "seven fields a line, with tabs between them."
            )
        domain, below, path, secure, expires, name, value = fields
        if not _VALUE.fullmatch(name + value) or ";" in name + value:
            raise SettingsError(f"web.cookie_file: line {number} of {file} cannot be sent as a cookie.")
        yield GivenCookie(
            name, value, path or "/", domain.lstrip(".").lower(), below == "TRUE", secure == "TRUE",
            float(expires),
        )  # fmt: skip


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]+)?", text, re.ASCII) is not None


def _origin(place: str, setting: str) -> str:
    """Return scheme, host and port as a user names them; a host alone means https."""
    try:
        return host_of(parse(with_scheme(place)))
    except InvalidUrl:
        raise SettingsError(
            f"{setting}: {place!r} is not a host; write it as example.org or http://example.org:8080."
        ) from None


def _checked(name: str, value: str) -> str:
    if not _NAME.fullmatch(name) or name.lower() in OURS:
        instead = " Cookies come from web.cookie_file." if name.lower() == "cookie" else ""
        raise SettingsError(f"web.headers: {name!r} is no header that can be given here.{instead}")
    if not _VALUE.fullmatch(value):
        raise SettingsError(f"web.headers: the value of {name} must be one line of plain text.")
    return "Authorization" if name.lower() == "authorization" else name
