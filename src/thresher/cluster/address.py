"""The address of an engine: where it is, who we are there, and by what fingerprint it is known."""

from ipaddress import ip_address
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

from thresher.core.errors import UsageError

PORT = 4222
PIN = "sha256="


class Address(Struct, frozen=True):
    """One engine, as a join line names it: tls://USER:PASSWORD@HOST:PORT#sha256=FINGERPRINT."""

    host: str
    port: int = PORT
    tls: bool = False
    user: str = ""
    password: str = ""
    fingerprint: str = ""

    @property
    def is_here(self) -> bool:
        """Whether what is said to it stays on this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read along."""
        return self.tls or self.is_here

    @property
    def url(self) -> str:
        """Where it is, without who we are: for the client, and for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls' if self.tls else 'nats'}://{host}:{self.port}"

    @property
    def whole(self) -> str:
        """Everything in one line, for who is to join."""
        scheme, _, place = self.url.partition("://")
        who = f"{quote(self.user)}:{quote(self.password)}@" if self.user else ""
        return f"{scheme}://{who}{place}" + (f"#{PIN}{self.fingerprint}" if self.fingerprint else "")


def address_of(text: str) -> Address:
    """Return the engine that an address names, or say what is wrong with it."""
    try:
        parts = urlsplit(text)
        port = parts.port or PORT
    except ValueError:
        raise UsageError(_WRONG) from None
    fingerprint = parts.fragment.removeprefix(PIN)
    if parts.scheme not in ("nats", "tls") or not parts.hostname or parts.path not in ("", "/"):
        raise UsageError(_WRONG)
    if parts.fragment and (not parts.fragment.startswith(PIN) or parts.scheme != "tls"):
        raise UsageError(_WRONG)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Address(parts.hostname, port, parts.scheme == "tls", user, password, fingerprint)


_WRONG = (
    "An engine is named as nats://HOST:PORT or tls://USER:PASSWORD@HOST:PORT; "
    "the crawl prints the whole line that joins it."
)


def refuse_plain(address: Address, insecure: bool, flag: str) -> None:
    """Refuse to speak to another machine so that others can read along, unless that is asked for."""
    if not address.is_private and not insecure:
        raise UsageError(
            f"{address.url} is another machine, and anybody on the way could read along: use tls://, "
            f"or say {flag} if the network between is yours alone."
        )
