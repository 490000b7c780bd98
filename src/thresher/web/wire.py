"""One connection: a request goes out, and one response comes back within its time, or a named error."""

import asyncio
import ssl
from typing import cast

from thresher.core.errors import FetchError, HostUnreachable, Stalled, TimedOut, TooSlow
from thresher.web.limits import Limits
from thresher.web.reply import Reply


class Connection(asyncio.Protocol):
    """Carries one exchange at a time. Whatever comes while nobody has asked ends it."""

    def __init__(self, limits: Limits) -> None:
        """Take the limits of time."""
        self.since = 0.0  # when it was put aside, for whoever keeps it
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._reply: Reply | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = self._heard = self._begun = 0.0

    @property
    def is_open(self) -> bool:
        """Tell whether a request can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes, reply: Reply, deadline: float) -> None:
        """Send a request and wait until its reply is done; then the connection is free again, or closed."""
        if self._transport is None:
            raise HostUnreachable("The connection broke: the server hung up")
        self._reply, self._waiter, self._deadline = reply, self._loop.create_future(), deadline
        self._heard, self._begun = self._loop.time(), 0.0
        self._transport.write(request)
        self._set_timer()
        try:
            await self._waiter
        finally:
            self._reply = self._waiter = None
            if self._timer is not None:
                self._timer.cancel()
            if not (reply.ended and reply.reusable):
                self.close()

    async def encrypt(self, context: ssl.SSLContext, host: str) -> None:
        """Talk TLS from now on, through the tunnel that a proxy has made."""
        assert self._transport is not None
        transport = await self._loop.start_tls(self._transport, self, context, server_hostname=host)
        self._transport = cast(asyncio.Transport, transport)

    def close(self) -> None:
        """Let go of the connection, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take what the loop writes through."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Pass on what belongs to the response."""
        reply = self._reply
        if reply is None or reply.done:
            self.close()
            return
        try:
            reply.feed(data)
            self._hurry(reply)
        except FetchError as error:
            self._settle(error)
        if reply.done:
            self._settle()

    def connection_lost(self, error: Exception | None) -> None:
        """Let the response end with the connection."""
        self._transport = None
        if self._reply is not None:
            try:
                self._reply.hang_up(error)
            except FetchError as failure:
                self._settle(failure)
            self._settle()

    def _settle(self, error: FetchError | None = None) -> None:
        """Wake up who waits; only the first word counts."""
        if self._waiter is None or self._waiter.done():
            return
        if error is None:
            self._waiter.set_result(None)
        else:
            self._waiter.set_exception(error)

    def _hurry(self, reply: Reply) -> None:
        """Refuse to wait for a body that comes drop by drop."""
        self._heard = self._loop.time()
        if reply.done or reply.body is None:
            return
        self._begun = self._begun or self._heard
        seconds, received = self._heard - self._begun, reply.body.received
        if seconds > self._limits.idle and received < self._limits.min_rate * seconds:
            raise TooSlow(
                f"{received:,} bytes in {seconds:.0f} seconds; the slowest we wait for is "
                f"{self._limits.min_rate:g} bytes a second"
            )

    def _set_timer(self) -> None:
        self._timer = self._loop.call_at(min(self._heard + self._limits.idle, self._deadline), self._look)

    def _look(self) -> None:
        """End what has taken too long; who has heard something meanwhile waits on."""
        now, idle = self._loop.time(), self._limits.idle
        if now >= self._deadline:
            self._settle(TooSlow("The answer came too slowly"))
        elif now < self._heard + idle:
            self._set_timer()
        elif self._reply is not None and self._reply.body is not None:
            self._settle(Stalled(f"Nothing more came for {idle:g} seconds"))
        else:
            self._settle(TimedOut(f"No answer in time: nothing came for {idle:g} seconds"))
