"""FCMRPS at home: a portal in English and Chinese whose addresses say in pinyin what pages are about."""

from random import Random

from thresher.core.records import Link, Topic, Url
from thresher.judges.baselines import Cosine
from thresher.knowledge.index import shipped_knowledge
from thresher.strategies.fcmrps import Fcmrps
from thresher.topic.build import TopicRequest, make_topic
from thresher_lab.papers.made_web import MadeCrawl, MadeWeb, crawled, sentences
from thresher_lab.papers.played import BESIDE, PlayedPaper, row
from thresher_lab.tables import Grid

CHANNELS = {  # path in addresses, English words, Chinese words
    "tiyu/lanqiu": (
        "sports basketball court hoop dunk rebound guard playoff",
        "体育 篮球 球员 篮板 扣篮 球场 决赛 赛季",
    ),
    "tiyu/zuqiu": (
        "sports football goal keeper penalty striker pitch referee",
        "体育 足球 射门 门将 前锋 裁判 点球 联赛",
    ),
    "caijing": ("finance bank share bond fund market price tax", "财经 银行 股票 债券 基金 市场 价格 税收"),
    "keji": (
        "computer software server network phone chip screen code",
        "科技 软件 手机 芯片 网络 屏幕 服务器 代码",
    ),
    "yule": ("film music actor concert album star stage song", "娱乐 电影 音乐 演员 歌曲 明星 舞台 专辑"),
    "jiaoyu": (
        "school teacher exam pupil lesson college degree library",
        "教育 学校 老师 考试 学生 课程 大学 图书馆",
    ),
}
OWN = "tiyu/lanqiu"
HOSTS = ("www.portal.test", "news.daily.test", "cn.gate.test")
EACH, BUDGET = 80, 240
CRAWLERS = {
    "breadth_first": "Breadth-First",
    "best_first": "Best-First",
    "shark_simple": "Shark-Search",
    "fcmrps": "FCMRPS",
}
TABLE_3 = {"breadth_first": "2.72 %", "best_first": "7.02 %", "shark_simple": "6.05 %", "fcmrps": "29.67 %"}
TABLE_4 = {
    "breadth_first": "79.64 %",
    "best_first": "80.24 %",
    "shark_simple": "75.62 %",
    "fcmrps": "96.31 %",
}
VARIANTS = {  # section 5.3.2: one prediction alone
    "FCMRPS1, page content": {"anchor_weight": 0, "url_weight": 0, "type_weight": 0},
    "FCMRPS2, anchor text": {"page_weight": 0, "url_weight": 0, "type_weight": 0},
    "FCMRPS3, URL": {"page_weight": 0, "anchor_weight": 0, "type_weight": 0},
    "FCMRPS, all four": {},
}
WHY = "no: the live web of 2008, 30 topics, 10,000 pages each"
WORKED = (  # sections 3.1 and 3.5
    ("http://sports.sohu.com/lanqiu.shtml", "Sports/Basketball", "1"),
    ("http://www.dzwww.com/tiyu", "Sports/Basketball", "1/3 by eq. (6)"),
    ("http://cn.sports.yahoo.com/basketball", "Sports/Basketball/NBA", "1/2 by eq. (6)"),
)


def portal(seed: int = 1) -> MadeWeb:
    """Return a portal, a daily and a gate: channels in English and Chinese; most links cross channels."""
    dice, web = Random(seed), MadeWeb()
    urls = {
        (channel, language): [f"http://{HOSTS[n % 3]}/{channel}/{language}{n}.html" for n in range(EACH)]
        for channel in CHANNELS
        for language in ("en", "zh")
    }
    everything = [url for own in urls.values() for url in own]
    for (channel, language), own in urls.items():
        words = CHANNELS[channel][language == "zh"].split()
        for url in own:
            inside = [(dice.choice(own), dice.choice(words)) for _ in range(3)]
            across = [(dice.choice(everything), dice.choice(("more", "next", "top"))) for _ in range(6)]
            web.add(url, _text(dice, words, language), [*inside, *across], channel == OWN, words[-1])
    return web


def _text(dice: Random, words: list[str], language: str) -> list[str]:
    """Return sentences; the labels of the path stand on one page of two, as on real pages."""
    labels, others = words[:2], words[2:]
    own = others + (labels if dice.random() < 0.5 else [])
    if language == "en":
        return sentences(dice, own, 5)
    return [
        "".join(
            dice.choice(own if dice.random() < 0.6 else ["今天", "我们", "报道", "记者", "时间"])
            for _ in range(9)
        )
        + "。"
        for _ in range(6)
    ]


def basketball() -> Topic:
    """Return the topic as the taxonomy has it, its path in both languages."""
    with shipped_knowledge() as lexicon:
        return make_topic(TopicRequest("basketball", node="Sports/Basketball"), lexicon)


def play() -> PlayedPaper:
    """Play Tables 3 and 4 and Figure 7, the variants, and put numbers into equations (1) to (8)."""
    web, topic = portal(), basketball()
    told = PlayedPaper(
        f"{len(web.pages)} pages in English and Chinese, {len(web.about)} about basketball, three hosts,"
        f" pinyin in the addresses; {BUDGET} pages a run, two seeds in each language."
    )
    seeds = [f"http://{HOSTS[n % 3]}/{OWN}/{language}{n}.html" for language in ("en", "zh") for n in (0, 1)]
    precision, ratio, languages, curves = [], [], [], {}
    for strategy, called in CRAWLERS.items():
        with crawled(
            web, topic, strategy, seeds, BUDGET, judge="" if strategy == "fcmrps" else "cosine"
        ) as crawl:
            share = crawl.found / len(crawl.hits)
            precision.append(row(called, TABLE_3[strategy], f"{share:.2%}", WHY))
            ratio.append(row(called, TABLE_4[strategy], f"{_says(crawl):.2%}", WHY))
            curves[called] = [sum(crawl.hits[: end + 1]) / (end + 1) for end in range(len(crawl.hits))]
            if strategy == "fcmrps":
                languages, told.formulas = _languages(crawl), formulas(crawl, topic)
    told.tables = [
        Grid("Table 3. Precision of the four crawlers", BESIDE, tuple(precision)),
        Grid(
            "Table 4. Ra, relevant pages whose URL has a token of the topic or its context",
            BESIDE,
            tuple(ratio),
        ),
        Grid(
            "Section 5.3.2. The predictions alone",
            ("crawler", "relevant", "pages"),
            _alone(web, topic, seeds),
        ),
        Grid("Section 1. Both languages, by FCMRPS", ("language", "relevant", "pages"), tuple(languages)),
        Grid("Section 3.5. R_url of the worked addresses", BESIDE, tuple(_worked())),
    ]
    told.figure("Figure 7: precision by pages crawled", "pages", "precision", curves)
    return told


def _says(crawl: MadeCrawl) -> float:
    found = [url for url, hit in zip(crawl.visited, crawl.hits, strict=True) if hit]
    return sum("tiyu" in url or "lanqiu" in url for url in found) / max(1, len(found))


def _languages(crawl: MadeCrawl) -> list[tuple[str, str, str]]:
    rows = []
    for language in ("en", "zh"):
        own = [hit for url, hit in zip(crawl.visited, crawl.hits, strict=True) if f"/{language}" in url]
        rows.append((language, str(sum(own)), str(len(own))))
    return rows


def _alone(web: MadeWeb, topic: Topic, seeds: list[str]) -> tuple[tuple[str, ...], ...]:
    rows = []
    for name, weights in VARIANTS.items():
        with crawled(web, topic, "fcmrps", seeds, BUDGET, dict(weights)) as crawl:
            rows.append((name, str(crawl.found), str(len(crawl.hits))))
    return tuple(rows)


def _worked() -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    with shipped_knowledge() as lexicon:
        for url, node, printed in WORKED:
            topic = make_topic(TopicRequest(node, node=node), lexicon)
            ours = Fcmrps(judge=Cosine(topic), topic=topic).predictions(Link(Url(url), Url(url)), 0.0)[2]
            rows.append(row(f"{url}, {node}", printed, f"{ours:.3f}", "yes"))
    return rows


def formulas(crawl: MadeCrawl, topic: Topic) -> list[tuple[str, str, str]]:
    """Return RS and its terms for a link that was followed."""
    rows = ", ".join(f"{label} {place}/{len(topic.path)}" for place, label in enumerate(topic.path, start=1))
    told = [("section 3.1", "w_i = i / D", rows)]
    for url in crawl.visited[4:]:
        candidate = crawl.visit_of(url).candidate
        lines = crawl.strategy.explain(candidate, crawl.store)
        if candidate.via and lines and "R_AT 0.000" not in lines[0]:
            source = candidate.via.source
            told.append(("eq. (1)", "R_PC = cos(page, v_t)", f"{source}: {crawl.store.guidance(source):.3f}"))
            told.append(("eqs. (2) to (8)", "RS = sum of w_k R_k, w_k = 1/4", f"{url}: {lines[0]}"))
            told.append(("eq. (7)", "R_LT by the direction of the link", lines[1]))
            break
    return told
