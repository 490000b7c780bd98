"""The NATS server that workers join: one that runs already, or one that the crawl starts."""

import asyncio
import logging
import re
import secrets
import shutil
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from typing_extensions import override

from thresher.cluster.messages import Gone, Hear
from thresher.cluster.nats import (
    INSTALL,
    PORT,
    Address,
    NatsCrawlTransport,
    address_of,
    check,
    connect,
    fingerprint_of,
    refuse_plain,
)
from thresher.cluster.sockets import Child, start_engine
from thresher.core.errors import UsageError
from thresher.core.files import atomic_write, open_in_place, refuse_link
from thresher.core.optional import library
from thresher.settings.components import ClusterSettings
from thresher.settings.load import PRIVATE

# A certificate of our own: known by its fingerprint, not by its name


YEARS = 10
PARTS = [
    f"cryptography.{part}" for part in ("x509", "hazmat.primitives.hashes", "hazmat.primitives.serialization")
] + ["cryptography.hazmat.primitives.asymmetric.ec"]


def make_certificate(name: str) -> tuple[str, str]:
    """Return a new certificate and its key, in PEM."""
    x509, hashes, serialization, ec = (library(part, "cluster", "An engine with TLS") for part in PARTS)
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now, public = datetime.now(UTC), key.public_key()
    identity = x509.SubjectKeyIdentifier.from_public_key(public)
    uses = x509.KeyUsage(True, False, False, False, False, True, False, False, False)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=365 * YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(uses, critical=True)
        .add_extension(identity, critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), secret.decode()


log = logging.getLogger(__name__)

OWN = "bus"
LONGEST = 100  # bytes of a password or a port
EVERYWHERE = ("0.0.0.0", "::")  # to listen at every address of this machine
READY = 10.0  # seconds an engine of ours may take to begin
CONFIGURATION = """\
# Written by thresher; whoever has the passwords in it can work for this crawl, or in its place.
listen: "{listen}"
max_payload: 1MB
authorization {{
  users = [
    {{ user: crawl, password: "{crawl}", permissions: {{
      publish: ["thresher.*.worker.*", "thresher.*.workers"], subscribe: ["thresher.*.crawl"] }} }}
    {{ user: worker, password: "{worker}", permissions: {{
      publish: ["thresher.*.crawl"], subscribe: ["thresher.*.worker.*", "thresher.*.workers"] }} }}
  ]
}}
{tls}"""
TLS = 'tls {{ cert_file: "{certificate}", key_file: "{key}", handshake_first: true }}\n'


@dataclass(frozen=True)
class Bus:
    """An engine that the user runs."""

    address: Address

    async def check(self) -> None:
        """See that it is there."""
        await check(self.address)

    def crawl_transport(self, crawl: str) -> NatsCrawlTransport:
        """Return the crawl's end of the transport."""
        return NatsCrawlTransport(
            partial(connect, self.address, "crawl"), crawl, f"workers at {self.address.url}"
        )

    def join_sentence(self) -> str:
        """Return how a worker joins, without the password that its owner has."""
        return f"Join one with: thresher worker --connect {self.address.url}"


def bus_of(settings: ClusterSettings, folder: Path | None = None) -> "Bus | EmbeddedNats":
    """Return the engine that the settings name; `folder` is where one of our own keeps its keys."""
    text = settings.bus.reveal()
    if text == OWN or text.startswith(f"{OWN}://"):
        return EmbeddedNats(folder, text.removeprefix(OWN).removeprefix("://"))
    address = address_of(text)
    refuse_plain(address, settings.insecure, "--set cluster.insecure=true")
    return Bus(address)


def is_private(bus: "Bus | EmbeddedNats") -> bool:
    """Return whether the connection to the engine cannot be read by others."""
    return isinstance(bus, EmbeddedNats) or bus.address.is_private


@dataclass
class EmbeddedNats:
    """An engine that ends with the crawl: for this machine alone, or with TLS for others, too."""

    folder: Path | None
    listen: str = ""  # HOST or HOST:PORT; not set: this machine alone

    async def check(self) -> None:
        """See that there is an engine to start."""
        _program()

    def join_sentence(self) -> str:
        """Return where the line stands that joins."""
        return "The line above joins one."

    def crawl_transport(self, crawl: str) -> NatsCrawlTransport:
        """Return the crawl's end of the transport, which starts the engine when it is opened."""
        return _EmbeddedTransport(_nobody, crawl, "workers that join over an engine of our own", bus=self)

    async def start(self) -> tuple[Child, Address]:
        """Start the engine, say how workers join, and return it with the address for the crawl itself."""
        assert self.folder is not None
        self.folder.mkdir(mode=0o700, exist_ok=True)
        host, port = self._place()
        outside = host not in ("127.0.0.1", "localhost", "::1")
        fingerprint = _certify(self.folder) if outside else ""
        words = {
            user: _kept(self.folder / f"{user}.password", secrets.token_hex(16), _PASSWORD)
            for user in ("crawl", "worker")
        }
        _configure(self.folder, f"{host}:{port}", words, outside)
        engine = await start_engine((_program(), "-c", str(self.folder / "bus.conf")))
        near, far = ("127.0.0.1", socket.gethostname()) if host in EVERYWHERE else (host, host)
        ours = Address(near, port, outside, "crawl", words["crawl"], fingerprint)
        await _ready(engine, ours)
        theirs = Address(far, port, outside, "worker", words["worker"], fingerprint)
        log.warning("Workers join with: thresher worker --connect '%s'", theirs.whole)
        return engine, ours

    def _place(self) -> tuple[str, int]:
        """Return where to listen; a port that was found once stays, so that the join line does."""
        assert self.folder is not None
        if not self.listen:
            return "127.0.0.1", int(_kept(self.folder / "port", str(_free_port()), _PORT))
        host, colon, port = self.listen.rpartition(":")
        if colon and not _PORT.fullmatch(port):
            raise UsageError("An engine of our own is named as bus or bus://ADDRESS:PORT.")
        return (host or "0.0.0.0", int(port)) if colon else (self.listen, PORT)


@dataclass
class _EmbeddedTransport(NatsCrawlTransport):
    """A transport whose engine is ours."""

    bus: EmbeddedNats | None = None
    _engine: Child | None = None

    @override
    async def open(self, hear: Hear, gone: Gone) -> None:
        """Start the engine first."""
        assert self.bus is not None
        self._engine, address = await self.bus.start()
        self.connect = partial(connect, address, "crawl")
        await super().open(hear, gone)

    @override
    async def close(self) -> None:
        """End the engine last."""
        await super().close()
        if self._engine:
            self._engine.kill()
            await self._engine.wait()


async def _nobody() -> Any:
    raise AssertionError("the engine is started before anybody connects")


def _program() -> str:
    """Return the engine: the one beside this Python, or the one in PATH."""
    beside = shutil.which("nats-server", path=str(Path(sys.executable).parent))
    if program := beside or shutil.which("nats-server"):
        return program
    raise UsageError(f"No nats-server is here to start. {INSTALL}")


async def _ready(engine: Child, address: Address) -> None:
    """Return when the engine answers."""
    end = asyncio.get_running_loop().time() + READY
    while True:
        try:
            return await check(address)
        except UsageError as error:
            if engine.returncode is not None or asyncio.get_running_loop().time() > end:
                engine.kill()
                await engine.wait()
                raise UsageError(
                    f"The engine does not begin at {address.url}: is the port taken? ({error})"
                ) from None
            await asyncio.sleep(0.05)


def _configure(folder: Path, listen: str, words: dict[str, str], outside: bool) -> None:
    tls = TLS.format(certificate=folder.resolve() / "certificate.pem", key=folder.resolve() / "key.pem")
    _write(folder / "bus.conf", CONFIGURATION.format(listen=listen, tls=tls if outside else "", **words))


def _certify(folder: Path) -> str:
    """Return the fingerprint of the engine's certificate, made at its first start."""
    for name in ("key.pem", "certificate.pem"):
        refuse_link(folder / name)
    if not (folder / "certificate.pem").exists():
        certificate, key = make_certificate("thresher")
        _write(folder / "key.pem", key)
        _write(folder / "certificate.pem", certificate)
    return fingerprint_of((folder / "certificate.pem").read_text(encoding="ascii"))


_PASSWORD = re.compile(r"[0-9a-f]{32}")
_PORT = re.compile(r"[0-9]{1,5}")


def _kept(path: Path, new: str, form: re.Pattern[str]) -> str:
    """Return what a file says, or what it says from now on; what we would not have written is not taken."""
    refuse_link(path)
    with suppress(OSError), open_in_place(path) as file:
        known = file.read(LONGEST).decode("ascii", "replace").strip()
        if form.fullmatch(known):
            return known
    _write(path, new)
    return new


def _write(path: Path, text: str) -> None:
    with atomic_write(path, PRIVATE) as file:
        file.write(text.encode())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
