"""minet: `minet focus-crawl`, which follows the links of pages whose text has one of the words."""

import csv
import re
import sys
from pathlib import Path

from minet.cli.__main__ import main
from task import everything_to, read_task

TASK = read_task()
everything_to(TASK.proxy)
SEEDS = Path(TASK.folder) / "seeds.csv"
with SEEDS.open("w", newline="") as file:
    csv.writer(file).writerows([["url"], *([seed] for seed in TASK.seeds)])
PATTERN = "|".join(map(re.escape, TASK.keywords))
sys.argv = ["minet", "focus-crawl", "url", "-i", str(SEEDS), "-C", PATTERN, "-O", TASK.folder]
sys.argv += ["--throttle", str(TASK.delay), "--simple-progress"]
main()
