"""The walls round the server: who may ask at all, who may change something, and what a page may do.

Against pages that the user visits, pages that were crawled, and other users of the machine; not against the
user. A request passes the list of hosts first, whatever it asks for: in DNS rebinding Origin and Host agree.
There is no cookie: cookies know no ports, so a page of another server on this machine would send ours.
"""

import hmac
from collections.abc import Mapping

from msgspec import Struct

from thresher.serve.problems import Problem

SHELL_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
COPY_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
READING = frozenset({"GET", "HEAD"})
OWN_SITE = frozenset({"", "same-origin"})


class Guards(Struct, frozen=True):
    """What a request must show. Each wall can be left out, so that a test can show what it keeps out."""

    hosts: frozenset[str]  # names with their port, exactly as a browser writes them
    token: str
    checks_host: bool = True
    checks_token: bool = True
    checks_origin: bool = True
    isolates_copies: bool = True

    def admit(self, method: str, headers: Mapping[str, str], is_open: bool) -> None:
        """Let a request pass, or raise why not; what is open needs no token."""
        if self.checks_host and headers.get("Host", "").lower() not in self.hosts:
            raise Problem(
                "wrong-host", "Not this server", 421, "The name in the address is not one of this server.",
                "Nothing was read.", "Open the address that 'thresher serve' printed.",
            )  # fmt: skip
        if not is_open and self.checks_token and not self.knows(headers.get("Authorization", "")):
            raise Problem(
                "no-token", "The token is missing or of an earlier start", 401,
                "Every start of the server makes a new token, and this request has none that is valid.",
                "Nothing was read or changed.", "Open the address that 'thresher serve' printed last.",
            )  # fmt: skip
        if method not in READING:
            self._admit_change(headers)

    def _admit_change(self, headers: Mapping[str, str]) -> None:
        """Let a request that changes something pass only from our own pages, or from no page at all."""
        origin, site = headers.get("Origin", ""), headers.get("Sec-Fetch-Site", "")
        own = not origin or origin.partition("//")[2].lower() in self.hosts
        if self.checks_origin and not (own and site in OWN_SITE):
            raise Problem(
                "foreign-page", "Asked by another page", 403, "A page of another address asked for a change.",
                "Nothing was changed.", "Close that page if you do not know it.",
            )  # fmt: skip
        if self.checks_origin and headers.get("Content-Type", "") != "application/json":
            raise Problem(
                "wrong-type",
                "Not JSON",
                415,
                "A change is asked for in application/json.",
                "Nothing was changed.",
            )

    def knows(self, authorization: str) -> bool:
        """Tell whether the header carries the token."""
        return hmac.compare_digest(authorization.encode(), f"Bearer {self.token}".encode())


def security_headers(path: str, isolates_copies: bool = True) -> dict[str, str]:
    """Return the headers of an answer: what the page that shows it may do."""
    if path.startswith("/copy/"):
        policy = {"Content-Security-Policy": COPY_POLICY} if isolates_copies else {}
        return {**HEADERS, **policy, "Cache-Control": "no-store"}
    kept = (
        {"Cache-Control": "no-store"}
        if path.startswith(("/api/", "/metrics"))
        else {"Cache-Control": "no-cache"}
    )
    return {**HEADERS, "Content-Security-Policy": SHELL_POLICY, **kept}
