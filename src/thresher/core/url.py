"""URLs: read as browsers read them, brought into one form, and asked what they say.

    text --href--> what a browser makes of it --normalise--> Url: what is fetched --key--> what was seen

A Url is http or https in the serialisation of the WHATWG standard (which settles the default port, dot
segments, white space and the case of the host), without fragment and credentials, with the escapes of
unreserved characters decoded and the others in upper case. Nothing else is touched: a trailing slash, a
doubled one, the order of the query and the case of the path may all matter to a server.
"""

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from urllib.parse import quote, unquote

from ada_url import idna_to_unicode, join_url, parse_url
from publicsuffixlist import PublicSuffixList
from xxhash import xxh3_64_intdigest

from thresher.core.enums import Request
from thresher.core.errors import InvalidUrl
from thresher.core.records import Candidate, Url, Visit


class LinkType(Enum):
    """Where a link leads, seen from the directory of its page (Chen et al. 2009)."""

    OUTWARD = "outward"
    SIBLING = "sibling"
    DOWNWARD = "downward"
    UPWARD = "upward"
    CROSSWISE = "crosswise"


def href(text: str, base: str | None = None) -> str:
    """Return what a browser makes of a text, on the page `base` if given: any scheme, fragment and all."""
    try:
        return parse_url(text, ("href",))["href"] if base is None else join_url(base, text)
    except ValueError:
        raise InvalidUrl(_complaint(text)) from None


def parse(text: str) -> Url:
    """Return the normal form of a complete http(s) URL."""
    return _normal(href(text), text)


def with_scheme(text: str) -> str:
    """Return an address as users type it, with the scheme it lacks: https, or http for a local host."""
    if not _ADDRESS_WITHOUT_SCHEME.fullmatch(text):
        return text
    host = text.partition("/")[0].partition(":")[0]
    return f"{'http' if host == 'localhost' or host.replace('.', '').isdigit() else 'https'}://{text}"


def normalise(text: str) -> Url:
    """Return the normal form of a URL; that of a Url is the Url itself."""
    return parse(text)


def join(base: Url, reference: str, charset: str = "utf-8") -> Url:
    """Return the http(s) URL that a reference leads to on the page `base`, which is written in `charset`."""
    if not charset.startswith("utf-") and "?" in reference and not reference.isascii():
        reference = _QUERY.sub(lambda query: _encoded(query[0], charset), reference, count=1)
    return _normal(href(reference, base), reference)


def host_of(url: Url) -> str:
    """Return scheme, host and port, the unit of politeness: 'http://a.com:8080'."""
    return url[: url.index("/", 8)]  # past the '//' of both schemes; a host has at least one letter


def hostname_of(url: Url) -> str:
    """Return the host alone, without scheme, port and brackets: 'a.com'."""
    return _bare(host_of(url))


def registered_domain(url_or_host: str) -> str:
    """Return the registered domain: b.co.uk for a.b.co.uk; an address or a local name is its own."""
    return domain_of(host_of(Url(url_or_host)) if url_or_host.startswith(_SCHEMES) else url_or_host)


@lru_cache(maxsize=65_536)
def domain_of(host: str) -> str:
    """Return the registered domain of what `host_of` returned, or of a bare host."""
    return _registered(_bare(host).lower())


def same_domain(one: Url, other: Url) -> bool:
    """Tell whether two URLs belong to one registered domain."""
    names = [hostname_of(url).rstrip(".") for url in (one, other)]
    if names[0] == names[1]:
        return True
    ends = [name.rpartition(".")[2] for name in names]
    return ends[0] == ends[1] and _registered(names[0]) == _registered(names[1])


def key(url: Url) -> str:
    """Return the identity of a URL: what it is without tracking parameters, session ids and empty parameters.

    URLs of one key are taken for one page, and only the first is fetched, as it was written. A key itself
    is never fetched: a server may want the parameter that tells us nothing, and 'a[]=1' as it stands.
    """
    if "?" not in url and ";" not in url:
        return url
    path, _, query = url.partition("?")
    kept = "&".join(pair for pair in query.split("&") if pair and not _follows_the_visitor(pair))
    kept = _HALF_ESCAPED.sub(lambda mark: f"%{ord(mark[0]):02X}", kept)
    path = _SESSION_IN_PATH.sub("", path)
    return f"{path}?{kept}" if kept else path


@lru_cache(maxsize=16_384)
def key_of(url: Url) -> int:
    """Return the identity of a URL in 64 bits, as the frontier and the store keep it; both ask for it."""
    return xxh3_64_intdigest(key(url).encode("utf-8", "surrogatepass")) - (1 << 63)


def keys_of(visit: Visit) -> Sequence[int]:
    """Return the identities of what the links of a visited page lead to."""
    if visit.page_record:
        return visit.page_record.keys
    return [key_of(link.target) for link in visit.page.links] if visit.page else ()


def asked_key(candidate: Candidate) -> int:
    """Return the identity of what a candidate asks: a page and its back-links are two questions."""
    if candidate.kind is not Request.BACKLINKS:
        return key_of(candidate.url)
    return key_of(Url(f"{candidate.kind.value} {candidate.url}"))


def asked_keys(candidates: Sequence[Candidate]) -> list[int]:
    """Return the identities of what candidates ask; nearly all are pages."""
    return [
        key_of(each.url) if each.kind is not Request.BACKLINKS else asked_key(each) for each in candidates
    ]


def tokens(url: Url) -> tuple[str, ...]:
    """Return the words of host, path and query in order and in lower case, without what every URL has."""
    host, _, rest = url.partition("//")[2].partition("/")
    path, _, query = rest.lower().partition("?")
    said = f"{_ENDING.sub('', path)} {query}"
    words = _WORD.findall(f"{_spoken(host)} {unquote(said).lower() if '%' in said else said}")
    return tuple([word for word in words if word not in STOP_TOKENS])


def blocks(url: Url) -> tuple[str, ...]:
    """Return the tokens that Chen et al. 2009 match: cut at '/' and '.', hyphens out, stop tokens dropped."""
    host, _, path = url.partition("//")[2].lower().partition("/")
    joined = _HYPHEN.sub("", f"{'.'.join(_labels(host))}/{path}")
    return tuple(token for token in joined.replace("/", ".").split(".") if token and token not in _STOPPED)


def link_type(source: Url, target: Url) -> LinkType:
    """Return where a link leads: another host, or the same, a deeper, a higher or another directory."""
    here, there = _directory(source), _directory(target)
    if here == there:
        return LinkType.SIBLING
    if here.partition("/")[0] != there.partition("/")[0]:
        return LinkType.OUTWARD
    if there.startswith(here):
        return LinkType.DOWNWARD
    return LinkType.UPWARD if here.startswith(there) else LinkType.CROSSWISE


def folders(url: Url) -> list[Url]:
    """Return the folders above a URL on its host, the nearest first: its path cut shorter and shorter."""
    host, path = host_of(url), url.partition("?")[0]
    parts = path[len(host) + 1 :].removesuffix("/").split("/")[:-1]
    above = [Url(f"{host}/{'/'.join(parts[:count])}/") for count in range(len(parts), 0, -1)]
    return [*above, Url(f"{host}/")] if path != f"{host}/" or url != path else []


STOP_TOKENS = frozenset("www com co net org edu gov ac index default home".split())
"""Words that say nothing, because every other URL has them."""

FILE_TYPES = frozenset("html htm shtml xhtml php php3 php5 asp aspx jsp jspx cgi cfm".split())
"""Endings that say how a page is made, not what it is about."""

_STOPPED = STOP_TOKENS | FILE_TYPES
_SCHEMES = ("http://", "https://")
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_DECODED = {f"%{ord(letter):02X}": letter for letter in _UNRESERVED}
_UNSETTLED = re.compile("%(?:[a-f].|.[a-f]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])")
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_HALF_ESCAPED = re.compile(r"[\[\]\\^`{|}]|%(?![0-9A-Fa-f]{2})")  # escaped in the queries of some pages only
_QUERY = re.compile(r"(?<=\?)[^#]*")
_PLAIN_IN_QUERY = "!$%&()*+,/:;=?@[\\]^`{|}"
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
_SESSION_VALUE = re.compile("[0-9A-Za-z]{16,}")
_SESSION = frozenset("sid session sessionid session_id sessid".split())
_TRACKING = frozenset(
    "fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid igshid igsh li_fat_id epik"
    " mc_cid mc_eid _ga _gl _hsenc _hsmi mkt_tok vero_id vero_conv oly_anon_id oly_enc_id wickedid srsltid"
    " spm_id_from vd_source jsessionid phpsessid cfid cftoken oscsid zenid".split()
)
_WORD = re.compile(r"[^\W_]+")
_HYPHEN = re.compile("[-_+]|%20")
_ENDING = re.compile(rf"\.(?:{'|'.join(sorted(FILE_TYPES))}|pdf|txt|xml)$")
_ADDRESS_WITHOUT_SCHEME = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]\S*)?")


def _normal(serialised: str, text: str) -> Url:
    """Take off a serialisation what does not tell pages apart."""
    if not serialised.startswith(_SCHEMES):
        raise InvalidUrl(_complaint(text))
    url = serialised.partition("#")[0]
    if "@" in url:
        url = _without_credentials(url)
    if "%" in url and not _STRAY_PERCENT.search(url):  # '%%32%65' would become an escape it never was
        url = _UNSETTLED.sub(_plainest, url)
    return Url(url)


def _complaint(text: str) -> str:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    example = f"http://{shown}" if _ADDRESS_WITHOUT_SCHEME.fullmatch(shown) else "https://example.org/page"
    return f"{shown!r} is not an http or https URL; write it in full, such as {example!r}."


def _without_credentials(url: str) -> str:
    scheme, _, rest = url.partition("//")
    authority, _, path = rest.partition("/")
    return f"{scheme}//{authority.rpartition('@')[2]}/{path}"


def _plainest(escape: re.Match[str]) -> str:
    upper = escape[0].upper()
    return _DECODED.get(upper, upper)


def _encoded(query: str, charset: str) -> str:
    """Escape a query in the charset of its page, as browsers do; the rest of a URL is always UTF-8."""
    return "".join(letter if letter.isascii() else _in_charset(letter, charset) for letter in query)


def _in_charset(letter: str, charset: str) -> str:
    try:
        return quote(letter.encode(charset), safe=_PLAIN_IN_QUERY)
    except UnicodeEncodeError:
        return f"%26%23{ord(letter)}%3B"
    except LookupError:  # a charset that browsers know and Python does not
        return letter


def _bare(host: str) -> str:
    host = host.rpartition("//")[2]
    if host.startswith("["):
        return host[1 : host.index("]")]
    return host.partition(":")[0] if host.count(":") == 1 else host  # more: an IPv6 address on its own


def _registered(host: str) -> str:
    if ":" in host or host.rpartition(".")[2].isdigit():  # an address: the last label of a name is no number
        return host
    if host.count(".") < 2:  # what stands before a suffix, or the suffix itself
        return host
    name = host.rstrip(".")
    owned = _suffixes().privatesuffix(idna_to_unicode(name) if "xn--" in name else name)
    return ".".join(name.split(".")[-1 - owned.count(".") :]) if owned else host


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """Return the public suffixes, read on first use: 12 ms, 40 with each in ASCII, too."""
    return PublicSuffixList(accept_encoded_idn=False)


def _follows_the_visitor(pair: str) -> bool:
    """Return whether a query parameter is about the visitor; `sid` may also be a section."""
    name, _, value = pair.partition("=")
    name = name.lower()
    if name in _SESSION:
        return _SESSION_VALUE.fullmatch(value) is not None
    return name in _TRACKING or name.startswith(("utm_", "aspsessionid"))


def _spoken(host: str) -> str:
    """Return the labels of a host that were chosen by its owner, in their own script."""
    labels = _labels(host)
    return " ".join(map(_unescaped, labels)) if "xn--" in host else " ".join(labels)


def _unescaped(label: str) -> str:
    return idna_to_unicode(label) if label.startswith("xn--") else label


def _labels(host: str) -> list[str]:
    """Return the labels of a host but the last, which is a country or a kind; an address has none."""
    labels = host.partition(":")[0].rstrip(".").split(".")
    return [] if labels[-1].isdigit() or host.startswith("[") else labels[:-1]


@lru_cache(maxsize=4_096)
def _directory(url: Url) -> str:
    """Return host and path up to the last slash; http and https are one place."""
    path = url.partition("?")[0]
    return path[path.index("//") + 2 : path.rindex("/") + 1]
