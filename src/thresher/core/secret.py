"""A secret shows itself to nobody: it prints as `(not shown)`, or as the `env:NAME` it comes from."""

import os
from typing import Any

from thresher.core.errors import SettingsError

NOT_SHOWN = "(not shown)"
ENVIRONMENT = "env:"


class Secret:
    """A password, or an address that may hold one. Only who sends it somewhere asks what it is."""

    __slots__ = ("_given",)

    def __init__(self, given: str = "") -> None:
        """Take the text itself, or `env:NAME` for that of an environment variable."""
        self._given = given

    @property
    def shown(self) -> str:
        """What may be written where others read: where it comes from, or that it is not shown."""
        return self._given if not self._given or self._given.startswith(ENVIRONMENT) else NOT_SHOWN

    @property
    def given(self) -> str:
        """What the user wrote, for a file that nobody else can read."""
        return self._given

    def reveal(self) -> str:
        """Return the text itself, looked up in the environment if it is kept there."""
        if self._given == NOT_SHOWN:
            raise SettingsError(
                "A password of this crawl is not kept with its folder: give it again with --set, "
                "or keep it in an environment variable and name that as env:NAME."
            )
        if not self._given.startswith(ENVIRONMENT):
            return self._given
        name = self._given.removeprefix(ENVIRONMENT)
        if (value := os.environ.get(name)) is None:
            raise SettingsError(f"A setting is {self._given}, but there is no environment variable {name}.")
        return value

    def __bool__(self) -> bool:
        return bool(self._given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._given == other._given

    def __hash__(self) -> int:
        return hash(self._given)

    def __repr__(self) -> str:
        return self.shown

    def __reduce__(self) -> str:
        raise TypeError("a secret is not copied into other files")


def decoded(kind: type[Any], value: Any) -> Any:
    """Read a secret where msgspec finds text (its `dec_hook`)."""
    if kind is Secret and isinstance(value, str):
        return Secret(value)
    raise NotImplementedError(f"{kind} cannot be read")


def encoded(value: Any) -> Any:
    """Write a secret as it may be shown (an `enc_hook` of msgspec)."""
    if isinstance(value, Secret):
        return value.shown
    raise NotImplementedError(f"{type(value)} cannot be written")


def given(value: Any) -> Any:
    """Write a secret as the user gave it, into a file of his own (an `enc_hook` of msgspec)."""
    if isinstance(value, Secret):
        return value.given
    raise NotImplementedError(f"{type(value)} cannot be written")
