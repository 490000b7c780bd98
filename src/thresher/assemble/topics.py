"""Settings become a topic: what the user wrote, with the example pages read and the knowledge opened."""

import logging
from collections.abc import Callable

from thresher.assemble.examples import Complain, read_pages
from thresher.core.doors import Web
from thresher.core.errors import SettingsError
from thresher.core.records import Topic
from thresher.knowledge.index import open_knowledge
from thresher.settings.rooms import Settings, WebSettings
from thresher.topic.topic import Asked, make_topic
from thresher.web.agent import user_agent
from thresher.web.live import LiveWeb


def topic_of(settings: Settings, complain: Complain = logging.getLogger(__name__).warning) -> Topic:
    """Return the topic the settings ask for."""
    with open_knowledge() as lexicon:
        return make_topic(asked_of(settings, complain), lexicon)


def asked_of(settings: Settings, complain: Complain) -> Asked:
    """Return what the settings say of the topic, with the texts of its example pages.

    A query is told apart from others by the examples and the seeds, so these are read beforehand.
    """
    wanted = settings.topic
    name = wanted.name or wanted.node or wanted.query or next(iter(wanted.keywords), "")
    if not name and not wanted.examples:
        raise SettingsError("No topic: name one, as in 'thresher crawl beekeeping'.")
    examples = _texts(wanted.examples, settings, complain)
    seeds = _texts(settings.seeds, settings, complain) if wanted.query and settings.web.kind == "live" else {}
    return Asked(
        name=name or "examples",
        keywords=wanted.keywords,
        node=wanted.node,
        query=wanted.query,
        context=" ".join([*examples.values(), *seeds.values()]),
        description=wanted.description,
        examples=examples,
        negatives=_texts(wanted.negatives, settings, complain),
        spellings=wanted.spellings,
        seeds=settings.seeds,
    )


def topic_web(settings: Settings) -> Callable[[], Web]:
    """Return what makes the web that example pages are fetched from: the live one, as polite as a crawl."""
    web = settings.web
    return lambda: LiveWeb(agent=agent_of(web), allow_networks=web.allow_networks)


def agent_of(settings: WebSettings) -> str:
    """Return the user agent: the user's own, or ours with their contact address."""
    return settings.user_agent or user_agent(settings.contact)


def _texts(places: tuple[str, ...], settings: Settings, complain: Complain) -> dict[str, str]:
    pages = read_pages(places, topic_web(settings), complain)
    return {place: f"{page.title}\n{page.text}" for place, page in pages.items()}
