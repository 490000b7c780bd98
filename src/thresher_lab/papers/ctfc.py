"""CT-FC at home: relevant pages that only links, tunnels, shared pages, hubs or a sitemap lead to."""

from random import Random

from thresher.core.records import Topic, Url
from thresher.settings.components import Parameter
from thresher_lab.papers.made_web import MadeCrawl, MadeWeb, crawled, sentences
from thresher_lab.papers.played import BESIDE, PlayedPaper, row
from thresher_lab.tables import Grid

LEXICON = "algorithm sorting complexity graph recursion heap hashing search tree greedy backtracking".split()
NOISE = "recipe oven flour butter sauce onion pepper soup bread cake garden rose tulip soil".split()
TOPIC = Topic("algorithm", {"algorithm": 1.0}, lexicon=dict.fromkeys(LEXICON, 1.0), concept="algorithm")
COMMUNITIES, MEMBERS = 8, 6
KINDS = ("chain", "tunnel", "spouses", "siblings", "apart")
BUDGET = 450
SEEDS = (1, 2, 5, 10, 20)
FULL: dict[str, Parameter] = {}
FORWARD: dict[str, Parameter] = {"spouses": False, "siblings": False}
WHY = "no: 1,714 pages of a directory, no budget stated, back-links free"


def algorithm_web(seed: int = 1) -> tuple[MadeWeb, dict[str, list[str]]]:
    """Return the web and, by the way that leads to them, its relevant pages."""
    dice, web = Random(seed), MadeWeb()
    groups: dict[str, list[str]] = {kind: [] for kind in KINDS}
    noise = [f"http://noise{n % 20}.test/{n}" for n in range(300)]
    for url in noise:
        web.add(
            url, sentences(dice, NOISE, 5), [(dice.choice(noise), "more") for _ in range(6)], title="A page"
        )
    for number in range(COMMUNITIES):
        _community(web, dice, number, groups, noise)
    return web, groups


def _community(
    web: MadeWeb, dice: Random, number: int, groups: dict[str, list[str]], noise: list[str]
) -> None:
    """Add a chain of relevant pages, what lies behind a tunnel, spouses, siblings, and pages apart."""
    own = {kind: [f"http://{kind}{number}.test/{n}" for n in range(MEMBERS)] for kind in KINDS}
    authority, hub = f"http://book{number}.test/", f"http://list{number}.test/"
    tunnel = [f"http://way{number}.test/{n}" for n in range(3)]

    def relevant(url: str, *links: str) -> None:
        aside = [(dice.choice(noise), "aside") for _ in range(1)]
        named = [(link, "see") for link in links] + aside
        web.add(url, sentences(dice, LEXICON, 5), named, True, "On algorithms")

    for n, url in enumerate(own["chain"]):
        following = own["chain"][(n + 1) % MEMBERS]
        relevant(url, following, authority, *([tunnel[0]] if n == 2 else []))
    for n, url in enumerate(tunnel):
        links = [(target, "on") for target in ([tunnel[n + 1]] if n < 2 else own["tunnel"])]
        web.add(url, sentences(dice, NOISE, 5), links, title="A way")
    for url in own["tunnel"]:
        relevant(url)
    for url in own["spouses"]:  # nothing links to them; they link to what the chain links to
        relevant(url, authority)
    for url in own["siblings"]:  # only the hub links to them, and nothing links to the hub
        relevant(url)
    for url in own["apart"]:
        relevant(url)
    web.add(authority, sentences(dice, NOISE, 5), [(dice.choice(noise), "home")], title="A book")
    web.add(
        hub,
        sentences(dice, NOISE, 2),
        [(u, "entry") for u in own["chain"][:3] + own["siblings"]],
        title="A list",
    )
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in own["apart"])
    web.pages[Url(f"http://chain{number}.test/sitemap.xml")] = f"<urlset>{listed}</urlset>"
    for kind in KINDS:
        groups[kind] += own[kind]


def play() -> PlayedPaper:
    """Play Table 1's quadrants and Figure 10, and put numbers into formulas (3) to (6)."""
    web, groups = algorithm_web()
    told = PlayedPaper(
        f"{len(web.pages)} pages, {len(web.about)} relevant: {COMMUNITIES} communities of a chain, pages"
        f" behind a tunnel of three, spouses, siblings and pages that stand apart; {BUDGET} pages a run,"
        " questions charged."
    )
    curves: dict[str, list[float]] = {"CT-FC": [], "forward only": []}
    quadrants: tuple[tuple[str, ...], ...] = ()
    for count in SEEDS:
        seeds = Random(count).sample(groups["chain"], count)
        for called, parameters in (("CT-FC", FULL), ("forward only", FORWARD)):
            with crawled(web, TOPIC, "ctfc", seeds, BUDGET, dict(parameters)) as crawl:
                curves[called].append((crawl.found - count) / (len(web.about) - count))
                if (called, count) == ("CT-FC", 5):
                    quadrants, told.formulas = crawl.tables()[0].rows, formulas(crawl)
    told.tables = [
        Grid(
            "Table 1. Recall grows with the quadrants (five seeds)", BESIDE, tuple(_by_quadrants(web, groups))
        ),
        Grid(
            "Figure 10. Recall by the number of seeds", ("seeds", "CT-FC", "forward only"), _by_seeds(curves)
        ),
        Grid("Figure 10, read off the picture", BESIDE, _few_seeds(curves)),
        Grid("Section 5.4. What each kind brought, five seeds", ("requests", "relevant", "kind"), quadrants),
    ]
    title = "Figure 10: recall by the number of seeds"
    told.figure(title, "seeds", "recall", curves, feet=tuple(map(str, SEEDS)))
    return told


def _by_seeds(curves: dict[str, list[float]]) -> tuple[tuple[str, ...], ...]:
    pairs = zip(SEEDS, curves["CT-FC"], curves["forward only"], strict=True)
    return tuple((str(count), f"{one:.2f}", f"{other:.2f}") for count, one, other in pairs)


def _few_seeds(curves: dict[str, list[float]]) -> tuple[tuple[str, ...], ...]:
    few = SEEDS.index(5)
    return (
        row("CT-FC, few seeds", "above 0.7", f"{curves['CT-FC'][few]:.2f} (5 seeds)", WHY),
        row("conventional, few seeds", "about 0.5", f"{curves['forward only'][few]:.2f} (5 seeds)", WHY),
    )


def _by_quadrants(web: MadeWeb, groups: dict[str, list[str]]) -> list[tuple[str, ...]]:
    seeds = Random(5).sample(groups["chain"], 5)
    forms: dict[str, dict[str, Parameter]] = {
        "I": {"tunnel": 1, **FORWARD},
        "I and II": FORWARD,
        "I, II and III": {"siblings": False},
        "I to IV": {},
    }
    rows: list[tuple[str, ...]] = []
    for name, parameters in forms.items():
        with crawled(web, TOPIC, "ctfc", seeds, BUDGET, dict(parameters)) as crawl:
            recall = (crawl.found - 5) / (len(web.about) - 5)
        rows.append(row(f"quadrants {name}", "grows (in words)", f"{recall:.2f}", "no: a table of words"))
    return rows


def formulas(crawl: MadeCrawl) -> list[tuple[str, str, str]]:
    """Return formulas (3) to (6) with a page of each kind, as `thresher why` explains it."""
    told, wanted = (
        [],
        {
            "I": ("eq. (3)", "Score(p) = 1: SUCC(p)"),
            "II": ("eq. (4)", "Score(p) < 1, d < 12: SUCC(p), weight 0.5^d"),
            "III": ("box and eq. (5)", "p -> x, q -> x relevant: SUCC^-1(x)"),
            "IV": ("eq. (6)", "y -> p, y -> q relevant: SUCC(y)"),
        },
    )
    for url in crawl.visited:
        lines = crawl.strategy.explain(crawl.visit_of(url).candidate, crawl.store)
        kind = next((each for each in wanted if lines and f" {each}: " in f" {lines[0]}"), "")
        if kind in wanted:
            where, formula = wanted.pop(kind)
            told.append((where, formula, f"{url}: {'; '.join(lines)}"))
    return sorted(told)
