"""The proxy that a user names: read once, for whoever connects to it and whoever tells it the password."""

from base64 import b64encode
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from thresher.core.errors import SettingsError

PORTS = {"http": 80, "https": 443}


class Proxy(Struct, frozen=True):
    """Where a proxy is, and the header line with its password, if it has one."""

    host: str
    port: int
    secure: bool = False
    password_line: str = ""
    is_ours: bool = True  # chosen by the user of this machine: its address is not vetted

    def __repr__(self) -> str:
        return f"Proxy({self.host}:{self.port})"


def parse_proxy(text: str, is_ours: bool = True) -> Proxy | None:
    """Return the proxy that a text names, with or without scheme and password; an empty text names none."""
    if not text:
        return None
    parts = urlsplit(text if "://" in text else f"http://{text}")
    if parts.scheme not in PORTS:
        raise SettingsError(f"web.proxy begins with {parts.scheme}://, which is not spoken here; {_EXAMPLE}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SettingsError(f"web.proxy has no port that is a number below 65536; {_EXAMPLE}") from None
    if not host or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise SettingsError(f"web.proxy is more or less than a host and a port; {_EXAMPLE}")
    line = _password_line(parts.username, parts.password)
    return Proxy(host, port or PORTS[parts.scheme], parts.scheme == "https", line, is_ours)


_EXAMPLE = "name an http or https proxy, such as http://127.0.0.1:3128."


def _password_line(user: str | None, password: str | None) -> str:
    if not user:
        return ""
    secret = f"{unquote(user)}:{unquote(password or '')}"
    return f"Proxy-Authorization: Basic {b64encode(secret.encode()).decode()}\r\n"
