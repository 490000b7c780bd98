"""An HTTP endpoint of the user's that knows who links to a page, asked like any page of the web.

The address has {url} where the page's address goes. The answer is JSON (a list of URLs, or of objects with
`source` or `url` and perhaps `anchor`; the list may stand under `links`, `backlinks`, `results` or `data`) or
plain text with one URL a line. What is no URL in it is passed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec

from thresher.core.doors import Web
from thresher.core.errors import BadResponse, InvalidUrl, SettingsError
from thresher.core.records import Candidate, Fetched, Link, Url
from thresher.core.url import parse

LISTS = ("links", "backlinks", "results", "data")
LONGEST = 500  # characters of an anchor


@dataclass(frozen=True)
class Endpoint:
    """Asks the endpoint by way of a web, so that its guard, rules and limits hold here too."""

    web: Web
    address: str

    def __post_init__(self) -> None:
        """Refuse an address in which the page has no place."""
        if "{url}" not in self.address:
            raise SettingsError(
                f"backlinks.endpoint {self.address!r} has no {{url}} where the page's address should go."
            )

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return the links the endpoint tells of."""
        address = parse(self.address.replace("{url}", quote(url, safe="")))
        fetched = await self.web.get(Candidate(address))
        if fetched.status != 200:
            raise BadResponse(f"the endpoint for back-links answered with status {fetched.status}")
        return [link for told in _told(fetched) if (link := _link(told, url))]


def _told(fetched: Fetched) -> Iterator[Any]:
    """Yield what stands for one link each."""
    text = fetched.body.lstrip()
    if text[:1] not in (b"[", b"{"):
        yield from fetched.body.decode("utf-8", "replace").splitlines()
        return
    try:
        answer = msgspec.json.decode(text)
    except msgspec.DecodeError:
        raise BadResponse("the endpoint for back-links sent JSON that cannot be read") from None
    if isinstance(answer, dict):
        answer = next((answer[name] for name in LISTS if isinstance(answer.get(name), list)), [])
    yield from answer


def _link(told: Any, url: Url) -> Link | None:
    source, anchor = told, ""
    if isinstance(told, Mapping):
        source, anchor = told.get("source") or told.get("url"), told.get("anchor") or ""
    try:
        return Link(parse(str(source).strip()), url, str(anchor)[:LONGEST], rel="backlink")
    except InvalidUrl:
        return None
