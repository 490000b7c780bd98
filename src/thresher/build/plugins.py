"""A strategy by its name, ours or the user's own, with its parameters checked."""

import importlib
import inspect
import os
import sys
from typing import Any, get_type_hints

import msgspec

from thresher.core.errors import SettingsError, UnknownName
from thresher.core.protocols import Judge, Strategy
from thresher.core.records import Topic
from thresher.settings.load import all_names
from thresher.settings.model import StrategySettings
from thresher.strategies import ALL_STRATEGIES, BaseStrategy

GIVEN = ("judge", "topic")  # what a strategy gets from us; the rest are its parameters


def make_strategy(settings: StrategySettings, judge: Judge, topic: Topic) -> Strategy:
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
    if name in ALL_STRATEGIES:
        return ALL_STRATEGIES[name]
    module, colon, class_name = name.partition(":")
    if not colon:
        raise UnknownName("strategy", name, ALL_STRATEGIES)
    kind = getattr(_module(module), class_name, None)
    if not inspect.isclass(kind):
        classes = [known for known, _ in inspect.getmembers(_module(module), inspect.isclass)]
        raise UnknownName(f"class in {module}", class_name, classes)
    if missing := [verb for verb in ("start", "learn", "more") if not callable(getattr(kind, verb, None))]:
        raise SettingsError(
            f"{name} is no strategy: it lacks {', '.join(missing)}. Derive it from BaseStrategy."
        )
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
    """Import the user's module from where he stands: the last place looked at, so that it hides no other."""
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
