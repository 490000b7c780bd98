"""A page read in one pass says what its tree says; one that must be repaired is left to the tree."""

from itertools import islice
from random import Random

import pytest

from tests.fuzz.pages import PageMaker, changed_pages
from tests.reference import html as reference
from thresher.parse import html
from thresher.parse.charset import decode
from thresher.parse.html import HtmlFacts
from thresher_practice import PracticeWeb

STRICT = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/xhtml1.dtd">'
LOOSE = '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/loose.dtd">'
PROSE = "A sentence that is long enough to be prose, and says nothing else than that it is as long as it is. "

SOUND = {
    "nothing but words": "hello",
    "a whole page": "<!DOCTYPE html>\n<html lang=en>\n<head>\n<title>T</title>\n</head>\n<body>\n<p>x\n"
    "</body>\n</html>\n",
    "paragraphs that nobody ends": "<p>one<p>two<div>three<p>four</div>five",
    "a paragraph that was not begun": "<div>one</p>two</div>",
    "items that nobody ends": "<ul><li>one<li>two<ul><li>three</ul><li>four</ul>",
    "terms that nobody ends": "<dl><dt>a<dd>b<dt>c<dd>d<p>e</dl>f",
    "options that nobody ends": "x<select><option>a<option>b<optgroup><option>c</select>y",
    "an end tag of nothing": "<p>one</span> two</font></li></h2> three <a href=/x>x</a>",
    "headings": "<h1>one</h1>x<h2>two</h2>y<h3>three</h4>z",
    "a heading in a heading": "<h2>one<h3>two</h3>three",
    "a heading over links": "<a href=/0>0</a><h2>News &amp; <i>more</i></h2><a href=/1>1</a><h1>Top</h1>"
    "<a href=/2>2</a>",
    "a menu under a heading": "<h2>News</h2><a href=/1>1</a><nav><a href=/2>2</a></nav><footer><a href=/3>3"
    "</a></footer>",
    "a list": "before<ul>\n<li>one</li>\n<li>two <b>bold</b></li>\n</ul>after",
    "a numbered list": "<ol><li>one<li>two</ol><ol start=5><li>five<li value=9>nine<li>ten</ol>",
    "a list in a numbered list": "<ol><li>one<ol><li>two</ol><li><p>three</p><p>four</p></ol>",
    "a list without items": "a<ul></ul>b<ol> </ol>c",
    "a table": "a<table><tr><th>Name<th>Age<tr><td>Ann<td>7<tr><td>Benjamin</table>b",
    "a table with all its parts": "<table><caption>c</caption><colgroup><col><col></colgroup><thead><tr>"
    "<th>a</thead><tbody><tr>"
    "<td>b</tbody><tfoot><tr><td>c</tfoot></table>",
    "a table with paragraphs in its cells": "x<table><tr><td>a<p>b</p><p>c</p><td>d<br>e</table>",
    "a table with lists in its cells": "x<table><tr><td>see<ul><li>a<li>b</ul><td>c</table>",
    "a table with code in its cells": "x<table><tr><td><pre>a\nb</pre><td>c</table>",
    "a table with nothing in it": "a<table></table>b<table><tr></tr></table>c<table><tr><td></td></tr>"
    "</table>d",
    "a table with a link in each cell": "<table><tr><td><a href=/1>one</a><td><a href=/2>two</a></table>",
    "a field that is not seen in a table": "<table><input type=hidden><tr><td>a</table>",
    "a row that ends with its table": "<div><table><td>a</div>b<td>c</table>d",
    "a table in a paragraph": "<p>a<table><tr><td><a href=/x>b</a></table>c",
    "a table behind a paragraph": "<!DOCTYPE html><p>a<table><tr><td><a href=/x>b</a></table>c",
    "a table behind a paragraph of a strict page": f"{STRICT}<p>a<table><tr><td><a href=/x>b</a></table>c",
    "a table behind a paragraph of a loose page": f"{LOOSE}<p>a<table><tr><td><a href=/x>b</a></table>c",
    "a kind of document told in small letters": "<!doctype html><title>t</title>x",
    "a declaration before the kind": '<?xml version="1.0"?>\n<!-- c --><!DOCTYPE html><p>x',
    "hidden parts": "<p>a<span hidden>b</span><i style='Display:None'>c</i><i style='visibility:hidden'>d"
    "</i><b style=x>e",
    "a style that is told twice": "<p>a<i style=x style=display:none>b</i>",
    "hidden links": "<p>a <a href=/1>one</a><p hidden>b <a href=/2>two</a> c</p><a href=/3 hidden>three</a>"
    "<a href=/4>four</a>",
    "readings of signs": "<p><ruby>漢<rp>(<rt>kan<rp>)</ruby>字",
    "readings of nothing": "<p>a<rt>b</p>c",
    "a sign behind a heading": "<h2>Use<a class='x headerlink' href='#use'>¶</a></h2>"
    "<a class=anchor href=#y>two words</a>",
    "entities": "&lt;p&gt; &amp;amp; &copy; &hellip; &CounterClockwiseContourIntegral; "
    "&nbsp;&euro;&NotEqualTilde;",
    "entities without their end": "a &lt b &copy2024 &notit; &ampx &eacutee &nosuch; & &; &a",
    "entities in values": "<a href='?a=1&amp;b=2&copy=3&lt4&eacute;&para'>x</a>"
    "<img src=a alt='&lt;&#39;&gt'>",
    "numbers of characters": "&#65;&#x42;&#X43; &#8364 &#x1F600; &#160;",
    "numbers of Windows": "&#128;&#147;quoted&#148; &#150; &#x85; &#159;",
    "letters of many bytes": "<title>é中😀</title><p class=中>ä é 中文 😀 \u2003\u200b\u3000",
    "a second html and body": "<html lang=en><body class=a><p>x<html lang=de id=h><body class=b id=main>"
    "<a href=/x>y</a>",
    "words behind the page": "<html><body><p>a</body></html> b <a href=/x>c</a>",
    "a head that nobody begins": "<title>t</title><link rel=next href=/2><meta name=robots content=noindex>x",
    "a drawing with a title": "<title>page</title>a<svg viewBox='0'><title>drawn</title><g><path d=x />"
    "<linearGradient/></g></svg>b",
    "a formula": "a<math display=block><semantics><mrow><msub><mi>b</mi><mn>2</mn></msub><mspace/></mrow>"
    "<annotation encoding=application/x-tex>b_2</annotation></semantics></math>c",
    "an object": "<p>a<object data=x><param name=y><b>c<p>d</object>e<applet><p>f</applet>"
    "g<marquee>h</marquee>",
    "a style and a link in a drawing": "a<svg><style>b{}</style><a xlink:href=/x><text>c</text></a></svg>d",
    "a formula in a drawing": "<svg><math><desc>a</desc></math></svg>b",
    "the end of a line break that was not begun": "a</br>b<p>c</br></p>d",
    "soft hyphens": "a\xadb c&shy;d",
    "an empty drawing": "a<svg/>b<svg></svg>c",
    "a choice": "a<label>b<select name=x><option value=1 selected>c</option></select></label>d",
    "a field with words": "a<textarea>\nb <p>c &amp; d</textarea>e",
    "code": "a<pre>\n\n  b\n    c\n</pre>d<pre>e<b>f</b> \n<a href=/x>g</a></pre>",
    "code with a script in it": "<pre>a<script>b</script>\nc</pre>",
    "code with nothing in it": "<pre></pre>x",
    "scripts": "a<script>if (b<c) { d = '<p>'; }</script><script><!--\n e //--></script><style>f{}</style>g",
    "a script in capitals": "a<SCRIPT>b</SCRIPT >c",
    "comments": "a<!-- b --><!----><!-- <p> -- > -->c<!d><?e ?>f",
    "noscript in the head": "<head><noscript><link rel=stylesheet href=x><style>y</style></noscript><title>t"
    "</title></head>z",
    "noscript in the body": "a<noscript><img src=x alt=y>z</noscript>b",
    "a script that ends noscript in the head": "<head><noscript><script></script>x",
    "a base": "<base href=/b/><base href=/c/><a href=d>e</a>",
    "the address to keep": "<head><link rel=canonical href=/c></head><body>x<link rel=canonical href=/d>",
    "robots": "<meta name=Robots content='noindex, nofollow'><meta name=THRESHER content=none>"
    "<meta name=x content=y>z",
    "links of the head": "<link rel='next' href=/2 title=Two><link rel=stylesheet href=s>"
    "<link rel=alternate type=x/oembed href=o>x",
    "a language told by meta": "<meta http-equiv=Content-Language content=fr>x",
    "a language told by XML": "<html xml:lang=it>x",
    "pictures": "a<img src=1 alt=one>b<img src=2 title=two>c<img src=3 alt='' title=three>d<img>e"
    "<image src=4>",
    "a link round a picture": "<a href=/x><img src=1 alt='a word'></a><a href=/y title=called><img src=2>"
    "</a><a href=/z aria-label=z></a>",
    "areas and frames": "<map><area href=/n alt=north></map><a href=/x>x</a><iframe src=/f title=f>y"
    "</iframe>z",
    "places of links": "<div id=menu><p class='nav top'><a href=/1>1</a></p></div><div id=x1 class=中>"
    "<a href=/2#b>2</a><a href=/2>2</a>",
    "relations of links": "<a href=/1 rel='NoFollow, UGC'>1</a><a href>2</a><a name=x>3</a><a href=#top>4"
    "</a>",
    "a link round blocks": "<a href=/x><h2>a</h2><p>b</p></a>c",
    "links in a paragraph each": "<p><a href=/1>a</a><p><a href=/2>b</a>",
    "attributes in every way": "<a href = '/1' HREF=/2 title=\"a\nb\" x = y / z>c</a><br/><a href=/3/>d</a>"
    "<a\nhref=/4\n>e</a>",
    "line ends of Windows": "<p>a\r\nb\rc</p>\r\n<pre>\r\nd\r\n</pre><textarea>\r\ne</textarea>",
    "signs that begin no tag": "a < b <3 c <> d > e",
    "a page that breaks off in a tag": "<p>a<b>c</b><a href='/x",
    "blocks among words": "<span>a<div>b</div>c</span>d<blockquote>e<p>f</blockquote>g<center>h</center>i"
    "<dialog>j</dialog>k",
    "breaks and rules": "a<br>b<br><br>c<hr>d<p>e<br></p>f<wbr>g",
    "a form": "<form><p>a<input><button>b</button></form>c<form>d</form>",
    "parts nobody knows": "<x-a>b<x-c>d</x-a>e<nav-bar/>f",
    "an article with menus": f"<nav><a href=/>Home</a></nav><div class=entry-content><h1>T</h1>"
    f"<p>{PROSE * 3}</p><p>{PROSE * 2}</p></div>"
    "<div class=comments><p>a comment</p></div><footer>Copyright</footer>",
    "an article in a part for words": f"<u><p>{PROSE * 2}</p>4<p>{PROSE * 3}</p></u><div class=ad>ad</div>",
    "an article with code and a table": f"<article><p>{PROSE * 4}<pre>x = 1\ny</pre><table><tr><th>a<tr>"
    "<td>b</table></article><p>z",
    "an article under its heading": f"<h1>T</h1><p>{PROSE}<div id=content>{f'<p>{PROSE}' * 5}</div><ul><li>"
    "<a href=/1>a</a></ul>",
}  # fmt: skip

STRICT, IBM = "-//W3C//DTD XHTML 1.0 Strict//EN", "ibmxhtml1-transitional.dtd"
LAID = "<p>a<table><tr><td>b</table>"  # a table ends a paragraph, by the rules of some kinds of documents
LINKS = "".join(f"<link rel=next href=/{number}>" for number in range(100))
REPAIRED = {
    "formatting that ends in another order": "<p><b>a<i>b</b>c</i>",
    "formatting that a paragraph cuts": "<p><b>a<p>b</b>c",
    "a link in a link": "<a href=/1>a<a href=/2>b</a></a>",
    "words in a table": "<table>a<tr><td>b</table>",
    "a part in a table": "<table><tr><div>a</div><td>b</table>",
    "a table in a cell": "<table><tr><td>a<table><tr><td>b</table></table>",
    "a template": "a<template><p>b</template>",
    "frames": "<frameset><frame src=/x></frameset>",
    "words in a part of a formula that holds HTML": "a<math><mi><b>b</b></math>",
    "words that nobody ends": "a<plaintext>b",
    "a page that leads on by itself": "<meta http-equiv=Refresh content='0; url=/x'>a",
    "NUL": "a\0b",
    "NUL by its number": "a&#0;b",
    "half a character": "a\ud800b",
    "a script that nobody ends": "a<script>b",
    "a comment that nobody ends": "a<!-- b",
    "a choice with other things in it": "x<select><p>a</select>",
    "nothing": "",
    "nothing but blanks": "<p>&nbsp; </p><i hidden>x</i>",
    "more open parts than a browser likes": "<div>" * 600 + "x",
    "a list of proposals": "<datalist>a</datalist>b",
    "a sign behind a heading, called so in other letters": "<h2>a<a class=Anchor href=#b>¶</a></h2>",
    "a kind of document that is written wrongly": f'<!DOCTYPE html PUBLIC "{STRICT}" http://a>{LAID}',
    "a kind of document whose name nobody ends": f'<!DOCTYPE html PUBLIC "{STRICT}" "http://a>{LAID}',
    "IBM's kind of document": f'<!DOCTYPE html PUBLIC "{STRICT}" "http://www.ibm.com/data/dtd/v11/{IBM}">{LAID}',
    "the end of a body that has not begun": "<head><noscript></body></noscript></head>a",
    "the end of something else among columns": "<table><colgroup></g><col><tr><td>a</table>",
    "a script among columns": "<table><colgroup><script></script><col><tr><td>a</table>",
    "a line feed by its number where it does not count": "a<textarea>&#10;b</textarea>",
    "the same where lines count": "a<pre>&#10;b</pre>",
    "what draws nothing in a drawing": "a<svg><listing>b</listing></svg>c",
    "a mark of ours beside hidden links": "\x02a<i hidden><a href=/b>b</a></i>",
    "the same by its number": "&#x2;a<i hidden><a href=/b>b</a></i>",
    "a name that only old browsers know": "<span><isindex></span><a href=/a>b</a>",
    "tags of the body that give it more and more": "a" + "<body a b c d e>" * 20,
    "tags of endless names": f"<x{'x' * 100}><a href=/b>c</a>",
    "links below more attributes than anybody reads": f"{('<div' + ' a' * 990 + '>') * 16}{LINKS}",
}


def by_tree(markup: str, place: bool = True) -> HtmlFacts:
    return reference.read(markup, "thresher", context=False, place=place, offsets=False, codes=False)


def by_core(markup: str, place: bool = True) -> HtmlFacts:
    return html.read(markup, "thresher", context=False, place=place, offsets=False, codes=False)


def is_sound(markup: str) -> bool:
    """Tell whether the core reads a page without its repair."""
    before = html.ReadCounts.sound
    html.found_in(markup, 0)
    return html.ReadCounts.sound > before


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_page_is_read_in_one_pass_as_by_its_tree(name):
    for markup in (SOUND[name], SOUND[name].replace("\n", "\r\n"), f"<div>{PROSE}</div>{SOUND[name]}"):
        assert is_sound(markup)
        assert by_core(markup) == by_tree(markup)
    assert by_core(SOUND[name], place=False) == by_tree(SOUND[name], place=False)


@pytest.mark.parametrize("name", REPAIRED)
def test_a_page_that_must_be_repaired_is_read_as_by_its_tree(name):
    assert by_core(REPAIRED[name]) == by_tree(REPAIRED[name])


@pytest.mark.parametrize(
    "piece", ["<", "<p>", "<area href=/x>", "<iframe src=/x></iframe>", "<img src=x>", "é "]
)
def test_of_a_page_without_end_as_much_is_read_as_by_its_tree(piece):
    markup = "x" + piece * (300_000 // len(piece)) + "<title>t</title><a href=/y>y</a>"
    assert by_core(markup) == by_tree(markup)


@pytest.mark.parametrize("name", [*SOUND, *REPAIRED])
def test_context_offsets_and_what_is_written_are_those_of_the_tree(name):
    markup = {**SOUND, **REPAIRED}[name]
    assert html.read(markup) == reference.read(markup)
    assert html.read(markup, offsets=False) == reference.read(markup, offsets=False)
    assert html.read(markup, context=False) == reference.read(markup, context=False)


def test_a_table_that_would_be_megabytes_is_read_as_plain_text_with_its_links():
    row = f"<tr><td>{'x' * 5_000}</td></tr>" + "<tr><td>a</td><td><a href='/b'>b</a></td></tr>" * 2_000
    before = html.ReadCounts.plain
    found = html.read(f"<title>T</title><table>{row}</table>")
    assert html.ReadCounts.plain == before + 1
    assert (found.title, len(found.mentions), found.text.split()[-2:]) == ("T", 2_000, ["a", "b"])


@pytest.mark.parametrize(("broken", "sound"), [(0, 0.6), (3, 0.5)])
def test_made_up_pages_are_read_as_by_their_trees(broken, sound):
    maker = PageMaker(Random(broken), broken)
    assert share_sound(maker.page() for _ in range(600)) >= sound


def test_pages_of_the_practice_web_are_read_as_by_their_trees_and_so_are_damaged_ones():
    web = PracticeWeb(seed=1)
    pages = [decode(web.answer(web.address(url)).body)[0] for url in web.pages[::29]]
    assert share_sound(pages) > 0.95
    assert share_sound(islice(changed_pages(pages, Random(1)), 400)) > 0.5


def share_sound(pages) -> float:
    """Return the share of pages that the core reads as they are; each is read as its tree is."""
    every = list(pages)
    for markup in every:
        assert by_core(markup) == by_tree(markup), markup
    return sum(map(is_sound, every)) / len(every)
