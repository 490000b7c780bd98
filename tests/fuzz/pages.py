"""Pages made up by a grammar, mostly sound, and changed ones: what the one-pass reader is held against."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

BLOCKS = (
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup html li main menu nav ol p pre search section"
    " summary ul"
).split()
WORDS = (
    "a abbr b bdo big button cite code data del em font i ins kbd label mark nobr q s samp small span"
    " strike strong sub sup time tt u var canvas video audio map custom-part ruby rt rp noscript"
).split()
VOIDS = "area base br embed hr img input link meta param source track wbr col image".split()
RAW = "textarea title script style iframe".split()
NAMES = (
    "content main article entry-content post-body articleBody nav menu sidebar comment comments footer"
    " ad share related x1 links é 中 header-anchor headerlink permalink anchor a-b_c A"
).split()
TEXTS = (
    "word", "two words", " blanks  \n and\tlines ", " ", "\n", "é ü", "中文的句子在这里，它有很多的字。",
    "😀", "a<b", "a & b", "x > y", "&amp;", "&lt", "&copy", "&notit;", "&eacute;", "&nbsp;", "&#160;",
    "&#x2014;", "&#150;", "&#147;q&#148;", "&nosuch;", "&", "&;", "&CounterClockwiseContourIntegral;",
    "&ampx", "&#65", "\xa0", "\u2003", "\u200b", "\u3000", "¶", "#", "1. ", "\r\n", "\x0c", "{}()", "Menu",
    "Home | Up", "Short one.", "2024-01-01", "Read more...", "Copyright 2024",
    "A longer sentence that ends well, as sentences do, and goes on and on until nobody reads it any more, which is long.",
    "Words and words for all that is long enough here, a sentence it is; another follows, and it is as long as this one.",
)  # fmt: skip
VALUES = (
    "/a", "b?c=1&amp;d=2", "b?c=1&d=2", "x&copy=1", "x&copy;y", "#top", "", "/a#b", "http://a.test/", "é",
    " /b ", "javascript:x", "next", "canonical", "nofollow", "alternate", "stylesheet", "prev NEXT", "robots",
    "thresher", "noindex, follow", "de", "true", "5", "0", "-3", "7 ", "007", "display:none", "DISPLAY: none",
    "visibility:hidden", "color:red", "hidden", "main", "navigation", "articleBody", "content-language",
    "application/json+oembed", "a > b", "a\nb", "&#39;q&#39;",
)  # fmt: skip
KEYS = (
    "href href href src alt title class id style rel name content http-equiv type lang role hidden"
    " start value aria-label aria-hidden itemprop itemtype colspan data-x HREF xml:lang xlink:href"
).split()
DOCTYPES = (
    "<!DOCTYPE html>", "<!doctype html>\n", "", "<!DOCTYPE html SYSTEM 'about:legacy-compat'>",
    "<!doctype other>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">',
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x">',
    "<!-- a --><!DOCTYPE html>",
)  # fmt: skip
ODDITIES = (
    "<p>", "</p>", "<li>", "</div>", "<b>", "</b>", "<table>", "<td>", "</table>", "<tr>", "<select>",
    "<option>", "<template>", "<svg>", "</svg>", "<math>", "<body class=x>", "</body>", "</html>",
    "<html lang=fr>", "<head>", "</head>", "<frameset>", "<!-- c -->", "<!-->", "<!--", "-->",
    "<![CDATA[x]]>", "<?php ?>", "</br>", "<br/>", "<", "</", "<a", "<a href=", "<p/>", "\x00", "\xad",
    "&shy;", "&#0;", "<form>", "</form>", "<h2>", "</h3>", "<button>", "<a href=/n>", "</a>", "<dd>",
    "<pre>\n", "<textarea>\n", "<script>", "</script>", "<title>", "<plaintext>", "<noscript>", "<rt>",
    "<caption>", "<colgroup>", "<object>", "<marquee>", "<input type=hidden>", "\x0b", "\x85",
)  # fmt: skip


class PageMaker:
    """Writes pages, the same from the same random; `broken` of a hundred pieces are none that a sound page has."""

    def __init__(self, random: Random, broken: int = 0) -> None:
        self.random, self.broken = random, broken

    def page(self) -> str:
        """Return a whole page."""
        head = "".join(self._in_head() for _ in range(self.random.randrange(5)))
        body = self._several(self._block, 1, 7, 4)
        if self.random.random() < 0.3:
            return f"{self.random.choice(DOCTYPES)}{head}{body}"
        html, inside = self._tag("html"), self._tag("body")
        return f"{self.random.choice(DOCTYPES)}{html}<head>{head}</head>\n{inside}{body}</body></html>\n"

    def _several(self, make: object, least: int, most: int, depth: int) -> str:
        assert callable(make)
        return "".join(make(depth - 1) for _ in range(self.random.randint(least, most)))

    def _tag(self, name: str) -> str:
        """Return a start tag, with its attributes written in one of the ways there are."""
        keys = self.random.choices(KEYS, k=self.random.choice((0, 0, 0, 1, 1, 2, 4)))
        return f"<{name}{''.join(self._attribute(key) for key in keys)}>"

    def _attribute(self, key: str) -> str:
        value = self.random.choice(NAMES if key in ("class", "id") else VALUES)
        if key in ("style", "hidden", "aria-hidden", "http-equiv") and self.random.random() < 0.8:
            return ""
        if key == "class" and self.random.random() < 0.3:
            value += f" {self.random.choice(NAMES)}"
        quote = self.random.choice("\"\"\"'" if any(each in value for each in " >\n\"'") or not value else "\"\"' ")
        return f" {key}={quote.strip()}{value}{quote.strip()}"

    def _in_head(self) -> str:
        name = self.random.choice(("title", "meta", "meta", "link", "link", "base", "script", "style", "noscript"))
        if name == "noscript":
            return f"<noscript>{self._tag('link')}{self._tag('meta')}</noscript>"
        return self._raw(name) if name in RAW else f"{self._tag(name)}\n"

    def _raw(self, name: str) -> str:
        inside = self.random.choice((*TEXTS, "<!-- x -->", "if (a<b) { '</p>' }", "<b>no tag</b>", "\nline"))
        return f"{self._tag(name)}{inside}</{name}>"

    def _words(self, depth: int) -> str:
        """Return what stands among words."""
        chance = self.random.random() * 100
        if chance < self.broken:
            return self.random.choice(ODDITIES)
        if depth <= 0 or chance < 60:
            return self.random.choice(TEXTS)
        if chance < 68:
            return self._tag(self.random.choice(VOIDS[:-2] if chance < 64 else ("br", "img", "wbr")))
        if chance < 70:
            return self.random.choice((self._raw(self.random.choice(RAW)), "<!-- a > b -->", self._drawing(), self._choice()))
        name = self.random.choice(WORDS) if chance < 88 else "a"
        return f"{self._tag(name)}{self._several(self._words, 0, 3, depth if name != 'a' else 1)}</{name}>"

    def _block(self, depth: int) -> str:
        chance = self.random.random() * 100
        if depth <= 0 or chance < 25:
            return f"{self._tag('p')}{self._several(self._words, 0, 4, 3)}{self.random.choice(('</p>', '</p> ', ''))}"
        if chance < 35:
            return self._several(self._words, 1, 4, 3)
        if chance < 45:
            return self._list(self.random.choice(("ul", "ol", "ol", "dl", "menu")), depth)
        if chance < 53:
            return self._table(depth)
        name = self.random.choice(("div", *BLOCKS))
        end = "" if name in ("li", "dd", "dt") and self.random.random() < 0.5 else f"</{name}>"
        return f"{self._tag(name)}{self._several(self._mixed, 0, 5, depth)}{end}"

    def _mixed(self, depth: int) -> str:
        return self._block(depth) if self.random.random() < 0.6 else self._words(depth)

    def _list(self, name: str, depth: int) -> str:
        items = ("li",) if name != "dl" else ("dt", "dd")
        inside = "".join(
            f"{self._tag(item)}{self._several(self._mixed, 0, 2, depth)}{self.random.choice((f'</{item}>', '', chr(10)))}"
            for item in self.random.choices(items, k=self.random.randrange(5))
        )
        return f"{self._tag(name)}{inside}</{name}>"

    def _table(self, depth: int) -> str:
        parts = [self.random.choice(("", "\n", "<caption>c</caption>", "<colgroup><col></colgroup>", "<col>", self._tag("tbody")))]
        for _ in range(self.random.randrange(4)):
            parts.append(self.random.choice(("<tr>", "<tr>", self._tag("tr"), "<thead><tr>", "<tfoot>")))
            for _ in range(self.random.randrange(4)):
                cell = self.random.choice(("td", "td", "th"))
                end = self.random.choice((f"</{cell}>", f"</{cell}>\n", ""))
                parts.append(f"{self._tag(cell)}{self._several(self.random.choice((self._words, self._words, self._mixed)), 0, 2, min(depth, 2))}{end}")
            parts.append(self.random.choice(("</tr>", "</tr>\n", "")))
        return f"{self._tag('table')}{''.join(parts)}</table>"

    def _drawing(self) -> str:
        inside = self.random.choice(("<path d=x />", "<title>drawn</title>", "<g><text>t</text></g>", "<linearGradient/>", "<a href=/d>d</a>"))
        return f"{self._tag('svg')}{inside}</svg>"

    def _choice(self) -> str:
        return f"{self._tag('select')}<option>one<option value=2>two</option><optgroup label=x><option>three</select>"


def changed_pages(seeds: Sequence[str], random: Random) -> Iterator[str]:
    """Yield changed copies of pages, without end: letters, cuts, odd pieces, repeats and deep nesting."""
    while True:
        markup = random.choice(seeds)
        for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
            markup = _changed(markup, seeds, random)
        yield markup[:200_000]


def _changed(markup: str, seeds: Sequence[str], random: Random) -> str:
    begin = random.randint(0, len(markup))
    end = begin + random.choice((0, 1, 1, 2, 8, 40, 400))
    kind = random.choice((0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7))
    if kind == 0:
        return markup[:begin] + random.choice((*"<>/=\"'&; #!-", chr(random.randrange(0x250)))) + markup[begin + 1 :]
    if kind == 1:
        return markup[:begin] + markup[end:]
    if kind == 2:
        return markup[:begin] + markup[begin:end] * random.choice((2, 3, 50)) + markup[end:]
    if kind == 3:
        other = random.choice(seeds)
        return markup[:begin] + other[random.randint(0, len(other)) :]
    if kind == 4 and random.random() < 0.05:
        return markup[:begin] + random.choice(("<div>", "<b>", "<ul><li>", "<table><tr><td>", "<i><p>")) * 300 + markup[begin:]
    if kind == 5:  # an end tag or a start tag moves
        at = markup.find("<", begin)
        behind = markup.find(">", at) + 1
        return markup[:at] + markup[behind:end] + markup[at:behind] + markup[max(end, behind) :] if at >= 0 < behind else markup
    at = markup.find("<", begin) if kind == 7 else begin  # between tags
    return markup[:at] + random.choice(ODDITIES if kind == 6 else (*TEXTS, *ODDITIES[:15])) + markup[at:]
