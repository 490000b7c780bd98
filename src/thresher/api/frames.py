"""Pages as a table of somebody else's library: pyarrow, pandas or polars, each only if it is there."""

from datetime import datetime
from typing import Any

from thresher.core.optional import library
from thresher.export.items import Item, Pages
from thresher.export.tables import Columns, groups


def arrow_of(pages: Pages) -> Any:
    """Return the pages as a pyarrow.Table, typed as in an export to Parquet."""
    columns = Columns(pages.fields)
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
