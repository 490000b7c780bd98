"""What a reader sees of a page, and the part of it worth reading."""

from tests.unit.parse_examples import page

ARTICLE = "The league begins its season on Tuesday, and every team has new players to show. " * 6
MENU = "<nav><ul><li><a href=/1>Home</a><li><a href=/2>Scores</a><li><a href=/3>Shop</a></ul></nav>"


def test_the_title_is_on_one_line():
    assert page("<title> Tall \n\t players </title>").title == "Tall players"


def test_only_the_first_title_of_the_document_counts_and_none_of_a_drawing():
    assert page("<svg><title>icon</title></svg><title>one</title><title>two</title>").title == "one"
    assert page("<svg><title>icon</title></svg>").title == ""


def test_block_elements_separate_words_and_inline_ones_do_not():
    assert page("<div>one</div>two<p>three<p>fo<b>u</b>r<br>five<td>").text == "one\ntwo\nthree\nfour\nfive"
    assert page("<table><tr><td>a<td>b<tr><td>c</table>").text == "a b\nc"


def test_scripts_styles_templates_and_comments_are_not_text():
    assert page("<script>x</script><style>y</style><template>z</template><!-- c --><p>seen").text == "seen"


def test_hidden_parts_are_not_text():
    hidden = "<p hidden>a</p><p style='color:red; DISPLAY: none'>b</p><select><option>c</select><p>seen"
    assert page(hidden).text == "seen"


def test_hidden_parts_are_text_when_there_is_nothing_else():
    assert page("<noscript>Please <b>switch on</b> scripts</noscript>").text == "Please switch on scripts"


def test_a_hidden_body_is_shown_by_a_script_later():
    assert page("<body style='display:none'>seen").text == "seen"


def test_the_words_of_an_image_are_part_of_the_text():
    assert (
        page("<p>A <img src=a.png alt=tall> player <img src=b.png title=jumps>").text == "A tall player jumps"
    )


def test_the_main_text_leaves_the_menu_out():
    found = page(f"{MENU}<article><h1>Season</h1><p>{ARTICLE}</p></article><footer>About us</footer>")
    assert "Scores" in found.text
    assert "every team" in found.main
    assert "Scores" not in found.main
    assert "About us" not in found.main


def test_a_page_without_an_article_keeps_all_but_its_furniture():
    found = page(f"{MENU}<p>Short.</p><aside>Ads</aside>")
    assert found.main == "Short."


def test_a_page_that_is_all_menu_is_its_own_main_text():
    assert page(MENU).main == "Home\nScores\nShop"


def test_the_language_is_the_primary_tag_of_what_the_page_or_the_server_says():
    assert page("<html lang=zh-CN>").language == "zh"
    assert page("<html xml:lang=en_GB>", content_language="de").language == "en"
    assert page("<meta http-equiv=content-language content='FR, en'>").language == "fr"
    assert page("<p>", content_language="de-AT").language == "de"
    assert page("<html lang=english>").language == ""
    assert page("<p>").language == ""


def test_control_characters_are_not_text():
    assert page("<p>a&#1;b&#2;c&#3;d&#4;e\x7f").text == "abcde"


def test_a_title_or_text_of_any_length_is_cut():
    assert len(page(f"<title>{'word ' * 5000}").title) <= 1_000
    assert len(page(f"<p>{'word ' * 500_000}").text) <= 1_000_000
