"""What was wrong with an archive: every fault counted and named, the first ones kept with their place."""

from collections import Counter

from msgspec import Struct

_MEANING = {
    "cut": "cut in the middle",
    "encoding": "with a payload that cannot be decoded",
    "format": "in a format not read here",
    "garbage": "stretches of bytes that are no record",
    "gzip": "gzip members that do not unpack",
    "header": "with a broken header",
    "large": "larger than the limit",
    "length": "of another length than they say",
    "version": "of an unknown version",
}


class Fault(Struct, frozen=True):
    """One thing wrong, and where."""

    file: str
    offset: int
    kind: str
    detail: str


class Faults:
    """The faults met while reading; the places of the first hundred are kept, all are counted."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.counts: Counter[str] = Counter()
        self.first: list[Fault] = []

    def add(self, offset: int, kind: str, detail: str) -> None:
        """Count a fault and keep its place if there is room."""
        self.counts[kind] += 1
        if len(self.first) < 100:
            self.first.append(Fault(self.file, offset, kind, detail))

    def __len__(self) -> int:
        return self.counts.total()

    def __str__(self) -> str:
        """Return one line: how many of each kind."""
        named = (f"{count} {_MEANING.get(kind, kind)}" for kind, count in sorted(self.counts.items()))
        return ", ".join(named) or "no faults"
