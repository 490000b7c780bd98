"""Every error, named for what went wrong.

ThresherError
+-- SettingsError            the user asked for something we do not have; exit 4
|   +-- UnknownName          ... with the nearest name we do have
|   +-- BrokenKnowledge      a knowledge file that does not hold what it should
|   +-- AmbiguousTopic       a topic that may mean several things
+-- UsageError               the command cannot be carried out as asked; exit 2
|   +-- NotACrawl            the folder holds no crawl
|   +-- NotTrusted           the folder asks for what only its user may
|   +-- CrawlExists          the folder holds one already
|   +-- CrawlRunning         another process is writing it
|   +-- NotAnArchive         no WARC or ARC file there
|   +-- StateRefused         what a strategy learned was written by another version of it
|   +-- NoSeeds              nothing to start from was given
+-- NoSeedLeft               none of what was given is a place to start from
+-- InvalidUrl               not an http(s) URL
+-- FetchError               a candidate that got no answer; becomes an Outcome
|   +-- HostUnreachable      no address, no connection, or it broke
|   |   +-- NameUnresolved       the name has no address
|   |   +-- CertificateRefused   https that cannot be trusted
|   +-- TimedOut             the answer took too long
|   |   +-- TooSlow              it came, but drop by drop
|   |   +-- Stalled              it began and then stopped coming
|   +-- RobotsForbidden      robots.txt says no
|   |   +-- RobotsUnreachable    robots.txt could not be had, so nothing is asked for now
|   +-- HostParked           the host asks for longer pauses than we are willing to make
|   +-- GuardRefused         an address we must not connect to
|   +-- NoBacklinks          back-links were asked for, and no source knows them or may be asked
|   +-- ResponseTooLarge     past a cap of size, ratio or headers
|   |   +-- DecompressionBomb    a few bytes that unpack to very many
|   |   +-- HeadersTooLarge      a head without end
|   +-- BadResponse          not HTTP, or broken encoding
|   |   +-- IncompleteResponse   it broke off in the middle
+-- EndpointFailed           a model's endpoint or a hook that gave no answer we can use
+-- StoreFailed              the disk failed; what was acknowledged is safe
|   +-- DiskFull             ... because it is full
+-- ArchiveLost              an archive file is shorter than what the crawl knows to be in it
+-- ReaderFailed             a reader of the user's own raised
+-- StrategyFailed           a strategy raised; the crawl stops loudly
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import ClassVar

from thresher.core.enums import Detail, Outcome
from thresher.core.records import Fetched


class ThresherError(Exception):
    """The root: its text is one clear sentence with what to do next."""

    exit_code: ClassVar[int] = 1


class SettingsError(ThresherError):
    """The user asked for something we do not have."""

    exit_code = 4


class UnknownName(SettingsError):
    """An unknown name, with the nearest known one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Word the sentence: what was asked, the nearest name, or all of them."""
        super().__init__(f"No {kind} {name!r}. {suggestion(name, known)}")


class BrokenKnowledge(SettingsError):
    """A knowledge file that does not hold what it should, with the line and what was expected."""

    def __init__(self, file: str, line: int, expected: str) -> None:
        """Word the sentence; nothing was added."""
        place = f"{file}, line {line}" if line else file
        super().__init__(f"{place}: expected {expected}. Nothing was added.")


class AmbiguousTopic(SettingsError):
    """A topic that may mean several things, with the words that tell them apart."""


class UsageError(ThresherError):
    """The command cannot be carried out as asked."""

    exit_code = 2


class NotACrawl(UsageError):
    """The folder holds no crawl."""


class NotTrusted(UsageError):
    """The folder asks for something that only the user may ask for."""


class CrawlExists(UsageError):
    """The folder holds a crawl already."""


class NotAnArchive(UsageError):
    """No WARC or ARC file there."""


class CrawlRunning(UsageError):
    """Another process is writing the crawl."""


class StateRefused(UsageError):
    """What the strategy of a crawl has learned was written by another version of it, and cannot be read."""


class InvalidUrl(ThresherError, ValueError):
    """Not an http(s) URL."""


class EndpointFailed(ThresherError):
    """A web address that the user named gave no answer that can be used."""


class NoSeeds(UsageError):
    """Nothing to start from was given."""


class NoSeedLeft(ThresherError):
    """None of what was given is a place to start from."""


class FetchError(ThresherError):
    """A candidate that got no answer; the visit ends with this outcome."""

    outcome: ClassVar[Outcome] = Outcome.FAILED
    detail: ClassVar[Detail] = Detail.NO_ANSWER
    rest: float = 0.0  # seconds the whole host should be left alone
    tries: int = 1


class HostUnreachable(FetchError):
    """No address, no connection, or it broke."""

    detail = Detail.UNREACHABLE


class NameUnresolved(HostUnreachable):
    """The name has no address."""

    detail = Detail.UNRESOLVED


class CertificateRefused(HostUnreachable):
    """An https connection that cannot be trusted."""

    detail = Detail.CERTIFICATE


class TimedOut(FetchError):
    """The answer took too long."""

    detail = Detail.TIMED_OUT


class TooSlow(TimedOut):
    """The answer came, but drop by drop."""

    detail = Detail.TOO_SLOW


class Stalled(TimedOut):
    """The answer began and then stopped coming."""

    detail = Detail.STALLED


class RobotsForbidden(FetchError):
    """robots.txt says no."""

    outcome = Outcome.FORBIDDEN
    detail = Detail.ROBOTS


class RobotsUnreachable(RobotsForbidden):
    """robots.txt could not be had, so nothing is asked for now, though nothing is forbidden."""

    outcome = Outcome.FAILED
    detail = Detail.ROBOTS_UNREACHABLE


class HostParked(FetchError):
    """The host asks for longer pauses than we are willing to make."""

    outcome = Outcome.REFUSED
    detail = Detail.PARKED


class GuardRefused(FetchError):
    """An address we must not connect to."""

    outcome = Outcome.REFUSED
    detail = Detail.GUARDED


class NoBacklinks(FetchError):
    """Back-links were asked for, and no source knows them or may be asked."""

    outcome = Outcome.REFUSED
    detail = Detail.NO_BACKLINKS


class ResponseTooLarge(FetchError):
    """Past a cap of size, ratio or headers."""

    outcome = Outcome.REFUSED
    detail = Detail.TOO_LARGE


class DecompressionBomb(ResponseTooLarge):
    """A few bytes that unpack to very many."""

    detail = Detail.BOMB


class HeadersTooLarge(ResponseTooLarge):
    """A head without end."""

    detail = Detail.HEADERS_TOO_LARGE


class BadResponse(FetchError):
    """Not HTTP, or a broken encoding."""

    detail = Detail.BAD_RESPONSE


class IncompleteResponse(BadResponse):
    """The response broke off in the middle; `partial` is what had come."""

    detail = Detail.INCOMPLETE

    def __init__(self, sentence: str, partial: Fetched) -> None:
        """Keep what had come beside the sentence."""
        super().__init__(sentence)
        self.partial = partial


class DocumentUnread(ThresherError):
    """A document that came and could not be read; the visit says why."""

    detail: ClassVar[Detail] = Detail.NO_READER


class ReaderFailed(DocumentUnread):
    """A reader of the user's own raised."""

    detail = Detail.PARSER_FAILED


class DocumentUnknown(DocumentUnread):
    """An old Office file, or a zip that is no document of today."""

    detail = Detail.UNKNOWN_DOCUMENT


class DocumentEncrypted(DocumentUnread):
    """It can only be read with a password."""

    detail = Detail.ENCRYPTED


class DocumentBroken(DocumentUnread):
    """It is not what it says it is, not all of it is there, or it wants what no document needs."""

    detail = Detail.BROKEN_DOCUMENT


class DocumentTooLarge(DocumentUnread):
    """It unpacks to more than a reader should read."""

    detail = Detail.HUGE_DOCUMENT


class StoreFailed(ThresherError):
    """The disk failed; what was acknowledged is safe, and the crawl can be resumed."""


class DiskFull(StoreFailed):
    """The disk failed because it is full."""


class ArchiveLost(ThresherError):
    """An archive file is shorter than what the crawl knows to be in it."""


class ArchiveDamaged(ThresherError):
    """Some of what an archive holds is not as it was written."""


class StageFailed(ThresherError):
    """A stage raised; the crawl stops loudly and loses nothing: `unlearned` is the visit it failed at."""

    def __init__(self, sentence: str, unlearned: str = "") -> None:
        """Keep the URL beside the sentence."""
        super().__init__(sentence)
        self.unlearned = unlearned


class StrategyFailed(StageFailed):
    """A strategy raised."""


class JudgeFailed(StageFailed):
    """A judge raised, or gave a score that is none; the page is kept and judged when the crawl goes on."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the question that helps: the nearest known name, or the list of them.

    For a full path ('strategy.parameters.ridge') the last name is suggested.
    """
    names = sorted(known)
    last = [each.rpartition(".")[2] for each in names]  # 'pages' of 'stop.pages'
    asked = ((part, among) for among in (names, last) for part in (name, name.rpartition(".")[2]))
    near = [match for part, among in asked for match in get_close_matches(part, among, n=1)]
    return f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(names)}."
