"""What `topic suggest` proposes: what a page is about, not what it is made of."""

from thresher.core.records import Topic
from thresher.knowledge.index import shipped_knowledge
from thresher.topic.suggest import other_words, suggest

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


MEMORY = (
    "The garbage collector frees what nothing points to. Garbage collection runs now and then.",
    "Garbage collection is done by a garbage collector. It stops the program. Cleanup is another thing.",
    "Nothing here. Lists are sorted in place. A program is read from a file.",
)


def test_what_stands_in_the_sentences_of_the_whole_name_is_another_word_for_it():
    with shipped_knowledge() as lexicon:
        assert other_words(MEMORY, Topic("garbage collection"), lexicon) == ["garbage collector"]


def test_where_no_page_has_the_whole_name_its_rarest_word_stands_for_it():
    """ "Strings" and "move" would lead to pages on anything; "tablature" does not."""
    pages = ("Tablature for strings. Move the strings.", "Tablature has numbers. Move on.", "Strings, move.")
    with shipped_knowledge() as lexicon:
        assert other_words(pages, Topic("guitar tablature"), lexicon) == ["tablature"]
        assert other_words(pages, Topic("move strings"), lexicon) == []


def test_what_the_knowledge_calls_it_comes_first_and_what_is_known_never():
    with shipped_knowledge() as lexicon:
        assert other_words(MEMORY, Topic("cryptography"), lexicon) == ["encryption"]
        assert other_words(MEMORY, Topic("cryptography", {"encryption": 1.0}), lexicon) == []
