"""The strategy of a crawl as the crawl left it: what it knew is what explains its prices."""

from collections.abc import Mapping

import msgspec

from thresher.assemble.continuing import remind
from thresher.assemble.making import make_judge
from thresher.assemble.strategy import make_strategy
from thresher.core.errors import SettingsError
from thresher.core.records import Topic
from thresher.settings.rooms import Settings
from thresher.store.reading import Reading


def mind_of(settings: Settings, store: Reading) -> object:
    """Return the strategy with its state, or None if it is the user's own and not at hand here."""
    topic = topic_of(store.notes())
    try:
        strategy = make_strategy(settings.strategy, make_judge(settings, topic), topic)
    except SettingsError:
        return None
    remind(strategy, store)
    return strategy


def topic_of(notes: Mapping[str, str]) -> Topic:
    """Return the topic of a crawl, as run."""
    return msgspec.json.decode(notes["topic"], type=Topic) if "topic" in notes else Topic("")
