"""Ratna et al. 2012 at home: menus and sentences, and pages that only rank tells apart."""

from random import Random

from thresher.core.records import Topic
from thresher.strategies.ratna import Ratna
from thresher.text.page_record import page_counts
from thresher_lab.papers.made_web import MadeCrawl, MadeWeb, crawled, sentences
from thresher_lab.papers.played import PlayedPaper
from thresher_lab.tables import Grid

WORDS = "honey hive queen swarm nectar comb drone pollen smoker keeper".split()
NOISE = "engine wheel brake gear clutch petrol road lane bridge tunnel".split()
T = {"honey": 1.0, "hive": 1.0, "queen": 1.0}
TOPIC = Topic("bees", T, facets=(("bees", *T),))
PAGES, BUDGET = 240, 160


def bee_web(seed: int = 1) -> MadeWeb:
    """Return pages on bees and on cars; some links stand in sentences that say more than their anchors."""
    dice, web = Random(seed), MadeWeb()
    urls = [f"http://{'bees' if n % 3 == 0 else 'cars'}{n % 8}.test/{n}" for n in range(PAGES)]
    for n, url in enumerate(urls):
        bees = n % 3 == 0
        own = WORDS if bees else NOISE
        text = "".join(f"<p>{each}</p>" for each in sentences(dice, own, 4))
        alike = [other for m, other in enumerate(urls) if (m % 3 == 0) == bees]
        menu = [
            (dice.choice(urls), dice.choice(("home", "news", "honey" if bees else "engine")))
            for _ in range(3)
        ]
        said = dice.choice(alike)
        sentence = (
            f'<p>Of {own[0]} and {own[1]} much is known. This <a href="{said}">page</a> tells more.</p>'
        )
        listed = "".join(f'<li><a href="{target}">{anchor}</a></li>' for target, anchor in menu)
        web.add_html(
            url, f"{text}{sentence}<ul>{listed}</ul>", [*menu, (said, "page")], bees, f"{own[0]} {n}"
        )
    return web


def play() -> PlayedPaper:
    """Play the system's steps, since the paper has no experiment, and put numbers into its formulas."""
    web = bee_web()
    told = PlayedPaper(
        f"{PAGES} pages, {len(web.about)} about bees, links in menus and in sentences; {BUDGET} pages a run."
    )
    curves: dict[str, list[float]] = {}
    rows, results = [], tuple[tuple[str, ...], ...]()
    for strategy in ("ratna", "best_first", "breadth_first"):
        with crawled(
            web,
            TOPIC,
            strategy,
            [f"http://bees{n}.test/{n}" for n in (0, 3)] + ["http://cars1.test/1"],
            BUDGET,
        ) as crawl:
            curves[strategy] = [sum(crawl.hits[: end + 1]) / (end + 1) for end in range(len(crawl.hits))]
            rows.append((strategy, f"{crawl.found} of {len(crawl.hits)}", "the paper has no experiment"))
            if strategy == "ratna":
                results, told.formulas = crawl.tables()[0].rows[:5], formulas(crawl)
    told.tables = [
        Grid("Figure 1. Result database, the best five", ("Rel_Score", "score", "PR", "URL"), results),
        Grid("Relevant pages of those fetched", ("crawler", "here", "printed"), tuple(rows)),
    ]
    told.figure("Harvest rate by pages (not in the paper)", "pages", "relevant", curves)
    return told


def formulas(crawl: MadeCrawl) -> list[tuple[str, str, str]]:
    """Return equations (1) to (8) and the steps of section 5 with the numbers of a page and of a link."""
    strategy = crawl.strategy
    assert isinstance(strategy, Ratna)
    url = next(url for url, hit in zip(crawl.visited, crawl.hits, strict=True) if hit)
    collection, page = strategy._collection, crawl.store.page(url)
    counts = {word: page.text.lower().count(word) for word in T} if page else {}
    frequencies = collection.frequencies(page_counts(page) if page else {})
    idf = collection.idf()
    score = sum(f * w for f, w in zip(frequencies, idf, strict=True))
    told = [
        ("page", "d", f"{url}: {', '.join(f'{word} {n}' for word, n in counts.items())}"),
        ("eq. (1)", "tf(t, d) = f(t, d) / max f", ", ".join(f"{each:.3f}" for each in frequencies)),
        ("eq. (2)", "idf(t) = ln(N / (1 + df(t)))", ", ".join(f"{each:.3f}" for each in idf)),
        ("eqs. (3), (4)", "score(q, d) = sum over t of tf idf", f"{score:.3f}"),
    ]
    rel, said, rank, best = strategy.tables(crawl.store)[0].rows[0]
    told.append(("eqs. (6), (8)", "Rel_Score = PR + score", f"{rank} + {said} = {rel} ({best})"))
    for each in crawl.visited:
        lines = strategy.explain(crawl.visit_of(each).candidate, crawl.store)
        if lines and "CTR 0.000" not in lines[0] and "ATR 0.000 + CTR" in lines[0]:
            told.append(("section 5", "link score = ATR + CTR + PR", f"{each}: {lines[0]}"))
            break
    return told
