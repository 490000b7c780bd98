"""The hooks: a command or a web address hears of every relevant change, once, after it is safely stored."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from thresher.core.interfaces import Clock
from thresher.core.platform import end_family, words_of
from thresher.fetch.post import post
from thresher.settings.model import RevisitSettings
from thresher.store.queries import Version
from thresher.store.revisits import WatchedDatabase

log = logging.getLogger(__name__)

Hook = Callable[[bytes], Awaitable[bool]]

BETWEEN = 30.0  # seconds between two looks for something to tell
LONGEST = 60.0  # seconds a hook may take


@dataclass
class Teller:
    """Tells what is news when it has stood a while: by then it shows whether the whole host changed so."""

    store: WatchedDatabase
    settings: RevisitSettings
    threshold: float
    clock: Clock
    allow_networks: Sequence[str] = ()  # private ones that a webhook may be in

    def begin(self) -> None:
        """Remember from when on changes are told; what was found before a hook was set stays untold."""
        if self._hooks() and self.store.facts.telling_since is None:
            self.store.facts.telling_since = self.clock.now()

    async def keep_telling(self) -> None:
        """Tell what has stood long enough, again and again, until cancelled."""
        with suppress(asyncio.CancelledError):
            while self._hooks():
                await asyncio.sleep(BETWEEN)
                await self.tell(self.clock.now() - self.settings.hold)

    async def tell(self, until: float = float("inf")) -> None:
        """Tell everything that was found until a moment and not told yet."""
        if not self._hooks():
            return
        self.store.commit()
        told = [each.visit for each in self._untold(until) if await self._tell(each)]
        self.store.mark_told(told)
        self.store.commit()

    def _untold(self, until: float) -> Sequence[Version]:
        since = self.store.facts.telling_since
        if since is None:
            return []
        return [each for each in self.store.versions(since) if not each.told and each.at <= until]

    async def _tell(self, version: Version) -> bool:
        """Call every hook if the change matters; return whether it is done with."""
        if not version.news or not self._is_wanted(version):
            return True
        document = msgspec.json.encode(version)
        heard = [await hook(document) for hook in self._hooks()]
        return all(heard)

    def _is_wanted(self, version: Version) -> bool:
        said = self.store.label(version.url)
        return max(version.was, version.relevance) >= self.threshold if said is None else said

    def _hooks(self) -> list[Hook]:
        asked = self.settings
        return [hook for hook, set_up in ((self._run, asked.command), (self._post, asked.webhook)) if set_up]

    async def _run(self, document: bytes) -> bool:
        """Run the user's command with the change on its standard input; it ends in time, or is ended."""
        pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *words_of(self.settings.command), stdin=pipe, stdout=none, start_new_session=True
            )
        except (OSError, ValueError) as error:
            return _failed("The command", error)
        try:
            await asyncio.wait_for(process.communicate(document), LONGEST)
        except TimeoutError:
            return _failed("The command", f"it took longer than {LONGEST:g} seconds")
        except OSError as error:
            return _failed("The command", error)
        finally:
            if process.returncode is None:
                await _end(process)
        return process.returncode == 0 or _failed("The command", f"exit code {process.returncode}")

    async def _post(self, document: bytes) -> bool:
        """Send the change to the user's web address."""
        why = await post(self.settings.webhook.reveal(), document, self.allow_networks, LONGEST)
        return not why or _failed("The webhook", why)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a command with everything it started; nobody else would."""
    end_family(process.pid)
    await process.wait()


def _failed(hook: str, error: object) -> bool:
    """Say that a hook did not hear of a change; it will be told again with the next ones."""
    log.warning("%s was not told of a change (%s); it is told again later.", hook, error)
    return False
