"""Documents that are no web pages: what they say is read, and what cannot be read has a name."""

import importlib.util
import sys
from functools import partial
from time import perf_counter

import pytest

from tests.unit.documents import (
    KINDS,
    LINK,
    TYPES,
    atom,
    docx,
    markdown,
    odt,
    pdf,
    plain,
    rss,
    xlsx,
    zipped,
)
from thresher.cli.crawl import unread
from thresher.core.enums import Detail, Outcome
from thresher.core.errors import DocumentBroken, DocumentEncrypted, DocumentTooLarge, DocumentUnknown
from thresher.core.interfaces import Judge
from thresher.core.records import Candidate, Fetched, Link, Page, Reason, Url, Visit
from thresher.engine.reader_process import ParserProcess, parsed
from thresher.parse import office
from thresher.parse.document import Document, DocumentKind, DocumentReader, kind_of, parse
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder

HAS_PDF = importlib.util.find_spec("pypdfium2") is not None
WITHOUT = pytest.mark.skipif(not HAS_PDF, reason="PDF needs pypdfium2: pip install '.[media]'")
EVERY = [pytest.param(kind, marks=WITHOUT if kind == "pdf" else ()) for kind in KINDS]
TEXTS = [
    ("Bees", "The queen keeps warm.", "Honey is what they live on."),
    ("蜜蜂", "蜂王在蜂巢里产卵。", "工蜂采集花蜜。"),
    ("Bienen", "Die Königin überwintert.", "Straße und Größe."),
    ("Пчёлы", "Матка зимует в тепле.", "Мёд их кормит до весны."),
]
SIMPLE = {
    "text/markdown": markdown,
    "text/plain": plain,
    "application/rss+xml": rss,
    "application/atom+xml": atom,
}
URL = Url("http://bees.example/doc")


def fetched(body: bytes, content_type: str) -> Fetched:
    return Fetched(Candidate(URL), URL, 200, (("content-type", content_type),), body)


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("text", TEXTS, ids=["en", "zh", "de", "ru"])
def test_a_document_says_its_title_its_text_and_its_link(kind, text):
    title, one, two = text
    page = parse(fetched(KINDS[kind](title, one, two), TYPES[kind]))
    assert page.title == title
    assert page.text.index(one) < page.text.index(two)
    assert page.main == page.text and page.fingerprint.digest
    assert [link.target for link in page.links] == [LINK]


@pytest.mark.parametrize("declared", SIMPLE)
@pytest.mark.parametrize("text", TEXTS, ids=["en", "zh", "de", "ru"])
def test_what_is_text_already_says_its_title_its_text_and_its_link(declared, text):
    title, one, two = text
    page = parse(fetched(SIMPLE[declared](title, one, two), declared))
    assert page.title == title
    assert page.text.index(one) < page.text.index(two)
    assert [link.target for link in page.links] == [LINK]


def test_markdown_is_read_without_its_marks():
    body = b'## All bees ##\nsee [the hive](/hive "old"), ![a bee](/bee.png)'
    page = parse(fetched(body, "text/markdown"))
    assert (page.title, page.text) == ("All bees", "All bees\nsee the hive, ![a bee](/bee.png)")
    assert [(link.target, link.anchor) for link in page.links] == [("http://bees.example/hive", "the hive")]


@pytest.mark.parametrize("kind", EVERY)
def test_a_document_is_known_whatever_the_server_calls_it(kind):
    body = KINDS[kind](*TEXTS[0])
    kinds = {kind_of(declared, body) for declared in (TYPES[kind], "", "application/octet-stream")}
    assert kinds == {DocumentKind.PDF if kind == "pdf" else DocumentKind.OFFICE}


def test_a_heap_of_files_is_no_document():
    assert kind_of("application/zip", zipped({"a.txt": "bees"})) is DocumentKind.OTHER


def test_the_link_of_a_word_document_has_its_words_and_the_sheet_its_numbers():
    (link,) = parse(fetched(docx(*TEXTS[0]), TYPES["docx"])).links
    assert link == Link(URL, Url(LINK), "more", place=link.place)
    assert "The queen keeps warm. 42\nHoney " in parse(fetched(xlsx(*TEXTS[0]), TYPES["xlsx"])).text


BOMB = zipped({"[Content_Types].xml": "", "word/document.xml": b"<w>" + b" " * 80_000_000 + b"</w>"})
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><x xmlns="urn:o"><p>&b;</p></x>'
HOSTILE = {
    "cut in the middle": (docx(*TEXTS[0])[:400], DocumentBroken),
    "no zip behind the mark": (b"PK\x03\x04" + b"\0" * 200, DocumentBroken),
    "an old Office file": (office.OLE + b"\0" * 600, DocumentUnknown),
    "a bomb": (BOMB, DocumentTooLarge),
    "entities": (zipped({"content.xml": LAUGHS}), DocumentBroken),
    "an entity from outside": (
        zipped({"content.xml": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'}),
        DocumentBroken,
    ),
    "broken XML": (zipped({"word/document.xml": "<w:document><w:p>"}), DocumentBroken),
    "too many parts": (zipped({f"{number}": "" for number in range(5_001)}), DocumentTooLarge),
    "nothing that we know": (zipped({"[Content_Types].xml": "", "x.bin": "x"}), DocumentUnknown),
    "a sheet that points nowhere": (
        zipped({"xl/worksheets/sheet1.xml": '<s><row><c t="s"><v>9</v></c></row></s>'}),
        DocumentBroken,
    ),
    "a book without chapters": (
        zipped(
            {
                "META-INF/container.xml": "<c><rootfile full-path='x.opf'/></c>",
                "x.opf": "<p><itemref idref='a'/></p>",
            }
        ),
        DocumentBroken,
    ),
    "a damaged part": (odt(*TEXTS[0]).replace(b"content.xml", b"content.xmk", 1), DocumentBroken),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_document_that_cannot_be_read_ends_with_its_name_and_soon(name):
    body, error = HOSTILE[name]
    begun = perf_counter()
    with pytest.raises(error) as raised:
        office.read_office(body)
    assert type(raised.value) is error
    assert perf_counter() - begun < 5


def test_a_password_is_asked_for():
    body = bytearray(docx(*TEXTS[0]))
    place = body.index(b"PK\x01\x02")
    body[place + 8] |= 1  # the flag of an encrypted part
    with pytest.raises(DocumentEncrypted):
        office.read_office(bytes(body))


@WITHOUT
@pytest.mark.parametrize(
    ("body", "error"),
    [
        (pdf(*TEXTS[0])[:200], DocumentBroken),
        (b"%PDF-1.7\n" + b"\0" * 500, DocumentBroken),
        (b"%PDF-1.7\n%%EOF", DocumentBroken),
    ],
)
def test_a_broken_pdf_is_called_so(body, error):
    with pytest.raises(error):
        parse(fetched(body, TYPES["pdf"]))


class Fair(Judge):
    threshold = 0.5

    def score(self, page: Page) -> float:
        return 1.0

    def similarity(self, text: str) -> float:
        return 1.0

    def explain(self, page: Page) -> list[Reason]:
        return []


def test_without_the_extra_a_pdf_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    reading = parsed(fetched(pdf(*TEXTS[0]), TYPES["pdf"]), parse)
    assert (reading.page, reading.detail) == (None, Detail.NO_READER)
    assert reading.failure == "pip install '.[media]'"


def test_every_kind_of_failure_is_a_detail_of_the_visit():
    body, _ = HOSTILE["a bomb"]
    reading = parsed(fetched(body, TYPES["docx"]), parse)
    assert (reading.page, reading.detail) == (None, Detail.HUGE_DOCUMENT)


def test_a_crawl_says_at_its_end_how_many_documents_it_could_not_read(tmp_path):
    folder = CrawlFolder(tmp_path / "bees")
    store = folder.create()
    for number, detail in enumerate((Detail.NO_READER, Detail.NO_READER, Detail.ENCRYPTED)):
        candidate = Candidate(Url(f"http://a.test/{number}.pdf"))
        store.add(Visit(candidate, Outcome.FAILED, 1.0, detail=detail))
    assert unread(Settings(), store) == [
        "2 PDF files not read: pip install '.[media]'",
        "1 document not read: 1 encrypted document.",
    ]
    store.close()


def test_documents_are_read_where_they_hold_nobody_up():
    reader = ParserProcess(("true",), b"", 1.0)
    asides = [reader.is_for(fetched(KINDS[kind](*TEXTS[0]), TYPES[kind])) for kind in KINDS]
    assert all(asides)
    assert not reader.is_for(fetched(b"<p>bees", "text/html"))


class BrokenReader(DocumentReader):
    def takes(self, content_type: str, start: bytes) -> bool:
        return content_type == TYPES["pdf"]

    def read(self, body: bytes) -> Document:
        raise LookupError("no trailer")


def test_a_reader_that_raises_is_named_as_the_reason_and_other_documents_are_read():
    read = partial(parse, readers=[BrokenReader()])
    broken, other = (parsed(fetched(b"<p>bees", kind), read) for kind in (TYPES["pdf"], "text/html"))
    assert (broken.page, broken.detail) == (None, Detail.PARSER_FAILED)
    assert broken.failure == "the reader BrokenReader raised LookupError('no trailer')"
    assert other.page and other.page.text == "bees"
