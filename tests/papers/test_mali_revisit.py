"""Mali and Meshram 2011, layers 2 and 3 at a revisit: codes compared in turn, and the repository updated."""

from io import BytesIO

import pytest

from tests.command_line import thresher
from tests.unit.changing_site import HOST, Site, html
from thresher.core.records import Candidate, Fetched, Page, Url
from thresher.engine.revisit import RevisitTask
from thresher.export.items import items_of
from thresher.freshness.change import ChangeForm, change_between
from thresher.freshness.schedule import PVALUE
from thresher.parse import parse
from thresher.report.changes import changes_of, told
from thresher.report.figures import best_of

HERE = Url("http://a.test/")


def page(body: str) -> Page:
    head = (("content-type", "text/html; charset=utf-8"),)
    return parse(Fetched(Candidate(HERE), HERE, 200, head, body.encode()))


def found(before: str, after: str) -> str:
    change = change_between(page(before), page(after), form=ChangeForm.PAPER)
    return f"{change.kind.value}: {change.diff}" if change else ""


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("<p>ab</p>", "<p>ac</p>", "text: text code 97.5 -> 98"),
        ("<p>listen to the dog</p>", "<p>silent to the god</p>", ""),
        ("<article>bee</article>", "<aside>bee</aside>", ""),
        ("<p>a b</p>", "<p>a  b</p>", "text: text code 75.66666667 -> 86.33333333"),
        ("<p>ab</p>", "<p>a</p><p>b</p>", "structure: structure hhbp / ldyp -> hhbpp / ldypp"),
    ],
)
def test_the_codes_are_compared_in_turn_and_shown(before, after, says):
    """Section 3.2, layer 2; 'even a single blank space' is recorded, an anagram and a like tag are not."""
    assert found(before, after) == says


def test_a_page_without_codes_has_them_taken_first():
    bare = parse(Fetched(Candidate(HERE), HERE, 200, (), b"<p>ab</p>"), codes=False)
    change = change_between(bare, page("<p>zz</p>"), form=ChangeForm.PAPER)
    assert change is not None and not change.substantive


STORY = "Honey and the queen: bees keep warm all winter."


def picture(formula) -> bytes:
    image = pytest.importorskip("PIL.Image")
    drawn = image.new("L", (16, 16))
    drawn.putdata([255 * bool(formula(i, j)) for i in range(16) for j in range(16)])
    kept = BytesIO()
    drawn.save(kept, "PNG")
    return kept.getvalue()


class SiteWithPicture(Site):
    """A site that has one picture besides its pages."""

    shown: bytes = b""

    async def get(self, candidate: Candidate) -> Fetched:
        fetched = await super().get(candidate)
        if not candidate.url.endswith(".png"):
            return fetched
        head = (("content-type", "image/png"),)
        return Fetched(candidate, candidate.url, 200, head, self.shown, fetched_at=fetched.fetched_at)


MALI = ("strategy", {"name": "mali", "images": True, "tau": 0.002})


@pytest.fixture
def site(tmp_path):
    made = SiteWithPicture(tmp_path)
    made.shown = picture(lambda i, j: (i + j) % 2)
    made.pages["/"] = html("Bees", STORY, links=("/a", "/b"))
    made.pages["/a"] = html("Bees a", STORY).replace("</body>", '<img src="/p.png"></body>')
    made.pages["/b"] = html("Bees b", STORY, links=("/a", "/"))
    made.crawl(MALI)
    return made


def test_a_picture_replaced_under_its_address_changes_its_page(site):
    site.shown = picture(lambda i, j: (i * i + 3 * j) % 7 < 3)
    site.revisit(**{"revisit.change": "paper"})
    (change,) = changes_of(site.crawl_folder)
    assert (change.url, change.kind.value) == (site.url("/a"), "images")
    assert "  images, Ival 524280 -> 575884" in list(told([change]))


def test_the_codes_of_a_change_are_listed_and_told_by_why(site):
    site.pages["/b"] = html("Bees b", STORY.replace("winter", "summer"), links=("/a", "/"))
    site.revisit(**{"revisit.change": "paper"})
    listed = thresher("revisit", "--list", str(site.crawl_folder.path))
    assert "text code" in listed.out
    why = thresher("why", site.url("/b"), str(site.crawl_folder.path))
    assert "codes: structure hhtbppapa / ldeyppapa, text code" in why.out


def exported(site) -> list[str]:
    return [item.url.removeprefix(HOST) for item in items_of(site.crawl_folder)]


def test_a_page_that_is_no_longer_relevant_leaves_the_repository(site):
    site.pages["/b"] = html("Cars", "Motors and wheels only.")
    site.revisit()
    assert "/b" in exported(site)
    site.revisit(**{"revisit.repository": "paper"})
    assert "/b" not in exported(site) and "/p.png" in exported(site)


def test_a_changed_page_of_mali_does_not_take_the_looks_of_others_away(site):
    """Its links are ranked anew, and some of them wait for a revisit: this never ended."""
    site.pages["/b"] = html("Bees b", "Honey and queens, all new.", links=("/a", "/"))
    assert site.revisit().revisits == 4


def test_a_broken_link_comes_last_in_the_repository(site):
    site.pages["/b"] = html("Bees b", "A queen lays eggs; honey feeds her hive in spring.", links=("/a", "/"))
    site.revisit()  # no longer a near-duplicate of the others, which would stand for it
    del site.pages["/b"]
    site.revisit(**{"revisit.repository": "paper"})
    assert best_of(site.crawl_folder, 10)[-1].url == site.url("/b")


def test_the_revisit_list_goes_by_pvalue(site):
    """FwdLK - BkLK: / has 2 - 1, /b 2 - 1, /a 0 - 2; and a broken link comes last."""
    site.revisit(errand=RevisitTask(once=True, policy=PVALUE))
    pages = [path for path in site.asked if not path.endswith(".png")]
    assert pages == ["/", "/b", "/a"]
