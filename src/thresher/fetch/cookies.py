"""Cookies, when they are wanted: bound to the origin that set them, and few."""

import re
from collections.abc import Iterable
from email.utils import parsedate_to_datetime

from msgspec import Struct

from thresher.core.bounded import Bounded
from thresher.core.records import Url
from thresher.core.url import host_of, hostname_of, registered_domain

PER_HOST = 50
BYTES_PER_HOST = 16 << 10
HOSTS = 20_000


class Cookie(Struct, frozen=True):
    """One cookie and the part of its site that it is for."""

    value: str
    path: str


class CookieJar:
    """Cookies by origin (scheme, host and port). Never sent to another origin."""

    def __init__(self) -> None:
        self._jars: Bounded[str, dict[str, Cookie]] = Bounded(HOSTS)

    def header(self, url: Url) -> str:
        """Return the Cookie header for a request, or the empty string."""
        path = url[len(host_of(url)) :].partition("?")[0]
        jar = self._jars.get(host_of(url)) or {}
        return "; ".join(
            f"{name}={cookie.value}" for name, cookie in jar.items() if _covers(cookie.path, path)
        )

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


def _covers(cookie_path: str, path: str) -> bool:
    return path == cookie_path or path.startswith(
        cookie_path if cookie_path.endswith("/") else f"{cookie_path}/"
    )
