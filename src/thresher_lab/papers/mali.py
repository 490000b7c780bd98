"""Mali and Meshram 2011 at home: pages that change in structure, text and image, or unseen by the codes."""

from random import Random

from thresher.core.records import Candidate, Fetched, Page, Topic, Url
from thresher.freshness.change import ChangeForm, change_between
from thresher.parse import parse
from thresher.parse.fingerprint import image_fingerprint
from thresher.strategies.mali import Mali
from thresher_lab.papers.made_web import MadeCrawl, MadeWeb, crawled, sentences
from thresher_lab.papers.played import BESIDE, PlayedPaper, row
from thresher_lab.tables import Grid

FOOTBALL = "football goal league keeper penalty striker pitch referee team match".split()
NOISE = "recipe oven flour butter sauce onion pepper soup bread cake".split()
TOPIC = Topic("football", {"football": 0.5, "goal": 0.3, "league": 0.2})
PAGES, BUDGET = 400, 120
STORY = (
    "<h1>Final</h1><p>The league final was played in front of a full house.</p><article>One goal</article>"
)
CHANGES = (  # what was done, the page before, the page after
    ("nothing", STORY, STORY),
    ("a paragraph more", STORY, STORY.replace("</p>", "</p><p>It rained.</p>")),
    ("one word", STORY, STORY.replace("full", "half")),
    ("one blank", STORY, STORY.replace("final was", "final  was")),
    (
        "an anagram",
        STORY.replace("One goal", "listen to the dog"),
        STORY.replace("One goal", "silent to the god"),
    ),
    ("article to aside", STORY, STORY.replace("article", "aside")),
)
HERE = Url("http://www.test/final")


def football_web(seed: int = 1) -> MadeWeb:
    """Return pages on football and on cooking, some of which link to many others."""
    dice, web = Random(seed), MadeWeb()
    urls = [f"http://www{n % 5}.test/{n}" for n in range(PAGES)]
    for n, url in enumerate(urls):
        relevant = n % 4 == 0
        alike = urls[::4] if relevant else urls
        links = [
            (dice.choice(alike if dice.random() < 0.5 else urls), "more")
            for _ in range(dice.choice((2, 4, 12)))
        ]
        web.add(url, sentences(dice, FOOTBALL if relevant else NOISE, 5), links, relevant, f"Page {n}")
    return web


def play() -> PlayedPaper:
    """Play layers 1 and 2, and put numbers into their formulas."""
    web = football_web()
    told = PlayedPaper(
        f"{PAGES} pages, {len(web.about)} about football; {BUDGET} pages a run; six changes of a page."
    )
    rows, curves = [], {}
    for strategy in ("mali", "breadth_first"):
        with crawled(
            web, TOPIC, strategy, [f"http://www{n % 5}.test/{n}" for n in (0, 4, 8, 12)], BUDGET
        ) as crawl:
            curves[strategy] = [sum(crawl.hits[: end + 1]) / (end + 1) for end in range(len(crawl.hits))]
            rows.append((strategy, f"{crawl.found} of {len(crawl.hits)}", "the paper has none"))
            if strategy == "mali":
                listed, told.formulas = crawl.tables()[0].rows[:5], formulas(crawl)
    worked = _page("<h1>H</h1><p>a</p><p>b</p><p>c</p>", "<title>T</title>").fingerprint.structure
    told.tables = [
        Grid("Section 3.2, layer 2. The worked page", BESIDE, (_strings(worked),)),
        Grid("Section 3.1.2. URL list by Pvalue, the best five", ("Pvalue", "FwdLK", "BkLK", "URL"), listed),
        Grid(
            "Section 3.2, layer 2. What the codes see of a change",
            ("change", "what layer 2 says"),
            _changes(),
        ),
        Grid("Relevant pages of those fetched", ("crawler", "here", "printed"), tuple(rows)),
    ]
    told.figure("Harvest rate by pages (not in the paper)", "pages", "relevant", curves)
    return told


def _changes() -> tuple[tuple[str, str], ...]:
    found = []
    for done, before, after in CHANGES:
        change = change_between(_page(before), _page(after), form=ChangeForm.PAPER)
        found.append((done, f"{change.kind.value}: {change.diff}" if change else "no change"))
    one, other = (
        _picture(formula) for formula in (lambda i, j: (i + j) % 2, lambda i, j: (i * i + 3 * j) % 7 < 3)
    )
    codes = [image_fingerprint(each).image_code or "cannot be read without Pillow" for each in (one, other)]
    return (*found, ("another picture, 16 x 16", f"image: Ival {codes[0]} -> {codes[1]}"))


def _strings(ours: tuple[str, str]) -> tuple[str, ...]:
    return row("first and last letters of its tags", "hhtbhppp / ldey1ppp", " / ".join(ours), "yes")


def _page(body: str, head: str = "") -> Page:
    body = f"<html><head>{head}</head><body>{body}</body></html>"
    return parse(Fetched(Candidate(HERE), HERE, 200, (("content-type", "text/html"),), body.encode()))


def _picture(formula) -> bytes:  # type: ignore[no-untyped-def]
    """Return a two-tone picture as a bitmap, which needs no library to write."""
    rows = b"".join(bytes(255 * bool(formula(i, j)) for j in range(16)) for i in reversed(range(16)))
    palette = b"".join(bytes((tone, tone, tone, 0)) for tone in range(256))
    size = 54 + len(palette) + len(rows)
    head = b"BM" + size.to_bytes(4, "little") + bytes(4) + (54 + len(palette)).to_bytes(4, "little")
    numbers = [
        (40, 4),
        (16, 4),
        (16, 4),
        (1, 2),
        (8, 2),
        (0, 4),
        (len(rows), 4),
        (0, 4),
        (0, 4),
        (256, 4),
        (0, 4),
    ]
    return head + b"".join(value.to_bytes(width, "little") for value, width in numbers) + palette + rows


def formulas(crawl: MadeCrawl) -> list[tuple[str, str, str]]:
    """Return the formulas of layers 1 and 2 with the numbers of a page."""
    strategy = crawl.strategy
    assert isinstance(strategy, Mali)
    url = next(url for url, hit in zip(crawl.visited, crawl.hits, strict=True) if hit)
    page = crawl.store.page(url)
    parts = (
        " + ".join(f"{each.weight:.4f} ({each.term})" for each in strategy.topic_vector.explain(page))
        if page
        else ""
    )
    lines = strategy.explain(crawl.visit_of(crawl.visited[-1]).candidate, crawl.store)
    told = [
        ("section 3.1.1", "Sim = sum of u_k, u_k = freq(k) / |UD| w_k", f"{url}: {parts}"),
        ("section 3.1.2", "Pvalue = FwdLK - BkLK", f"{crawl.visited[-1]}: {lines[0]}"),
    ]
    text, symbols = "goal", "goal"
    total = sum(map(ord, text))
    told.append(
        (
            "layer 2",
            "text code = sum of symbols / distinct symbols",
            f"'goal': {total} / {len(set(symbols))} = {total / 4}",
        )
    )
    if page:
        first, last = page.fingerprint.structure
        told.append(
            ("layer 2", "structure = first letters / last letters of tags", f"{first[:16]} / {last[:16]}")
        )
    return told
