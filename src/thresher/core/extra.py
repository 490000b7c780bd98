"""Libraries of extras, which only some need, and the sentence for who lacks one."""

import importlib
from typing import Any

from thresher.core.errors import UsageError


def library(name: str, extra: str, what: str) -> Any:
    """Return a library of an extra; without it, say what to install."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"{what} needs {name.partition('.')[0]}: pip install 'thresher[{extra}]'") from None
