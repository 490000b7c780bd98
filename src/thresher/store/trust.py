"""Trusted folders: what reaches beyond a crawl counts for the user who asked for it, in this place.

The user's own configuration keeps these settings, by the folder's path, with a random token; the folder keeps
the token's digest. So neither a copy, nor an edited folder, nor another one in its place is trusted.
"""

import logging
import os
import secrets
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import tomli_w
from msgspec.structs import replace

from thresher.core.errors import NotTrusted
from thresher.core.files import atomic_write, refuse_link
from thresher.settings.components import Secret, StrategySettings, given
from thresher.settings.load import PRIVATE, Override, crawls_folder, read, write_private
from thresher.settings.model import Settings

# The settings that reach beyond a crawl: they run code, open networks, send data out or read other files


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
    "backlinks.crawl",
    "backlinks.endpoint",
    "backlinks.file",
    "backlinks.vertices",
    "revisit.command",
    "revisit.webhook",
    "warc.store",
    "strategy.learn_from",
    "strategy.name",  # where it is package.module:Class
    "judge.name",
    "judge.endpoint",
    "judge.key",
    "guide.endpoint",
    "guide.key",
    "web.kind",  # as is strategy.name
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
    if name.endswith(".name") or name == "web.kind":
        return ":" in value
    if name == "web.readers":
        return any(":" in each for each in value)
    return bool(value)


log = logging.getLogger(__name__)

OWNERS = "crawl.owners"
ASKED = "crawl.toml"
NOBODY = StrategySettings(name="")  # stands for a class that only the folder names: it is not imported


def settings_to_run(folder: Path, overrides: Sequence[Override] = (), trusting: bool = False) -> Settings:
    """Return what a crawl was asked, with overrides, to act on it; what only the folder says is refused."""
    asked, usual = _asked(folder, overrides), read(None, overrides)
    own = read(None, [*_remembered(folder), *overrides])
    if trusting:
        return asked
    if strange := differing(asked, own):
        raise NotTrusted(
            f"{folder / ASKED} sets {', '.join(strange)}, which reaches beyond the crawl, and you did not "
            "set it for this folder. Look at the file; then give it again with --set or its flag, or take "
            "over what the folder says with --trust-folder."
        )
    return overlaid(asked, own, usual)


def settings_to_read(folder: Path) -> Settings:
    """Return what a crawl was asked, for looking at it: without what only the folder says."""
    asked, own = _asked(folder, ()), read(None, _remembered(folder))
    plain = overlaid(asked, own, read(None))
    if "strategy.name" in differing(asked, own):
        plain = replace(plain, strategy=NOBODY)
    return plain


def remember(folder: Path, mine: Sequence[Override]) -> None:
    """Remember for this user, and this place, what reaches beyond the crawl in the folder."""
    kept = _kept(folder)
    if not mine:
        with suppress(OSError):
            kept.unlink()
        return
    try:
        token = _token(folder) or secrets.token_hex(32)
        document = {"folder": str(folder.resolve()), "token": token, "settings": dict(mine)}
        write_private(kept, tomli_w.dumps(msgspec.to_builtins(document, enc_hook=given)))
    except OSError as error:
        log.warning("%s cannot be written (%s): give the flags again to resume.", kept, error.strerror)
        return
    _sign(folder, _digest(token))


def _sign(folder: Path, digest: str) -> None:
    signed = _signed(folder)
    if digest not in signed:
        with atomic_write(folder / OWNERS, PRIVATE) as file:
            file.write("".join(f"{each}\n" for each in [*signed, digest]).encode())


def _remembered(folder: Path) -> list[Override]:
    """Return what this user asked for in this very folder, if anything."""
    document = _document(folder)
    if not document or _digest(document["token"]) not in _signed(folder):
        return []
    return list(document["settings"].items())


def _token(folder: Path) -> str:
    document = _document(folder)
    return document["token"] if document and _digest(document["token"]) in _signed(folder) else ""


def _document(folder: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(_kept(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _signed(folder: Path) -> list[str]:
    refuse_link(folder / OWNERS)
    try:
        return (folder / OWNERS).read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return []


def _asked(folder: Path, overrides: Sequence[Override]) -> Settings:
    file = folder / ASKED
    refuse_link(file)
    return read(file if file.exists() else None, overrides)


def _kept(folder: Path) -> Path:
    return crawls_folder() / f"{_digest(str(folder.resolve()))[:32]}.toml"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
