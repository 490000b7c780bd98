"""The pictures of reports and screens: one module draws them all, and nothing foreign becomes markup."""

import re
from xml.etree import ElementTree

import pytest

from thresher.core.progress import Forecast
from thresher.report.charts import STRIPS, draw, harvest_of
from thresher.report.shapes import climb, days, histogram, spark

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>\u202egnp.exe\u0000"
POINTS = [(0, 0), (100, 40), (200, 60)]
AHEAD = Forecast(200, 1000, 50.0, 10, 90)


def texts(picture: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def classes(picture: str, tag: str) -> list[str]:
    return [each.attrib.get("class", "") for each in ElementTree.fromstring(picture).iter(f"{SVG}{tag}")]


def test_a_harvest_is_filled_says_what_is_ahead_and_where_it_stands():
    picture = draw(harvest_of([("", POINTS), ("breadth-first", [(0, 0), (200, 20)])], AHEAD, room=800))
    assert {"area", "fan"} == set(classes(picture, "polygon"))
    assert {"60", "20 breadth-first", "+50 (10 to 90)"} <= set(texts(picture))


def test_the_fan_is_as_long_as_two_crawls_at_most_and_its_ends_shrink_with_it():
    picture = draw(harvest_of([("", POINTS)], AHEAD, room=800))
    fan = next(each for each in ElementTree.fromstring(picture) if each.get("class") == "fan")
    begin, high, low = (tuple(map(float, place.split(","))) for place in fan.attrib["points"].split())
    assert begin[0] < high[0] == low[0]
    assert texts(picture)[-1] == "60" and "600" in texts(picture)  # 200 pages, and 400 ahead of 1 000


def test_numbers_stand_under_the_pointer_without_a_script():
    picture = draw(harvest_of([("", POINTS), ("other", [(0, 0), (200, 20)])], room=800))
    told = [each.findtext(f"{SVG}title") for each in ElementTree.fromstring(picture).iter(f"{SVG}rect")]
    assert len(told) == STRIPS
    assert told[STRIPS // 2 - 1] == "100 pages fetched: 40 relevant, 10 other"


@pytest.mark.parametrize("room", [0, 330, 800])
def test_numbers_of_many_digits_are_not_cut(room):
    picture = draw(harvest_of([("", [(0, 0), (1_000_000, 293_354)])], room=room))
    root = ElementTree.fromstring(picture)
    width = float(root.attrib["viewBox"].split()[2])
    for text in root.iter(f"{SVG}text"):
        words, x, anchor = "".join(text.itertext()), float(text.attrib["x"]), text.get("text-anchor", "start")
        wide = len(words) * 6.0
        start = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        assert start >= -1 and start + wide <= width + 1, (words, room)


def test_a_phone_has_names_inside_and_fewer_numbers():
    wide, narrow = (draw(harvest_of([("bees", POINTS)], room=room)) for room in (800, 330))
    assert 'text-anchor="end">60 bees' in narrow and 'text-anchor="end">60 bees' not in wide
    assert len(texts(narrow)) <= len(texts(wide))


def test_foreign_names_are_words_in_every_picture():
    for picture in (
        draw(harvest_of([(HOSTILE, POINTS)], room=800)),
        climb([(HOSTILE, 0.1), (HOSTILE, 0.9)], 0.5, 800),
        days([(HOSTILE, 1, 2)], 800),
    ):
        assert not list(ElementTree.fromstring(picture).iter(f"{SVG}script"))
        assert not re.search("[\u0000\u202e]", picture)


def test_columns_show_which_pages_turn_by_another_threshold():
    columns = [4, 4, 4, 4]
    assert classes(histogram(columns, 0.5, 0.5, 400), "rect") == ["dull", "dull", "grain", "grain"]
    assert classes(histogram(columns, 0.25, 0.5, 400), "rect") == ["dull", "yes", "grain", "grain"]
    assert classes(histogram(columns, 0.75, 0.5, 400), "rect") == ["dull", "dull", "no", "grain"]


def test_a_column_says_how_many_pages_it_has():
    assert "<title>4 pages from 0.25 to 0.5</title>" in histogram([0, 4, 0, 0], 0.5, 0.5, 400)


def test_the_way_from_a_seed_marks_what_was_relevant_and_where_it_ended():
    picture = climb([("seed", 0.1), ("between", 0.6), ("end", 0.9)], 0.5, 800)
    assert classes(picture, "circle") == ["step", "step hit", "step hit last"]
    assert [text for text in texts(picture) if text.isalpha()][:3] == ["seed", "between", "end"]


def test_a_seed_alone_a_day_alone_and_nothing_found_are_pictures():
    for picture in (
        climb([("seed", 0.0)], 0.5, 400),
        days([("2026-01-01", 0, 0)], 400),
        spark([0.0, 0.0]),
        spark([]),
    ):
        ElementTree.fromstring(picture)


def test_days_that_stand_close_are_not_all_named():
    picture = days([(f"2026-01-{day:02}", day, 1) for day in range(1, 31)], 300)
    assert len(classes(picture, "rect")) == 60 and 3 <= len(texts(picture)) <= 8
