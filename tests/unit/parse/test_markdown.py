"""Pages as Markdown: what a parser of Markdown makes of it is what stood on the page."""

import pytest
from markdown_it import MarkdownIt

from thresher.parse.markdown import DEEPEST, escaped, markdown, unmarked

READER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
SENTENCE = "The queen lays her eggs in the cells of the comb while the workers feed the brood. "
LAST = "When the last flowers are gone the bees stay in their hive and keep each other warm. " * 3
MENU = '<nav><ul><li><a href="/">Home</a><li><a href="/b">More bees</a></ul></nav>'


def page(body: str) -> str:
    text = f"<p>{SENTENCE * 4}</p>{body}<p>{LAST}</p>"
    return f"<html><head><title>Bees</title></head><body>{MENU}<main>{text}</main></body></html>"


def written(body: str) -> str:
    """Return the Markdown of what stands between the first and the last paragraph."""
    return markdown(page(body)).split("\n\n", 1)[1].removesuffix(f"\n\n{LAST.strip()}")


HARD = """<h2>7.22.&nbsp;The &ldquo;Mask&rdquo; <em>Submenu</em></h2>
<p>Keys: a<b>&nbsp;bold&nbsp;</b>b <strong><em>F2</em></strong>, <u>u</u> <span>s</span> <kbd>Ctrl</kbd>
vector&lt;int&gt; and &amp;amp; and &amp;lt;b&amp;gt; &lt;/td&gt; &lt;<i>i</i>&gt; x &lt; y &copy; &#8212;</p>
<table border="0"><tr><td>one<br>two</td><td><ul><li>three</li></ul></td></tr>
<tr><td>a|b</td><td><b>four</b></td></tr></table>
<table><tr><td><table><tr><td>in</td><td>side</td></tr></table></td><td>out</td></tr></table>
<dl><dt>term</dt><dd>meaning</dd></dl>
<pre class="brush: js">if (a &lt; b) {\n\n  x &amp;= "&lt;td&gt;" }</pre>"""


def test_no_tag_and_no_entity_is_left_outside_code():
    tokens = READER.parse(markdown(page(HARD)))
    inline = [child for token in tokens for child in token.children or ()]
    assert [each.content for each in (*tokens, *inline) if each.type.startswith("html")] == []
    text = "\n".join(child.content for child in inline if child.type == "text")
    assert "vector<int> and &amp; and &lt;b&gt; </td> <" in text
    assert "© —" in text and "\xa0" not in text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<h2>7.&#160;The <b>Mask</b> <code>f()</code></h2>", "## 7. The Mask `f()`"),
        ("<p>a <b>bold </b>word, <i>so</i></p>", "a **bold** word, *so*"),
        (
            "<p>蜜蜂<b>，蜂王</b>产卵</p>",
            "蜜蜂，蜂王产卵",
        ),  # ** between a letter and a sign would stay a star
        ("<p>vector&lt;int&gt; &amp;amp; snake_case *a*</p>", r"vector\<int> \&amp; snake_case \*a\*"),
        ("<p># none</p><p>1. none</p><p>- none</p>", "\\# none\n\n1\\. none\n\n\\- none"),
        ("<p>use <code>a`b &lt;i&gt;</code></p>", "use ``a`b <i>``"),
        (
            "<pre><code class='language-py'>print('&lt;b&gt;')\n\n```</code></pre>",
            "````py\nprint('<b>')\n\n```\n````",
        ),
        ("<ol start=3><li>three<ul><li>in it</ul><li>four</ol>", "3. three\n   - in it\n4. four"),
        ("<dl><dt>drone<dd>male bee<dt>queen<dd>mother</dl>", "drone\n: male bee\n\nqueen\n: mother"),
        ("<blockquote><p>one said</p><p>and more</p></blockquote>", "> one said\n\n> and more"),
        (
            "<table><tr><th>Bee</th><th>Count</th></tr><tr><td>a|b</td><td>1<br>2</td></tr></table>",
            "| Bee | Count |\n| --- | --- |\n| a\\|b | 1 2 |",
        ),
    ],
)
def test_each_kind_of_block_has_its_form(body, expected):
    assert written(body) == expected


def test_menus_and_what_is_no_text_are_left_out():
    text = markdown(
        page(f"<h2>Hive</h2><p>{SENTENCE}</p>") + "<footer>All rights</footer><script>x()</script>"
    )
    assert "## Hive" in text
    assert not any(words in text for words in ("Home", "More bees", "All rights", "x()"))


def test_a_list_of_the_text_is_kept_and_the_menu_with_the_same_words_is_not():
    text = written(f"<ul><li>Home</li><li>Hive tools</li></ul><p>{SENTENCE * 2}</p>")
    assert text.startswith("- Home\n- Hive tools")
    assert markdown(page("")).count("Home") == 0


def test_a_page_of_many_thousand_nested_elements_is_written():
    assert "deep inside" in markdown(page("<div>" * 50 * DEEPEST + "<p>deep inside of the whole page</p>"))


def test_text_that_is_no_page_is_escaped():
    assert escaped("a <b>\n# c") == "a \\<b>\n\n\\# c"
    assert unmarked(r"The `vector\<int>`") == "The vector<int>"
