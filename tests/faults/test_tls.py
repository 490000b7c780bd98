"""A server with which no safe TLS can be spoken is told from one with a bad certificate."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from thresher.core.errors import CertificateRefused, HostUnreachable
from thresher.core.records import Candidate
from thresher.core.url import parse
from thresher.fetch.client import HttpClient
from thresher.fetch.guard import Guard
from thresher.fetch.limits import ResponseLimits

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the versions asked for

HERE = "127.77.0.1"
Conversation = Callable[[socket.socket], object]


@contextmanager
def server(converse: Conversation) -> Iterator[int]:
    """Listen once, in a thread of its own: an old handshake is refused before asyncio could answer it."""
    with socket.create_server((HERE, 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                taken, _ = listener.accept()
                with taken, suppress(OSError):
                    converse(taken)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.close()
            thread.join(5)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key in one file."""
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=old -keyout - -out -"
    made = subprocess.run(command.split(), capture_output=True, check=False)
    if made.returncode:
        pytest.skip("openssl is not here to make a certificate")
    file.write_bytes(made.stdout)
    return file


def speaking(newest: ssl.TLSVersion, certificate: Path) -> Conversation:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
    return lambda taken: context.wrap_socket(taken, server_side=True).close()


async def sentence(converse: Conversation, kind: type[Exception] = CertificateRefused) -> str:
    exchange = HttpClient(Guard(["127.77.0.0/16"]), limits=ResponseLimits(total=3.0, connect=1.0, idle=1.0))
    with server(converse) as port, pytest.raises(kind) as caught:
        try:
            await exchange.ask(Candidate(parse(f"https://{HERE}:{port}/")))
        finally:
            await exchange.close()
    return str(caught.value)


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
async def test_old_tls_is_called_old(certificate, newest):
    assert "no longer safe" in await sentence(speaking(newest, certificate))


async def test_plain_http_on_a_https_port_is_called_so(certificate):
    def answer(taken: socket.socket) -> None:
        taken.recv(10)
        taken.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    assert "does not speak TLS" in await sentence(answer)


async def test_a_server_that_waits_for_plain_http_is_told_from_one_that_cannot_be_reached(certificate):
    said = await sentence(lambda taken: [taken.recv(1 << 16) for _ in range(2)], HostUnreachable)
    assert "handshake" in said


async def test_a_certificate_of_nobody_is_still_not_trusted(certificate):
    said = await sentence(speaking(ssl.TLSVersion.TLSv1_2, certificate))
    assert said.startswith("https cannot be trusted")
