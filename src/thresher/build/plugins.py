"""Classes by their names: ours, those of installed packages (entry points), or the user's own module.

what             entry points        what it must have
a strategy       thresher.strategies start, learn, more
a judge          thresher.judges     similarity, explain, and score or score_many
a format         thresher.formats    save
a reader         thresher.readers    takes, read
a label source   thresher.labels     labels
"""

import importlib
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, get_type_hints

import msgspec

from thresher.core.errors import SettingsError, UnknownName
from thresher.core.interfaces import AnyJudge
from thresher.core.optional import Registry
from thresher.core.records import Topic
from thresher.core.strategy import Strategy
from thresher.judges import JUDGES
from thresher.settings.components import StrategySettings
from thresher.settings.load import all_names
from thresher.strategies import ALL_STRATEGIES, BaseStrategy

ASKING: Registry[type[Any]] = Registry({"embeddings": "thresher.models.endpoint:Embeddings"})
"""The judges who do not think for themselves but ask elsewhere."""

GIVEN = ("judge", "topic")  # what a strategy gets from us; the rest are its parameters


def make_strategy(settings: StrategySettings, judge: AnyJudge, topic: Topic) -> Strategy:
    """Return the strategy the settings name, with their parameters."""
    kind = strategy_class(settings.name)
    known = inspect.signature(kind).parameters
    given = {"judge": judge, "topic": topic}
    arguments = {name: value for name, value in given.items() if name in known}
    strategy: Strategy = kind(**arguments, **_checked(kind, settings))
    return strategy


def missing_in_topic(strategy: Strategy) -> str:
    """Return what the topic lacks for a strategy and what stands in for it, in a sentence if any."""
    return strategy.missing() if isinstance(strategy, BaseStrategy) else ""


def strategy_class(name: str) -> type[Any]:
    """Return the class of a strategy of ours, or of `package.module:Class`."""
    return _class_of(
        "strategy", name, ALL_STRATEGIES, ("start", "learn", "more"), "Derive it from BaseStrategy."
    )


def judge_class(name: str) -> type[Any]:
    """Return the class of a judge of ours, or of `package.module:Class`."""
    ours = ASKING if name in ASKING else JUDGES
    kind = _class_of("judge", name, ours, ("similarity", "explain"), "See docs/extend/judge.md.")
    if not any(callable(getattr(kind, verb, None)) for verb in ("score", "score_many")):
        raise SettingsError(f"{name} is no judge: it lacks score, or score_many. See docs/extend/judge.md.")
    return kind


def own_threshold(judge: str) -> float:
    """Return from which score on a judge calls a page relevant, unless told otherwise."""
    given = inspect.signature(judge_class(judge)).parameters.get("threshold")
    return 0.5 if given is None or given.default is inspect.Parameter.empty else float(given.default)


def reader_class(name: str) -> type[Any]:
    """Return the class of a document reader, of an installed package or of `package.module:Class`."""
    return _class_of("reader", name, {}, ("takes", "read"), "See docs/extend/reader.md.")


def format_class(name: str) -> type[Any]:
    """Return the class of an export format that is not ours."""
    return _class_of("format", name, {}, ("save",), "Derive it from StreamFormat. See docs/extend/format.md.")


def label_source(name: str) -> Any:
    """Return a label source, of an installed package or of `package.module:Class`, made without arguments."""
    return _class_of("label source", name, {}, ("labels",), "See docs/extend/label-source.md.")()


GROUPS = {
    "strategy": "thresher.strategies",
    "judge": "thresher.judges",
    "format": "thresher.formats",
    "reader": "thresher.readers",
    "label source": "thresher.labels",
}
"""The entry points by which an installed package makes itself known."""


def installed(what: str) -> tuple[str, ...]:
    """Return the names that installed packages give to things of a kind."""
    return tuple(sorted({point.name for point in entry_points(group=GROUPS[what])}))


def _class_of(
    what: str, name: str, ours: Mapping[str, Any], verbs: Sequence[str], otherwise: str
) -> type[Any]:
    """Return a class by the name we gave it, by a package's, or by where it is; it must have the verbs."""
    if name in ours:
        found: type[Any] = ours[name]
        return found
    kind = _in_module(name) if ":" in name else _in_package(what, name, ours)
    if missing := [verb for verb in verbs if not callable(getattr(kind, verb, None))]:
        raise SettingsError(f"{name} is no {what}: it lacks {', '.join(missing)}. {otherwise}")
    return kind


def _in_module(name: str) -> type[Any]:
    """Return the class of `package.module:Class`."""
    module, _, class_name = name.partition(":")
    kind = getattr(_module(module), class_name, None)
    if not inspect.isclass(kind):
        classes = [known for known, _ in inspect.getmembers(_module(module), inspect.isclass)]
        raise UnknownName(f"class in {module}", class_name, classes)
    return kind


def _in_package(what: str, name: str, ours: Mapping[str, Any]) -> type[Any]:
    """Return the class that an installed package calls so."""
    points = {point.name: point for point in entry_points(group=GROUPS[what])}
    if name not in points:
        raise UnknownName(what, name, [*ours, *points])
    try:
        kind = points[name].load()
    except Exception as error:  # whatever somebody else's package does when it is read
        raise SettingsError(
            f"The {what} {name!r} of {points[name].value} cannot be loaded ({error})."
        ) from None
    if not inspect.isclass(kind):
        raise SettingsError(f"The {what} {name!r} of {points[name].value} is no class.")
    return kind


def has_door(name: str, door: type[Any]) -> bool:
    """Tell whether the strategy of that name has a door, without waking it: it may know a lot."""
    try:
        return issubclass(strategy_class(name), door)
    except SettingsError:
        return False


def parameters_of(kind: type[Any]) -> dict[str, inspect.Parameter]:
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


def _checked(kind: type[Any], settings: StrategySettings) -> dict[str, Any]:
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
