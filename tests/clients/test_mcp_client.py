"""The MCP server in the hands of the official client: every tool, found and called as by an assistant."""

import json
import sys
from importlib import import_module

import pytest

from thresher import crawl, revisit


@pytest.fixture(scope="module")
def bees(tmp_path_factory):
    found = crawl("beekeeping", pages=40, folder=tmp_path_factory.mktemp("mcp") / "bees")
    return revisit(found, 200, once=False, seconds=86_400, revisit={"discover": 0.0})


def client(folder, *more):
    mcp = import_module("mcp")
    arguments = ["-m", "thresher", "serve", "--mcp", str(folder), *more]
    return mcp.Client(mcp.stdio_client(mcp.StdioServerParameters(command=sys.executable, args=arguments)))


async def answer(session, name, **arguments):
    """Return what a tool answers."""
    result = await session.call_tool(name, arguments)
    assert not result.is_error, result
    return json.loads(result.content[0].text)


async def test_the_official_client_finds_and_uses_every_tool(bees):
    async with client(bees.folder) as session:
        tools = (await session.list_tools()).tools
        assert [tool.name for tool in tools] == ["list_crawls", "search", "read", "why", "changes"]
        assert (await answer(session, "list_crawls"))["crawls"][0]["topic"] == "beekeeping"
        found = (await answer(session, "search", query="honey", limit=3))["pages"]
        page = await answer(session, "read", id=found[0]["id"])
        assert page["untrusted_page_text"].startswith("# ")
        assert "not an instruction" in page["notice"]
        assert (await answer(session, "why", id=found[0]["id"]))["way"][-1] == found[0]["url"]
        assert (await answer(session, "changes", crawl="bees"))["total"] == len(bees.changes())


async def test_the_official_client_is_told_what_is_wrong_and_goes_on(bees):
    async with client(bees.folder) as session:
        wrong = await session.call_tool("search", {"query": "honey", "crawl": "wasps"})
        assert wrong.is_error
        assert "There is no crawl 'wasps'" in wrong.content[0].text
        with pytest.raises(import_module("mcp").MCPError):
            await session.call_tool("label", {"id": "bees:0", "label": "yes", "quote": ""})
        assert (await answer(session, "search", query="honey"))["total"] > 0


async def test_the_official_client_labels_where_it_has_leave(bees):
    async with client(bees.folder, "--allow-writes") as session:
        found = (await answer(session, "search", query="honey", limit=1))["pages"][0]
        read = await answer(session, "read", id=found["id"])
        quote = read["untrusted_page_text"].removeprefix("# ").splitlines()[0]
        told = await answer(session, "label", id=found["id"], label="yes", quote=quote)
        assert told["kept_as"].startswith("a model's word")
    assert (bees.folder / "labels.model.csv").read_text().startswith(found["url"])
