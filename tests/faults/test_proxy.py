"""Behind a proxy each site answers for itself, hears its own password only, and is vetted like any other."""

import asyncio
from base64 import b64decode

import pytest

from tests.faults.relay import Relay
from tests.faults.server import OUTSIDE, FaultServer, Request
from tests.faults.test_guard import Names
from thresher.core.errors import FetchError, GuardRefused, SettingsError
from thresher.core.records import Candidate
from thresher.core.url import parse
from thresher.fetch.connection import Proxy, parse_proxy
from thresher.fetch.live import LiveWeb
from thresher.fetch.request_headers import secret_lines


async def name_of_host(request: Request, writer: asyncio.StreamWriter) -> None:
    """The page that says which server sent it."""
    body = request.address.encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


def password_in(request: Request) -> str:
    return b64decode(request.headers.get("authorization", "Basic ").split(" ")[1]).decode()


async def test_each_host_answers_for_itself_and_hears_its_own_password_only(live):
    addresses = ("127.77.0.1", "127.77.0.2")
    pages = {f"/{number}": name_of_host for number in range(10)}
    async with FaultServer(pages, addresses) as server, Relay() as relay:
        hosts = {address: f"http://{address}:{server.port}" for address in addresses}
        passwords = {host: f"me:{address}" for address, host in hosts.items()}
        web = live(proxy=f"http://{relay.address}:{relay.port}", secrets=secret_lines(passwords, {}))
        said = [
            (address, (await web.get(Candidate(parse(f"{hosts[address]}{path}")))).body.decode())
            for path in pages
            for address in addresses
        ]
    assert [host for host, body in said if host != body] == []
    assert {(each.address, password_in(each)) for each in server.log} == {(a, f"me:{a}") for a in addresses}
    assert len(relay.heads) == 2  # still one connection for each, not one for each request


@pytest.mark.parametrize("inside", ["localhost", OUTSIDE, "127.0.0.1", "[::1]", "proxy.test"])
async def test_the_way_to_the_proxy_is_no_way_to_its_neighbours(live, inside):
    """The proxy is on a private address that the user chose; its other ports are nobody's to ask."""
    names = Names(proxy_test=[["127.99.0.2"]])
    async with FaultServer({"/admin": name_of_host}) as server, Relay() as relay:
        for proxy in (f"127.99.0.2:{relay.port}", f"proxy.test:{relay.port}", f"localhost:{relay.port}"):
            web = live(proxy=f"http://{proxy}", resolver=names)
            with pytest.raises(GuardRefused):
                await web.get(Candidate(parse(f"http://{inside}:{server.port}/admin")))
    assert server.log == [] and relay.heads == []


@pytest.mark.parametrize("place", ["127.99.0.2", "proxy.test", "localhost"])
async def test_a_proxy_that_another_machine_names_is_vetted_like_a_page(live, place):
    """A crawl elsewhere tells its workers of a proxy: it is no way into the network that they stand in."""
    names = Names(proxy_test=[["127.99.0.2"]])
    async with FaultServer({"/": name_of_host}, ("127.77.0.1",)) as server, Relay() as relay:
        url = parse(f"http://127.77.0.1:{server.port}/")
        web = live(proxy=f"http://{place}:{relay.port}", proxy_is_ours=False, resolver=names)
        with pytest.raises(GuardRefused):
            await web.get(Candidate(url))
        assert (server.log, relay.heads) == ([], [])
        both = ["127.77.0.0/16", "127.99.0.2/32"]
        web = live(proxy=f"http://127.99.0.2:{relay.port}", proxy_is_ours=False, allow_networks=both)
        assert (await web.get(Candidate(url))).body == b"127.77.0.1"


@pytest.mark.parametrize("name", ["intranet", "metadata.google.internal", "printer.local"])
async def test_a_name_that_only_the_proxy_knows_is_left_alone_until_the_proxy_may_resolve(live, name):
    async with FaultServer({"/": name_of_host}) as server, Relay({name: "127.77.0.1"}) as relay:
        url = parse(f"http://{name}:{server.port}/")
        proxy = f"http://{relay.address}:{relay.port}"
        with pytest.raises(GuardRefused, match=r"web\.proxy_resolves"):
            await live(proxy=proxy, resolver=Names()).get(Candidate(url))
        assert server.log == []
        names = Names()
        web = live(proxy=proxy, proxy_resolves=True, resolver=names)
        assert (await web.get(Candidate(url))).body == b"127.77.0.1"
    assert names.asked == []


@pytest.mark.parametrize("inside", ["localhost", "sub.localhost", OUTSIDE, "169.254.169.254"])
async def test_a_proxy_that_resolves_is_not_asked_for_what_needs_no_resolving(live, inside):
    async with Relay() as relay:
        web = live(proxy=f"http://{relay.address}:{relay.port}", proxy_resolves=True, resolver=Names())
        with pytest.raises(GuardRefused):
            await web.get(Candidate(parse(f"http://{inside}:8080/")))
    assert relay.heads == []


TUNNELS = [
    b"HTTP/1.1 200 OK\r\n\r\n",
    b"HTTP/1.0 200 Connection established\r\nProxy-agent: x\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
    b"HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\n",
]


@pytest.mark.parametrize("answer", TUNNELS)
async def test_any_good_answer_to_connect_is_a_tunnel(live, answer):
    async with Relay(tunnel=answer) as relay:
        await hello_through(live, relay, "https://site.test/")
    assert relay.sent[0][:2] == b"\x16\x03"  # a TLS handshake


async def test_a_refusal_of_connect_is_no_tunnel(live):
    async with Relay(tunnel=b"HTTP/1.1 403 Forbidden\r\n\r\n") as relay:
        await hello_through(live, relay, "https://site.test/")
    assert relay.sent[0] == b""


async def test_connect_names_an_ipv6_address_in_brackets(live):
    async with Relay() as relay:
        await hello_through(live, relay, "https://[2606:2800:220:1:248:1893:25c8:1946]/")
    assert relay.heads[0].startswith("CONNECT [2606:2800:220:1:248:1893:25c8:1946]:443 HTTP/1.1\r\n")


async def hello_through(live, relay: Relay, url: str) -> None:
    """Ask for a https page through a relay that hangs up after the first bytes."""
    names = Names(site_test=[["93.184.216.34"]])
    with pytest.raises(FetchError):
        await live(proxy=f"{relay.address}:{relay.port}", resolver=names).get(Candidate(parse(url)))


@pytest.mark.parametrize("form", ["http://{}", "{}", "http://me:s%40crt@{}", "me:s%40crt@{}", "http://{}/"])
async def test_a_proxy_is_named_with_and_without_scheme_and_password(live, form):
    async with FaultServer({"/": name_of_host}) as server, Relay() as relay:
        web = live(proxy=form.format(f"{relay.address}:{relay.port}"))
        assert (await web.get(server.candidate("/"))).body == b"127.77.0.1"
    sent = "Proxy-Authorization: Basic bWU6c0BjcnQ=\r\n" in relay.heads[0]
    assert sent == ("me" in form)


@pytest.mark.parametrize(
    "proxy",
    "ftp://p.org:1 htpp://p.org:1 socks5://user:pw@p.org:1 socks5h://p.org:1 http://p.org:x http://:80"
    " http://p.org:1/path http://p.org:99999".split(),
)
def test_what_is_no_proxy_is_refused_in_one_sentence_without_the_password(proxy):
    with pytest.raises(SettingsError, match=r"^web\.proxy .* such as http://127\.0\.0\.1:3128\.$") as refused:
        LiveWeb(proxy=proxy)
    assert "pw" not in str(refused.value)


def test_a_proxy_is_read_once_for_all():
    assert parse_proxy("") is None
    assert parse_proxy("p.org") == Proxy("p.org", 80)
    assert parse_proxy("https://[::1]:3128") == Proxy("::1", 3128, secure=True)
