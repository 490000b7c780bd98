"""A label source of one's own: a sheet in which a team has ticked the pages it wants.

    SHEET=ticked.tsv thresher label beekeeping --from own_labels:Sheet

Run it from this folder, so that Python finds the module.
"""

import csv
import os
from collections.abc import Mapping
from pathlib import Path

from thresher import LabelSource


class Sheet(LabelSource):
    """Tab-separated lines: a tick or a cross, a URL, whatever else."""

    def labels(self) -> Mapping[str, bool]:
        """Return every label by the URL of its page."""
        with Path(os.environ["SHEET"]).open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file, delimiter="\t") if len(row) > 1]
        return {row[1]: row[0] == "✓" for row in rows if row[0] in ("✓", "✗")}
