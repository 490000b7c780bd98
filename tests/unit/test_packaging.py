"""What is shipped: the image, the site and the extras."""

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

from thresher.cli.help import subjects

ROOT = Path(__file__).resolve().parents[2]


def test_the_image_runs_as_nobody_in_particular_and_keeps_everything_on_its_volume():
    file = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"^USER (\d+)$", file, re.M) == ["10001"]
    assert "VOLUME /crawls" in file
    assert "THRESHER_CONFIG=/crawls/" in file
    assert "--only-binary :all:" in file


def test_the_verbs_of_the_project_are_installed_as_it_names_them():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = {each.name: each.value for each in entry_points(group="thresher.verbs")}
    assert found.items() >= project["entry-points"]["thresher.verbs"].items(), "rm .venv/*.stamp, then make"


TOOLS = {"all", "browser", "clients", "dev", "scrapy"}  # for all, for our tests, and beside Scrapy alone


def test_all_is_every_extra_for_users():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    [named] = re.findall(r"^thresher\[(.+)\]$", extras["all"][0])
    assert named.split(",") == sorted(extras.keys() - TOOLS)


def test_every_page_for_users_is_in_the_site_and_is_a_subject_of_help():
    site = (ROOT / "mkdocs.yml").read_text()
    pages = [page.name for page in (ROOT / "docs" / "use").glob("*.md")]
    assert [page for page in pages if f"docs/use/{page}" not in site] == []
    assert {page.removesuffix(".md") for page in pages} < set(subjects())


def test_the_dashboard_of_the_one_compose_file_is_for_this_machine_alone():
    file = (ROOT / "compose.yaml").read_text()
    assert re.findall(r"^    ports: (.+)$", file, re.M) == ['["127.0.0.1:8417:8417"]']
    assert "${CRAWL_PASSWORD:-}" in file  # `up serve` needs no password of a cluster
