"""The crawl's judge guides every strategy: another judge, another order; the user's own; one that raises."""

import asyncio
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.build.crawl import run
from thresher.core.errors import JudgeFailed, SettingsError
from thresher.settings.load import read
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder

GUIDED = ["best_first", "thresher"]  # the strategies that leave it to the user who judges
OWN = '''
from thresher import Judge, Reason


class LongWords(Judge):
    """Thinks most of pages with long words."""

    def __init__(self, topic, threshold=0.4):
        self.threshold = threshold

    def score(self, page):
        words = page.text.split()
        return min(1.0, sum(len(word) > 7 for word in words) / (1 + len(words)) * 3)

    def similarity(self, text):
        return min(1.0, len(text) / 60)

    def explain(self, page):
        return [Reason("long words", self.score(page))]


class Slowly(LongWords):
    """The same, at leisure."""

    in_batches = True

    async def score_many(self, pages):
        return [LongWords.score(self, page) for page in pages]

    def explain(self, page):
        return []


class Angry(LongWords):
    """Raises at the eleventh page, unless somebody has mended it."""

    seen = 0

    def score(self, page):
        Angry.seen += 1
        if Angry.seen == 11:
            raise RuntimeError("no more of this")
        return 0.5


class Silent:
    """No judge at all."""
'''


def asked(strategy: str, judge: str, pages: int) -> Settings:
    named = [("topic", "beekeeping"), ("strategy", strategy), ("judge.name", judge)]
    return read(None, [*named, ("pages", pages)])


def order(folder: Path, strategy: str, judge: str, pages: int = 120) -> list[str]:
    settings = read(
        None, [("topic", "beekeeping"), ("strategy", strategy), ("judge.name", judge), ("pages", pages)]
    )
    crawl = CrawlFolder(folder / f"{strategy}-{judge.replace(':', '-')}")
    asyncio.run(run(settings, crawl))
    store = crawl.open()
    try:
        return [visit.candidate.url for visit in store.visits()]
    finally:
        store.close()


@pytest.mark.parametrize("strategy", GUIDED)
def test_another_judge_gives_another_order(tmp_path: Path, strategy: str) -> None:
    orders = [order(tmp_path, strategy, judge) for judge in ("question", "cosine", "lexicon")]
    assert len({tuple(each) for each in orders}) == 3


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put judges of the user's own into a module where he stands."""
    (tmp_path / f"{(name := 'judges_of_mine')}.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.parametrize("strategy", GUIDED)
def test_a_judge_of_the_users_own_guides_the_crawl(tmp_path: Path, own: str, strategy: str) -> None:
    assert order(tmp_path, strategy, f"{own}:LongWords") != order(tmp_path, strategy, "cosine")


def test_a_judge_who_takes_his_time_gives_the_order_of_one_who_does_not(tmp_path: Path, own: str) -> None:
    quick, slow = (order(tmp_path, "best_first", f"{own}:{name}") for name in ("LongWords", "Slowly"))
    assert sorted(quick) == sorted(slow) or len(set(quick) & set(slow)) > len(quick) / 2


def test_a_judge_that_raises_stops_the_crawl_by_name_and_loses_nothing(tmp_path: Path, own: str) -> None:
    with pytest.raises(JudgeFailed, match=r"judge failed at http.*no more of this.*thresher resume"):
        order(tmp_path, "best_first", f"{own}:Angry", 40)
    folder = tmp_path / f"best_first-{own}-Angry"
    again = read(
        None,
        [("topic", "beekeeping"), ("strategy", "best_first"), ("judge.name", f"{own}:Angry"), ("pages", 40)],
    )
    asyncio.run(run(again, CrawlFolder(folder), resume=True))
    store = CrawlFolder(folder).open()
    scores = [visit.relevance for visit in store.pages()]
    store.close()
    assert scores == [0.5] * 40


def test_a_class_that_is_no_judge_is_refused_with_what_to_derive_it_from(tmp_path: Path, own: str) -> None:
    with pytest.raises(SettingsError, match=r"Silent is no judge: derive it from thresher\.Judge\."):
        order(tmp_path, "best_first", f"{own}:Silent")


@pytest.mark.parametrize("verb", ["crawl", "resume", "revisit"])
def test_the_plan_names_every_stage_in_its_order_and_fetches_nothing(tmp_path: Path, verb: str) -> None:
    folder = str(tmp_path / "bees")
    if verb != "crawl":
        assert thresher("crawl", "beekeeping", "--pages", "5", "-o", folder).code == 0
    asked = ("beekeeping", "-o", folder) if verb == "crawl" else (folder,)
    ran = thresher(verb, *asked, "--plan", *(["--once"] if verb == "revisit" else []))
    assert ran.code == 0
    names = [line.split()[0] for line in ran.out.splitlines() if line[:1].strip()]
    assert (
        names == "fetch read check judge store strategy labels guide filters frontier stop observers".split()
    )
    assert (verb == "crawl") == (not Path(folder).exists())
    assert ("compare" in ran.out) == (verb == "revisit")
