"""Chen et al. 2009, section 4: pages in English, in Chinese or in both, as the user wants."""

from tests.command_line import thresher
from thresher.store.folder import CrawlFolder


def test_no_page_of_another_language_is_expanded(tmp_path):
    folder = CrawlFolder(tmp_path / "c")
    asked = ["crawl", "茶艺", "--strategy", "breadth_first", "--pages", "150", "--delay", "0"]
    assert thresher(*asked, "--set", "scope.language=zh", "-o", str(folder.path)).code == 0
    store = folder.open()
    pages = {visit.candidate.url: store.page(visit.candidate.url) for visit in store.visits()}
    languages = {url: page.language for url, page in pages.items() if page}
    sources = {visit.candidate.via.source for visit in store.visits() if visit.candidate.via}
    store.close()
    assert "en" in languages.values()
    assert not [url for url in sources if languages.get(url) == "en"]
