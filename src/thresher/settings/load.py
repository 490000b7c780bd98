"""Settings read from TOML, flags and the user's own configuration, and written back as TOML."""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
import tomli_w
from msgspec import Meta, Struct

from thresher.core.errors import SettingsError, UnknownName, suggestion
from thresher.core.files import atomic_write
from thresher.settings.components import decoded, encoded
from thresher.settings.model import Settings

ALIASES = {
    "CLOSESPIDER_ITEMCOUNT": "stop.relevant",
    "CLOSESPIDER_PAGECOUNT": "stop.pages",
    "CLOSESPIDER_TIMEOUT": "stop.seconds",
    "AUTOTHROTTLE_ENABLED": "web.throttle",
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


def sections() -> dict[str, type[Struct]]:
    """Return the struct of each settings section."""
    hints = get_type_hints(Settings)
    return {name: kind for name, kind in hints.items() if isinstance(kind, type) and issubclass(kind, Struct)}


@cache
def all_names() -> tuple[str, ...]:
    """Return every setting in full, such as `web.delay`."""
    dotted = [
        f"{section}.{field}" for section, kind in sections().items() for field in kind.__struct_fields__
    ]
    return (*dotted, "seeds")


def full_name(name: str) -> str:
    """Resolve an alias or short name; any other without a dot is taken for a parameter of the strategy."""
    if name in ALIASES:
        return ALIASES[name]
    if name in all_names():
        return name
    section, dot, parameter = name.partition(".")
    if section == "strategy" and dot:
        return f"strategy.parameters.{parameter}"
    if dot or name.isupper():
        raise UnknownName("setting", name, [*all_names(), *ALIASES])
    short = [known for known in all_names() if known.endswith(f".{name}")]
    return short[0] if len(short) == 1 else f"strategy.parameters.{name}"


def described() -> Iterator[tuple[str, Any, str]]:
    """Yield name, default and description of every setting."""
    structs: dict[str, type[Struct]] = {**sections(), "": Settings}
    for section, kind in structs.items():
        for field in msgspec.structs.fields(kind):
            if description := _description(field.type):
                default = field.default_factory() if callable(field.default_factory) else field.default
                yield f"{section}.{field.name}".strip("."), default, description


def _description(kind: Any) -> str:
    if get_origin(kind) is not Annotated:
        return ""
    return next(
        (meta.description for meta in get_args(kind) if isinstance(meta, Meta) and meta.description), ""
    )


Tree = dict[str, Any]  # what TOML gives; it never leaves this file undecoded
Override = tuple[str, Any]


def read(file: Path | None = None, overrides: Sequence[Override] = ()) -> Settings:
    """Return the settings: defaults, the user's own, then the file, then the overrides (name and value)."""
    mine, tree = user_file(), Tree()
    asked = _merged(_from(mine if mine.exists() else None), _from(file))
    for full, leaf in _merged(asked, _leaves(overrides)):
        _put(tree, full, _without_password(full, leaf))
    _default_for_timed_crawls(tree)
    try:
        return msgspec.convert(tree, Settings, dec_hook=decoded)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{_sentence(str(error))} See 'thresher settings'.") from None


def _default_for_timed_crawls(tree: Tree) -> None:
    """If only a time limit is set, default wait_for_better to 0, so that no time is spent waiting."""
    limits = tree.get("stop", {})
    if limits.get("seconds") and not any(limits.get(each) for each in ("pages", "relevant", "below")):
        tree.setdefault("web", {}).setdefault("wait_for_better", 0.0)


def written(settings: Settings) -> str:
    """Return the settings as the TOML file that reads back to them."""
    tree = msgspec.to_builtins(settings, enc_hook=encoded)
    asked = settings.strategy
    earlier = {"learn_from": asked.learn_from} if asked.learn_from else {}
    tree["strategy"] = {"name": asked.name, **earlier, **asked.parameters}
    return tomli_w.dumps(_without_none(tree))


def _without_none(tree: Tree) -> Tree:
    """Return a tree without what is not set: TOML has no null."""
    return {
        name: _without_none(value) if isinstance(value, dict) else value
        for name, value in tree.items()
        if value is not None
    }


def value_of(text: str) -> Any:
    """Return what a value given on the command line means in TOML; what is no TOML is plain text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def seconds_of(text: str) -> float:
    """Return the seconds of a duration such as 90s or 1d; a number without a unit is refused, except 0."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", text.strip())
    if not match:
        raise SettingsError(f"{text!r} is not a duration; write it as 90s, 10m, 2h or 1d.")
    size, unit = match.groups()
    if not unit and float(size):
        raise SettingsError(f"{size} of what? Write {size}s for seconds, {size}m, {size}h or {size}d.")
    return float(size) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[unit]


def share_of(text: str) -> float:
    """Return a share written as 2% or as 0.02."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)\s*(%?)", text.strip())
    share = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= share <= 1:
        raise SettingsError(f"{text!r} is not a share; write it as 2% or as 0.02.")
    return share


def parsed(file: Path) -> Tree:
    """Return what a TOML file holds, or say in one sentence why it cannot be read."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        near = [path.name for path in file.parent.glob("*.toml")]
        hint = suggestion(file.name, near) if near else "'thresher topic new' writes one to begin with."
        raise SettingsError(f"No file {file} here. {hint}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not valid TOML: {error}.") from None
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}.") from None


def _from(file: Path | None) -> list[Override]:
    return _leaves(parsed(file).items()) if file else []


def _merged(lower: list[Override], higher: list[Override]) -> list[Override]:
    """Return both, the higher to win; parameters of a strategy that it replaces are dropped."""
    if dict(higher).get("strategy.name") not in (None, dict(lower).get("strategy.name")):
        lower = [entry for entry in lower if not entry[0].startswith("strategy.parameters.")]
    return lower + higher


_MEANT = {"limit": "stop", "limits": "stop", "fetch": "web", "http": "web", "filters": "scope"}


def _leaves(entries: Iterable[Override]) -> list[Override]:
    return [leaf for name, value in entries for leaf in _spread(name, value)]


def _spread(name: str, value: Any) -> Iterator[Override]:
    """Yield what one entry sets: each field of a table, or by a plain value the section's first field."""
    kind = sections().get(name)
    if kind is None:
        if (full := full_name(name)).startswith("strategy.parameters."):
            _refuse_slip(name, value)
        yield full, value
    elif isinstance(value, dict):
        yield from ((full_name(f"{name}.{field}"), each) for field, each in value.items())
    else:
        yield f"{name}.{kind.__struct_fields__[0]}", value


def _refuse_slip(name: str, value: Any) -> None:
    """Refuse an unknown section, and a name that is one but for a letter or two."""
    if isinstance(value, dict):
        raise SettingsError(f"No section {name!r}. {suggestion(_MEANT.get(name, name), sections())}")
    if "." not in name and get_close_matches(name, sections(), 1, 0.75):
        raise UnknownName("setting", name, sections())


def _put(tree: Tree, name: str, value: Any) -> None:
    *path, last = name.split(".", 2)  # a parameter of a strategy may have dots of its own
    for part in path:
        tree = tree.setdefault(part, {})
    tree[last] = value


def _without_password(name: str, value: Any) -> Any:
    """Return addresses without the password that a user may have left in them: nothing is asked with it."""
    if name not in ("seeds", "topic.examples", "topic.negatives") or not isinstance(value, list | tuple):
        return value
    return [_USERINFO.sub("", each) if isinstance(each, str) else each for each in value]


_USERINFO = re.compile(r"(?<=://)[^/?#]*@")


def _sentence(complaint: str) -> str:
    """Turn msgspec's "Expected `int` >= 1 - at `$.web.delay`" into the setting first, then what it takes."""
    expected, _, place = complaint.partition(" - at `$.")
    said = f"{expected[:1].lower()}{expected[1:]}"
    for code, words in _IN_WORDS.items():
        said = said.replace(code, words)
    return f"Setting {place.rstrip('`')}: {said}." if place else f"{complaint}."


_IN_WORDS = {
    "`int | null`": "a whole number",
    "`float | null`": "a number",
    "`int`": "a whole number",
    "`float`": "a number",
    "`str`": "text",
    "`bool`": "true or false",
    "`array`": "a list",
    "`object`": "a table",
    " >= ": " of at least ",
    " > ": " above ",
    " <= ": " of at most ",
    " < ": " below ",
}


# The user's configuration folder


PRIVATE = 0o600
PRIVATE_FOLDER = 0o700


def user_file() -> Path:
    """Return the file with the user's own settings: THRESHER_CONFIG, or settings.toml in the usual place."""
    if chosen := os.environ.get("THRESHER_CONFIG"):
        return Path(chosen)
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "thresher" / "settings.toml"


def crawls_folder() -> Path:
    """Return the folder of the permissions the user has granted to crawls, beside the user's settings."""
    return user_file().parent / "crawls"


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, in a folder that only its owner can list."""
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    with atomic_write(path, PRIVATE) as file:
        file.write(text.encode())
