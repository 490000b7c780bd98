"""What the user is known by to a host: passwords, headers and cookies of a file; sent there, kept nowhere."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path

from thresher.core.errors import InvalidUrl, SettingsError
from thresher.core.url import host_of, parse, with_scheme
from thresher.fetch.cookies import GivenCookie

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
                f"web.cookie_file: line {number} of {file} is no cookie. Export the file in Netscape format: "
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
            f"{setting}: {place!r} is no host; write it as example.org or http://example.org:8080."
        ) from None


def _checked(name: str, value: str) -> str:
    if not _NAME.fullmatch(name) or name.lower() in OURS:
        instead = " Cookies come from web.cookie_file." if name.lower() == "cookie" else ""
        raise SettingsError(f"web.headers: {name!r} is no header that can be given here.{instead}")
    if not _VALUE.fullmatch(value):
        raise SettingsError(f"web.headers: the value of {name} must be one line of plain text.")
    return "Authorization" if name.lower() == "authorization" else name
