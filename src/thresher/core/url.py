"""URLs: parsed as browsers do, brought into one form, and asked for their host.

    text --href--> what a browser would make of it --normalise--> Url, what we fetch --key--> what we have seen

A Url is http or https, serialised as the WHATWG standard says (so the default port, dot segments, tabs
and upper-case hosts are gone), without fragment and credentials, with escapes of unreserved characters
decoded and the other escapes in upper case. Nothing else is touched: a trailing slash, the order of the
query, doubled slashes and the case of the path may all matter to a server.
"""

import re
from functools import lru_cache

from ada_url import join_url, parse_url
from publicsuffixlist import PublicSuffixList

from thresher.core.errors import InvalidUrl
from thresher.core.records import Url


def href(text: str, base: str | None = None) -> str:
    """Return what a browser makes of a text, on a page at `base` if given: WHATWG, any scheme, fragment and all."""
    try:
        return join_url(base, text) if base is not None else parse_url(text, ("href",))["href"]
    except ValueError:
        raise InvalidUrl(_complaint(text)) from None


def parse(text: str) -> Url:
    """Return the normal form of a complete http(s) URL."""
    return _normal(href(text), text)


normalise = parse
"""The same function under the name of its other use: it is idempotent."""


def join(base: Url, reference: str) -> Url:
    """Return the normal form of the http(s) URL that a reference on the page `base` leads to."""
    return _normal(href(reference, base), reference)


def host_of(url: Url) -> str:
    """Return scheme, host and port, the unit of politeness: 'http://a.com:8080'."""
    return url[: url.index("/", 8)]  # 8: a normal form has no slash between '//' and the path, nor an empty host


def hostname_of(url: Url) -> str:
    """Return the host alone, without scheme, port and brackets: 'a.com'."""
    return _bare(host_of(url))


def registered_domain(url_or_host: str) -> str:
    """Return the name somebody registered, 'b.co.uk' for 'a.b.co.uk'; addresses and local names return themselves."""
    host = host_of(Url(url_or_host)) if url_or_host.startswith(("http://", "https://")) else url_or_host
    return _registered(_bare(host))


def key(url: Url) -> str:
    """Return the identity of a URL: what it is without tracking parameters and session ids.

    Two URLs of one key are taken for the same page and only the first is fetched, as it was written.
    A key is never fetched: some servers refuse a URL whose parameters are missing.
    """
    if "?" not in url and ";" not in url:
        return url
    path, _, query = url.partition("?")
    kept = "&".join(pair for pair in query.split("&") if not _says_nothing(pair))
    path = _SESSION_IN_PATH.sub("", path)
    return f"{path}?{kept}" if kept else path


_UNRESERVED = {
    f"%{ord(letter):02X}": letter
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
}
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
_SESSION_VALUE = re.compile("[0-9A-Za-z]{16,}")
_TRACKING = frozenset(
    "fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid igshid igsh li_fat_id epik"
    " mc_cid mc_eid _ga _gl _hsenc _hsmi mkt_tok vero_id vero_conv oly_anon_id oly_enc_id wickedid srsltid"
    " jsessionid phpsessid cfid cftoken oscsid zenid".split()
)
_SESSION = frozenset("sid session sessionid session_id sessid".split())
_suffixes = lru_cache(maxsize=1)(PublicSuffixList)  # 45 ms to read: only once somebody asks


def _normal(href: str, text: str) -> Url:
    """Take off a WHATWG serialisation what does not tell pages apart."""
    if not href.startswith(("http://", "https://")):
        raise InvalidUrl(_complaint(text))
    if "#" in href:
        href = href[: href.index("#")]
    if "@" in href:
        href = _without_credentials(href)
    if "%" in href and not _STRAY_PERCENT.search(href):  # decoding '%%36%31' would make an escape that was not there
        href = _ESCAPE.sub(_plainest, href)
    return Url(href)


def _without_credentials(href: str) -> str:
    scheme, authority, path = href[: href.index("/") + 2], *href[href.index("/") + 2 :].split("/", 1)
    return f"{scheme}{authority.rpartition('@')[2]}/{path}"


def _plainest(escape: re.Match[str]) -> str:
    upper = escape[0].upper()
    return _UNRESERVED.get(upper, upper)


def _complaint(text: str) -> str:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return f"{shown!r} is not an http or https URL; write it in full, such as 'https://example.org/page'."


def _bare(host: str) -> str:
    host = host.rpartition("//")[2]
    if host.startswith("["):
        return host[1 : host.index("]")]
    return host.partition(":")[0]


@lru_cache(maxsize=65_536)
def _registered(host: str) -> str:
    if ":" in host or host.rpartition(".")[2].isdigit():  # the last label of a name is never a number
        return host
    return _suffixes().privatesuffix(host.rstrip(".")) or host


def _says_nothing(pair: str) -> bool:
    """Tell whether a query parameter only follows the visitor around; an empty one says nothing either."""
    name, _, value = pair.partition("=")
    name = name.lower()
    if name in _TRACKING or name.startswith(("utm_", "aspsessionid")):
        return True
    return name in _SESSION and _SESSION_VALUE.fullmatch(value) is not None
