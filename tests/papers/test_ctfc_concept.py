"""CT-FC, Figure 6a: seed documents are mapped to exactly one concept, without a word of the user's."""

from thresher.knowledge.index import open_knowledge
from thresher.topic.build import NAMELESS, TopicRequest, make_topic
from thresher.topic.url_spellings import tokens_to_review

CATS = {
    "one": "Cats purr when they are stroked. A cat needs a litter box, and the vet sees its kittens.",
    "two": "Our cats sleep by day. The cat catches mice at night; kittens learn it from the mother cat.",
    "three": "Feeding a cat: wet food for kittens, dry food for old cats, and fresh water for every cat.",
}


def test_pages_alone_are_taken_for_one_concept():
    with open_knowledge() as lexicon:
        topic = make_topic(TopicRequest(NAMELESS, examples=CATS), lexicon)
    assert {"cat", "cats"} & {name.lower() for name in topic.lexicon}
    assert topic.concept


def test_stop_words_are_no_suggestions_for_spellings():
    with open_knowledge() as lexicon:
        topic = make_topic(TopicRequest("cats"), lexicon)
    counts = {"the": 900, "and": 800, "kittens": 700}
    assert tokens_to_review(counts, topic) == [("kittens", 700)]
