"""Links of recorded pages as everybody is served them: plain http, under names or at loopback addresses.

names      https://a.example/x  ->  http://a.example/x          for clients that take us for their proxy
addresses  https://a.example/x  ->  http://127.0.1.7:8080/x     all hosts not recorded: at ELSEWHERE, absent

Only references are touched: the value of an attribute that is a URL, the target of a meta refresh, and in
feeds and sitemaps the text of an element that is one. Nothing that a reader sees changes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

PROXY = "127.0.0.1"
ELSEWHERE = "127.0.0.2"
A_ROW = 250  # hosts that share the first three numbers of their addresses

_BEFORE = rb"""\s[\w:.-]+\s*=\s*["']?\s*(?:[\d.]*\s*[;,]\s*url\s*=\s*["']?)?"""
_AUTHORITY = rb"""[^/"'\s<>?#\\]+"""
_TAG = re.compile(rb"<[a-zA-Z][^<>]*//[^<>]*>")
_HTTPS = re.compile(rb"(" + _BEFORE + rb")https://", re.IGNORECASE)
_ANYWHERE = re.compile(rb"(" + _BEFORE + rb")(?:https?:)?//(" + _AUTHORITY + rb")", re.IGNORECASE)
_HTTPS_TEXT = re.compile(rb"(>\s*)https://", re.IGNORECASE)
_ANY_TEXT = re.compile(rb"(>\s*)https?://(" + _AUTHORITY + rb")", re.IGNORECASE)
_HTTPS_VALUE = re.compile(rb"(^|<|url\s*=\s*[\"']?)https://", re.IGNORECASE)
_ANY_VALUE = re.compile(rb"(^|<|url\s*=\s*[\"']?)(?:https?:)?//(" + _AUTHORITY + rb")", re.IGNORECASE)


class Names:
    """Hosts keep their names; https becomes http."""

    def page(self, body: bytes) -> bytes:
        """Return a page with its references rewritten."""
        if b"https:" not in body and b"HTTPS:" not in body:
            return body
        return _TAG.sub(lambda tag: _HTTPS.sub(rb"\1http://", tag[0]), body)

    def feed(self, body: bytes) -> bytes:
        """Return a feed or sitemap with its references rewritten."""
        return _HTTPS_TEXT.sub(rb"\1http://", self.page(body))

    def value(self, value: str) -> str:
        """Return a header that holds references, rewritten."""
        return _HTTPS_VALUE.sub(rb"\1http://", value.encode("utf-8")).decode("utf-8")


@dataclass(frozen=True)
class Addresses:
    """Every recorded host has a loopback address of its own, all on one port."""

    port: int
    hosts: dict[str, str]  # name with its port, if it is not the usual one, to address
    names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Note whose each address is."""
        object.__setattr__(self, "names", {address: name for name, address in self.hosts.items()})

    def page(self, body: bytes) -> bytes:
        """Return a page with its references rewritten."""
        return _TAG.sub(lambda tag: _ANYWHERE.sub(self._moved, tag[0]), body)

    def feed(self, body: bytes) -> bytes:
        """Return a feed or sitemap with its references rewritten."""
        return _ANY_TEXT.sub(self._moved, self.page(body))

    def value(self, value: str) -> str:
        """Return a header that holds references, rewritten."""
        return _ANY_VALUE.sub(self._moved, value.encode("utf-8")).decode("utf-8")

    def meant(self, address: str, target: str) -> str:
        """Return host and path of what is asked for at an address of ours."""
        return target.lstrip("/") if address == ELSEWHERE else f"{self.names[address]}{target}"

    def _moved(self, found: re.Match[bytes]) -> bytes:
        name = found[2].decode("latin-1").rpartition("@")[2].lower()
        address = self.hosts.get(name.removesuffix(":443").removesuffix(":80"))
        place = f"http://{address}:{self.port}" if address else f"http://{ELSEWHERE}:{self.port}/{name}"
        return found[1] + place.encode("latin-1")


View = Names | Addresses


def addresses_of(hosts: Iterable[str]) -> dict[str, str]:
    """Return a loopback address for each host, in the order of their names: 127.0.1.1, 127.0.1.2, ..."""
    rows = enumerate(sorted(hosts))
    return {host: f"127.{n // A_ROW**2}.{n // A_ROW % A_ROW + 1}.{n % A_ROW + 1}" for n, host in rows}
