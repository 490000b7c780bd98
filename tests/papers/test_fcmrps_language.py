"""Chen et al. 2009, section 4: pages in English, in Chinese or in both, as the user wants."""

import json

from tests.command_line import thresher
from thresher.core.enums import Detail, Outcome
from thresher.store.folder import CrawlFolder


def test_no_page_of_another_language_is_kept_exported_or_expanded(tmp_path):
    folder = CrawlFolder(tmp_path / "c")
    asked = ["crawl", "茶艺", "--strategy", "breadth_first", "--pages", "150", "--delay", "0"]
    assert thresher(*asked, "--set", "scope.language=zh", "-o", str(folder.path)).code == 0
    store = folder.open()
    visits = list(store.visits())
    pages = [page for visit in visits if (page := store.page(visit.candidate.url))]
    details = [visit.detail for visit in visits if visit.outcome is Outcome.REFUSED]
    sources = {visit.candidate.via.source for visit in visits if visit.candidate.via}
    store.close()
    assert Detail.OTHER_LANGUAGE in details
    assert {page.language for page in pages} <= {"zh", ""}
    assert sources <= {page.url for page in pages}
    exported = tmp_path / "c.jsonl"
    assert thresher("export", str(folder.path), "-o", str(exported)).code == 0
    said = [json.loads(line)["language"] for line in exported.read_text().splitlines()]
    assert "zh" in said and "en" not in said
