"""Settings of strategies, judges and remote workers, and the kinds of values that settings have."""

import os
from typing import Annotated, Any

from msgspec import Meta, Struct

from thresher.core.errors import SettingsError

# Secrets: they print as `(not shown)`, or as the `env:NAME` they come from


NOT_SHOWN = "(not shown)"
ENVIRONMENT = "env:"


class Secret:
    """A password, or an address that may hold one. Only code that sends it reads its value."""

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
        """What the user wrote, for a file that only the user can read."""
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
    """Write a secret as the user gave it, into a private file (an `enc_hook` of msgspec)."""
    if isinstance(value, Secret):
        return value.given
    raise NotImplementedError(f"{type(value)} cannot be written")


# Fields


Parameter = bool | int | float | str
Positive = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


def about(sentence: str) -> Meta:
    """Attach the sentence that `thresher settings` prints."""
    return Meta(description=sentence)


# Strategy and judge


class StrategySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which links go first."""

    name: Annotated[str, about("The strategy, or `package.module:Class` of your own.")] = "thresher"
    parameters: Annotated[
        dict[str, Parameter], about("The strategy's own parameters, written beside its name in the file.")
    ] = {}
    learn_from: Annotated[
        str, about("The folder of an earlier crawl on the topic, to start from what it learned.")
    ] = ""


class JudgeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """When a page counts as relevant."""

    name: Annotated[
        str,
        about(
            "The judge that scores pages from 0 to 1; not set: that of the strategy's paper, else `question`."
        ),
    ] = ""
    threshold: Annotated[
        Share | None,
        about(
            "A page is relevant from this score on; not set: what `question` finds by the pages of the crawl"
            " when it ends, the best F1 to be expected of them (0.21 on the way), or the judge's own, such as"
            " 0.1 of `cosine`, which is the delta of Chen et al. 2009."
        ),
    ] = None
    learns: Annotated[
        bool, about("Let `question` learn from the pages of the crawl which words such pages have.")
    ] = True
    skip_boilerplate: Annotated[
        bool | None,
        about(
            "Leave out of what is judged the lines that stand on half of a host's pages, such as menus and"
            " footers; not set: for `question` alone, since the papers judge whole pages."
        ),
    ] = None
    guard: Annotated[
        bool,
        about("Let the judges of papers give nothing to pages an eighth of which is one word of the topic."),
    ] = False
    endpoint: Annotated[
        Secret,
        about(
            "Where the judge `embeddings` asks for vectors: an OpenAI-compatible address, such as"
            " http://127.0.0.1:11434/v1; or `env:NAME`."
        ),
    ] = Secret()
    model: Annotated[str, about("The model that the judge `embeddings` asks there.")] = ""
    key: Annotated[Secret, about("The key for that endpoint, best as `env:NAME`.")] = Secret()
    fallback: Annotated[
        str, about("The judge that stands in while the endpoint is away; it is named when it does.")
    ] = "question"


class GuideSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """A model that scores what links say; only `thresher` goes by it."""

    endpoint: Annotated[
        Secret, about("Where it is asked: an OpenAI-compatible address, as for `label --llm`; or `env:NAME`.")
    ] = Secret()
    model: Annotated[str, about("The model, as the endpoint calls it.")] = ""
    key: Annotated[Secret, about("The key for it, best as `env:NAME`.")] = Secret()
    tokens: Annotated[NotNegative, about("How many tokens one run of a crawl may spend on it.")] = 100_000


# Workers on other machines


class ClusterSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How workers on other machines join; `web.workers` are those on this one."""

    bus: Annotated[
        Secret,
        Meta(
            description="The NATS server over which workers join, such as nats://bus:4222; `bus`: start one."
        ),
    ] = Secret()
    lease: Annotated[
        float,
        Meta(
            gt=0,
            description="Seconds a worker works on unheard; after a third more its pages go to others.",
        ),
    ] = 15.0
    engine: Annotated[
        str,
        Meta(description="The nats-server that `bus` starts, not checked; empty: the installed one."),
    ] = ""
    insecure: Annotated[
        bool, Meta(description="Connect to other machines in plain text, which can be read on the way.")
    ] = False
