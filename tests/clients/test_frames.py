"""Pages as tables of pandas and polars: the same rows as an export has, with types."""

from importlib import import_module

import pytest

from thresher import crawl


@pytest.fixture(scope="module")
def bees(tmp_path_factory):
    return crawl("beekeeping", pages=40, folder=tmp_path_factory.mktemp("frames") / "bees")


def test_a_frame_of_pandas_has_the_pages_and_times(bees):
    frame = bees.to_pandas()
    assert list(frame["url"]) == [page.url for page in bees.pages()]
    assert str(frame["fetched_at"].dtype).startswith("datetime64[")
    assert frame["is_relevant"].sum() == bees.result.relevant
    assert list(bees.to_pandas(fields="url,title", relevant=True).columns) == ["url", "title"]
    assert len(bees.to_pandas(languages="xx")) == 0


def test_a_frame_of_polars_has_the_pages_and_times(bees):
    polars = import_module("polars")
    frame = bees.to_polars()
    assert frame["url"].to_list() == [page.url for page in bees.pages()]
    assert frame.schema["fetched_at"] == polars.Datetime("us", "UTC")
    assert frame.schema["relevance"] == polars.Float64
    assert frame["is_relevant"].sum() == bees.result.relevant
    assert bees.to_polars(languages="xx").shape == (0, len(frame.columns))


def test_all_three_tables_have_the_same_values(bees):
    arrow = bees.to_arrow(fields="url,relevance,depth").to_pydict()
    assert bees.to_polars(fields="url,relevance,depth").to_dict(as_series=False) == arrow
    assert bees.to_pandas(fields="url,relevance,depth").to_dict("list") == arrow
