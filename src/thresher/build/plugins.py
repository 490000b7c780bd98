"""Classes by their names: ours, those of installed packages (entry points), or of the user's own module."""

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from thresher.core.errors import SettingsError, UnknownName
from thresher.core.interfaces import Judge
from thresher.core.optional import Registry
from thresher.core.records import Topic
from thresher.core.strategy import Strategy
from thresher.judges import JUDGES
from thresher.settings.components import StrategySettings
from thresher.settings.load import all_names
from thresher.strategies import ALL_STRATEGIES

ASKING: Registry[type[Judge]] = Registry({"embeddings": "thresher.models.endpoint:Embeddings"})
"""The judges that ask elsewhere for their scores."""

GIVEN = ("judge", "topic")  # what a strategy gets from us; the rest are its parameters

T = TypeVar("T")


class PluginKind(NamedTuple):
    """What a kind of plug-in is called, and the entry points by which packages register such plug-ins."""

    word: str
    group: str


KINDS = {
    "Strategy": PluginKind("strategy", "thresher.strategies"),
    "Judge": PluginKind("judge", "thresher.judges"),
    "Web": PluginKind("web", "thresher.webs"),
    "ExportFormat": PluginKind("format", "thresher.formats"),
    "DocumentReader": PluginKind("reader", "thresher.readers"),
    "LabelSource": PluginKind("label source", "thresher.labels"),
}
"""Every kind of plug-in by the name of its base class."""


def load_class(base: type[T], name: str, ours: Mapping[str, type[T]] = {}) -> type[T]:
    """Return the class of a plug-in: by the name we gave it, by a package's, or by `package.module:Class`."""
    if name in ours:
        return ours[name]
    kind = _in_module(name) if ":" in name else _in_package(KINDS[base.__name__], name, ours)
    if not issubclass(kind, base):
        word = KINDS[base.__name__].word
        raise SettingsError(
            f"{name} is no {word}: derive it from thresher.{base.__name__}. See docs/extend/plugins.md."
        )
    return kind


def installed(base: type[Any]) -> tuple[str, ...]:
    """Return the names that installed packages give to plug-ins of a kind."""
    return tuple(sorted({point.name for point in entry_points(group=KINDS[base.__name__].group)}))


def has_own(kind: type[Any], method: Callable[..., Any]) -> bool:
    """Tell whether a class has a method of its own in place of the default of its base class."""
    return getattr(kind, method.__name__) is not method


def make_strategy(settings: StrategySettings, judge: Judge, topic: Topic) -> Strategy:
    """Return the strategy the settings name, with their parameters."""
    kind: Callable[..., Strategy] = strategy_class(settings.name)
    known = inspect.signature(kind).parameters
    given = {"judge": judge, "topic": topic}
    arguments = {name: value for name, value in given.items() if name in known}
    return kind(**arguments, **_checked(kind, settings))


def strategy_class(name: str) -> type[Strategy]:
    """Return the class of a strategy."""
    return load_class(Strategy, name, ALL_STRATEGIES)


def strategy_has_own(name: str, method: Callable[..., Any]) -> bool:
    """Tell whether the strategy of that name has a method of its own, without making it."""
    try:
        return has_own(strategy_class(name), method)
    except SettingsError:
        return False


def judge_class(name: str) -> type[Any]:
    """Return the class of a judge; it is made of a topic, and a threshold where one is asked for."""
    kind: type[Judge] = load_class(Judge, name, ASKING if name in ASKING else JUDGES)
    return kind


def own_threshold(judge: str) -> float:
    """Return the default threshold of a judge by its name."""
    given = inspect.signature(judge_class(judge)).parameters.get("threshold")
    return 0.5 if given is None or given.default is inspect.Parameter.empty else float(given.default)


def _in_module(name: str) -> type[Any]:
    """Return the class of `package.module:Class`."""
    module, _, class_name = name.partition(":")
    kind = getattr(_module(module), class_name, None)
    if not inspect.isclass(kind):
        classes = [known for known, _ in inspect.getmembers(_module(module), inspect.isclass)]
        raise UnknownName(f"class in {module}", class_name, classes)
    return kind


def _in_package(what: PluginKind, name: str, ours: Mapping[str, Any]) -> type[Any]:
    """Return the class that an installed package calls so."""
    points = {point.name: point for point in entry_points(group=what.group)}
    if name not in points:
        raise UnknownName(what.word, name, [*ours, *points])
    try:
        kind = points[name].load()
    except Exception as error:  # whatever a foreign package does when it is imported
        raise SettingsError(
            f"The {what.word} {name!r} of {points[name].value} cannot be loaded ({error})."
        ) from None
    if not inspect.isclass(kind):
        raise SettingsError(f"The {what.word} {name!r} of {points[name].value} is not a class.")
    return kind


def parameters_of(kind: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters a user may set, by name."""
    return {name: each for name, each in inspect.signature(kind).parameters.items() if name not in GIVEN}


def _module(name: str) -> Any:
    """Import the user's module from the current folder, which is searched last, so that it hides no other."""
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever the user's own module does when it is read
        raise SettingsError(
            f"Module {name!r} cannot be imported ({error}). Run thresher from the folder that holds it."
        ) from None


def _checked(kind: Callable[..., Any], settings: StrategySettings) -> dict[str, Any]:
    """Return the parameters with their types checked; an unknown one is refused with the nearest name."""
    known, hints = parameters_of(kind), get_type_hints(kind)
    for name in settings.parameters:
        if name not in known:
            raise UnknownName(f"setting or parameter of {settings.name}", name, [*known, *all_names()])
    return {
        name: _converted(name, value, hints.get(name, Any)) for name, value in settings.parameters.items()
    }


def _converted(name: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise SettingsError(f"Parameter {name}: {str(error).lower()}. See 'thresher strategies'.") from None
