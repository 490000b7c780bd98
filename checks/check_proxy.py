"""Behind tinyproxy each site answers for itself and hears its own password only, by http and by https."""

import asyncio
import shutil
import ssl
import subprocess
from base64 import b64decode
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from thresher.core.records import Candidate
from thresher.core.url import parse
from thresher.fetch.live import LiveWeb
from thresher.fetch.request_headers import secret_lines

A, B = "127.77.0.2", "127.77.0.3"
REQUESTS = 50  # to each host
pytestmark = pytest.mark.skipif(not shutil.which("tinyproxy"), reason="tinyproxy is not installed")


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a tinyproxy of Debian that wants a password."""
    port = await free_port()
    lines = [f"Port {port}", "Listen 127.0.0.1", "Timeout 20", "MaxClients 20", "BasicAuth me secret"]
    (tmp_path / "tinyproxy.conf").write_text("\n".join([*lines, f'PidFile "{tmp_path}/pid"', ""]))
    command = ("tinyproxy", "-d", "-c", str(tmp_path / "tinyproxy.conf"))
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.1)
        yield f"http://me:secret@127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


async def free_port() -> int:
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    return port


def certificate(folder: Path) -> Path:
    file = folder / "both.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=checks",
    ]
    command += ["-addext", f"subjectAltName=IP:{A},IP:{B}", "-keyout", "-", "-out", "-"]
    file.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    return file


@asynccontextmanager
async def hosts(context: ssl.SSLContext | None) -> AsyncIterator[tuple[int, dict[str, set[str]]]]:
    """Two hosts on one port that say their name, and the passwords each of them heard."""
    heard: dict[str, set[str]] = defaultdict(set)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = writer.get_extra_info("sockname")[0]
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                if "robots.txt" in head.partition("\r\n")[0]:
                    writer.write(b"HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n")
                    continue
                secret = [line.split()[-1] for line in head.split("\r\n") if line.startswith("Authorization")]
                heard[name].update(b64decode(each).decode() for each in secret)
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(name)}\r\n\r\n{name}".encode())
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    first = await asyncio.start_server(answer, A, 0, ssl=context)
    port = first.sockets[0].getsockname()[1]
    second = await asyncio.start_server(answer, B, port, ssl=context)
    async with first, second:
        yield port, heard


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_each_host_answers_for_itself_and_hears_its_own_password(scheme, proxy, tmp_path):
    file = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    async with hosts(context if scheme == "https" else None) as (port, heard):
        origins = {host: f"{scheme}://{host}:{port}" for host in (A, B)}
        web = LiveWeb(
            proxy=proxy,
            allow_networks=["127.77.0.0/16"],
            secrets=secret_lines({origin: f"user:{host}" for host, origin in origins.items()}, {}),
            trust=str(file),
            delay=0.0,
        )
        try:
            wrong = 0
            for number in range(REQUESTS):
                for host, origin in origins.items():
                    fetched = await web.get(Candidate(parse(f"{origin}/{number}")))
                    wrong += fetched.body.decode() != host
        finally:
            await web.close()
    print(f"{scheme}: {2 * REQUESTS} requests, {wrong} from the wrong host, heard: {dict(heard)}")
    assert wrong == 0
    assert heard == {host: {f"user:{host}"} for host in (A, B)}
