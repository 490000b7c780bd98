"""Where a page leads, and the words that say so."""

import pytest
from msgspec.structs import replace

from tests.unit.parse_examples import fetched, page, targets
from thresher.core.records import Link, Url
from thresher.parse import parse


def test_a_link_carries_its_words_its_surroundings_its_rel_and_its_place():
    found = page(
        "<div id=menu><ul><li>See <a href=/b rel='Nofollow UGC'>the \n<b>rules</b></a> first.</ul></div>"
    )
    assert found.links == (
        Link(
            source=Url("http://a.com/x/"),
            target=Url("http://a.com/b"),
            anchor="the rules",
            context="See the rules first.",
            rel="nofollow ugc",
            place="html/body/div#menu/ul/li/a",
        ),
    )


def test_links_come_in_document_order_and_are_joined_to_the_page():
    assert targets(page("<a href=b>1</a><a href=../c>2</a><a href=?d>3</a><a href=//e.com>4</a>")) == [
        "http://a.com/x/b",
        "http://a.com/c",
        "http://a.com/x/?d",
        "http://e.com/",
    ]


def test_the_first_base_decides_and_is_itself_joined_to_the_page():
    assert targets(page("<base href=/y/><base href=/z/><a href=b>b</a>")) == ["http://a.com/y/b"]


@pytest.mark.parametrize("base", ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.com", ""])
def test_a_base_that_is_no_web_address_is_ignored(base):
    assert targets(page(f"<base href='{base}'><a href=b>b</a>")) == ["http://a.com/x/b"]


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "#top",
        " #top",
        "javascript:void(0)",
        "mailto:a@b.com",
        "tel:1",
        "data:text/html,x",
        "file:///etc",
        "http://",
    ],
)
def test_references_that_lead_to_no_other_page_give_no_link(reference):
    assert page(f"<a href='{reference}'>x</a>").links == ()


def test_a_page_does_not_link_to_itself():
    assert page("<a href=/x/#part>x</a><a href='http://A.com:80/x/'>y</a>").links == ()


def test_an_overlong_reference_gives_no_link_but_white_space_does_not_count():
    assert page(f"<a href=/{'a' * 3000}>x</a>").links == ()
    assert targets(page(f"<a href='{' ' * 3000}/b\n'>x</a>")) == ["http://a.com/b"]


def test_each_mention_of_a_target_is_kept_but_not_its_exact_repeats():
    found = page("<a href=/b>one</a><a href=/b>two</a><a href=/b>one</a><a href=/b rel=next>one</a>")
    assert [(link.anchor, link.rel) for link in found.links] == [("one", ""), ("two", ""), ("one", "next")]


def test_the_words_of_an_image_are_those_of_its_link():
    found = page(
        "<a href=/b><img src=i.png alt='A tall player'></a><a href=/c><img src=i.png title=Shop></a>"
    )
    assert [link.anchor for link in found.links] == ["A tall player", "Shop"]


def test_an_anchor_without_words_has_those_of_its_title():
    assert page("<a href=/b title='The shop'></a>").links[0].anchor == "The shop"
    assert page("<a href=/b aria-label='The shop'><svg></svg></a>").links[0].anchor == "The shop"


def test_the_context_is_the_block_of_the_anchor_and_at_most_fifty_letters_each_side():
    sentence = "before " * 20 + "<a href=/b>here</a>" + " after" * 20
    context = page(f"<p>Another block.</p><p>{sentence}</p><p>And another.</p>").links[0].context
    assert context == " ".join(["before"] * 7 + ["here"] + ["after"] * 8)
    assert page("<p>One.<p>Go <a href=/b>here</a> now.<p>Two.").links[0].context == "Go here now."


def test_an_anchor_round_a_block_is_not_mixed_up_with_the_block_before_it():
    found = page("<div>Before.</div><a href=/b><h3>Head</h3><p>Body.</p></a><div>After.</div>")
    assert (found.links[0].anchor, found.links[0].context) == ("Head Body.", "Head Body.")


def test_chinese_context_has_no_words_to_keep_whole():
    found = page(f"<p>{'前' * 80}<a href=/b>篮球</a>{'后' * 80}")
    assert found.links[0].context == "前" * 50 + "篮球" + "后" * 50


def test_anchors_inside_each_other_each_have_their_words():
    found = page("<a href=/b>out <table><td><a href=/c>in</a></td></table> side</a>")
    assert [(link.target, link.anchor) for link in found.links][-1] == ("http://a.com/c", "in")


def test_links_in_hidden_parts_and_noscript_are_links():
    found = page(
        "<ul style='display:none'><li>To <a href=/b>page 2</a></ul><noscript><a href=/c>3</a></noscript><p>x"
    )
    assert [(link.anchor, link.context) for link in found.links] == [("page 2", "To page 2"), ("3", "3")]
    assert found.text == "x"


def test_links_in_templates_scripts_and_comments_are_none():
    assert (
        page("<template><a href=/b>b</a></template><script>'<a href=/c>'</script><!--<a href=/d>-->").links
        == ()
    )


def test_a_page_cannot_pretend_to_be_our_marks():
    found = page("<p>&#2;0&#3;fake&#4; &#2;x&#3; &#2;99999999&#3;<a href=/b>real</a>&#4;</p>")
    assert found.links[0].anchor == "real"
    assert "fake" in found.text


def test_areas_frames_and_inline_frames_are_links():
    found = page("<map><area href=/b alt=North></map><iframe src=/c title=Map></iframe><p>x")
    assert [(link.target[12:], link.anchor, link.rel) for link in found.links] == [
        ("/b", "North", ""),
        ("/c", "Map", "frame"),
    ]
    frames = page("<frameset><frame src=/f1 name=menu><frame src=/f2></frameset>")
    assert [(link.target[12:], link.anchor, link.rel) for link in frames.links] == [
        ("/f1", "menu", "frame"),
        ("/f2", "", "frame"),
    ]


def test_links_in_drawings_are_links():
    assert targets(page("<svg><a xlink:href=/b>b</a><a href=/c>c</a></svg>")) == [
        "http://a.com/b",
        "http://a.com/c",
    ]


def test_link_elements_that_lead_on_are_links_and_style_sheets_and_icons_are_not():
    found = page(
        "<link rel=next href=/2><link rel=alternate hreflang=de title=Deutsch href=/de>"
        "<link rel='alternate stylesheet' href=/s><link rel='alternate icon' href=/j>"
        "<link rel=icon href=/i><link rel=preload href=/p>"
    )
    assert [(link.target[12:], link.anchor, link.rel) for link in found.links] == [
        ("/2", "", "next"),
        ("/de", "Deutsch", "alternate"),
    ]


@pytest.mark.parametrize("content", ["0;url=/b", "5; URL='/b'", '1,url="/b" x', "0 /b", " 3.5 ;\n url = /b"])
def test_a_refresh_is_a_link(content):
    found = page(f"<meta http-equiv=Refresh content='{content}'>" if "'" not in content else
                 f'<meta http-equiv=Refresh content="{content}">')  # fmt: skip
    assert [(link.target, link.rel) for link in found.links] == [("http://a.com/b", "refresh")]


@pytest.mark.parametrize("content", ["5", "", "url=/b", "soon; url=/b", "٥; url=/b"])
def test_a_refresh_without_seconds_or_address_is_none(content):
    assert page(f'<meta http-equiv=refresh content="{content}">').links == ()


def test_a_refresh_that_asks_for_scripts_is_none():
    assert page("<noscript><meta http-equiv=refresh content='0;url=/scripts-please'></noscript>").links == ()


def test_queries_are_written_in_the_encoding_of_their_page():
    found = page("<a href='/s?q=篮球'>x</a>".encode("gb18030"), content_type="text/html; charset=gb2312")
    assert targets(found) == ["http://a.com/s?q=%C0%BA%C7%F2"]


def test_a_page_of_too_many_links_gives_the_first_ones():
    many = "".join(f"<a href=/{number}>{number}</a>" for number in range(9_000))
    found = parse(fetched(many), max_links=100)
    assert targets(found) == [f"http://a.com/{number}" for number in range(100)]
    assert len(page(many).links) == 5_000


def test_an_anchor_of_any_length_is_cut():
    link = page(f"<a href=/b>{'word ' * 200_000}</a>").links[0]
    assert len(link.anchor) <= 1_000
    assert len(link.context) <= 1_100


@pytest.mark.parametrize("unread", ["context", "place"])
def test_who_does_not_read_the_context_or_the_place_of_links_gets_the_same_links_without(unread):
    markup = "<ul id=menu><li>see <a href=/b>the bees</a> here</ul><p><a href=/c><img src=x></a>"
    whole = parse(fetched(markup))
    bare = parse(fetched(markup), context=unread != "context", place=unread != "place")
    assert [link.context for link in whole.links] == ["see the bees here", ""]
    assert bare == replace(whole, links=tuple(replace(each, **{unread: ""}) for each in whole.links))


@pytest.mark.parametrize("reference", ["", " "])
def test_an_empty_reference_leads_to_the_base_and_nowhere_without_one(reference):
    assert targets(page(f"<base href='/other/page'><a href='{reference}'>x</a>")) == [
        "http://a.com/other/page"
    ]
    assert targets(page(f"<a href='{reference}'>x</a>")) == []


def test_an_empty_canonical_says_nothing():
    assert page("<base href='/other/'><link rel=canonical href=''><p>x").canonical is None
