"""What changed between two visits: as the paper asks it, and soundly."""

import pytest
from msgspec.structs import replace

from tests.stopwatch import MOMENT, cpu_seconds
from thresher.core.enums import ChangeKind, Detail, Origin, Outcome
from thresher.core.records import Candidate, Fetched, Fingerprint, Link, Page, Url, Visit
from thresher.freshness.change import WORDLESS, paper_change, sound_change
from thresher.freshness.diff import blocks, essence, lines_of
from thresher.freshness.page_state import Watched, after_visit, judged
from thresher.parse import parse

URL = Url("http://example.org/")


def page(body: str, title: str = "Bees") -> Page:
    html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    headers = (("content-type", "text/html; charset=utf-8"),)
    return parse(Fetched(Candidate(URL), URL, 200, headers, html.encode()))


STORY = "<p>The queen lays two thousand eggs a day in spring.</p><p>In winter the bees keep her warm.</p>"
MENU = "<div>Home | News | About</div>"
FOOT = "<div>Last updated 2024-01-02 10:15 by the club, 12 345 visitors</div>"


def test_the_same_page_has_not_changed():
    assert sound_change(page(STORY), page(STORY)) is None
    assert paper_change(page(STORY).fingerprint, page(STORY).fingerprint) is None


def test_white_space_is_no_change():
    assert sound_change(page(STORY), page(STORY.replace(" ", "\n  "))) is None


def test_a_new_sentence_is_news_and_the_diff_shows_it():
    change = sound_change(page(STORY), page(STORY.replace("two", "three")))
    assert change is not None and change.kind is ChangeKind.TEXT and change.substantive
    assert change.diff == (
        "- The queen lays two thousand eggs a day in spring.\n"
        "+ The queen lays three thousand eggs a day in spring."
    )


@pytest.mark.parametrize(
    "changed",
    [
        FOOT.replace("2024-01-02 10:15", "2024-03-04 09:00"),
        FOOT.replace("12 345", "12 399"),
        FOOT.replace("2024-01-02 10:15", "March 4, 2024"),
    ],
)
def test_a_date_or_a_counter_that_runs_on_is_a_change_but_no_news(changed):
    change = sound_change(page(STORY + FOOT), page(STORY + changed))
    assert change is not None and change.kind is ChangeKind.BOILERPLATE and not change.substantive


def test_a_menu_whose_entries_change_places_is_no_news():
    change = sound_change(page(MENU + STORY), page(MENU.replace("Home | News", "News | Home") + STORY))
    assert change is not None and not change.substantive


def test_paragraphs_that_change_places_are_no_news():
    first, second = STORY.split("</p>")[:2]
    change = sound_change(page(STORY), page(f"{second}</p>{first}</p>"))
    assert change is not None and change.kind is ChangeKind.BOILERPLATE


def test_a_number_in_a_sentence_is_news():
    """Only short lines can be counters: what is written out is meant."""
    told = "<p>The association has counted the hives of all its members and found {} of them this year.</p>"
    change = sound_change(page(told.format(10_250)), page(told.format(9_870)))
    assert change is not None and change.substantive


def test_other_tags_with_the_same_words_are_a_change_of_structure():
    change = sound_change(page("<table><tr><td>bee</td></tr></table>"), page("<div><div>bee</div></div>"))
    assert change is not None and change.kind is ChangeKind.STRUCTURE and not change.substantive


def test_the_paper_stops_at_structure_then_asks_text_then_images():
    """Mali & Meshram 2011, layer 2: structure, then text, then images."""
    plain = page("<p>ad</p><img src='/1.gif'>").fingerprint
    others = ("<p>xy</p><p>z</p>", "<p>ax</p><img src='/1.gif'>", "<p>ad</p><img src='/2.gif'>")
    found = [paper_change(plain, page(other).fingerprint) for other in others]
    kinds = [ChangeKind.STRUCTURE, ChangeKind.TEXT, ChangeKind.IMAGES]
    assert [change.kind for change in found if change] == kinds


def test_the_paper_does_not_see_an_anagram_and_the_sound_form_does():
    before, after = page("<p>listen to the dog</p>"), page("<p>silent to the god</p>")
    assert paper_change(before.fingerprint, after.fingerprint) is None
    change = sound_change(before, after)
    assert change is not None and change.substantive


def test_what_differs_on_each_load_is_noise_once_its_place_is_known():
    def with_advertisement(words: str) -> Page:
        return page(f"<p>above</p><p>{words}</p><p>below</p>")

    before, after = with_advertisement("buy soap"), with_advertisement("buy rope")
    place = blocks(lines_of(f"Bees\n{before.text}"), lines_of(f"Bees\n{after.text}"))[0].place
    change = sound_change(before, after, {place})
    assert change is not None and change.kind is ChangeKind.NOISE and not change.substantive


def test_equal_edits_of_two_pages_have_the_same_key():
    one = sound_change(page(STORY + "<p>Version 1.2</p>"), page(STORY + "<p>Version 1.3</p>"))
    other = sound_change(page("<p>Other</p><p>Version 1.2</p>"), page("<p>Other</p><p>Version 1.3</p>"))
    assert one is not None and other is not None and one.edits == other.edits != ()


def test_chinese_dates_run_on_as_well():
    assert essence("更新于 2024年1月2日 10:15") == essence("更新于 2024年3月4日 09:00")


def picture(digest: str, likeness: int) -> Page:
    return Page(URL, fingerprint=Fingerprint(digest=digest, image_code="1", likeness=likeness))


def test_a_picture_with_other_bytes_has_changed_and_is_news_when_it_looks_different():
    same, packed, other = picture("a", 0b1111), picture("b", 0b1110), picture("c", 0xFFFF0000)
    assert sound_change(same, same) is None
    again = sound_change(same, packed)
    assert again is not None and again.kind is ChangeKind.IMAGES and not again.substantive
    new = sound_change(same, other)
    assert new is not None and new.substantive


def test_a_sitemap_changes_with_what_it_lists():
    before = Page(URL, links=(Link(URL, Url("http://example.org/a"), origin=Origin.SITEMAP),))
    after = Page(URL, links=(*before.links, Link(URL, Url("http://example.org/b"), origin=Origin.SITEMAP)))
    change = sound_change(before, after)
    assert change is not None and change.kind is ChangeKind.LINKS and not change.substantive


def test_where_there_is_news_the_diff_leaves_out_the_furniture():
    before, after = STORY + FOOT, STORY.replace("two", "three") + FOOT.replace("12 345", "12 399")
    change = sound_change(page(before), page(after))
    assert change is not None and "visitors" not in change.diff


def without_words(body: str) -> Page:
    return replace(page(body), title="", text="", main="")


def test_of_a_noindex_page_it_is_known_that_it_changed_and_how_much_but_not_how():
    long = "".join(f"<p>Chapter {number} of the long story of a hive.</p>" for number in range(40))
    change = sound_change(without_words(STORY), without_words(STORY.replace("two", "six")))
    assert change is not None and (change.kind, change.substantive) == (ChangeKind.TEXT, True)
    assert change.diff == WORDLESS
    slight = sound_change(without_words(long + FOOT), without_words(long + FOOT.replace("12 345", "12 399")))
    assert slight is None, "the main text has no footer"


def forum(lines: int, letter: str) -> str:
    """A page on which one line stands between all others, as "Reply" does."""
    return "\n".join([letter, *(line for number in range(lines) for line in ("Reply", f"{letter}{number}"))])


def long_lines(word: str, end: str) -> str:
    return "\n".join(f"{word * (900 // len(word))}{number}{end}" for number in range(1_000))


LOOKS = {
    "500 lines": (forum(250, "b"), forum(250, "c")),
    "1,000 lines": (forum(500, "b"), forum(500, "c")),
    "1,990 lines": (forum(995, "b"), forum(995, "c")),
    "5,000 lines": (forum(2_500, "b"), forum(2_500, "c")),
    **{
        f"one line of {word!r}": (word * (24_000 // len(word)), word * (24_000 // len(word)) + "!")
        for word in ("mon", "jan", "Mon ", "may 1", "1:00 ", "1,", "1 views")
    },
    **{
        f"lines of {word!r}": (long_lines(word, "a"), long_lines(word, "b"))
        for word in ("mon", "jan", "1:00 ", "1,", "1 views")
    },
    "100,000 lines": (forum(50_000, "b"), forum(50_000, "c")),
    "80,000 lines, all new": tuple(
        "\n".join(f"{word} line {number}" for number in range(80_000)) for word in ("old", "new")
    ),
    "one line of a million letters": ("mon" * 333_333, "mon" * 333_333 + "!"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_two_looks_are_compared_in_a_moment(name):
    before, after = (Page(URL, text=text) for text in LOOKS[name])
    assert cpu_seconds(lambda: sound_change(before, after)) < MOMENT
    change = sound_change(before, after)
    assert change is not None and change.substantive


def test_lines_that_stand_between_all_others_stay_in_their_place():
    found = blocks(forum(3, "b").split("\n"), forum(3, "c").split("\n"))
    assert [(block.gone, block.come) for block in found] == [
        (("b",), ("c",)),
        *(((f"b{number}",), (f"c{number}",)) for number in range(3)),
    ]


def test_a_word_that_only_begins_like_a_month_is_no_date():
    assert essence("Marching 12, 2020") == "\0"
    assert essence("Remarkable 12, 2020") != "\0"


def test_of_what_lies_far_below_it_is_known_that_it_changed_but_not_how():
    before = Page(URL, text="\n".join(f"line {number} of many" for number in range(20_000)))
    assert sound_change(before, before) is None
    change = sound_change(before, replace(before, text=f"{before.text}!"))
    assert change is not None and change.substantive
    assert [line.split(":")[0] for line in change.diff.split("\n")] == [
        "- (the rest of the page",
        "+ (the rest of the page",
    ]


def test_a_long_page_that_changed_above_is_shown_line_by_line():
    lines = [f"line {number} of many" for number in range(9_000)]
    change = sound_change(Page(URL, text="\n".join(lines)), Page(URL, text="\n".join(["News!", *lines])))
    assert change is not None and change.diff == "+ News!"


def test_a_shell_that_was_rendered_before_is_no_change_and_no_copy_to_go_by():
    """The browser was missing, or enough was rendered: what the page says now, nobody has looked at."""
    whole, shell = page(STORY), page("Loading")
    head = Fetched(Candidate(URL), URL, 200, (("etag", '"shell"'),), head=b"HTTP/1.1 200 OK\r\n\r\n")
    revisit = Visit(Candidate(URL), Outcome.FETCHED, 9.0, shell, status=200, fetched=head)
    state = Watched(URL, 0.0, relevance=0.8)
    unmade = judged(state, whole, replace(revisit, detail=Detail.NEEDS_BROWSER))
    assert (unmade.outcome, unmade.page, unmade.change) == (Outcome.UNCHANGED, None, None)
    assert (unmade.relevance, after_visit(state, unmade).etag) == (0.8, "")
    emptied = judged(state, whole, revisit)  # one that needs no browser has really lost its words
    assert emptied.change is not None
    assert after_visit(state, emptied).etag == '"shell"'
