"""Invented webs that make life hard: a host that lies, and a thousand hosts with one page each.

Both are about kites. Honest pages use the words of their subject among everyday ones, and link to their own
kind more often than not. They show how a strategy behaves; they prove no merit.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from msgspec import Struct

from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import parse
from thresher.lab.corpus import DEFAULT_SEEDS, Corpus, CorpusTopic
from thresher.lab.record import record_pages, write_corpus

KITES = "kite string tail spar bridle gust sail reel knot wind".split()
OTHERS = (
    "soup onion pepper stock ladle".split(),
    "violin bow string tune concert".split(),
    "brick mortar wall trowel arch".split(),
)
EVERYDAY = (
    "morning people little always street house garden letter water table summer winter evening friend story "
    "paper window picture number market river village answer question visit"
).split()
HONEST, FARM, FARM_LINKS, HOSTS = 400, 300, 30, 1_000
SHARE = 0.15  # of honest pages that are about kites


class Sheet(Struct):
    """One page before it is written down."""

    url: Url
    subject: Sequence[str]
    links: list[tuple[Url, str]] = []

    @property
    def wanted(self) -> bool:
        """Whether it is about kites."""
        return self.subject is KITES


def lying_host(folder: Path, seed: int) -> Corpus:
    """Write a web in which one host stuffs its pages with the words of the topic and links to itself."""
    dice = Random(f"lies {seed}")
    honest = [_sheet(f"http://site{n % 8}.test/{n}.html", dice) for n in range(HONEST)]
    farm = [Sheet(parse(f"http://farm.test/kite-{n}.html"), ()) for n in range(FARM)]
    _link(honest, dice)
    for sheet in farm:
        sheet.links = [(each.url, "kite string kite") for each in dice.sample(farm, FARM_LINKS)]
    for sheet in dice.sample(honest, 20):
        sheet.links.append((dice.choice(farm).url, "kite kite"))
    seeds = _seeds(honest, dice)
    seeds[0].links.append((farm[0].url, "kite kite kite"))
    return _write(folder, honest, farm, seeds, dice)


def many_hosts(folder: Path, seed: int) -> Corpus:
    """Write a web of a thousand hosts with one page each, and a portal that lists them in no order."""
    dice = Random(f"hosts {seed}")
    honest = [_sheet(f"http://host{n}.test/", dice) for n in range(HOSTS)]
    _link(honest, dice)
    portal = [Sheet(parse(f"http://portal.test/{n}.html"), EVERYDAY) for n in range(20)]
    for place, sheet in enumerate(portal):
        listed = honest[place::20]
        sheet.links = [(each.url, _anchor(each, dice)) for each in listed]
        sheet.links.append((portal[(place + 1) % 20].url, "more"))
    return _write(folder, honest + portal, [], [*_seeds(honest, dice)[:2], portal[0]], dice)


def _sheet(url: str, dice: Random) -> Sheet:
    return Sheet(parse(url), KITES if dice.random() < SHARE else dice.choice(OTHERS))


def _link(sheets: Sequence[Sheet], dice: Random) -> None:
    """Let each page link to eight others, half of them of its own subject."""
    kinds: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        kinds.setdefault(sheet.subject[0], []).append(sheet)
    for sheet in sheets:
        targets = dice.choices(kinds[sheet.subject[0]], k=4) + dice.choices(sheets, k=4)
        sheet.links = [(each.url, _anchor(each, dice)) for each in targets]


def _anchor(sheet: Sheet, dice: Random) -> str:
    """Return a text that says what the page is about in two cases of three."""
    return dice.choice(sheet.subject) if dice.random() < 2 / 3 else dice.choice(EVERYDAY)


def _seeds(sheets: Sequence[Sheet], dice: Random) -> list[Sheet]:
    """Return two pages about kites and one that is not."""
    wanted = [sheet for sheet in sheets if sheet.wanted]
    return [*dice.sample(wanted, 2), dice.choice([sheet for sheet in sheets if not sheet.wanted])]


def _write(
    folder: Path, honest: Sequence[Sheet], farm: Sequence[Sheet], seeds: Sequence[Sheet], dice: Random
) -> Corpus:
    folder.mkdir(parents=True)
    record_pages(folder, [_page(sheet, dice) for sheet in (*honest, *farm)])
    names: dict[str, str | int] = {name: sheet.url for name, sheet in zip(DEFAULT_SEEDS, seeds, strict=True)}
    topic = CorpusTopic("kites", "Sport/Kite", keywords=("kite", "bridle", "spar"), seeds=names)
    wanted = [sheet.url for sheet in honest if sheet.wanted]
    labels: Mapping[Url, str] = dict.fromkeys(wanted, "kites")
    write_corpus(folder, [topic], {"kites": wanted}, labels, "an invented web, made from its labels.")
    return Corpus(folder)


def _page(sheet: Sheet, dice: Random) -> Fetched:
    """Return the page as its server would send it; one without a subject is stuffed."""
    said = dice.choices(sheet.subject, k=12) if sheet.subject else KITES * 20
    said = said + dice.choices(EVERYDAY, k=60 if sheet.subject else 10)
    dice.shuffle(said)
    links = "".join(f'<p><a href="{url}">{text}</a></p>' for url, text in sheet.links)
    body = f"<html><title>{said[0]}</title><body><p>{' '.join(said)}</p>{links}</body></html>"
    return Fetched(
        Candidate(sheet.url), sheet.url, 200, (("content-type", "text/html; charset=utf-8"),), body.encode()
    )
