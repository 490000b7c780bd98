"""A crawl may start from what an earlier one on its topic learned, and the user said of its pages."""

from pathlib import Path

from thresher.assemble.mind import mind_of, topic_of
from thresher.core.doors import Inheriting, Strategy, Teachable
from thresher.core.errors import SettingsError
from thresher.core.records import Topic
from thresher.settings.reading import read
from thresher.settings.rooms import StrategySettings
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.store.reading import Reading


def learn_from(asked: StrategySettings, strategy: Strategy, topic: Topic) -> None:
    """Give a new crawl's strategy what the crawl in the folder asked for has learned; that is only read."""
    if not isinstance(strategy, Inheriting):
        raise SettingsError(
            f"The strategy {asked.name} cannot learn from an earlier crawl; "
            "ask for --strategy thresher, or leave --learn-from out."
        )
    folder = CrawlFolder(Path(asked.learn_from))
    store = folder.open()
    try:
        _refuse_others(folder.path, store, asked.name, topic)
        earlier = mind_of(read(folder.settings), store)
        if isinstance(earlier, Teachable):
            earlier.teach(Labels(folder.labels).all(), store)  # those given since the crawl ended
        if not strategy.inherit(earlier):
            raise SettingsError(f"{folder.path} has learned nothing yet; let it fetch some pages first.")
    finally:
        store.close()


def has_mind(folder: CrawlFolder) -> bool:
    """Tell whether a crawl has a mind of its own by now; such a one goes on with it."""
    if not folder.is_begun():
        return False
    store = folder.open()
    try:
        return "strategy" in store.notes()
    finally:
        store.close()


def _refuse_others(path: Path, store: Reading, name: str, topic: Topic) -> None:
    """Refuse a crawl of another strategy or on another topic."""
    notes = store.notes()
    before = topic_of(notes)
    if (known := notes.get("strategy", "nothing")) != name:
        raise SettingsError(
            f"{path} was crawled with {known}, of which {name} can learn nothing; name a crawl with {name}."
        )
    same_concept = bool(topic.concept) and before.concept == topic.concept
    if not same_concept and before.name.casefold() != topic.name.casefold():
        raise SettingsError(
            f"{path} is about {before.name!r} and this crawl about {topic.name!r}; "
            "name a crawl on the same topic, or leave --learn-from out."
        )
