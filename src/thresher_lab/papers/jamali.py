"""Jamali et al. 2006 at home: sub-domains of sports among other subjects, from two kinds of start."""

from random import Random

from thresher.core.records import Topic, Url
from thresher.judges.baselines import VocabularyJudge
from thresher.strategies.jamali import Jamali
from thresher_lab.papers.made_web import MadeCrawl, MadeWeb, crawled, sentences
from thresher_lab.papers.played import BESIDE, PlayedPaper, bars, row
from thresher_lab.tables import Grid

DOMAINS = {
    "football": "football goal keeper penalty striker pitch referee kick team league".split(),
    "tennis": "tennis racket serve volley court umpire match set player tournament".split(),
    "swimming": "swimming pool freestyle butterfly lane diver coach medal stroke lap".split(),
    "cycling": "cycling bicycle sprint peloton stage rider saddle gear climb race".split(),
    "chess": "chess bishop knight rook opening gambit endgame board pawn grandmaster".split(),
    "skiing": "skiing slope slalom snow jump downhill lift binding pole champion".split(),
}
OTHERS = {
    name: f"{name} {rest}".split()
    for name, rest in {
        "cooking": "recipe oven flour butter sauce onion pepper soup bread cake",
        "banking": "loan credit account interest bank share bond fund broker tax",
        "travel": "hotel flight beach museum tour ticket island train luggage map",
        "music": "guitar piano album song concert choir violin drum melody band",
        "politics": "election vote party minister parliament law reform campaign treaty debate",
        "computers": "software server keyboard compiler network database screen memory disk code",
        "gardens": "garden rose tulip soil seed spade lawn hedge tree fruit",
        "health": "doctor nurse clinic vaccine muscle fever diet sleep heart pill",
    }.items()
}
EACH, OTHER = 120, 240  # pages of a sport and of another subject
BUDGET, SEGMENT = 600, 60
SEARCH, PORTAL = "http://search.test/?q=sport", "http://portal.test/"
TOPIC = Topic("sports", {"sports": 1.0}, vocabularies=tuple(map(tuple, DOMAINS.values())))
PRINTED = {  # Table I: pages, relevant pages, AHR
    ("focused", SEARCH): (25_000, 19_904, "85.5 %"),
    ("breadth-first", SEARCH): (25_000, 4_346, "25.56 %"),
    ("focused", PORTAL): (25_000, 18_320, "67.2 %"),
    ("breadth-first", PORTAL): (25_000, 2_159, "12.72 %"),
}
WHY = "no: a web of 2006 with 25,000 pages a run"


def sports_web(seed: int = 1) -> MadeWeb:
    """Return six sub-domains of sports and eight other subjects, most links staying in their subject."""
    dice, web = Random(seed), MadeWeb()
    subjects = {**DOMAINS, **OTHERS}
    urls = {
        name: [f"http://{name}{n % 4}.test/{n}" for n in range(EACH if name in DOMAINS else OTHER)]
        for name in subjects
    }
    for name, own in urls.items():
        beside = [other for other in (DOMAINS if name in DOMAINS else OTHERS) if other != name]
        across = list(OTHERS if name in DOMAINS else DOMAINS)
        for url in own:
            drawn = [_drawn(dice, name, beside, across, name in DOMAINS) for _ in range(dice.randint(4, 9))]
            links = [(dice.choice(urls[other]), dice.choice(subjects[other])) for other in drawn]
            web.add(url, sentences(dice, subjects[name], 6), links, name in DOMAINS, f"{name} {url[-2:]}")
    found = [(urls[name][n], name) for name in DOMAINS for n in (3, 7)]
    web.add(SEARCH, ["Results for sport."], found, title="Results")
    front = [(urls[name][0], name) for name in subjects]
    web.add(PORTAL, ["Everything at a glance."], front, title="Portal")
    return web


def _drawn(dice: Random, own: str, beside: list[str], across: list[str], sport: bool) -> str:
    chance = dice.random()
    return (
        own
        if chance < 0.55
        else dice.choice(beside)
        if chance < (0.8 if sport else 0.93)
        else dice.choice(across)
    )


def play() -> PlayedPaper:
    """Play Table I and Figure 3, and put numbers into both equations."""
    web = sports_web()
    told = PlayedPaper(
        f"{len(web.pages)} pages: six sports, eight other subjects; {BUDGET} pages a run, in segments of"
        f" {SEGMENT}."
    )
    rows, text = [], []
    for start, name in ((SEARCH, "first run, from search results"), (PORTAL, "second run, from a portal")):
        curves = {}
        for strategy, called in (("jamali", "focused"), ("breadth_first", "breadth-first")):
            with crawled(web, TOPIC, strategy, [start], BUDGET) as crawl:
                curves[called] = crawl.segments(SEGMENT)
                rows.append(_beside(called, start, crawl))
                if (strategy, start) == ("jamali", SEARCH):
                    told.formulas = formulas(crawl)
        text += [(f"{name}, {called}", bars(values)) for called, values in curves.items()]
        text += [(f"{name}, focused : breadth-first", ratios(curves))]
        told.figure(f"Figure 3, {name}: harvest rate by segment", "pages", "relevant", curves, SEGMENT)
    heads = ("crawler and start", "TCP, relevant, AHR printed", "here", "comparable")
    told.tables = [
        Grid("Table I. Pages crawled, relevant pages and average harvest rate", heads, tuple(rows)),
        Grid("Figure 3. Harvest rate of each segment of pages", ("run", "segments"), tuple(text)),
        Grid(
            "Ratios in the text of section V, first and last segments", BESIDE, tuple(_printed_ratios(text))
        ),
    ]
    return told


def _beside(called: str, start: str, crawl: MadeCrawl) -> tuple[str, ...]:
    pages, relevant, ahr = PRINTED[called, start]
    ours = f"{len(crawl.hits)}, {crawl.found}, {crawl.mean_cumulative(SEGMENT):.1%}"
    return (
        f"{called}, {'search results' if start == SEARCH else 'portal'}",
        f"{pages:,}, {relevant:,}, {ahr}",
        ours,
        WHY,
    )


def ratios(curves: dict[str, list[float]]) -> str:
    """Return how many times as many relevant pages the focused crawler has in the first and last fifth."""
    fifth = max(1, len(curves["focused"]) // 5)
    first, last = (
        sum(curves["focused"][part]) / max(1e-9, sum(curves["breadth-first"][part]))
        for part in (slice(0, fifth), slice(-fifth, None))
    )
    return f"{first:.1f} in the first fifth, {last:.1f} in the last"


def _printed_ratios(text: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    found = [value for name, value in text if ":" in name]
    return [
        row("first run", "2.5 first, 16 last", found[0], WHY),
        row("second run", "2 first, 30 last", found[1], WHY),
    ]


def formulas(crawl: MadeCrawl) -> list[tuple[str, str, str]]:
    """Return both equations with the numbers of the best candidate."""
    strategy = crawl.strategy
    assert isinstance(strategy, Jamali)
    rank, to, origin, similarity, url = next(
        row for row in strategy.tables(crawl.store)[1].rows if float(row[3]) > 0 and int(row[1])
    )
    judge = VocabularyJudge(TOPIC)
    page = crawl.store.page(Url(url))
    words = judge._page_words(page) if page else set()
    shares = sorted((len(v & words) for v in judge.vocabularies), reverse=True)[:2]
    return [
        ("page", "p", url),
        (
            "eq. (2), k = 2",
            "sim(s) = mean of the 2 largest |v_i & s| / |s|",
            f"({shares[0]}/{len(words)} + {shares[1]}/{len(words)}) / 2 = {similarity}",
        ),
        (
            "eq. (1)",
            "Rank(p) = (links_to_seed + links_from_seed) (0.1 + sim)",
            f"({to} + {origin}) x (0.1 + {similarity}) = {rank}",
        ),
    ]
