"""The library: verbs that work in a script, in a running loop and in a thread, and the handle they return."""

import asyncio
import inspect
import sys
from concurrent.futures import Future
from threading import Thread
from typing import get_type_hints

import pytest

import thresher
from thresher import DocumentReader, Judge, LabelSource, acrawl, crawl, open_crawl, resume, revisit
from thresher.api.verbs import BackgroundRun, LineScreen, ProgressScreen, _crawl, screen_for
from thresher.build import plugins
from thresher.core.errors import NotACrawl, SettingsError, UsageError
from thresher.core.progress import FinishKind

SURFACE = """
Candidate ChangeItem CrawlHandle CrawlResult CrawlView Defaults Document DocumentReader Explanation
ExportFormat Fetched FileFormat FinishKind FolderFormat Hit Insights Item Judge LabelResult
LabelSource Link ListSample Needs Page PageFilters Pages Progress Reason Rejudged Report
RevisitResult SearchResult Strategy StrategyState StreamFormat ThresherError Topic Url Visit Web
__version__ acrawl aresume arevisit crawl follow links_of open_crawl resume revisit
""".split()


@pytest.fixture(scope="module")
def bees(tmp_path_factory):
    return crawl("beekeeping", pages=60, folder=tmp_path_factory.mktemp("api") / "bees")


def test_the_surface_is_these_names_and_no_others():
    """Who adds or takes a name changes what others rely on: say so in the changelog."""
    assert sorted(thresher.__all__) == sorted(SURFACE)
    assert dir(thresher) == sorted(SURFACE)


@pytest.mark.parametrize("name", SURFACE)
def test_every_name_of_the_surface_is_there_with_its_sentence(name):
    found = getattr(thresher, name)
    assert name == "__version__" or name == "Url" or inspect.getdoc(found)


@pytest.mark.parametrize("name", ["crawl", "acrawl", "resume", "revisit", "open_crawl"])
def test_every_verb_is_typed(name):
    verb = getattr(thresher, name)
    assert {*inspect.signature(verb).parameters, "return"} <= get_type_hints(verb).keys()


def test_another_name_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'crawll'"):
        _ = thresher.crawll


def test_the_result_is_that_of_the_folder(bees):
    result = bees.result
    assert (result.pages, result.finish, result.folder) == (60, FinishKind.PAGES, str(bees.folder))
    assert result == open_crawl(bees.folder).result
    assert result.relevant == sum(page.is_relevant for page in bees.pages())
    assert result.harvest_rate == pytest.approx(result.relevant / 60)
    assert repr(bees).startswith(f"<crawl {bees.folder}: {result.relevant} of 60 pages relevant")


async def test_crawl_works_inside_a_running_loop(tmp_path):
    """What a notebook is: a loop that runs already (user review F16)."""
    found = crawl("beekeeping", pages=15, folder=tmp_path / "here")
    assert found.result.pages == 15


async def test_awaited_it_leaves_the_loop_to_others(tmp_path):
    ticks = []

    async def tick():
        while True:
            ticks.append(1)
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    found = await acrawl("beekeeping", pages=15, folder=tmp_path / "there")
    ticking.cancel()
    assert found.result.pages == 15
    assert len(ticks) > 15


def test_the_same_crawl_comes_of_every_way(tmp_path, bees):
    async def inside():
        return crawl("beekeeping", pages=60, folder=tmp_path / "inside")

    other = asyncio.run(inside())
    assert [page.url for page in other.pages()] == [page.url for page in bees.pages()]


def test_who_watches_sees_every_visit_and_how_far_it_has_come(tmp_path):
    seen = []
    crawl("cider", pages=10, folder=tmp_path / "c", watch=lambda visit, progress: seen.append(progress.pages))
    assert seen[-1] == 10
    assert seen == sorted(seen)


def test_progress_is_shown_where_it_is_asked_for(tmp_path, capsys):
    crawl("cider", pages=10, folder=tmp_path / "quiet")
    assert capsys.readouterr().err == ""
    crawl("cider", pages=10, folder=tmp_path / "told", progress=True)
    assert "cider: " in (line := capsys.readouterr().err.splitlines()[-1])
    assert "of 10 pages relevant" in line
    assert isinstance(screen_for("x", True, None), LineScreen)


def test_a_crawl_in_a_thread_that_is_interrupted_ends_in_order(tmp_path):
    """Ctrl-C, or the square of a notebook, while the crawl has a loop of its own."""

    class Impatient(ProgressScreen):
        def show(self):
            if not interrupted:
                interrupted.append(1)
                raise KeyboardInterrupt

    interrupted: list[int] = []
    work, _ = _crawl("beekeeping", (), tmp_path / "cut", None, None, {"pages": 5000})
    run = BackgroundRun(work, Impatient("bees"))
    with pytest.raises(KeyboardInterrupt):
        run.watched(in_a_thread(run))
    result = open_crawl(tmp_path / "cut").result
    assert result.finish is FinishKind.INTERRUPTED
    assert result.pages < 5000
    assert resume(tmp_path / "cut", pages=result.pages + 5).result.pages == result.pages + 5


def in_a_thread(work):
    future: Future[object] = Future()

    def run():
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


def test_resume_goes_on_and_takes_the_handle_for_its_folder(tmp_path):
    first = crawl("cider", pages=10, folder=tmp_path / "c")
    more = resume(first, pages=20)
    assert more.result.pages == 20 == first.result.pages
    with pytest.raises(UsageError, match="begun with"):
        resume(first, web={"seed": 2})


def test_revisit_has_what_came_of_it(tmp_path):
    first = crawl("beekeeping", pages=20, folder=tmp_path / "b")
    again = revisit(first)
    assert again.freshened is not None
    assert again.freshened.revisits >= 20
    assert again.result.pages == first.result.pages
    assert {change.substantive for change in again.changes()} <= {True}
    assert len(again.changes(everything=True)) >= len(again.changes())


def test_a_folder_without_a_crawl_is_named(tmp_path):
    with pytest.raises(NotACrawl):
        open_crawl(tmp_path)
    with pytest.raises(NotACrawl):
        resume(tmp_path)


def test_pages_are_chosen_as_in_an_export(bees):
    relevant = list(bees.pages(relevant=True))
    assert 0 < len(relevant) < 60
    best = list(bees.pages(top=3))
    assert best[0].relevance == max(page.relevance for page in relevant)
    assert best == sorted(best, key=lambda page: -page.relevance)
    assert list(bees.pages(languages="xx")) == []
    assert len(list(bees.pages(since=0.0))) == 60
    with pytest.raises(UsageError, match=r"No filter 'relevnt'\. Known: relevant,"):
        bees.pages(relevnt=True)


def test_search_brings_the_index_up_to_date(bees):
    found = bees.search("honey")
    assert found.items
    assert found.items[0].url in {page.url for page in bees.pages()}


def test_why_says_how_a_page_was_found_and_judged(bees):
    best = next(bees.pages(top=1))
    told = bees.why(best.url)
    assert (told.url, told.threshold) == (best.url, bees.result.threshold)
    assert told.way[-1].url == best.url


def test_the_report_has_figures_curves_and_a_page(bees, tmp_path):
    report = bees.report()
    assert report.figures.pages == 60
    assert report.svg.startswith("<svg")
    assert "60 pages relevant" in str(report)
    assert report.save(tmp_path / "r.html").read_text().startswith("<!")


def test_labels_count_at_once_and_rejudging_follows(tmp_path):
    found = crawl("beekeeping", pages=40, folder=tmp_path / "b")
    wanted = next(page.url for page in found.pages() if not page.is_relevant)
    before = found.result.relevant
    said = found.label(wanted, True)
    assert said.labelled == (wanted,)
    assert found.result.relevant == before + 1
    found.label({next(page.url for page in found.pages(relevant=True) if page.url != wanted): False})
    assert {page.label for page in found.pages(labelled=True)} == {"yes", "no"}
    again = found.rejudge(topic={"keywords": {"hive": 1.0}})
    assert again.pages == 40
    with pytest.raises(UsageError, match="None of these pages was fetched"):
        found.label("http://nowhere.test/", True)


def test_an_object_with_labels_is_a_label_source(tmp_path):
    found = crawl("cider", pages=5, folder=tmp_path / "c")
    urls = [page.url for page in found.pages()]

    class Team(LabelSource):
        def labels(self):
            return {urls[0]: True, urls[1]: False}

    assert found.label(Team()).labelled == (urls[0], urls[1])


def test_a_list_is_checked_by_labels_of_pages_drawn_from_it(tmp_path):
    found = crawl("cider", pages=40, folder=tmp_path / "c")
    drawn = found.sample(8)
    assert (len(drawn.unlabelled), drawn.precision.asked) == (8, 0)
    found.label({page.url: page.on_list for page in drawn.unlabelled})
    told = found.sample(8)
    assert not told.unlabelled
    assert told.precision.right == told.precision.asked == sum(page.on_list for page in drawn.pages)
    assert told.missed.right == 0


def test_an_arrow_table_has_the_columns_of_an_export(bees):
    table = bees.to_arrow(relevant=True, fields="url,relevance,fetched_at")
    assert table.column_names == ["url", "relevance", "fetched_at"]
    assert table.num_rows == bees.result.relevant
    assert str(table.schema.field("fetched_at").type) == "timestamp[us, tz=UTC]"
    assert bees.to_arrow(min_relevance=1.0, top=1).num_rows in (0, 1)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named_with_what_to_install(bees, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=rf"needs {library}: pip install '\.\[frames\]'"):
        getattr(bees, f"to_{library}")()


def test_pages_are_exported_by_the_ending_of_the_file(bees, tmp_path):
    assert bees.export(tmp_path / "p.csv", relevant=True) == bees.result.relevant
    assert (tmp_path / "p.csv").read_text().startswith("url,")
    with pytest.raises(UsageError, match="No format"):
        bees.export(tmp_path / "p.xyz")


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A package that is installed, as pip leaves it, and brings one thing of every kind."""
    (tmp_path / "bringing.py").write_text(PACKAGE)
    groups = [kind.group for kind in plugins.KINDS.values()]
    brought = zip(["Own", "OwnJudge", "OwnWeb", "Form", "Reader", "Source"], groups, strict=True)
    points = "".join(f"[{group}]\nbrought = bringing:{kind}\n" for kind, group in brought)
    info = tmp_path / "bringing-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bringing\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        points.replace("ing:OwnJudge\n", "ing:OwnJudge\nbroken = bringing:Missing\n")
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "bringing", raising=False)


PACKAGE = """
from thresher import DocumentReader, Document, Judge, LabelSource, Reason, Strategy, StreamFormat
from thresher import Fetched, Web

class Own(Strategy):
    def on_visit(self, visit, memory):
        return ()

class OwnJudge(Judge):
    threshold = 0.5
    def __init__(self, topic, threshold=0.5):
        self.threshold = threshold
    def score(self, page):
        return 0.75
    def similarity(self, text):
        return 0.0
    def explain(self, page):
        return [Reason("always", 0.75)]

class OwnWeb(Web):
    async def get(self, candidate):
        return Fetched(candidate, candidate.url, 200, body=b"<p>Every apple becomes cider.")

class Form(StreamFormat):
    name, suffixes = "brought", (".brought",)
    def write(self, pages, file):
        return file.write(b"x" * sum(1 for _ in pages.items()))

class Reader(DocumentReader):
    def takes(self, content_type, start):
        return False
    def read(self, body):
        return Document()

class Source(LabelSource):
    def labels(self):
        return {}
"""


def test_what_an_installed_package_brings_goes_by_its_name(package, tmp_path):
    found = crawl(
        "cider",
        folder=tmp_path / "c",
        strategy="brought",
        judge={"name": "brought"},
        web={"kind": "brought", "readers": ["brought"]},
        seeds=["http://orchard.test/"],
    )
    assert {page.relevance for page in found.pages()} == {0.75}
    assert [page.url for page in found.pages()] == ["http://orchard.test/"]
    assert found.export(tmp_path / "pages.brought") == found.result.pages
    assert found.export(tmp_path / "pages.other", "brought") == found.result.pages
    assert found.label("brought").labelled == ()


def test_what_an_installed_package_brings_and_cannot_be_loaded_is_named(package):
    with pytest.raises(SettingsError, match=r"The judge 'broken' of bringing:Missing cannot be loaded"):
        plugins.load_class(Judge, "broken")
    with pytest.raises(SettingsError, match=r"No reader 'brougth'\. Did you mean 'brought'"):
        plugins.load_class(DocumentReader, "brougth")
