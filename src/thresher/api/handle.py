"""A handle on one crawl: its figures, pages, search, labels, changes and report."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from thresher.api.labels import FEW, LabelResult, add_labels
from thresher.api.list_sample import ListSample, sample_of
from thresher.build.crawl import CrawlResult
from thresher.build.plugins import load_class
from thresher.build.rejudge import Rejudged, rejudge
from thresher.build.revisit import RevisitResult
from thresher.core.errors import UsageError
from thresher.core.files import atomic_write
from thresher.core.interfaces import LabelSource
from thresher.core.optional import library
from thresher.core.progress import Finish, FinishKind
from thresher.core.url import parse, with_scheme
from thresher.export.formats import format_by_suffix, format_named
from thresher.export.items import Item, Pages, Selection, fields_of, items_of, pages_of
from thresher.export.tables import ArrowColumns, groups
from thresher.export.wording import harvest
from thresher.report.changes import ChangeItem, changes_of, is_wanted, moment_of
from thresher.report.crawl_report import lede_of, page_of, picture_of, write_report
from thresher.report.figures import UNFINISHED, Figures, figures_of
from thresher.report.why import Explanation, explain
from thresher.search.find import SCREEN, SearchResult, search
from thresher.search.index import catch_up
from thresher.store.folder import CrawlFolder, asked_again

# Pages as a table of pyarrow, pandas or polars


def arrow_of(pages: Pages) -> Any:
    """Return the pages as a pyarrow.Table, typed as in an export to Parquet."""
    columns = ArrowColumns(pages.fields)
    return columns.arrow.Table.from_batches(
        [batch for rows in groups(pages.rows()) for batch in columns.table(rows).to_batches()], columns.schema
    )


def pandas_of(pages: Pages) -> Any:
    """Return the pages as a pandas.DataFrame; `fetched_at` is a time in UTC."""
    pandas = library("pandas", "frames", "to_pandas()")
    frame = pandas.DataFrame.from_records(list(pages.rows()), columns=list(pages.fields))
    if "fetched_at" in frame:
        frame["fetched_at"] = pandas.to_datetime(frame["fetched_at"], utc=True)
    return frame


def polars_of(pages: Pages) -> Any:
    """Return the pages as a polars.DataFrame; `fetched_at` is a time in UTC."""
    polars = library("polars", "frames", "to_polars()")
    time = polars.Datetime("us", "UTC")
    kinds = {float: polars.Float64, bool: polars.Boolean, int: polars.Int64, datetime: time}
    schema = {name: kinds.get(Item.__annotations__[name], polars.String) for name in pages.fields}
    frame = polars.DataFrame(list(pages.rows()), schema=schema, orient="row")
    if "fetched_at" not in schema:
        return frame
    return frame.with_columns(polars.col("fetched_at").str.to_datetime(time_unit="us", time_zone="UTC"))


# The report of a crawl as an object


@dataclass(frozen=True)
class Report:
    """What a crawl found; a notebook shows its curves."""

    figures: Figures

    @classmethod
    def of(cls, folder: CrawlFolder) -> "Report":
        """Return the report of the crawl in a folder."""
        return cls(figures_of(folder))

    @property
    def html(self) -> str:
        """The whole report, a page that needs nothing else."""
        return page_of([self.figures])

    @property
    def svg(self) -> str:
        """The curves: relevant pages and harvest rate against pages fetched."""
        return picture_of([self.figures])

    def save(self, file: str | Path) -> Path:
        """Write the page to a file, which appears only when it is complete."""
        with atomic_write(Path(file)) as page:
            page.write(self.html.encode())
        return Path(file)

    def __str__(self) -> str:
        return lede_of([self.figures])

    def _repr_svg_(self) -> str:
        return self.svg


Moment = str | float | datetime
"""A point in time: 12h or 2d ago, 2026-03-01, seconds since 1970, or a datetime."""


class PageFilters(TypedDict, total=False):
    """What may be asked of pages, as by `thresher export`; nothing asked is everything wanted."""

    relevant: bool
    min_relevance: float
    languages: str | tuple[str, ...]
    labelled: bool
    since: Moment
    top: int
    unique: bool


class CrawlHandle:
    """A crawl in its folder. Nothing is held open between two calls; the crawl may be running."""

    def __init__(self, folder: str | Path, freshened: RevisitResult | None = None) -> None:
        """Know the folder, and what came of the revisit that led here, if one did."""
        self._folder, self.freshened = CrawlFolder(Path(folder)), freshened

    @property
    def folder(self) -> Path:
        """Where the crawl is kept."""
        return self._folder.path

    @property
    def result(self) -> CrawlResult:
        """The figures of the crawl as it is now, labels included."""
        with self._folder.open() as store:
            facts, tally = store.facts, store.tally(store.facts.threshold)
            finish = facts.finish or Finish(FinishKind.UNFINISHED, UNFINISHED)
            ended = {outcome.value: count for outcome, count in tally.outcomes.items()}
            pages, asked = ended.get("fetched", 0), store.questions()
            return CrawlResult(
                str(self.folder),
                finish.sentence,
                finish.kind,
                pages,
                tally.relevant,
                tally.relevant / pages if pages else 0.0,
                facts.threshold,
                dict(sorted(ended.items())) | ({"asked for back-links": asked} if asked else {}),
                facts.refused,
                facts.seconds or 0.0,
                facts.forecast,
                facts.second_count,
                facts.keyword_offer,
            )

    def pages(self, **filters: Unpack[PageFilters]) -> Iterator[Item]:
        """Yield the pages in the order fetched; filters are those of `thresher export`.

        relevant=True, min_relevance=0.5, languages=("zh",), labelled=True, since="2d", top=100, unique=True
        """
        return items_of(self._folder, _selection(filters))

    def search(self, words: str, most: int = SCREEN) -> SearchResult:
        """Return the pages that have these words, the best first; the index is brought up to date first."""
        catch_up(self._folder)
        return search([self._folder], words, most)[0]

    def why(self, url: str) -> Explanation:
        """Return why a page was asked for, what became of it, and how it was judged."""
        return explain(parse(with_scheme(url)), self._folder)

    @overload
    def label(self, pages: str, wanted: bool, *, apply: bool = False) -> LabelResult: ...
    @overload
    def label(self, pages: Mapping[str, bool] | LabelSource | str, *, apply: bool = False) -> LabelResult: ...
    def label(
        self,
        pages: Mapping[str, bool] | LabelSource | str,
        wanted: bool | None = None,
        *,
        apply: bool = False,
    ) -> LabelResult:
        """Label pages as wanted or not: a URL and True or False, a mapping, or a label source.

        A label source is an object with `labels()`, an entry point's name, or `package.module:Class`.
        With apply=True all stored pages are judged again afterwards, as by `rejudge`.
        """
        if wanted is not None:
            given: Mapping[str, bool] = {str(pages): wanted}
        elif isinstance(pages, str):
            given = load_class(LabelSource, pages)().labels()
        else:
            given = pages if isinstance(pages, Mapping) else pages.labels()
        said = add_labels(
            self._folder, ((parse(with_scheme(url)), bool(each)) for url, each in given.items())
        )
        if given and not said.labelled:
            raise UsageError(f"None of these pages was fetched in {self.folder}; label pages that were.")
        if apply:
            self.rejudge()
        return said

    def sample(self, most: int = FEW) -> ListSample:
        """Return pages drawn at random from the list and from just below it, and what their labels tell.

        Label those that are `unlabelled` and draw again: the same pages come, and with them the precision.
        """
        return sample_of(self._folder, most)

    def rejudge(self, **settings: Any) -> Rejudged:
        """Judge the stored pages again, after labels or with other settings; no request is made."""
        result = rejudge(self._folder, asked_again(self._folder, list(settings.items())))
        write_report([self._folder])
        return result

    def changes(
        self, since: Moment | None = None, *, relevant: bool = False, everything: bool = False
    ) -> list[ChangeItem]:
        """Return what later visits to the pages have found; `everything`: menus, dates and counters, too."""
        found = changes_of(self._folder, _seconds(since))
        return [item for item in found if is_wanted(item, relevant, everything)]

    def report(self) -> Report:
        """Return the report: figures, curves, and the page that a person reads."""
        return Report.of(self._folder)

    def export(
        self, file: str | Path, form: str = "", *, fields: str = "", **filters: Unpack[PageFilters]
    ) -> int:
        """Write pages to a file, in the format that its ending asks for or that is named; return how many."""
        kind = format_named(form) if form else format_by_suffix(Path(file))
        with pages_of(self._folder, _selection(filters), fields_of(fields)) as pages:
            return kind.save(pages, Path(file))

    def to_arrow(self, *, fields: str = "", **filters: Unpack[PageFilters]) -> Any:
        """Return pages as a pyarrow.Table."""
        return self._table("arrow", fields, filters)

    def to_pandas(self, *, fields: str = "", **filters: Unpack[PageFilters]) -> Any:
        """Return pages as a pandas.DataFrame."""
        return self._table("pandas", fields, filters)

    def to_polars(self, *, fields: str = "", **filters: Unpack[PageFilters]) -> Any:
        """Return pages as a polars.DataFrame."""
        return self._table("polars", fields, filters)

    def _table(self, kind: Literal["arrow", "pandas", "polars"], fields: str, filters: PageFilters) -> Any:
        makers = {"arrow": arrow_of, "pandas": pandas_of, "polars": polars_of}
        with pages_of(self._folder, _selection(filters), fields_of(fields)) as pages:
            return makers[kind](pages)

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        result = self.result
        return f"<crawl {self.folder}: {harvest(result.relevant, result.pages)}, {result.finish_reason}>"


def open_crawl(folder: str | Path) -> CrawlHandle:
    """Return a handle on a crawl that was made before, or that is running; raise NotACrawl if none is."""
    handle = CrawlHandle(folder)
    handle._folder.open().close()
    return handle


def _selection(filters: PageFilters) -> Selection:
    """Return what is asked of pages; a name that is no filter is refused with those that are."""
    if unknown := sorted(filters.keys() - set(Selection.__struct_fields__)):
        raise UsageError(f"No filter {unknown[0]!r}. Known: {', '.join(Selection.__struct_fields__)}.")
    given: dict[str, Any] = {**filters}
    if "since" in given:
        given["since"] = _seconds(given["since"])
    if isinstance(languages := given.get("languages", ()), str):
        given["languages"] = (languages,)
    return Selection(**given)


def _seconds(moment: Moment | None) -> float:
    if isinstance(moment, datetime):
        return moment.timestamp()
    return moment_of(moment, time.time()) if isinstance(moment, str) else moment or 0.0
