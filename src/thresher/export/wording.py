"""How figures read, in the terminal and in the report alike: the number first, in plain words."""

from collections.abc import Mapping
from datetime import UTC, datetime

from thresher.core.progress import Forecast, HostWait, SecondCount, ShareFound
from thresher.core.records import AFTER, Visit

LONG = 5.0  # seconds between two requests that are worth a word


def number(value: int) -> str:
    """Return a whole number with its thousands apart: 10,000."""
    return f"{value:,}"


def many(count: int, noun: str) -> str:
    """Return a number of things: 1 link, 2 links."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def need_browser(count: int) -> str:
    """Return how many pages are made by script and were not rendered: 34 pages need a browser."""
    return f"{many(count, 'page')} need{'s' if count == 1 else ''} a browser"


def like_it(count: int) -> str:
    """Return how many pages say nearly the same, or nothing: (and 2 like it)."""
    return f" (and {number(count)} like it)" if count else ""


def last_find(visit: Visit) -> str:
    """Return the page that was found last, by its title and where it is."""
    title = plain(visit.page.title, 60) if visit.page else ""
    return f"{title} ({visit.candidate.url})" if title else visit.candidate.url


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal: 29.7 %."""
    return f"{100 * share:.1f} %"


def duration(seconds: float) -> str:
    """Return a duration in the two units that matter: 42 s, 3 min 20 s, 1 h 5 min, 2 d 3 h."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for large, small, size, part in _UNITS:
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {large} {rest} {small}" if rest else f"{whole // size} {large}"
    return f"{whole} s"


_UNITS = (("d", "h", 86400, 3600), ("h", "min", 3600, 60), ("min", "s", 60, 1))


def size(count: int) -> str:
    """Return a number of bytes in the unit that suits it: 3.2 MB."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def counted(counts: Mapping[str, int]) -> str:
    """Return counts in one line, the largest first: 512 fetched, 12 moved."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{number(count)} {name}" for name, count in ordered)


def harvest(relevant: int, pages: int) -> str:
    """Return the figure a crawl is about: 2,967 of 10,000 pages relevant (29.7 %)."""
    share = relevant / pages if pages else 0.0
    return f"{number(relevant)} of {number(pages)} pages relevant ({percent(share)})"


def foreseen(forecast: Forecast) -> str:
    """Return a forecast: 90 to 150 of the next 1,000 pages relevant (80 %)."""
    band = f"{number(forecast.low)} to {number(forecast.high)}"
    return f"{band} of the next {number(forecast.downloads)} pages relevant (80 %)"


def share_found(found: ShareFound) -> str:
    """Return the share that was found: found about 94 % of the relevant pages (80 %: 88 to 98)."""
    if found.low == 1:
        return "found all relevant pages within reach"
    share, low, high = (round(100 * each) for each in (found.share, found.low, found.high))
    return f"found about {share} % of the relevant pages (80 %: {low} to {high})"


def estimates(forecast: Forecast | None) -> list[str]:
    """Return the share found and what would come, as far as there is anything to say."""
    found = [share_found(forecast.found)] if forecast and forecast.found else []
    return found + ([foreseen(forecast)] if forecast and forecast.relevant else [])


def by_default_judge(second: SecondCount | None) -> list[str]:
    """Return what the default judge says beside that of a crawl, and what looks wrong, as sentences."""
    if second is None:
        return []
    sample = f"Of {number(second.pages)} pages looked at, the judge question"
    beside = [] if second.relevant is None else [f"{sample} would call {number(second.relevant)} relevant."]
    return [*beside, *second.sentences]


def outlook(forecast: Forecast | None) -> list[str]:
    """Return the same as sentences for the end of a crawl."""
    return [
        f"{each.capitalize() if each.startswith('found') else f'If it went on: {each}'}."
        for each in estimates(forecast)
    ]


def waiting_for(awaited: HostWait) -> str:
    """Return the host that free workers wait for: waiting 0.8 s for tea.example (0.71), best other 0.12."""
    host = awaited.host.partition("://")[2] or awaited.host
    line = (
        f"waiting {awaited.seconds:.1f} s for {host} ({awaited.priority:.2f}), best other {awaited.other:.2f}"
    )
    slow = f"; {host} asks for {duration(awaited.rest)} between requests" if awaited.rest >= LONG else ""
    return line + slow


def moment(at: float) -> str:
    """Return a time as ISO 8601 in UTC: 2026-03-01T09:30:00Z."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def plain(text: str, most: int = 0) -> str:
    """Return foreign text on one line, without what could drive a terminal, cut to `most` letters."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return f"{line[: most - 1]}…" if 0 < most < len(line) else line


# Causes: why visits brought no page, in words that equal causes share


def cause_of(visit: Visit) -> str:
    """Return why a visit brought no page, without what is its alone, so that equal causes count together."""
    if visit.detail:
        return visit.detail.value
    return "moved to a page" if visit.moved_to else visit.reason.partition(AFTER)[0] or visit.outcome.value
