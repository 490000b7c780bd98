"""The names of the settings: in full, in short, and as people know them from Scrapy."""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from thresher.core.errors import UnknownName
from thresher.settings.rooms import Settings

ALIASES = {
    "CLOSESPIDER_ITEMCOUNT": "stop.relevant",
    "CLOSESPIDER_PAGECOUNT": "stop.pages",
    "CLOSESPIDER_TIMEOUT": "stop.seconds",
    "CONCURRENT_REQUESTS": "web.concurrency",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "web.per_host",
    "DEPTH_LIMIT": "scope.depth",
    "DOWNLOAD_DELAY": "web.delay",
    "DOWNLOAD_MAXSIZE": "web.max_bytes",
    "DOWNLOAD_TIMEOUT": "web.timeout",
    "REDIRECT_MAX_TIMES": "web.max_redirects",
    "URLLENGTH_LIMIT": "traps.url_length",
    "USER_AGENT": "web.user_agent",
}
"""Scrapy's names."""


def rooms() -> dict[str, type[Struct]]:
    """Return the struct of each room that has settings."""
    hints = get_type_hints(Settings)
    return {name: kind for name, kind in hints.items() if isinstance(kind, type) and issubclass(kind, Struct)}


@cache
def all_names() -> tuple[str, ...]:
    """Return every setting in full, such as `web.delay`."""
    dotted = [f"{room}.{field}" for room, kind in rooms().items() for field in kind.__struct_fields__]
    return (*dotted, "seeds")


def full_name(name: str) -> str:
    """Return the full name of a setting: a parameter of the strategy, unless it is one of ours."""
    if name in ALIASES:
        return ALIASES[name]
    if name in all_names():
        return name
    room, dot, parameter = name.partition(".")
    if room == "strategy" and dot:
        return f"strategy.parameters.{parameter}"
    if dot or name.isupper():
        raise UnknownName("setting", name, [*all_names(), *ALIASES])
    short = [known for known in all_names() if known.endswith(f".{name}") and known != "topic.name"]
    return short[0] if len(short) == 1 else f"strategy.parameters.{name}"


def described() -> Iterator[tuple[str, Any, str]]:
    """Yield name, default and sentence of every setting."""
    structs: dict[str, type[Struct]] = {**rooms(), "": Settings}
    for room, kind in structs.items():
        for field in msgspec.structs.fields(kind):
            if sentence := _sentence(field.type):
                default = field.default_factory() if callable(field.default_factory) else field.default
                yield f"{room}.{field.name}".strip("."), default, sentence


def _sentence(kind: Any) -> str:
    if get_origin(kind) is not Annotated:
        return ""
    return next(
        (meta.description for meta in get_args(kind) if isinstance(meta, Meta) and meta.description), ""
    )
