"""SHEET=ticked.tsv thresher label beekeeping --from label_source:Sheet"""

import csv
import os
from collections.abc import Mapping
from pathlib import Path

from thresher import LabelSource


class Sheet(LabelSource):
    """Reads tab-separated lines: a tick or a cross, a URL, whatever else."""

    def labels(self) -> Mapping[str, bool]:
        text = Path(os.environ["SHEET"]).read_text(encoding="utf-8")
        rows = csv.reader(text.splitlines(), delimiter="\t")
        return {row[1]: row[0] == "✓" for row in rows if row[0] in ("✓", "✗")}
