"""A corpus folder: a recorded web, topics to look for in it, and what people say is relevant.

pages.warc.gz        the pages (or any other WARC and ARC files)
topics.jsonl         one topic a line: id, path, keywords, description, seeds
relevant/TOPIC.txt   the relevant URLs of a topic, one a line
labels.tsv           a URL and its labels, as people gave them (kept for the record)
hard_exclude.txt     pages that the hard mode hides: lists that would give the answer away (may be missing)
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.core.errors import InvalidUrl, UnknownName, UsageError
from thresher.core.records import Topic, Url
from thresher.core.url import parse as parse_url
from thresher.topic.build import path_weights, terms
from thresher.topic.url_spellings import Row, spelling_row

EFFORTS = ("name", "keywords", "description", "examples")
"""What a person types (efforts.py)."""

TOPIC_MODELS = ("labels", "rich", "keyword", "ontology", *EFFORTS)
DEFAULT_SEEDS = ("hub", "ordinary", "offtopic")


class CorpusTopic(Struct, frozen=True):
    """A line of topics.jsonl; what else the line holds is for people."""

    id: str
    path: str
    path_zh: str | None = None
    keywords: tuple[str, ...] = ()
    keywords_zh: tuple[str, ...] | None = None
    description: str = ""
    languages: tuple[str, ...] = ("en",)
    seeds: dict[str, str | int] = {}

    def labels(self) -> dict[str, tuple[str, ...]]:
        """Return the labels of the path, from the root down, in each language the topic is in."""
        paths = {"en": self.path, "zh": self.path_zh or ""}
        named = {language: paths.get(language, "") for language in self.languages} or {"en": self.path}
        return {language: _split(path) for language, path in named.items() if path}

    def spellings(self) -> tuple[Row, ...]:
        """Return how each label of the path is spelt in URLs, in both languages whichever the topic is in."""
        english, chinese = _split(self.path), _split(self.path_zh or "")
        pairs = zip_longest(english, chinese if len(chinese) == len(english) else ())
        return tuple(spelling_row([("en", en), *([("zh", zh)] if zh else [])]) for en, zh in pairs)

    def lexicon(self) -> dict[str, float]:
        """Return what stands in for a local ontology: labels, keywords, and the words of the description."""
        keywords = dict.fromkeys(self.words(), 1.0)
        for path in self.labels().values():
            keywords = path_weights(path) | keywords
        return terms(Topic(self.id, keywords, description=self.description))

    def words(self) -> tuple[str, ...]:
        """Return the keywords in the languages the topic is in."""
        return (*self.keywords, *(self.keywords_zh or () if "zh" in self.languages else ()))


@dataclass(frozen=True)
class Corpus:
    """A corpus folder, opened."""

    path: Path

    @cached_property
    def name(self) -> str:
        """What the corpus is called: the name of its folder."""
        return self.path.resolve().name

    @cached_property
    def topics(self) -> dict[str, CorpusTopic]:
        """The topics by their ids, in the order of the file."""
        return {topic.id: topic for topic in map(self._read_topic, enumerate(self._topic_lines(), start=1))}

    @property
    def exclusions(self) -> Path:
        """The file of pages that the hard mode hides."""
        return self.path / "hard_exclude.txt"

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes the corpus can be played in."""
        return ("easy", "hard") if self.exclusions.exists() else ("easy",)

    def topic(self, name: str) -> CorpusTopic:
        """Return the topic of an id."""
        if name not in self.topics:
            raise UnknownName(f"topic in {self.name}", name, self.topics)
        return self.topics[name]

    def relevant(self, topic: str) -> frozenset[Url]:
        """Return the pages that are relevant to a topic: for the referee, never for a strategy."""
        path = self.path / "relevant" / f"{self.topic(topic).id}.txt"
        if not path.exists():
            raise UsageError(f"{path} is missing: list the relevant URLs of {topic} there, one a line.")
        return read_urls(path)

    def hidden(self, mode: str) -> frozenset[Url]:
        """Return the pages a mode hides."""
        if mode == "easy":
            return frozenset()
        if mode != "hard":
            raise UnknownName("mode", mode, ("easy", "hard"))
        return read_urls(self.exclusions)

    def seeds(self, topic: str, names: Iterable[str]) -> list[Url]:
        """Return the seeds of a topic that go by these names, or that are URLs themselves."""
        known = {name: url for name, url in self.topic(topic).seeds.items() if isinstance(url, str)}
        asked = tuple(names)
        if asked == DEFAULT_SEEDS and not known.keys() & set(asked):
            asked = tuple(known)  # a corpus of one's own has seeds of its own
        found = [known.get(name, name) for name in asked]
        for name in found:
            if "://" not in name:
                raise UnknownName(f"seed of {topic}", name, known)
        return [parse_url(url) for url in found]

    def _topic_lines(self) -> list[str]:
        path = self.path / "topics.jsonl"
        if not path.exists():
            raise UsageError(
                f"{self.path} is no corpus folder: no topics.jsonl is in it. See docs/trust/lab.md."
            )
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]

    def _read_topic(self, numbered: tuple[int, str]) -> CorpusTopic:
        number, line = numbered
        try:
            return msgspec.json.decode(line, type=CorpusTopic)
        except msgspec.DecodeError as error:
            raise UsageError(f"{self.path / 'topics.jsonl'}, line {number}: {str(error).lower()}.") from None


def topic_of(entry: CorpusTopic, model: str) -> Topic:
    """Return the topic as a strategy sees it: its path's labels, or those with keywords and description.

    labels:  the labels of the path, the i-th of D weighs i/D
    rich:    besides, every keyword weighs 1 and the words of the description 0.5
    keyword: the last label and nothing else, as if the user had typed one word
    ontology: as labels; the stage adds the lexicon of a local ontology (setup.py)
    """
    if model not in TOPIC_MODELS:
        raise UnknownName("topic model", model, TOPIC_MODELS)
    labels = entry.labels()
    if model == "keyword":
        return Topic(entry.id, {path[-1]: 1.0 for path in labels.values()})
    keywords: dict[str, float] = {}
    for path in labels.values():
        keywords |= path_weights(path)
    if model == "rich":
        keywords |= dict.fromkeys(entry.words(), 1.0)
    return Topic(
        name=entry.id,
        keywords=keywords,
        path=_split(entry.path),
        labels={language: path[-1] for language, path in labels.items()},
        description=entry.description if model == "rich" else "",
        spellings=entry.spellings(),
    )


def read_urls(path: Path) -> frozenset[Url]:
    """Return the URLs of a file, one a line; a line that is none is an error with its number."""
    urls = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                urls.add(parse_url(line.strip()))
            except InvalidUrl as error:
                raise UsageError(f"{path}, line {number}: {error}") from None
    return frozenset(urls)


def _split(path: str) -> tuple[str, ...]:
    return tuple(label.strip() for label in path.split("/") if label.strip())


def default_cache() -> Path:
    """Return the lab's folder in the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "thresher" / "lab"
