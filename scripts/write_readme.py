"""Writes README.md and README.zh.md: the parts of scripts/readme, with the figures of results/ filled in.

python scripts/write_readme.py
"""

import json
import re
from functools import cache
from pathlib import Path

from thresher.cli.strategies import read_papers
from thresher.strategies import ALL_STRATEGIES

ROOT = Path(__file__).resolve().parents[1]
PARTS = ROOT / "scripts" / "readme"
PAGES = ("README.md", "README.zh.md")
POLITE, SPEED, TEXT = "results/polite/README.md", "results/speed/README.md", "results/main-text/README.md"
DURABILITY = "docs/trust/durability.md"
FIGURES = {  # the document that has each figure, and what stands round it there
    "good_keywords": (POLITE, r"`thresher\+rich` is ([\d.]+) times `breadth_first`"),
    "good_name": (POLITE, r"By the \*\*name alone\*\* it is ([\d.]+) times `breadth_first`"),
    "fast_best": (SPEED, r"\| now, best_first \| [\d.]+ \| \*\*([\d.]+)\*\*"),
    "fast_learner": (SPEED, r"\| now, default strategy \| [\d.]+ \| ([\d.]+) "),
    "text_segments": (TEXT, r"\*\*thresher\*\* \| [.\d]+ \| [.\d]+ \| \*\*([.\d]+)\*\*"),
    "text_articles": (TEXT, r"\*\*thresher\*\* (?:\|[^|]*){6}\| \*\*([.\d]+)\*\*"),
    "text_ms": (TEXT, r"\*\*thresher\*\* (?:\|[^|]*){8}\| ([.\d]+) \|"),
    "text_other_segments": (TEXT, r"trafilatura [.\d]+, default (?:\|[^|]*){2}\| ([.\d]+)"),
    "text_other_articles": (TEXT, r"trafilatura [.\d]+, default (?:\|[^|]*){6}\| ([.\d]+)"),
    "text_other_ms": (TEXT, r"trafilatura [.\d]+, default (?:\|[^|]*){8}\| ([.\d]+) \|"),
    "safe_kills": (DURABILITY, r"kills of the long form[^|]* \| (\d+)"),
    "safe_faults": (DURABILITY, r"writes and fsyncs failed[^|]* \| (\d+)"),
    "scale_waiting": (DURABILITY, r"\| ([\d,]+) \| `best_first` \| \d+ MB, [\d,]+ \| [\d.]+ GB"),
    "scale_memory": (DURABILITY, r"\| 10,000,000 \| `best_first` \| (\d+ MB)"),
    "scale_workers": (SPEED, r"\| `best_first`, sockets \| \d+ \| ([\d.]+) "),
}
CHINESE = {
    "breadth_first": "按发现的先后",
    "best_first": "最相关网页的链接优先",
    "fish_search": "相关网页带出更多链接",
    "shark_search": "链接自身的词与继承的相关度",
    "shark_simple": "锚文本四份，网页一份",
    "jamali": "链接数乘以内容相似度",
    "ratna": "链接的词加主题 PageRank",
    "fcmrps": "网页、锚文本、网址、方向四种预测",
    "mali": "链出减链入，并重访",
    "ctfc": "向前、向后，穿过不相关网页",
    "thresher": "从抓取的每一页学习",
    "baseline": "基线",
    "ours": "我们",
}
HEADS = {
    "README.md": "| `thresher crawl TOPIC` | authors, year | idea | code | page |",
    "README.zh.md": "| `thresher crawl 主题` | 作者、年份 | 思想 | 代码 | 说明 |",
}


def page_of(name: str) -> str:
    """Return one of the two pages, made of its part and the figures."""
    values = {each: figure(each) for each in FIGURES} | peers() | {"systems": systems(name)}
    text = (PARTS / f"{name}.in").read_text(encoding="utf-8")
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], text)


@cache
def figure(name: str) -> str:
    """Return a figure as the document has it that measured it."""
    document, pattern = FIGURES[name]
    found = re.search(pattern, (ROOT / document).read_text(encoding="utf-8"))
    if found is None:
        raise LookupError(f"{document} has no {name} any more: mend its pattern in scripts/write_readme.py.")
    return found[1]


def peers() -> dict[str, str]:
    """Return how many of 100 pages are relevant, with Thresher and with Scrapy."""
    rows = json.loads((ROOT / "results/peers/standings.json").read_text(encoding="utf-8"))["rows"]
    shares = {row["contender"]: f"{100 * row['precision']:.0f}" for row in rows}
    return {"peers_precision": shares["thresher"], "peers_scrapy": shares["Scrapy, breadth first"]}


def systems(name: str) -> str:
    """Return the table of the strategies: command, authors, idea, code and page."""
    papers = {paper.strategy: paper for paper in read_papers()}
    ordered = sorted(ALL_STRATEGIES, key=lambda each: (not papers[each].differs, each != "thresher"))
    chinese = name == "README.zh.md"
    lines = [HEADS[name], "|---|---|---|---|---|"]
    for each in ordered:
        paper, code = papers[each], f"src/{ALL_STRATEGIES[each].__module__.replace('.', '/')}.py"
        idea = CHINESE[each] if chinese else paper.idea
        reference = CHINESE.get(paper.reference, paper.reference) if chinese else paper.reference
        page = paper.page or f"docs/papers/{each}.md"
        links = " | ".join(f"[{Path(file).name}]({file})" for file in (code, page))
        lines.append(f"| `--strategy {each}` | {reference} | {idea} | {links} |")
    return "\n".join(lines)


if __name__ == "__main__":
    for each in PAGES:
        (ROOT / each).write_text(page_of(each), encoding="utf-8")
