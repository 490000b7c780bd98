"""A small web server that misbehaves on purpose, on loopback addresses of its own."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType

from thresher.core.records import Candidate, Url
from thresher.core.url import parse

ALLOWED = "127.77.0.0/16"
OUTSIDE = "127.99.0.1"  # answers too, but no test may reach it

TRIES = 20
Answer = Callable[["Request", asyncio.StreamWriter], Awaitable[None]]


class Request:
    """A request as the server saw it."""

    def __init__(self, address: str, head: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.address = address
        self.target = lines[0].split(" ")[1]
        self.headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }


class FaultServer:
    """Answers by path, or by address and path; what has no answer is a 404. `log` holds every request."""

    def __init__(self, answers: Mapping[str, Answer], addresses: tuple[str, ...] = ("127.77.0.1",)) -> None:
        self.answers, self.addresses = dict(answers), (*addresses, OUTSIDE)
        self.log: list[Request] = []
        self.most_at_once: Counter[str] = Counter()
        self.port = 0
        self._busy: Counter[str] = Counter()
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "FaultServer":
        for _ in range(TRIES):
            if await self._listen():
                return self
        raise OSError("no port is free at all addresses")

    async def _listen(self) -> bool:
        """Take one port at every address; another test may have it at one of them."""
        self.port, self._servers = 0, []
        for address in self.addresses:
            try:
                server = await asyncio.start_server(self._converse, address, self.port)
            except OSError:
                for taken in self._servers:
                    taken.close()
                return False
            self.port = self.port or server.sockets[0].getsockname()[1]
            self._servers.append(server)
        return True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def url(self, path: str, address: str = "127.77.0.1") -> Url:
        return parse(f"http://{address}:{self.port}{path}")

    def candidate(self, path: str, address: str = "127.77.0.1") -> Candidate:
        return Candidate(self.url(path, address))

    def asked(self, address: str = "127.77.0.1") -> list[str]:
        """The targets asked for at an address, in order."""
        return [request.target for request in self.log if request.address == address]

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await self._answer(Request(writer.get_extra_info("sockname")[0], head), writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        self.log.append(request)
        self._busy[request.address] += 1
        busy = self._busy[request.address]
        self.most_at_once[request.address] = max(busy, self.most_at_once[request.address])
        path = request.target.partition("?")[0]
        known = self.answers
        answer = known.get(request.address + path) or known.get(path) or known.get(_without_origin(path))
        try:
            await (answer or page(b"", "404 Gone"))(request, writer)
            await writer.drain()
        finally:
            self._busy[request.address] -= 1


def _without_origin(target: str) -> str:
    """The path of a target as a proxy is asked for it: an origin must understand that too."""
    return f"/{target.split('/', 3)[-1]}" if target.startswith("http://") else target


def page(body: bytes = b"<p>hello</p>", status: str = "200 OK", **headers: str) -> Answer:
    """A well-behaved response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body, close=False)


def robots(text: str, status: str = "200 OK") -> dict[str, Answer]:
    """A robots.txt, as part of the answers of a server."""
    return {"/robots.txt": page(text.encode(), status)}


def raw(data: bytes, *, close: bool = True) -> Answer:
    """Exactly these bytes, and then the end of the connection."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        if close:
            raise ConnectionResetError

    return answer


def redirect(location: str) -> Answer:
    return page(b"", "302 Found", Location=location)


def endless(head: bytes, piece: bytes, pause: float = 0.0) -> Answer:
    """A head, and then the same piece until nobody listens any more."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
        raise ConnectionResetError

    return answer


def silence(head: bytes = b"") -> Answer:
    """Perhaps a beginning, and then nothing for ever."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await asyncio.Event().wait()

    return answer


def in_turn(*answers: Answer) -> Answer:
    """One answer after the other; the last one again and again."""
    left = list(answers)

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(request, writer)

    return answer


async def reset(request: Request, writer: asyncio.StreamWriter) -> None:
    """No answer at all."""
    writer.transport.abort()
    raise ConnectionResetError
