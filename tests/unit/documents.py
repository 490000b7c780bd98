"""Small documents of every kind, made by hand: each says a title, two paragraphs and a link."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

LINK = "http://bees.example/more"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CORE = (
    '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>{title}</dc:title><dc:language>en</dc:language></cp:coreProperties>"
)
RELS = (
    '<Relationships xmlns="urn:rels">'
    f'<Relationship Id="r1" Target="{LINK}" TargetMode="External"/></Relationships>'
)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data, ZIP_STORED if name == "mimetype" else ZIP_DEFLATED)
    return file.getvalue()


def docx(title: str, one: str, two: str) -> bytes:
    body = (
        f'<w:document xmlns:w="urn:w" xmlns:r="{REL}"><w:body><w:p><w:r><w:t>{one}</w:t></w:r></w:p>'
        f'<w:p><w:r><w:t>{two}</w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>more</w:t></w:r></w:hyperlink>'
        "</w:p>"
        "</w:body></w:document>"
    )
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": body,
            "word/_rels/document.xml.rels": RELS,
            "docProps/core.xml": CORE.format(title=title),
        }
    )


def pptx(title: str, one: str, two: str) -> bytes:
    def slide(text: str) -> str:
        click = '<a:hlinkClick r:id="r1"/>'
        run = f"<a:r><a:rPr>{click}</a:rPr><a:t>{text}</a:t></a:r>"
        return f'<p:sld xmlns:p="urn:p" xmlns:a="urn:a" xmlns:r="{REL}"><a:p>{run}</a:p></p:sld>'

    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "ppt/slides/slide2.xml": slide(two),
            "ppt/slides/slide10.xml": slide("The end"),
            "ppt/slides/slide1.xml": slide(one),
            "ppt/slides/_rels/slide1.xml.rels": RELS,
            "docProps/core.xml": CORE.format(title=title),
        }
    )


def xlsx(title: str, one: str, two: str) -> bytes:
    sheet = (
        '<worksheet xmlns="urn:x"><sheetData><row><c t="s"><v>1</v></c><c><v>42</v></c></row>'
        f'<row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>{two}</t></is></c></row></sheetData></worksheet>'
    )
    shared = f'<sst xmlns="urn:x"><si><t>Honey</t></si><si><r><t>{one}</t></r></si></sst>'
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "xl/worksheets/sheet1.xml": sheet,
            "xl/worksheets/_rels/sheet1.xml.rels": RELS,
            "xl/sharedStrings.xml": shared,
            "docProps/core.xml": CORE.format(title=title),
        }
    )


def odt(title: str, one: str, two: str) -> bytes:
    content = (
        '<office:document-content xmlns:office="urn:o" xmlns:text="urn:t" xmlns:xlink="urn:xl">'
        f'<text:h>{one}</text:h><text:p>{two}<text:s/><text:a xlink:href="{LINK}">more</text:a></text:p>'
        "</office:document-content>"
    )
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content,
            "meta.xml": CORE.format(title=title),
        }
    )


def epub(title: str, one: str, two: str) -> bytes:
    package = (
        '<package xmlns="urn:opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>{title}</dc:title><dc:language>en</dc:language></metadata><manifest>"
        '<item id="b" href="two.xhtml"/><item id="a" href="text/one.xhtml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfile full-path="OPS/book.opf"/></container>',
            "OPS/book.opf": package,
            "OPS/two.xhtml": f'<html><body><p>{two}</p><p><a href="{LINK}">more</a></p></body></html>',
            "OPS/text/one.xhtml": f"<html><body><p>{one}</p></body></html>",
        }
    )


def pdf(title: str, one: str, two: str) -> bytes:
    """Return a PDF of two pages whose font says by a table which letters it shows; nothing is embedded."""
    letters = sorted(set(one + two))
    codes = {letter: number for number, letter in enumerate(letters, 1)}
    table = "\n".join(f"<{codes[each]:04x}> <{each.encode('utf-16-be').hex()}>" for each in letters)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def /CMapName /X def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{len(letters)} beginbfchar\n{table}"
        "\nendbfchar\nendcmap end end"
    )
    name = title.encode("utf-16-be").hex()
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
        _page(
            7, f" /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI ({LINK}) >> >>]"
        ),
        _page(8, ""),
        FONT,
        SHAPES,
        _stream(_shown(one, codes)),
        _stream(_shown(two, codes)),
        _stream(cmap),
        f"<< /Title <feff{name}> >>",
    ]
    return _pdf_of(objects)


FONT = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R]"
    " /ToUnicode 9 0 R >>"
)
SHAPES = (
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 600"
    " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    " /FontDescriptor << /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 9 9] /ItalicAngle 0"
    " /Ascent 9 /Descent 0 /CapHeight 9 /StemV 9 >> >>"
)


def _page(content: int, more: str) -> str:
    fonts = "/Resources << /Font << /F 5 0 R >> >>"
    return f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9000 99] {fonts} /Contents {content} 0 R{more} >>"


def _shown(text: str, codes: dict[str, int]) -> str:
    return f"BT /F 12 Tf 10 50 Td <{''.join(f'{codes[each]:04x}' for each in text)}> Tj ET"


def _stream(data: str) -> str:
    return f"<< /Length {len(data)} >>\nstream\n{data}\nendstream"


def _pdf_of(objects: list[str]) -> bytes:
    out, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size, start = len(objects) + 1, len(out)
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return out + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


KINDS = {"docx": docx, "pptx": pptx, "xlsx": xlsx, "odt": odt, "epub": epub, "pdf": pdf}
TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "epub": "application/epub+zip",
    "pdf": "application/pdf",
}


def markdown(title: str, one: str, two: str) -> bytes:
    return f"# {title}\n\n{one}\n\n{two} [more]({LINK})\n".encode()


def plain(title: str, one: str, two: str) -> bytes:
    return f"{title}\n\n{one}\n\n{two}\n{LINK}\n".encode()


def rss(title: str, one: str, two: str) -> bytes:
    items = f"<item><title>{one}</title><description>{two}</description><link>{LINK}</link></item>"
    return f'<rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>'.encode()


def atom(title: str, one: str, two: str) -> bytes:
    entry = f'<entry><title>{one}</title><summary>{two}</summary><link href="{LINK}"/></entry>'
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>{title}</title>{entry}</feed>'.encode()
