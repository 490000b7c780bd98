"""409 URLs that try to reach what they must not, and sixteen stories of how it is done."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.faults.server import ALLOWED, OUTSIDE, FaultServer, page, redirect
from thresher.core.errors import GuardRefused, InvalidUrl, NameUnresolved
from thresher.core.records import Candidate, Url
from thresher.core.url import hostname_of, join, parse
from thresher.fetch.guard import Guard, GuardedResolver, is_literal, port_of
from thresher.fetch.live import LiveWeb
from thresher.fetch.request_headers import secret_lines
from thresher.parse.sitemap import parse_sitemap


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "")) / "faults/data/ssrf"
    assert found.is_dir(), f"No folder {found}: set THRESHER_SHARED to the folder that holds faults/data."
    return found


class Stub:
    """Answers every question with the same addresses, or with the next of several lists."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)

    async def resolve(self, host: str, port: int) -> list[str]:
        return list(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])


async def verdict(row: dict[str, Any]) -> str:
    """What would happen to a URL up to the moment of the connection; nothing is connected."""
    guard = Guard()
    try:
        url = parse(row["url"])
        guard.vet(url)
        if not is_literal(hostname_of(url)):
            if "fake_dns" not in row:
                return "dns"
            await GuardedResolver(guard, Stub(row["fake_dns"])).resolve(hostname_of(url), port_of(url))
    except InvalidUrl:
        return "invalid"
    except GuardRefused:
        return "block"
    except NameUnresolved:
        return "error"
    return "allow"


FITS = {
    "block": {"block", "invalid"},
    "allow": {"allow"},
    "either": {"allow", "block"},
    "error": {"error"},
    "block-or-dns": {"block", "invalid", "dns"},
    "invalid-or-dns": {"invalid", "dns"},
}


async def test_every_url_is_judged_as_it_should_be(folder: Path):
    cases = json.loads((folder / "urls.json").read_text())
    counts = Counter(row["expect"] for row in cases)
    assert (len(cases), counts["block"], counts["allow"]) == (409, 348, 24)
    wrong = [row for row in cases if row["expect"] in FITS and await verdict(row) not in FITS[row["expect"]]]
    assert wrong == []


async def test_where_the_host_decides_the_guard_has_seen_it(folder: Path):
    cases = [row for row in json.loads((folder / "urls.json").read_text()) if row["expect"] == "host-decides"]
    assert len(cases) == 20
    for row in cases:
        judged = await verdict(row)
        if judged in ("invalid", "block"):
            continue
        url = parse(row["url"])
        assert not is_literal(hostname_of(url)) or Guard().allows(hostname_of(url)), row


# The stories. 127.77.0.0/16 stands for the public web, OUTSIDE for what is private.


async def refused(web: LiveWeb, url: str) -> None:
    with pytest.raises(GuardRefused):
        await web.get(Candidate(parse(url)))


async def dns_rebinding_toctou(server: FaultServer) -> None:
    web = live(Stub(["127.77.0.1"], [OUTSIDE]))
    assert (await web.get(Candidate(parse(f"http://rebind.test:{server.port}/")))).address == "127.77.0.1"
    await web.close()


async def dns_rebinding_on_keepalive_reuse(server: FaultServer) -> None:
    now = [0.0]
    resolver = GuardedResolver(Guard([ALLOWED]), Stub(["127.77.0.1"], [OUTSIDE]), now=lambda: now[0])
    assert await resolver.resolve("rebind.test", 80) == ["127.77.0.1"]
    now[0] += 3600
    with pytest.raises(GuardRefused):
        await resolver.resolve("rebind.test", 80)


async def dns_rebinding_robots_then_page(server: FaultServer) -> None:
    with pytest.raises(
        OSError, match="not a public address"
    ):  # the socket has the last word, whoever resolved
        Guard([ALLOWED]).socket(OUTSIDE)


async def redirect_to_metadata(server: FaultServer) -> None:
    await follow(server, "http://169.254.169.254/latest/meta-data/")


async def redirect_chain_public_public_private(server: FaultServer) -> None:
    server.answers["/second"] = redirect("http://[::ffff:a9fe:a9fe]/")
    await follow(server, "/second", "http://[::ffff:a9fe:a9fe]/")


async def redirect_307_post(server: FaultServer) -> None:
    await follow(server, f"http://127.0.0.1:{server.port}/api/jobs")


async def meta_refresh_private(server: FaultServer) -> None:
    await only_refused("http://10.0.0.1/")


async def sitemap_private(server: FaultServer) -> None:
    listed = parse_sitemap(
        b"<urlset><url><loc>http://127.0.0.1/secret</loc></url></urlset>", server.url("/s.xml")
    )
    await only_refused(listed.urls[0].url)


async def canonical_private(server: FaultServer) -> None:
    await only_refused("http://127.0.0.1/")


async def alt_svc_private(server: FaultServer) -> None:
    server.answers["/"] = page(Alt_Svc=f'h2="{OUTSIDE}:{server.port}"; ma=3600')
    web = live()
    for _ in range(2):
        assert (await web.get(server.candidate("/"))).status == 200
    await web.close()


async def proxy_env(server: FaultServer) -> None:
    os.environ["HTTP_PROXY"] = os.environ["http_proxy"] = f"http://{OUTSIDE}:{server.port}"
    try:
        web = live()
        assert (await web.get(server.candidate("/"))).status == 200
        await web.close()
    finally:
        del os.environ["HTTP_PROXY"], os.environ["http_proxy"]


async def proxy_header_leak(server: FaultServer) -> None:
    secrets = secret_lines({f"http://127.77.0.1:{server.port}": "user:SECRET"}, {})
    web = live(cookies=True, secrets=secrets)
    server.answers["127.77.0.1/"] = page(Set_Cookie="s=SECRET")
    for address in ("127.77.0.1", "127.77.0.2"):
        await web.get(server.candidate("/", address))
    await web.close()
    secrets = [r for r in server.log if {"authorization", "cookie", "proxy-authorization"} & set(r.headers)]
    assert {request.address for request in secrets} == {"127.77.0.1"}


async def webhook_url(server: FaultServer) -> None:
    await only_refused("http://127.0.0.1:8080/callback")  # there is one guard, whoever gives the URL


async def seed_from_api_file_scheme(server: FaultServer) -> None:
    with pytest.raises(InvalidUrl):
        parse("file:///etc/passwd")


async def ipv6_only_dns64(server: FaultServer) -> None:
    with pytest.raises(GuardRefused):
        await GuardedResolver(Guard(), Stub(["64:ff9b::a9fe:a9fe"])).resolve("dns64.test", 80)


async def crawler_of_private_network_opt_in(server: FaultServer) -> None:
    assert not Guard().allows("127.0.0.1") and Guard(["127.0.0.0/8"]).allows("127.0.0.1")


STORIES = [
    dns_rebinding_toctou,
    dns_rebinding_on_keepalive_reuse,
    dns_rebinding_robots_then_page,
    redirect_to_metadata,
    redirect_chain_public_public_private,
    redirect_307_post,
    meta_refresh_private,
    sitemap_private,
    canonical_private,
    alt_svc_private,
    proxy_env,
    proxy_header_leak,
    webhook_url,
    seed_from_api_file_scheme,
    ipv6_only_dns64,
    crawler_of_private_network_opt_in,
]


@pytest.mark.parametrize("story", STORIES)
async def test_a_story_ends_well(folder: Path, story: Any):
    assert story.__name__ in {row["name"] for row in json.loads((folder / "scenarios.json").read_text())}
    async with FaultServer({"/": page()}, ("127.77.0.1", "127.77.0.2")) as server:
        await story(server)
    assert server.asked(OUTSIDE) == []


def test_no_story_is_left_out(folder: Path):
    assert len(json.loads((folder / "scenarios.json").read_text())) == len(STORIES) == 16


def live(resolver: Stub | None = None, **options: Any) -> LiveWeb:
    return LiveWeb(allow_networks=[ALLOWED], resolver=resolver, delay=0.0, **options)


async def follow(server: FaultServer, first: str, last: str = "") -> None:
    """Follow a redirect as the crawl does, each hop a request of its own, up to the refused one."""
    server.answers["/"] = redirect(first)
    web, url = live(), server.url("/")
    for _ in range(2 if last else 1):
        url = join(url, (await web.get(Candidate(url))).header("location"))
    await refused(web, url)
    await web.close()


async def only_refused(url: str | Url) -> None:
    web = live()
    await refused(web, url)
    await web.close()
