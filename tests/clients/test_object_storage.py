"""WARC files and exports in object storage, as moto's server and boto3 have it."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.command_line import thresher
from tests.faults.killing.evidence import is_clean

WEB = """
from thresher import Fetched, Web

class Meadow(Web):
    async def get(self, candidate):
        place = int(candidate.url.removeprefix("http://meadow.test/") or 0)
        links = "".join(f'<a href="/{place * 2 + n}">bees of meadow {n}</a>' for n in (1, 2))
        body = f"<p>Beekeeping in meadow {place}: its hive has {place + 7} frames.</p>{links}".encode()
        head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n"
        headers = (("content-type", "text/html"),)
        return Fetched(candidate, candidate.url, 200, headers, body, head=head, raw_body=body, fetched_at=1e9)
"""
SEED = "http://meadow.test/"
CRAWL = (
    "crawl",
    "beekeeping",
    "--seed",
    SEED,
    "--set",
    "web.kind=meadow:Meadow",
    "--delay",
    "0",
    "-o",
    "bees",
)
STORE = ("--set", "warc.store=s3://archive/bees")


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The client of a server of its own, with a bucket called archive; the keys stand in the environment."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meadow.py").write_text(WEB, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    server = import_module("moto.server").ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "canary-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    import_module("s3fs").S3FileSystem.clear_instance_cache()
    urlopen(Request(f"http://{host}:{port}/moto-api/reset", method="POST")).close()
    client = import_module("boto3").client("s3")
    client.create_bucket(Bucket="archive")
    yield client
    server.stop()


def keys(client: Any) -> list[str]:
    return [each["Key"] for each in client.list_objects_v2(Bucket="archive").get("Contents", [])]


def test_finished_files_move_and_every_verb_reads_them(bucket: Any, tmp_path: Path) -> None:
    assert thresher(*CRAWL, *STORE, "--pages", "20").code == 0
    assert thresher("resume", "bees", "--pages", "30").code == 0
    first, second = keys(bucket)
    assert first.startswith("bees/thresher-") and second.endswith("-00001.warc.gz")
    assert not list((tmp_path / "bees" / "warc").glob("*.warc.gz"))
    assert thresher("export", "bees", "-o", "bees.warc.gz").err.startswith("30 responses")
    assert is_clean(tmp_path / "bees.warc.gz")
    assert thresher("export", "bees", "-f", "markdown", "-o", "texts").code == 0
    assert thresher("revisit", "bees", "--once").code == 0
    assert thresher("forget", "bees", SEED).code == 0
    assert first not in keys(bucket), "the page is in no file any more"
    assert b"canary" not in b"".join(
        each.read_bytes() for each in (tmp_path / "bees").rglob("*") if each.is_file()
    )


@pytest.mark.parametrize("name", ["bees.jsonl", "bees.warc.gz", "texts"])
def test_an_export_goes_to_a_bucket(bucket: Any, name: str) -> None:
    thresher(*CRAWL, "--pages", "5")
    more = ("-f", "markdown") if name == "texts" else ()
    assert thresher("export", "bees", *more, "-o", f"s3://archive/out/{name}").code == 0
    assert f"out/{name}" in keys(bucket) or any(key.startswith("out/texts/pages/") for key in keys(bucket))
    assert ("out/bees.cdxj" in keys(bucket)) == (name == "bees.warc.gz")


def test_what_cannot_go_stays_and_goes_with_the_next_run(
    bucket: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = ("--set", "warc.store=s3://nowhere/bees")
    assert thresher(*CRAWL, "--pages", "5").code == 0
    told = thresher("resume", "bees", "--pages", "10", *wrong)
    assert told.code == 0
    assert "stays here until the next run: s3://nowhere/bees is not there: make the bucket" in caplog.text
    assert len(list((tmp_path / "bees" / "warc").glob("*.warc.gz"))) == 1
    assert thresher("resume", "bees", "--pages", "10", *STORE).code == 0
    assert len(keys(bucket)) == 1
    bucket.put_object(Bucket="archive", Key=keys(bucket)[0], Body=b"half an obj")
    told = thresher("resume", "bees", "--pages", "15")
    assert told.code == 1 and "put the whole file back" in told.err
    assert "s3://bucket" in thresher("resume", "bees", "--set", "warc.store=bucket").err
