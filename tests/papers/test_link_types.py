"""The five types of link by which Chen et al. 2009 priority a URL before it is fetched."""

import pytest

from thresher.core.url import LinkType, link_type, parse


@pytest.mark.parametrize(
    ("child", "expected"),
    [
        ("http://a.com/x/y/q.html", LinkType.SIBLING),
        ("http://a.com/x/y/z/r.html", LinkType.DOWNWARD),
        ("http://a.com/x/s.html", LinkType.UPWARD),
        ("http://a.com/", LinkType.UPWARD),
        ("http://a.com/w/t.html", LinkType.CROSSWISE),
        ("http://b.com/x/y/q.html", LinkType.OUTWARD),
    ],
)
def test_a_link_is_typed_by_the_place_of_the_child_under_the_parent(child: str, expected: LinkType):
    """Chen et al. 2009, the link-type relevance R_LT: relative place of the two ends."""
    assert link_type(parse("http://a.com/x/y/p.html"), parse(child)) is expected


@pytest.mark.parametrize(
    ("child", "expected"),
    [
        ("https://a.com/x/y/q.html", LinkType.SIBLING),
        ("http://a.com:8080/x/y/q.html", LinkType.OUTWARD),
        ("http://a.com/x/y/?back=/w/z/", LinkType.SIBLING),
        ("http://a.com/x/yes/q.html", LinkType.CROSSWISE),
        ("http://a.com.cn/x/y/q.html", LinkType.OUTWARD),
    ],
)
def test_the_cases_the_paper_leaves_open_are_settled(child: str, expected: LinkType):
    """The paper names hosts and directories: scheme and query do not move a page, a port does."""
    assert link_type(parse("http://a.com/x/y/p.html"), parse(child)) is expected
