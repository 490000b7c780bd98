"""Slips of users and machines in the middle of a crawl: a clock that is set, a file of labels half saved."""

import json
import time

import pytest

from tests.command_line import thresher
from tests.faults.killing.site import NETWORK, Sites
from thresher.core.url import parse
from thresher.store.labels import Labels, read_labels

GOOD = b"http://a.test/bees,yes\nhttp://a.test/cake,no\n"
SLIPS: dict[str, bytes] = {
    "half a line": b"http://a.test/hal",
    "a word that is no label": b"http://a.test/x,perhaps\n",
    "a byte that is no UTF-8": b"http://a.test/caf\xe9,yes,\xe9\nhttp://a.test/y,\xe9\n",
    "a field of 200 kB": b"http://a.test/" + b"x" * 200_000 + b",yes\n",
    "no URL": b"ftp://a.test/,yes\n",
    "a NUL": b"http://a.test/\0,maybe\n",
}


@pytest.mark.parametrize("jump", [-600.0, -3600.0, 3600.0, 172_800.0])
def test_a_clock_that_is_set_changes_nothing(jump, tmp_path, monkeypatch):
    folder = tmp_path / "honey"
    now = time.time
    with Sites(30) as sites:
        monkeypatch.setattr(time, "time", lambda: now() + (jump if sites.hits.total() >= 5 else 0.0))
        asked = ["crawl", "honey", "-o", str(folder), f"--allow-network={NETWORK}", "--delay=0.05"]
        ran = thresher(*asked, f"--seed={sites.seeds[0]}", "--pages=12", "--json")
        assert sites.hits.total() == 12
    assert json.loads(ran.out)["pages"] == 12, ran.out


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_the_labels_is_a_warning_and_the_good_lines_count(slip, tmp_path, caplog):
    file = tmp_path / "labels.csv"
    file.write_bytes(SLIPS[slip] + b"\n" + GOOD)
    labels = Labels(file, strict=False)
    heard = labels.new_labels()
    assert heard[parse("http://a.test/bees")] is True and heard[parse("http://a.test/cake")] is False
    assert labels.new_labels() == {}
    assert len(caplog.records) == 1 and "The other lines count." in caplog.text


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_table_that_is_handed_in_is_one_sentence(slip, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_bytes(SLIPS[slip] + b"\n" + GOOD)
    with pytest.raises(Exception, match=r"labels.csv.*(line 1:|cannot be read)"):
        read_labels(file)
