"""A secret is sent to whom it is for, and stands nowhere else: in no file, no export, no printed line."""

import asyncio
import gzip
import json
import sqlite3
import stat
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.command_line import thresher
from tests.faults.relay import Relay
from tests.faults.server import ALLOWED, FaultServer, Request
from thresher.core.errors import SettingsError
from thresher.fetch.live import LiveWeb
from thresher.settings.components import Secret
from thresher.settings.load import read, written
from thresher.store.codecs import unpack_page

PASSWORDS = {
    "credentials": "alice:topsecret77",
    "cookie": "cookiesecret42",
    "proxy": "prox:proxysecret55",
    "webhook": "hooksecret66",
    "endpoint": "linksecret88",
    "seed": "bob:seedsecret99",
    "header": "headersecret31",
    "cookie of a file": "filesecret23",
}


def forms(secret: str) -> Iterator[bytes]:
    """Yield a secret as it may stand somewhere: as it is, its last part alone, percent-encoded, in base64."""
    for text in (secret, secret.rpartition(":")[2]):
        yield from (text.encode(), quote(text, safe="").encode(), b64encode(text.encode()).rstrip(b"="))


def found_in(data: bytes) -> list[str]:
    return [name for name, secret in PASSWORDS.items() if any(form in data for form in forms(secret))]


async def members(request: Request, writer: asyncio.StreamWriter) -> None:
    """A page for members only, which gives each a cookie and never looks the same."""
    if "authorization" not in request.headers:
        writer.write(b"HTTP/1.1 401 Who are you\r\nContent-Length: 0\r\n\r\n")
        return
    members.count = getattr(members, "count", 0) + 1  # type: ignore[attr-defined]
    links = "".join(f'<a href="/{number}">honey {number}</a>' for number in range(6))
    body = f"<title>honey</title><p>Honey news {members.count}: hives and bees.</p>{links}".encode()  # type: ignore[attr-defined]
    cookie = f"Set-Cookie: session={PASSWORDS['cookie']}"
    writer.write(f"HTTP/1.1 200 OK\r\n{cookie}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


def given(server: FaultServer, relay: Relay) -> dict[str, str]:
    """Return the settings that hold secrets."""
    host = f"http://127.77.0.1:{server.port}"
    return {
        "web.proxy": f"http://{PASSWORDS['proxy']}@{relay.address}:{relay.port}",
        "revisit.webhook": f"{host}/hook?token={PASSWORDS['webhook']}",
        "backlinks.endpoint": f"{host}/links?key={PASSWORDS['endpoint']}&u={{url}}",
        "credentials": PASSWORDS["credentials"],
        "header": PASSWORDS["header"],
    }


ASKING = """
from thresher.core.enums import Request
from thresher.core.records import Candidate
from thresher.strategies.classic import BestFirst

class Asking(BestFirst):
    def on_visit(self, visit, memory):
        question = Candidate(visit.candidate.url, 9.0, kind=Request.BACKLINKS)
        return [question, *super().on_visit(visit, memory)]
"""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("by_name", [False, True], ids=["as they are", "by env:NAME"])
async def test_no_secret_stands_anywhere_but_where_it_is_sent(
    by_name, tmp_path, tmp_path_factory, monkeypatch
):
    folder, cookies = tmp_path / "honey", tmp_path_factory.mktemp("mine") / "cookies.txt"
    cookies.write_text(f"127.77.0.1\tFALSE\t/\tFALSE\t0\tmember\t{PASSWORDS['cookie of a file']}\n")
    (tmp_path / "asking.py").write_text(ASKING)
    monkeypatch.chdir(tmp_path)
    async with FaultServer({f"/{each}": members for each in ("", *range(6))}) as server, Relay() as relay:
        asked = given(server, relay)
        for name, value in list(asked.items()) if by_name else ():
            variable = name.upper().replace(".", "_")
            monkeypatch.setenv(variable, value)
            asked[name] = f"env:{variable}"
        origin = f"http://127.77.0.1:{server.port}"
        asked["web.credentials"] = f'{{"{origin}" = "{asked.pop("credentials")}"}}'
        asked["web.headers"] = f'{{"{origin}" = {{"X-Key" = "{asked.pop("header")}"}}}}'
        pairs = [word for name, value in asked.items() for word in ("--set", f"{name}={value}")]
        seed = origin.replace("//", f"//{PASSWORDS['seed']}@")
        crawl = ["crawl", "honey", "-o", str(folder), f"--seed={seed}/", f"--allow-network={ALLOWED}"]
        crawl += [*pairs, "--set", "web.cookies=true", "--strategy", "asking:Asking"]
        crawl += ["--cookies", str(cookies)]
        verbs = [
            [*crawl, "--delay=0", "--pages=4", "-vv"],
            ["resume", str(folder), "--pages=6", "-vv"],
            ["revisit", str(folder), "--once", "-vv", "--json"],
            ["report", str(folder)],
            ["report", str(folder), "--json"],
            ["why", f"{origin}/", str(folder), "--json"],
            ["settings", str(folder / "crawl.toml")],
            ["settings", str(folder / "crawl.toml"), "--json"],
            ["export", str(folder), "-o", str(tmp_path / "out.warc.gz")],
            ["export", str(folder), "-o", str(tmp_path / "out.csv")],
            ["export", str(folder)],
        ]
        for verb in verbs:
            ran = await asyncio.to_thread(thresher, *verb)
            assert ran.code == 0, (verb, ran.err)
            assert found_in(f"{ran.out}{ran.err}".encode()) == [], verb
    sent = [request for request in server.log if request.headers.get("authorization")]
    assert any(PASSWORDS["cookie"] in each.headers.get("cookie", "") for each in sent)
    assert any(PASSWORDS["cookie of a file"] in each.headers.get("cookie", "") for each in sent)
    assert {each.headers.get("x-key") for each in sent} == {PASSWORDS["header"]}
    assert any(PASSWORDS["endpoint"] in each.target for each in server.log)
    assert any(PASSWORDS["webhook"] in each.target for each in server.log)
    assert any("Proxy-Authorization: Basic" in head for head in relay.heads)
    assert [str(file) for file in every_file(tmp_path) if found_in(unpacked(file))] == []
    assert stat.S_IMODE((folder / "crawl.toml").stat().st_mode) == 0o600


def every_file(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def unpacked(file: Path) -> bytes:
    """Return what a file holds; of an archive every record, of a database every page as well."""
    if file.name == "crawl.db":
        with closing(sqlite3.connect(f"file:{file}?immutable=1", uri=True)) as database:
            pages = [unpack_page(page) for (page,) in database.execute("SELECT page FROM page")]
        return file.read_bytes() + repr(pages).encode()
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def test_what_is_remembered_of_secrets_is_for_the_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("THRESHER_CONFIG", str(tmp_path / "config" / "settings.toml"))
    asked = ["crawl", "beekeeping", "-o", str(tmp_path / "bees"), "--pages", "3"]
    assert thresher(*asked, "--set", "web.proxy=http://me:topsecret77@proxy.test:1").code == 0
    (kept,) = (tmp_path / "config" / "crawls").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert "topsecret77" in kept.read_text()
    assert thresher("resume", str(tmp_path / "bees"), "--pages", "5").code == 0


def test_a_secret_does_not_show_itself():
    settings = read(
        None, [("web.proxy", "user:topsecret77@proxy.test"), ("web.credentials", {"http://a": "x:y7"})]
    )
    web = LiveWeb(proxy="http://user:topsecret77@proxy.test", secrets={"http://a": "x:y7"}, agent="a")
    for text in (repr(settings), str(settings.web.proxy), f"{settings.web}", written(settings), repr(web)):
        assert "topsecret77" not in text and "x:y7" not in text
    with pytest.raises(TypeError):
        json.dumps(settings.web.proxy)


def test_a_secret_may_be_that_of_an_environment_variable(monkeypatch):
    monkeypatch.setenv("MY_PROXY", "http://proxy.test")
    secret = read(None, [("web.proxy", "env:MY_PROXY")]).web.proxy
    assert (secret.reveal(), secret.shown) == ("http://proxy.test", "env:MY_PROXY")
    monkeypatch.delenv("MY_PROXY")
    with pytest.raises(SettingsError, match="no environment variable MY_PROXY"):
        secret.reveal()
    with pytest.raises(SettingsError, match="give it again"):
        Secret("(not shown)").reveal()
