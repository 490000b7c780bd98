"""What the fields of settings are made of: kinds of values, and the sentence about each."""

from typing import Annotated

from msgspec import Meta

Parameter = bool | int | float | str
Positive = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


def about(sentence: str) -> Meta:
    """Attach the sentence that `thresher settings` prints."""
    return Meta(description=sentence)
