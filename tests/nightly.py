"""Which cases of a test run each time, and which only in `make nightly`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def cases(every: Iterable[Any], here: Collection[Any]) -> list[Any]:
    """Return all cases of a test, those that are not `here` marked slow."""
    return [each if each in here else pytest.param(each, marks=pytest.mark.slow) for each in every]
