"""The verb `robots` says what we would do with a URL, and why."""

import asyncio
import json
import threading
from collections.abc import Iterator

import pytest

from tests.command_line import thresher
from thresher_practice import PracticeWeb
from thresher_practice.server import PracticeServer


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The practice web, served by a thread of its own while the tests of this file run."""
    loop, server = asyncio.new_event_loop(), PracticeServer(PracticeWeb(1))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(30)
    asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(30)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def rule_of(port: int) -> tuple[str, str]:
    """A host of the practice web and a path that its robots.txt forbids."""
    atlas = PracticeWeb(1).atlas
    name, site = next((name, site) for name, site in atlas.sites.items() if site.disallowed)
    return f"http://{name}.localhost:{port}", site.disallowed[0]


def test_a_forbidden_url_is_left_and_the_rule_is_named(port: int) -> None:
    host, path = rule_of(port)
    ran = thresher("why", "--robots", f"{host}{path}x", "--allow-network", "127.0.0.0/8")
    assert ran.code == 1
    assert ran.out.startswith(f"Leave {host}{path}x: robots.txt says Disallow: {path}")


def test_an_allowed_url_is_fetched_and_said_so_to_programs(port: int) -> None:
    host, _ = rule_of(port)
    ran = thresher("why", "--robots", f"{host}/", "--allow-network", "127.0.0.0/8", "--json")
    assert (ran.code, json.loads(ran.out)[0]["allowed"]) == (0, True)


def test_a_private_address_is_left_with_the_flag_that_allows_it() -> None:
    ran = thresher("why", "--robots", "http://10.0.0.1/")
    assert ran.code == 1
    assert "--allow-network" in ran.out


def test_what_is_no_url_is_one_sentence() -> None:
    ran = thresher("why", "--robots", "example.org")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)
