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
    " datalist"
).split()
VOIDS = "area base br embed hr img input link meta param source track wbr image".split()
RAW = "textarea title script style iframe".split()
NAMES = (
    "content main article entry-content post-body articleBody nav menu sidebar comment comments footer"
    " ad share related x1 links é 中 header-anchor headerlink permalink anchor a-b_c A Anchor HeaderLink"
).split()
TEXTS = (
    "word", "two words", " blanks  \n and\tlines ", " ", "\n", "é ü", "中文的句子在这里，它有很多的字。",
    "😀", "a<b", "a & b", "x > y", "&amp;", "&lt", "&copy", "&notit;", "&eacute;", "&nbsp;", "&#160;",
    "&#x2014;", "&#150;", "&#147;q&#148;", "&nosuch;", "&", "&;", "&CounterClockwiseContourIntegral;",
    "&ampx", "&#65", "\xa0", "\u2003", "\u200b", "\u3000", "¶", "#", "1. ", "\r\n", "\x0c", "{}()", "Menu",
    "Home | Up", "Short one.", "2024-01-01", "Read more...", "Copyright 2024",
    "A longer sentence that ends well, as sentences do, and goes on until nobody reads it any more.",
    "Words and words for all that is long enough here, a sentence it is; another follows, as long as this.",
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
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/xhtml1.dtd">',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">',
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x">',
    "<!-- a --><!DOCTYPE html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" http://x>',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://x>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//>',
    '<!DOCTYPE html SYSTEM "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd">',
)  # fmt: skip
ODDITIES = (
    "<p>", "</p>", "<li>", "</div>", "<b>", "</b>", "<table>", "<td>", "</table>", "<tr>", "<select>",
    "<option>", "<template>", "<svg>", "</svg>", "<math>", "<body class=x>", "</body>", "</html>",
    "<html lang=fr>", "<head>", "</head>", "<frameset>", "<!-- c -->", "<!-->", "<!--", "-->",
    "<![CDATA[x]]>", "<?php ?>", "</br>", "<br/>", "<", "</", "<a", "<a href=", "<p/>", "\x00", "\xad",
    "&shy;", "&#0;", "<form>", "</form>", "<h2>", "</h3>", "<button>", "<a href=/n>", "</a>", "<dd>",
    "<pre>\n", "<textarea>\n", "<script>", "</script>", "<title>", "<plaintext>", "<noscript>", "<rt>",
    "<caption>", "<colgroup>", "<object>", "<marquee>", "<input type=hidden>", "\x0b", "\x85",
    "\x04", "\x05", "\x0e", "&shy", "&#173;", "&#10;", "&#13;", "&#5;", "</select>", "<ol start='2 '>",
    "<li value=3x>", "<!doctype x>", "<!doctype html>", "<style>", "<ruby>", "</ruby>",
    "<blockquote>", "</blockquote>", "<i hidden>", "\x02", "\x03", "\x7f", "&#2;", "<command>", "<isindex>",
    "<textarea>&#10;", "<pre>&#10;", "<noscript></body>", "<a class=HEADERLINK href=#x>#</a>",
)  # fmt: skip
DRAWN = (
    "<path d=x />",
    "<title>drawn</title>",
    "<g><text>t</text></g>",
    "<linearGradient/>",
    "<a>d</a>",
    "<listing>l</listing>",
)
COLUMNS = ("<caption>c</caption>", "<colgroup><col></colgroup>", "<col>", "<colgroup><script></script><col>")


class PageMaker:
    """Writes pages, the same from the same random; `broken` of a hundred pieces are no sound ones."""

    def __init__(self, random: Random, broken: int = 0) -> None:
        self.random, self.choice, self.broken = random, random.choice, broken

    def page(self) -> str:
        """Return a whole page."""
        head = "".join(self._in_head() for _ in range(self.random.randrange(5)))
        body = self._several(self._block, 1, 7, 4)
        if self.random.random() < 0.3:
            return f"{self.choice(DOCTYPES)}{head}{body}"
        html, inside = self._tag("html"), self._tag("body")
        end = self.choice(("", "</body></html>\n", "\n</body>\n</html>\n"))
        return f"{self.choice(DOCTYPES)}{html}<head>{head}</head>\n{inside}{body}{end}"

    def _several(self, make: Callable[[int], str], least: int, most: int, depth: int) -> str:
        return "".join(make(depth - 1) for _ in range(self.random.randint(least, most)))

    def _tag(self, name: str) -> str:
        """Return a start tag, with its attributes written in one of the ways there are."""
        keys = self.random.choices(KEYS, k=self.choice((0, 0, 0, 1, 1, 2, 4)))
        attributes = "".join(self._attribute(key) for key in keys)
        if self.random.random() < 0.05:
            name, attributes = self.choice(
                ((name.upper(), attributes), (name, f"{attributes}\n"), (name, f"{attributes} /"))
            )
        return f"<{name}{attributes}>"

    def _attribute(self, key: str) -> str:
        value = self.choice(NAMES if key in ("class", "id") else VALUES)
        if key in ("style", "hidden", "aria-hidden", "http-equiv") and self.random.random() < 0.8:
            return ""
        if key == "class" and self.random.random() < 0.3:
            value += f"{self.choice((' ', ' ', '  ', chr(10), chr(9), chr(160)))}{self.choice(NAMES)}"
        bare = value and not any(each in value for each in " >\n\t\"'")
        quote = self.choice(("", '"', '"', "'") if bare else ('"', '"', "'"))
        return f" {key}={quote}{value}{quote}"

    def _in_head(self) -> str:
        name = self.choice(("title", "meta", "meta", "link", "link", "base", "script", "style", "noscript"))
        if name == "noscript":
            return f"<noscript>{self._tag('link')}{self._tag('meta')}</noscript>"
        return self._raw(name) if name in RAW else f"{self._tag(name)}\n"

    def _raw(self, name: str) -> str:
        inside = self.choice((*TEXTS, "<!-- x -->", "if (a<b) { '</p>' }", "<b>no tag</b>", "\nline"))
        return f"{self._tag(name)}{inside}</{name}>"

    def _words(self, depth: int) -> str:
        """Return what stands among words."""
        chance = self.random.random() * 100
        if chance < self.broken:
            return self.choice(ODDITIES)
        if depth <= 0 or chance < 60:
            return self.choice(TEXTS)
        if chance < 68:
            return self._tag(self.choice(VOIDS if chance < 64 else ("br", "img", "wbr")))
        if chance < 70:
            return self._seldom()
        name = self.choice(WORDS) if chance < 88 else "a"
        return f"{self._tag(name)}{self._several(self._words, 0, 3, depth if name != 'a' else 1)}</{name}>"

    def _seldom(self) -> str:
        choice = "<option>one<option value=2>two</option><optgroup label=x><option>three"
        drawn = self.choice(DRAWN)
        return self.choice((
            self._raw(self.choice(RAW)), "<!-- a > b -->", f"{self._tag('svg')}{drawn}</svg>",
            f"{self._tag('select')}{choice}</select>",
        ))  # fmt: skip

    def _block(self, depth: int) -> str:
        chance = self.random.random() * 100
        if depth <= 0 or chance < 25:
            words = self._several(self._words, 0, 4, 3)
            return f"{self._tag('p')}{words}{self.choice(('</p>', '</p> ', ''))}"
        if chance < 35:
            return self._several(self._words, 1, 4, 3)
        if chance < 45:
            return self._list(self.choice(("ul", "ol", "ol", "dl", "menu")), depth)
        if chance < 53:
            return self._table(depth)
        name = self.choice(("div", *BLOCKS))
        end = "" if name in ("li", "dd", "dt") and self.random.random() < 0.5 else f"</{name}>"
        return f"{self._tag(name)}{self._several(self._mixed, 0, 5, depth)}{end}"

    def _mixed(self, depth: int) -> str:
        return self._block(depth) if self.random.random() < 0.6 else self._words(depth)

    def _list(self, name: str, depth: int) -> str:
        parts, items = [self._tag(name)], ("dt", "dd") if name == "dl" else ("li",)
        for item in self.random.choices(items, k=self.random.randrange(5)):
            parts.append(f"{self._tag(item)}{self._several(self._mixed, 0, 2, depth)}")
            parts.append(self.choice(("", "\n", f"</{item}>")))
        return f"{''.join(parts)}</{name}>"

    def _table(self, depth: int) -> str:
        parts = [self._tag("table"), self.choice(("", "\n", *COLUMNS, self._tag("tbody")))]
        for _ in range(self.random.randrange(4)):
            parts.append(self.choice(("<tr>", "<tr>", self._tag("tr"), "<thead><tr>", "<tfoot>")))
            cells = self.random.choices(("td", "td", "th"), k=self.random.randrange(4))
            parts += [self._cell(name, depth) for name in cells]
            parts.append(self.choice(("</tr>", "</tr>\n", "")))
        return f"{''.join(parts)}</table>"

    def _cell(self, name: str, depth: int) -> str:
        inside = self._several(self.choice((self._words, self._words, self._mixed)), 0, 2, min(depth, 2))
        return f"{self._tag(name)}{inside}{self.choice(('', f'</{name}>', f'</{name}> '))}"


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
    tag = max(markup.find("<", begin), 0)
    before, cut, after = markup[:begin], markup[begin:end], markup[end:]
    match random.choice("letter letter letter cut repeat other nest odd odd".split() + ["between"] * 5):
        case "letter":
            letter = random.choice((*"<>/=\"'&; #!-", chr(random.randrange(0x250))))
            return before + letter + markup[begin + 1 :]
        case "cut":
            return before + after
        case "repeat":
            return before + cut * random.choice((2, 3, 50)) + after
        case "other":
            return before + (other := random.choice(seeds))[random.randint(0, len(other)) :]
        case "nest":
            tags = random.choice(("<div>", "<b>", "<ul><li>", "<table><td>", "<i><p>"))
            return markup[:tag] + tags * random.choice((3, 3, 3, 3, 100, 500)) + markup[tag:]
        case "odd":
            return before + random.choice(ODDITIES) + markup[begin:]
    return markup[:tag] + random.choice((*TEXTS, *ODDITIES[:15])) + markup[tag:]
