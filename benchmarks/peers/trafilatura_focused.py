"""trafilatura: its focused crawler, which stays on one site and prefers its navigation, seed by seed."""

from task import everything_to, read_task
from trafilatura.settings import use_config
from trafilatura.spider import focused_crawler

TASK = read_task()
everything_to(TASK.proxy)
CONFIG = use_config()
CONFIG["DEFAULT"]["SSRF_PROTECTION"] = "off"  # the served web is on loopback
CONFIG["DEFAULT"]["SLEEP_TIME"] = str(TASK.delay)

for seed in TASK.seeds:
    todo, known = focused_crawler(seed, max_seen_urls=TASK.share, config=CONFIG)
