"""Columns that grow: what is not used of them takes no memory yet."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Column = TypeVar("Column", bound=np.generic)


def longer(column: NDArray[Column], size: int) -> NDArray[Column]:
    """Return a column with more room."""
    grown = np.zeros(size, column.dtype)
    grown[: len(column)] = column
    return grown
