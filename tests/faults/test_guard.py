"""No request leaves for an address that was not vetted, on whatever road it was to get there."""

import asyncio

import pytest

from tests.faults.server import ALLOWED, OUTSIDE, FaultServer, page, redirect
from thresher.build.topic import topic_of
from thresher.core.errors import GuardRefused, NameUnresolved
from thresher.core.records import Candidate
from thresher.core.url import join, parse
from thresher.settings.components import Secret
from thresher.settings.model import Settings, TopicSettings, WebSettings


class Names:
    """A resolver with a script: each question takes the next answer, the last one stays."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self.answers = {name.replace("_", "."): list(script) for name, script in answers.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        script = self.answers.get(host, [[]])
        return script.pop(0) if len(script) > 1 else script[0]


def candidate(server: FaultServer, name: str, path: str = "/a") -> Candidate:
    return Candidate(parse(f"http://{name}:{server.port}{path}"))


SPELLINGS = [
    "127.99.0.1",
    "2137194497",
    "0177.0143.0.1",
    "0x7f630001",
    "127.99.1",
    "[::ffff:127.99.0.1]",
    "0",
]


@pytest.mark.parametrize("host", [*SPELLINGS, "localhost", "any.localhost", "example.com@127.99.0.1"])
async def test_no_spelling_of_a_forbidden_address_is_asked(live, host):
    async with FaultServer({"/a": page()}) as server:
        with pytest.raises(GuardRefused):
            await live(resolver=Names()).get(candidate(server, host))
    assert server.log == []


async def test_a_redirect_is_a_new_request_and_vetted_like_any(live):
    async with FaultServer({"/a": redirect("http://[::ffff:127.99.0.1]/secret")}) as server:
        web = live()
        fetched = await web.get(server.candidate("/a"))
        onward = join(fetched.url, fetched.header("location"))
        assert fetched.status == 302
        with pytest.raises(GuardRefused):
            await web.get(Candidate(onward))
    assert server.asked(OUTSIDE) == []


async def test_a_name_that_changes_its_mind_is_asked_once_and_pinned(live):
    names = Names(rebind_test=[["127.77.0.1"], [OUTSIDE]])
    async with FaultServer({"/a": page()}) as server:
        assert (await live(resolver=names).get(candidate(server, "rebind.test"))).address == "127.77.0.1"
    assert names.asked == ["rebind.test"]
    assert server.asked(OUTSIDE) == []


async def test_every_new_connection_is_vetted(live):
    names = Names(rebind_test=[[OUTSIDE]])
    async with FaultServer({"/a": page()}) as server:
        with pytest.raises(GuardRefused, match="--allow-network"):
            await live(resolver=names).get(candidate(server, "rebind.test"))
    assert server.log == []


async def test_one_bad_address_among_good_ones_is_enough(live):
    names = Names(mixed_test=[["127.77.0.1", "10.0.0.1"]])
    async with FaultServer({"/a": page()}) as server:
        with pytest.raises(GuardRefused):
            await live(resolver=names).get(candidate(server, "mixed.test"))
    assert server.log == []


async def test_a_name_without_addresses_is_unresolved(live):
    async with FaultServer({}) as server:
        with pytest.raises(NameUnresolved):
            await live(resolver=Names()).get(candidate(server, "nobody.test"))


async def test_localhost_needs_no_resolver_but_permission(live):
    names = Names()
    async with FaultServer({"/a": page(b"home")}, ("127.0.0.1",)) as server:
        web = live(resolver=names, allow_networks=["127.0.0.1"])
        assert (await web.get(candidate(server, "site.localhost"))).body == b"home"
    assert names.asked == []


async def test_the_environment_names_no_proxy(live, monkeypatch):
    async with FaultServer({"/a": page()}) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://{OUTSIDE}:{server.port}")
        assert (await live().get(server.candidate("/a"))).status == 200
    assert server.asked(OUTSIDE) == []


async def test_a_proxy_the_user_chose_is_trusted_but_its_targets_are_not(live):
    async with FaultServer({}) as server:
        there = f"http://site.test:{server.port}/a"
        server.answers[there] = page(b"through the proxy")
        web = live(proxy=f"http://{OUTSIDE}:{server.port}", resolver=Names(site_test=[["127.77.0.1"]]))
        assert (await web.get(Candidate(parse(there)))).body == b"through the proxy"
        with pytest.raises(GuardRefused):
            await web.get(Candidate(parse("http://169.254.169.254/latest/meta-data/")))
    assert server.asked(OUTSIDE) == [f"http://site.test:{server.port}/robots.txt", there]


async def test_example_pages_go_through_the_proxy_of_the_crawl():
    async with FaultServer({}) as server:
        there = str(server.url("/example"))
        server.answers[there] = page(b"<p>Bees in their hives make honey.</p>")
        proxy = f"http://{OUTSIDE}:{server.port}"
        web = WebSettings(proxy=Secret(proxy), allow_networks=(ALLOWED,), delay=0.0)
        topic = await asyncio.to_thread(topic_of, Settings(topic=TopicSettings(examples=(there,)), web=web))
    assert "honey" in topic.centroid
    assert server.asked(OUTSIDE) == [str(server.url("/robots.txt")), there]
    assert server.asked() == []


@pytest.mark.parametrize("port", [0, 22, 25, 2375, 3306, 6379, 9200, 11211])
async def test_ports_of_other_services_are_left_alone(live, port):
    with pytest.raises(GuardRefused, match=f"Port {port} "):
        await live().get(Candidate(parse(f"http://127.77.0.1:{port}/")))
