"""The visible lines of a page, and in which of them two visits differ."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, zip_longest
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

LARGEST = 64_000_000  # pairs of lines, some 10 ms: beyond, lines are compared without their order
LONGEST = 20_000  # characters of a line that are kept to be shown: whole paragraphs
LETTERS = 100_000  # characters of a diff that are
MOST = 200  # lines that are shown
MOST_LINES, FURTHEST = 10_000, 200_000  # lines and characters of a page that are compared one by one
MANY = 50_000  # characters that came or went, some 15 ms: in more, dates and counters are not looked for
LENGTHY = 1_000  # characters of a line: a longer one is no date and no counter


class DiffBlock(NamedTuple):
    """Lines in a row that went or came; `place` is a hash of the lines that stayed round them."""

    place: int
    gone: tuple[str, ...]
    come: tuple[str, ...]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with words in them; white space and list marks do not count.

    What lies beyond the first 10,000 lines or 200,000 characters is one line: whether it changed can be told.
    """
    *lines, rest = text[:FURTHEST].split("\n", MOST_LINES)
    beyond = (rest if len(lines) == MOST_LINES else "") + text[FURTHEST:]
    lines += [rest] if len(lines) < MOST_LINES else []
    folded = (" ".join(line.split()).removeprefix("* ") for line in lines)
    return [line for line in folded if line] + ([_rest(beyond)] if beyond else [])


def _rest(text: str) -> str:
    """Return a line that stands for a long text, without a digit that might be taken for a counter."""
    sign = f"{xxh3_64_intdigest(text.encode('utf-8', 'replace')):x}".translate(_LETTERS)
    return f"(the rest of the page: {sign})"


_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def blocks(before: Sequence[str], after: Sequence[str]) -> list[DiffBlock]:
    """Return where two sequences of lines differ."""
    start = alike(before, after)
    end = alike(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if not old and not new:
        return []
    if len(old) * len(new) > LARGEST:
        return [DiffBlock(0, *_without_order(old, new))]
    return [
        DiffBlock(_place(before, start + low, start + high), tuple(old[low:high]), tuple(new[first:last]))
        for low, high, first, last in _gaps(old, new)
    ]


def _gaps(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield what lies between the lines that stayed, those being as many as can be."""
    from rapidfuzz.distance import LCSseq  # measured: 3 % of the start, and only revisits need it

    numbers: dict[str, int] = {}
    one, other = ([numbers.setdefault(line, len(numbers)) for line in lines] for lines in (old, new))
    low = first = 0
    stayed = (each for each in LCSseq.opcodes(one, other) if each.tag == "equal")
    for each in stayed:
        if (low, first) != (each.src_start, each.dest_start):
            yield low, each.src_start, first, each.dest_start
        low, first = each.src_end, each.dest_end
    if (low, first) != (len(old), len(new)):
        yield low, len(old), first, len(new)


def shown(found: Iterable[DiffBlock]) -> str:
    """Return the lines that went and came as a diff to be read."""
    lines = [line for block in found for line in _signed(block)]
    kept = [line for line, end in zip(lines, accumulate(map(len, lines)), strict=True) if end <= LETTERS][
        :MOST
    ]
    more = [f"… and {len(lines) - len(kept)} lines more"] if len(lines) > len(kept) else []
    return "\n".join(kept + more)


def _signed(block: DiffBlock) -> Iterator[str]:
    """Yield the lines of a block with their signs; of one that is very long, the part that is different."""
    starts = [
        _start(old, new) if max(len(old), len(new)) > LONGEST else 0
        for old, new in zip(block.gone, block.come, strict=False)
    ]
    for sign, some in (("-", block.gone), ("+", block.come)):
        for line, start in zip_longest(some, starts[: len(some)], fillvalue=0):
            yield f"{sign} {_part(str(line), int(start))}"


def _start(old: str, new: str) -> int:
    """Return from where on two long lines are shown: half of what is shown stands before the difference."""
    return max(0, alike(old, new) - LONGEST // 2)


def _part(line: str, start: int) -> str:
    end = start + LONGEST
    return f"{'…' if start else ''}{line[start:end]}{'…' if len(line) > end else ''}"


def edits(found: Iterable[DiffBlock]) -> list[tuple[str, str]]:
    """Return the lines that really went ('-') or came ('+'): not those that only moved or were counted on.

    Dates, times and counters may run on and the parts of a menu may change places.
    """
    found = list(found)
    if is_long(line for block in found for line in (*block.gone, *block.come)):
        return _moved_apart(found)
    went, came = Counter[str](), Counter[str]()
    wording: dict[str, str] = {}
    for block in found:
        for some, lines in ((went, block.gone), (came, block.come)):
            for line in lines:
                wording[key := essence(line)] = line
                some[key] += 1
    lost = [("-", wording[key]) for key in (went - came)]
    return lost + [("+", wording[key]) for key in (came - went)]


def is_long(lines: Iterable[str]) -> bool:
    """Tell whether lines are so long together that dates and counters are not looked for in them."""
    return sum(map(len, lines)) > MANY


def _moved_apart(found: Sequence[DiffBlock]) -> list[tuple[str, str]]:
    """Return the lines that went or came and did not only move."""
    went = Counter(chain.from_iterable(block.gone for block in found))
    came = Counter(chain.from_iterable(block.come for block in found))
    return [("-", line) for line in went - came] + [("+", line) for line in came - went]


def essence(line: str) -> str:
    """Return what is left of a line when dates, times and the number of visitors do not count."""
    if len(line) > LENGTHY:
        return line
    key = _DATE.sub("\0", line)
    if len(key.split()) <= SHORT:
        key = _COUNTED.sub("\0", key) if _COUNTER.search(key) else _LARGE.sub("\0", key)
        if _SEPARATOR.search(key):
            key = " ".join(sorted(key.split()))
    return key


def line_key(sign: str, line: str) -> int:
    """Return 64 bits that stand for a line that came or went."""
    return xxh3_64_intdigest(f"{sign}{essence(line)}".encode()) - (1 << 63)


SHORT = 14  # words of a line that may be a counter or a menu

_MONTH = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:\s*(?:am|pm|utc|gmt|[+-]\d{4}))*"
_DATE = re.compile(
    rf"(?:{_DAY}\s+)?(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}\s+\d{{4}}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{4}}\s*年\s*\d{{1,2}}\s*月\s*\d{{1,2}}\s*日)(?:[T,]?\s*(?:at\s+)?{_CLOCK}Z?)?|\b{_CLOCK}",
    re.IGNORECASE,
)
_COUNTER = re.compile(
    r"\b(?:visit(?:or)?s?|views?|hits?|online|users|members|downloads|shares?|likes?|comments?|replies"
    r"|ago|seconds?|copyright|updated|modified|generated)\b|©|浏览|访问|阅读|点击|在线|评论|更新",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\d[\d.,' ]*\d|\d")
_LARGE = re.compile(r"\d{1,3}(?:[,' ]\d{3})+|\d{4,}")
_SEPARATOR = re.compile(r"[|·•»›]")


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many lines, words or letters two sequences begin alike."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _without_order(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before, after = Counter(old), Counter(new)
    return tuple((before - after).elements()), tuple((after - before).elements())


def _place(before: Sequence[str], low: int, high: int) -> int:
    above = before[low - 1] if low else ""
    below = before[high] if high < len(before) else ""
    return xxh3_64_intdigest(f"{above}\n{below}".encode()) - (1 << 63)
