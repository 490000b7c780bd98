"""What an archive can answer: every URL in its normal form, with the captures of it in order of time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from thresher.core.errors import InvalidUrl
from thresher.core.records import Url
from thresher.core.url import join, parse
from thresher.warc.reader import archive_files
from thresher.warc.scan import Sighting, scan


class Capture(Struct, frozen=True, gc=False):
    """One capture of a URL; the body of a revisit is that of its `original`."""

    spelling: str
    file: Path
    offset: int
    skip: int
    status: int
    at: float
    latency: float = 0.0
    damaged: bool = False
    original: "Capture | None" = None


class ArchiveIndex:
    """The captures of every file. What was left out is counted in `left_out`, what was broken in `faults`."""

    def __init__(self, paths: Path | str | Sequence[Path | str], cache: Path | None = None) -> None:
        """Scan the files, or read the notes of an earlier scan from the cache folder."""
        self.faults: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._captures: dict[Url, list[Capture]] = {}
        given = [paths] if isinstance(paths, Path | str) else paths
        scans = [(path, scan(path, cache)) for path in archive_files([Path(path) for path in given])]
        for path, found in scans:
            self.faults.update(found.faults)
            self._add(path, (seen for seen in found.sightings if not seen.is_revisit))
        self._resolve([(path, seen) for path, found in scans for seen in found.sightings])
        for captures in self._captures.values():
            captures.sort(key=_rank)

    def __len__(self) -> int:
        return len(self._captures)

    def __iter__(self) -> Iterator[Url]:
        return iter(self._captures)

    def __contains__(self, url: object) -> bool:
        return url in self._captures

    def latest(self, url: Url) -> Capture | None:
        """Return the last capture of a URL, a whole one if there is one."""
        captures = self._captures.get(url)
        return captures[-1] if captures else None

    def nearest(self, url: Url, at: float) -> Capture | None:
        """Return the last capture not after a moment; the first of all if every one is after it."""
        captures = self._captures.get(url, [])
        before = [capture for capture in captures if capture.at <= at]
        if before:
            return max(reversed(before), key=_rank)
        return min(captures, key=lambda capture: capture.at, default=None)

    def _add(self, path: Path, sightings: Iterable[Sighting]) -> None:
        for seen in sightings:
            url = _normal(seen.spelling)
            if url is None:
                self.left_out["not an http URL"] += 1
            elif seen.location and _leads_to(url, seen.location) == url:
                self.left_out["a redirect to itself"] += 1  # from another spelling of what has one form here
            else:
                self._captures.setdefault(url, []).append(_capture(path, seen))

    def _resolve(self, sightings: Sequence[tuple[Path, Sighting]]) -> None:
        """Give every revisit the capture whose body it shares."""
        revisits = [(path, seen) for path, seen in sightings if seen.is_revisit]
        names = _names(sightings) if revisits else {}
        for path, seen in sorted(revisits, key=lambda one: one[1].at):
            url = _normal(seen.spelling)
            original = names.get(seen.refers_to) or self._pointed_at(seen, url) or names.get(seen.digest)
            if url is None or original is None:
                self.left_out["a revisit of nothing archived"] += 1
            else:
                self._captures.setdefault(url, []).append(_capture(path, seen, original))

    def _pointed_at(self, seen: Sighting, url: Url | None) -> Capture | None:
        """Return the capture a revisit names by URL and date; without a name, the last one of its own URL."""
        named = _normal(seen.refers_to_url) if seen.refers_to_url else url
        if named is None or (not seen.refers_to_url and seen.status != 304):
            return None
        found = self.nearest(named, seen.refers_to_at or seen.at)
        return found.original or found if found else None


def _capture(path: Path, seen: Sighting, original: Capture | None = None) -> Capture:
    damaged = bool(seen.fault)
    return Capture(
        seen.spelling, path, seen.offset, seen.skip, seen.status, seen.at, seen.latency, damaged, original
    )


def _rank(capture: Capture) -> tuple[bool, float]:
    return (not capture.damaged, capture.at)


def _names(sightings: Sequence[tuple[Path, Sighting]]) -> dict[str, Capture]:
    """Return what revisits may point at: captures by the identity of their record and by their digest."""
    names: dict[str, Capture] = {}
    for path, seen in sightings:
        if not seen.is_revisit:
            capture = _capture(path, seen)
            names.setdefault(seen.id, capture)
            names.setdefault(seen.digest, capture)
    names.pop("", None)
    return names


def _normal(spelling: str) -> Url | None:
    try:
        return parse(spelling)
    except InvalidUrl:
        return None


def _leads_to(url: Url, location: str) -> Url | None:
    try:
        return join(url, location)
    except InvalidUrl:
        return None
