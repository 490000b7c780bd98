"""What `topic suggest` proposes: what a page is about, not what it is made of."""

from thresher.core.records import Topic
from thresher.topic.suggest import suggest

HOWTO = "\n".join(
    [
        "A string is matched against a pattern; the string may be any Python string.",
        "In Python the string is given first. Python compiles the string. Python is fast.",
        "A regex has metacharacters. The metacharacters of a regex repeat what stands before them.",
        "A regex without metacharacters matches itself; a repeated regex matches often.",
    ]
)
COLLECTOR = "\n".join(
    [
        "The garbage collector frees what nobody points to.",
        "When the garbage collector runs, everything waits.",
        "A module may ask the garbage collector to run at once; a module may also stop it.",
    ]
)


def terms(text: str, name: str, others: tuple[str, ...] = ()) -> list[str]:
    return [each.term for each in suggest([text], Topic(name), others)]


def test_what_the_pages_are_written_about_comes_before_what_they_are_written_with():
    """A new user got "string" and "python" first, which lead astray."""
    found = terms(HOWTO, "regular expressions")
    first = found[:2]
    assert set(first) == {"metacharacters", "regex"}
    assert all(found.index(word) > 1 for word in ("string", "python") if word in found)


def test_a_phrase_that_is_near_the_topic_is_proposed_as_a_whole():
    assert terms(COLLECTOR, "garbage collection")[0] == "garbage collector"


def test_what_other_pages_have_as_well_is_not_proposed():
    assert "frees" in terms(COLLECTOR, "garbage collection")
    assert "frees" not in terms(COLLECTOR, "garbage collection", ("It frees the prisoners.",))


def test_the_words_of_the_topic_are_known_already():
    topic = Topic("garbage collection", {"garbage collection": 1.0, "garbage collector": 1.0})
    assert not {"garbage", "collector", "garbage collector"} & {
        each.term for each in suggest([COLLECTOR], topic)
    }
    assert suggest([], topic) == []


def test_chinese_words_that_stand_together_are_written_as_one():
    text = "\n".join(3 * ["硬盘分区需要谨慎", "硬盘分区的方案"])
    assert any("分区" in term for term in terms(text, "磁盘"))
