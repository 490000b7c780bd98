"""Where in a page a link stands."""

import pytest

from tests.unit.parse_examples import page


def place(markup: str) -> str:
    return page(f"<html><body>{markup}<a href=/b>x</a>").links[0].place


def test_a_place_is_the_path_of_tags_with_the_id_or_the_first_class_of_each():
    assert place("<div id=main class=wide><section class='news top'><p>") == (
        "html/body/div#main/section.news/p/a"
    )


@pytest.mark.parametrize("name", ["post-4711", "x" * 40, "日/本", ""])
def test_a_name_that_means_one_thing_only_is_no_hint(name):
    assert place(f"<div id='{name}'>") == "html/body/div/a"


def test_two_items_of_one_menu_stand_in_one_place():
    found = page("<ul id=menu><li id=item-1><a href=/1>1</a><li id=item-2><a href=/2>2</a></ul>")
    assert {link.place for link in found.links} == {"html/body/ul#menu/li/a"}


def test_a_deep_place_keeps_its_innermost_tags():
    deep = place("<div>" * 300 + "<p>")
    assert deep.endswith("div/div/p/a")
    assert deep.count("/") == 16
    assert (
        page("<div>" * 9 + "<a href=/1>1</a>" + "<div>" * 30 + "<a href=/2>").links[1].place.count("/") == 16
    )


def test_a_link_that_a_page_repeats_stands_where_it_stood_first():
    found = page("<nav><a href=/1>menu</a></nav><main><p><a href=/1>text</a><a href=/2>other</a></main>")
    assert [link.place for link in found.links] == [
        "html/body/nav/a",
        "html/body/nav/a",
        "html/body/main/p/a",
    ]


def test_a_link_stands_under_the_latest_heading_but_not_where_a_menu_or_another_title_begins():
    found = page(
        "<h1>Lists</h1><a href=/1>1</a><h2>Geo <b>data</b></h2><ul><li><a href=/2>2</a></ul>"
        "<h3>Maps</h3><a href=/3>3</a><footer><a href=/4>4</a></footer><nav><a href=/5>5</a></nav>"
    )
    assert [link.heading for link in found.links] == ["", "Geo data", "Maps", "", ""]
