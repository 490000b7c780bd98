"""report, why and export answer from the store while the crawl that writes it is running."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.command_line import thresher
from tests.faults.killing.evidence import acknowledged, captured_by_fastwarc, captured_by_warcio, is_clean
from tests.faults.killing.site import NETWORK, Sites

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def sites():
    with Sites(80) as sites:
        yield sites


def crawl(folder: Path, sites: Sites) -> "subprocess.Popen[str]":
    seeds = [f"--seed={seed}" for seed in sites.seeds]
    limits = ["--pages=0", "--delay=0.01", "--concurrency=4", f"--allow-network={NETWORK}"]
    return subprocess.Popen(
        [sys.executable, "-m", "thresher", "crawl", "honey", "-o", str(folder), *seeds, *limits],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.timeout(120)
def test_a_running_crawl_can_be_reported_explained_and_exported_and_does_not_mind(sites, tmp_path):
    folder, seen = tmp_path / "crawl", 0
    process = crawl(folder, sites)
    while process.poll() is None:
        before = acknowledged(folder)
        if len(before) < 20:
            continue
        check_answers(folder, sites.seeds[0], before, tmp_path)
        seen += 1
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert seen > 1, "the crawl was over too soon"
    assert {visit.url: visit.outcome for visit in acknowledged(folder)} == sites.expected()
    assert max(sites.hits.values()) == 1


def check_answers(folder, seed, before, tmp_path):
    """What was acknowledged before the question is in every answer."""
    report = thresher("report", str(folder), "--json")
    assert json.loads(report.out)["crawls"][0]["requests"] >= len(before)
    assert "It is a seed" in thresher("why", seed, str(folder)).out
    lines = thresher("export", str(folder)).out.splitlines()
    fetched = {visit.url for visit in before if visit.outcome == "fetched"}
    assert fetched <= {json.loads(line)["url"] for line in lines}
    assert thresher("export", str(folder), "-o", str(tmp_path / "all.warc.gz")).code == 0
    assert is_clean(tmp_path / "all.warc.gz")
    kept = Counter(captured_by_warcio(tmp_path / "all.warc.gz"))
    assert kept == Counter(captured_by_fastwarc(tmp_path / "all.warc.gz"))
    assert {visit.url for visit in before if visit.record} <= set(kept)
