"""Two releases of one documentation site, crawled and revisited over loopback: changes, and news.

The releases are Debian's llvm-15-doc and llvm-16-doc, fetched by apt when this runs; nothing of them is kept.
What is true comes from a plain diff of the visible text, read by Python's own HTML parser. THRESHER_SHARED is
not needed.
"""

import difflib
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.command_line import thresher
from thresher.core.records import Candidate, Fetched, Url
from thresher.freshness.change import paper_change
from thresher.parse import parse
from thresher.store.folder import CrawlFolder

RELEASES = (15, 16)
OTHERS = 20  # pages of the host on which a line must differ alike to be boilerplate
ADDRESS = "127.77.8.1"


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Both releases, unpacked side by side."""
    place = tmp_path_factory.mktemp("releases")
    return [unpacked(place, f"llvm-{number}-doc") for number in RELEASES]


def unpacked(place: Path, package: str) -> Path:
    subprocess.run(["apt-get", "download", "-qq", package], cwd=place, check=True)
    (archive,) = place.glob(f"{package}_*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, place / package], check=True)
    return place / package / "usr/share/doc" / package / "html"


class Visible(HTMLParser):
    """The lines a reader sees."""

    BLOCKS = frozenset(
        "p div li ul ol dl dt dd table tr td th h1 h2 h3 h4 h5 h6 pre br section article nav header footer"
        " form title blockquote hr body head main aside figure".split()
    )
    HIDDEN = frozenset(("script", "style", "template"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.hidden = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.hidden += tag in self.HIDDEN
        self.pieces.append("\n" if tag in self.BLOCKS else "")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in self.HIDDEN
        self.pieces.append("\n" if tag in self.BLOCKS else "")

    def handle_data(self, data: str) -> None:
        self.pieces.append("" if self.hidden else data)

    @property
    def lines(self) -> list[str]:
        return [" ".join(line.split()) for line in "".join(self.pieces).split("\n") if line.strip()]


def differences(before: Path, after: Path) -> frozenset[str]:
    """The lines of a plain diff of the visible text."""
    old, new = (Visible(file.read_text(encoding="utf-8")).lines for file in (before, after))
    diff = difflib.unified_diff(old, new, lineterm="", n=0)
    return frozenset(line for line in diff if line[:1] in "+-" and line[:3] not in ("+++", "---"))


class Site:
    """One folder at a time over HTTP; an index page leads to every page both releases have."""

    def __init__(self, folder: Path, names: list[str], port: int = 0) -> None:
        self.index = "".join(f'<a href="/{name}">{name}</a>\n' for name in names).encode()
        handler = partial(_Handler, self.index, directory=str(folder))
        self.server = ThreadingHTTPServer((ADDRESS, port), handler)
        self.port = self.server.server_port

    def __enter__(self) -> "Site":
        Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, index: bytes, *arguments: object, **named: object) -> None:
        self.listing = index
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        if self.path != "/every-page":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.listing)))
        self.end_headers()
        self.wfile.write(self.listing)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def found(releases: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, bool]]:
    """What the revisit says of each page: the kind of change, and whether it is substantive."""
    before, after = releases
    folder, names = tmp_path_factory.mktemp("pair") / "crawl", shared(releases)
    with Site(before, names) as site:
        port = site.port
        limits = ["--pages=0", "--depth=1", "--delay=0", "--per-host=4", f"--allow-network={ADDRESS}/32"]
        rules = ["--set", "scope.rules=false", "--strategy", "breadth_first"]
        seed = f"--seed=http://{ADDRESS}:{port}/every-page"
        ran = thresher("crawl", "compiler", "-o", str(folder), seed, *limits, *rules)
        assert ran.code == 0, ran.err
    with Site(after, names, port):
        ran = thresher("revisit", str(folder), "--once", "--delay=0", "--per-host=4")
        assert ran.code == 0, ran.err
    store = CrawlFolder(folder).open()
    try:
        assert sum(1 for _ in store.revisits()) == len(names) + 1
        site_of = f"http://{ADDRESS}:{port}/"
        return {
            each.url.removeprefix(site_of): (each.kind.value, each.substantive) for each in store.versions()
        }
    finally:
        store.close()


def shared(releases: list[Path]) -> list[str]:
    before, after = releases
    pages = (path.relative_to(before) for path in before.rglob("*.html"))
    return sorted(str(path) for path in pages if (after / path).exists())


@pytest.fixture(scope="module")
def truth(releases: list[Path]) -> dict[str, frozenset[str]]:
    before, after = releases
    told = {name: differences(before / name, after / name) for name in shared(releases)}
    return {name: lines for name, lines in told.items() if lines}


@pytest.fixture(scope="module")
def boilerplate(truth: dict[str, frozenset[str]]) -> frozenset[str]:
    """The pages on which every differing line also differs in the same way on at least 20 others."""
    count = Counter(line for lines in truth.values() for line in lines)
    return frozenset(name for name, lines in truth.items() if all(count[line] > OTHERS for line in lines))


pytestmark = pytest.mark.timeout(900)


def test_there_is_enough_to_tell(releases, truth, boilerplate):
    pages = shared(releases)
    print(f"\n{len(pages)} shared URLs, {len(truth)} differ, {len(boilerplate)} of them in boilerplate only")
    assert len(pages) >= 200
    assert len(truth) >= 50
    assert boilerplate
    assert len(truth) > len(boilerplate)


def test_every_page_that_differs_is_reported_as_changed(truth, found):
    assert sorted(set(truth) - set(found)) == []


def test_boilerplate_is_no_news(boilerplate, found):
    wrong = [name for name in sorted(boilerplate) if found[name][1]]
    print(f"\n{len(wrong)} of {len(boilerplate)} pages with boilerplate changes only count as substantive")
    assert len(wrong) <= 0.05 * len(boilerplate), wrong


def test_everything_else_is_news(truth, boilerplate, found):
    others = sorted(set(truth) - boilerplate)
    right = [name for name in others if found[name][1]]
    print(f"\n{len(right)} of {len(others)} other changes are reported as substantive")
    assert len(right) >= 0.98 * len(others), sorted(set(others) - set(right))


def test_the_misses_of_the_papers_form_are_listed(releases, truth, boilerplate):
    """Structure, text code, images: first difference wins; nothing tells news from boilerplate."""
    kinds = dict(paper_kinds(releases, sorted(truth)))
    misses = [name for name, kind in kinds.items() if not kind]
    alarms = sum(bool(kinds[name]) for name in boilerplate)
    print(
        f"\nThe paper's form: {dict(Counter(kinds.values()))}; misses {misses}; {alarms} boilerplate changes"
    )
    assert len(kinds) == len(truth)


def paper_kinds(releases: list[Path], names: list[str]) -> Iterator[tuple[str, str]]:
    headers = (("content-type", "text/html; charset=utf-8"),)
    for name in names:
        url = Url(f"http://{ADDRESS}/{name}")
        before, after = (
            parse(Fetched(Candidate(url), url, 200, headers, (release / name).read_bytes()))
            for release in releases
        )
        change = paper_change(before.fingerprint, after.fingerprint)
        yield name, change.kind.value if change else ""
