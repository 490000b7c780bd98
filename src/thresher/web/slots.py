"""How many requests may be under way at once to one host, and to one address."""

from asyncio import Semaphore


class Slots:
    """At most `limit` holders per name at any moment; names nobody holds are forgotten."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._semaphores: dict[str, Semaphore] = {}
        self._users: dict[str, int] = {}  # who hold a slot or wait for one

    def held(self, name: str) -> "Hold":
        """Return what waits for a slot of this name, and holds it, in an `async with`."""
        return Hold(self, name)

    async def take(self, name: str) -> None:
        """Wait for a slot of this name."""
        semaphore = self._semaphores.get(name) or self._semaphores.setdefault(name, Semaphore(self._limit))
        self._users[name] = self._users.get(name, 0) + 1
        try:
            await semaphore.acquire()
        except BaseException:  # whoever gives up waiting holds nothing
            self._leave(name)
            raise

    def give_back(self, name: str) -> None:
        """Let go of a slot of this name."""
        self._semaphores[name].release()
        self._leave(name)

    def _leave(self, name: str) -> None:
        self._users[name] -= 1
        if not self._users[name]:
            del self._users[name], self._semaphores[name]


class Hold:
    """One slot, held for as long as its `async with` lasts."""

    __slots__ = ("_name", "_slots")

    def __init__(self, slots: Slots, name: str) -> None:
        self._slots, self._name = slots, name

    async def __aenter__(self) -> None:
        await self._slots.take(self._name)

    async def __aexit__(self, *error: object) -> None:
        self._slots.give_back(self._name)
