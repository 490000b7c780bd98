"""https is verified: a good certificate passes with its authority, and no bad one ever does."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from thresher.core.errors import CertificateRefused, FetchError
from thresher.core.records import Candidate
from thresher.core.url import parse
from thresher.fetch.limits import Backoff, ResponseLimits
from thresher.fetch.live import LiveWeb


@pytest.fixture(scope="module")
def hosts() -> Iterator[dict[str, Any]]:
    script = Path(os.environ.get("THRESHER_SHARED", "")) / "faults/faultserver.py"
    assert script.is_file(), f"No file {script}: set THRESHER_SHARED to the folder that holds faults."
    options = ["--port", "0", "--tls", "--sites", "1", "--pages", "2", "--max-seconds", "60"]
    process = subprocess.Popen([sys.executable, str(script), *options], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        control = json.loads(process.stdout.readline())["control"]
        with urllib.request.urlopen(f"{control}/__hosts", timeout=20) as answer:
            yield json.load(answer)
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


async def ending(url: str, trust: str) -> str:
    web = LiveWeb(
        allow_networks=["127.77.0.0/16"],
        limits=ResponseLimits(total=3.0, connect=1.0, idle=1.0),
        waits=Backoff(backoff=0.0, after_timeout=0.0),
        delay=0.0,
        trust=trust,
    )
    try:
        return str((await web.get(Candidate(parse(url)))).status)
    except FetchError as error:
        return type(error).__name__
    finally:
        await web.close()


async def test_a_good_certificate_passes_with_its_authority_only(hosts: dict[str, Any]) -> None:
    assert hosts["_tls_note"] is None
    assert await ending(hosts["_tls"]["good"], hosts["_ca_pem"]) == "200"
    assert await ending(hosts["_tls"]["good"], "") == CertificateRefused.__name__


@pytest.mark.parametrize("fault", ["selfsigned", "expired", "wronghost", "plain"])
async def test_a_bad_one_never_passes(hosts: dict[str, Any], fault: str) -> None:
    assert await ending(hosts["_tls"][fault], hosts["_ca_pem"]) == CertificateRefused.__name__


@pytest.mark.parametrize("fault", ["hang", "close"])
async def test_a_handshake_that_fails_ends(hosts: dict[str, Any], fault: str) -> None:
    assert await ending(hosts["_tls"][fault], hosts["_ca_pem"]) == "RobotsUnreachable"
