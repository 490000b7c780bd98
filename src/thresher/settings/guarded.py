"""The settings that reach beyond a crawl: they run code, open networks, send data out or read other files.

A crawl folder may come from anybody, so what it says of these counts only for the user who asked for it.
"""

import os
from typing import Any

from msgspec.structs import replace

from thresher.settings.components import Secret
from thresher.settings.load import Override
from thresher.settings.model import Settings

GUARDED = (
    "web.allow_networks",
    "web.proxy",
    "web.proxy_resolves",
    "web.trust",
    "web.credentials",
    "web.cookie_file",
    "web.headers",
    "cluster.bus",
    "cluster.insecure",
    "web.browser",  # where it is not `never`: it runs what pages bring
    "web.browser_path",
    "backlinks.endpoint",
    "backlinks.file",
    "backlinks.vertices",
    "revisit.command",
    "revisit.webhook",
    "strategy.learn_from",
    "strategy.name",  # where it is package.module:Class
    "judge.name",
    "judge.endpoint",
    "judge.key",
    "web.readers",  # where they are package.module:Class
    "topic.examples",  # where they are files
    "topic.negatives",
)

_PLAIN = Settings()


def value_in(settings: Settings, name: str) -> Any:
    """Return the value of a setting by its full name."""
    room, _, field = name.partition(".")
    return getattr(getattr(settings, room), field)


def reaching(settings: Settings) -> list[Override]:
    """Return the settings that reach beyond the crawl, with their values."""
    return [(name, value) for name in GUARDED if _reaches(name, value := value_in(settings, name))]


def differing(asked: Settings, mine: Settings) -> list[str]:
    """Return the names of what reaches beyond the crawl in one, and looks otherwise in the other."""
    return [name for name, value in reaching(asked) if _shown(value) != _shown(value_in(mine, name))]


def overlaid(asked: Settings, mine: Settings, usual: Settings) -> Settings:
    """Return settings in which what reaches beyond the crawl is as in `mine`, or as usual if not set."""
    for name in GUARDED:
        told, other = value_in(asked, name), value_in(usual, name)
        if _reaches(name, told):
            asked = _with(asked, name, value_in(mine, name))
        elif _reaches(name, other) and told == value_in(_PLAIN, name):
            asked = _with(asked, name, other)
    return asked


def _with(settings: Settings, name: str, value: Any) -> Settings:
    room, _, field = name.partition(".")
    return replace(settings, **{room: replace(getattr(settings, room), **{field: value})})


def _shown(value: Any) -> Any:
    """Return a value as crawl.toml has it: there a password is not shown."""
    if isinstance(value, dict):
        return {key: _shown(each) for key, each in value.items()}
    return value.shown if isinstance(value, Secret) else value


def _reaches(name: str, value: Any) -> bool:
    if name.startswith("topic."):
        return any(not each.startswith(("http://", "https://")) and os.path.exists(each) for each in value)
    if name == "web.browser":
        return bool(value != _PLAIN.web.browser)
    if name.endswith(".name"):
        return ":" in value
    if name == "web.readers":
        return any(":" in each for each in value)
    return bool(value)
