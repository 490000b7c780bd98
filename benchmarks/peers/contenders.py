"""The contenders: what each needs, and the command that sets it to a task."""

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parents[1] / ".venv" / "peers"
EFFORTS = ("name", "keywords")


@dataclass(frozen=True)
class Contender:
    """A crawler of others, or a strategy of ours."""

    name: str
    adapter: str = ""  # a script beside this file; none: a strategy of ours
    package: str = ""  # what is installed into an environment of its own, by its name and version
    program: str = ""  # what must be on the machine
    reads_topic: bool = True  # whether what a person types makes any difference to it
    environment: dict[str, str] = field(default_factory=dict)
    inside: bool = False  # whether it runs in our own environment

    @property
    def place(self) -> Path:
        """Its virtual environment; contenders with the same package share one."""
        return ENVIRONMENTS / self.package.partition("=")[0].partition("[")[0]

    @property
    def efforts(self) -> tuple[tuple[str, ...], ...]:
        """The efforts of a topic that need a run each."""
        return tuple((effort,) for effort in EFFORTS) if self.reads_topic else (EFFORTS,)

    def missing(self) -> str:
        """Return the sentence that says why it cannot take part, or nothing."""
        if self.package and not (self.place / "installed").exists():
            return f"{self.name} is skipped: {self.package} is not installed. 'make peers' installs it."
        if self.program and not shutil.which(self.program):
            return f"{self.name} is skipped: there is no {self.program} on this machine."
        return ""

    def command(self, task: "Told") -> list[str]:
        """Return the command of a task."""
        if not self.adapter:
            return _ours(self.name.partition(" ")[2] or self.name, task)
        script = str(HERE / self.adapter)
        program = [str(self.place / "bin" / "python"), script] if self.package else [script]
        program = [sys.executable, script] if self.inside else program
        told = ["--name", task.name, "--words", ",".join(task.words), "--pages", str(task.pages)]
        told += ["--proxy", task.proxy, "--delay", str(task.delay), "--folder", str(task.folder)]
        return [*program, *told, *task.seeds]


@dataclass(frozen=True)
class Told:
    """What a contender is told."""

    seeds: list[str]
    name: str
    words: tuple[str, ...]
    pages: int
    proxy: str
    delay: float
    folder: Path


def _ours(strategy: str, task: Told) -> list[str]:
    """Return our own command: the defaults of a crawl, the delay that is asked for, the served web."""
    command = [str(Path(sys.executable).with_name("thresher")), "crawl", task.name, "--strategy", strategy]
    command += [part for word in task.words for part in ("--keyword", word)]
    command += [part for seed in task.seeds for part in ("--seed", seed)]
    command += [
        "--pages",
        str(task.pages),
        "-o",
        str(task.folder / "crawl"),
        "--set",
        f"web.delay={task.delay}",
    ]
    return [*command, "--set", f"web.proxy={task.proxy}", "--set", "web.proxy_resolves=true"]


CONTENDERS = (
    Contender("thresher"),
    Contender("thresher best_first"),
    Contender("thresher breadth_first", reads_topic=False),
    Contender("Scrapy, breadth first", "scrapy_spider.py", "scrapy==2.19.0", reads_topic=False),
    Contender(
        "Scrapy, keywords first", "scrapy_spider.py", "scrapy==2.19.0", environment={"SPIDER": "keywords"}
    ),
    Contender("Scrapy, focused", "scrapy_spider.py", environment={"SPIDER": "focused"}, inside=True),
    Contender("Crawl4AI, best first", "crawl4ai_best_first.py", "crawl4ai==0.9.5"),
    Contender(
        "Crawl4AI, best first in Chromium", "crawl4ai_best_first.py", "crawl4ai==0.9.5", "chromium",
        environment={"FETCH": "browser"},
    ),
    Contender("Crawlee, Parsel", "crawlee_parsel.py", "crawlee[parsel]==1.11.0", reads_topic=False),
    Contender(
        "trafilatura, focused", "trafilatura_focused.py", "trafilatura==2.3.1 lxml_html_clean",
        reads_topic=False,
    ),
    Contender("minet focus-crawl", "minet_focus.py", "minet==4.2.1 lxml_html_clean"),
    Contender("wget -r", "wget_recursive.sh", program="wget", reads_topic=False),
)  # fmt: skip
