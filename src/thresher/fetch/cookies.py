"""Cookies, when they are wanted: bound to the origin that set them, and few."""

import re
from collections.abc import Iterable
from email.utils import parsedate_to_datetime

from msgspec import Struct

from thresher.core.caches import Bounded
from thresher.core.records import Url
from thresher.core.url import host_of, hostname_of, registered_domain

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
        self._jars: Bounded[str, dict[str, Cookie]] = Bounded(HOSTS)
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
    wishes = {key.strip().lower(): wish.strip() for key, _, wish in (a.partition("=") for a in attributes)}
    if not _may_set(hostname_of(url), wishes.get("domain", "")):
        return
    jar.pop(name, None)
    if _expired(wishes, now):
        return
    jar[name] = Cookie(value, wishes.get("path", "") or "/")
    if (
        len(jar) > PER_HOST
        or sum(len(key) + len(kept.value) + 3 for key, kept in jar.items()) > BYTES_PER_HOST
    ):
        del jar[name]


def _may_set(host: str, domain: str) -> bool:
    """Refuse a cookie for somebody else's domain or for a public suffix, where a browser would refuse it."""
    domain = domain.lstrip(".").lower()
    if domain in ("", host):
        return True
    return host.endswith(f".{domain}") and f".{domain}".endswith(f".{registered_domain(host)}")


def _expired(wishes: dict[str, str], now: float) -> bool:
    age = wishes.get("max-age", "")
    if re.fullmatch(r"-?[0-9]{1,10}", age, re.ASCII):
        return int(age) <= 0
    try:
        return parsedate_to_datetime(wishes["expires"]).timestamp() <= now
    except (KeyError, ValueError, OverflowError):
        return False


def _path_of(url: Url) -> str:
    return url[len(host_of(url)) :].partition("?")[0]


def _covers(cookie_path: str, path: str) -> bool:
    return path == cookie_path or path.startswith(
        cookie_path if cookie_path.endswith("/") else f"{cookie_path}/"
    )
