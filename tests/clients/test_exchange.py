"""What we export is taken by the tools that people use: py-wacz says it is valid, datasette serves it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import thresher
from tests.unit.changing_site import Site, html

STORY = "The queen bees keep warm all winter long, and honey is what they live on until spring comes."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Three pages, one of them Chinese, of which one is looked at again unchanged and one has changed."""
    site = Site(tmp_path_factory.mktemp("site"))
    site.pages["/"] = html("Bees", "All bees.", links=("/a", "/zh"))
    site.pages["/a"] = html("A", *([STORY] * 20), links=("/",))
    site.pages["/zh"] = html("蜜蜂", "蜜蜂在花丛中采集花蜜，蜂王在蜂巢里产卵，工蜂照顾幼虫。" * 5)
    site.crawl()
    site.pages["/a"] = html("A", *([STORY] * 20), "A new swarm has come.", links=("/",))
    assert site.revisit().substantive == 1
    return site


def saved(site: Site, target: Path) -> Path:
    ran = thresher("export", str(site.crawl_folder.path), "-o", str(target))
    assert ran.code == 0, ran.err
    return target


def run(*command: str) -> str:
    return subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True, text=True).stdout


def test_a_wacz_file_is_valid_for_py_wacz(site, tmp_path):
    file = saved(site, tmp_path / "bees.wacz")
    assert "the passed WACZ is valid" in run("wacz.main", "validate", "-f", str(file))


def test_a_wacz_file_that_was_changed_is_not_valid(site, tmp_path):
    """py-wacz looks, and does not only nod."""
    file = saved(site, tmp_path / "bees.wacz")
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)
    with pytest.raises(subprocess.CalledProcessError):
        run("wacz.main", "validate", "-f", str(file))


def test_datasette_serves_pages_links_and_changes_and_finds_words(site, tmp_path):
    file = str(saved(site, tmp_path / "bees.sqlite"))

    def ask(path: str) -> list[dict[str, object]]:
        return json.loads(run("datasette", file, "--get", f"/bees/{path}"))

    pages = ask("page.json?_shape=array")
    lines = thresher("export", str(site.crawl_folder.path)).out.splitlines()
    told = [json.loads(line) for line in lines]
    assert [(page["url"], page["main"]) for page in pages] == [(each["url"], each["main"]) for each in told]
    assert [page["title"] for page in ask("page.json?_shape=array&_search=winter")] == ["A"]
    assert {link["target"] for link in ask("link.json?_shape=array")} >= {site.url("/a"), site.url("/zh")}
    assert [change["substantive"] for change in ask("change.json?_shape=array")] == [1]
