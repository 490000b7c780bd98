"""White space and control characters: what is taken off a text before anybody reads it."""

import re

_CONTROLS = [chr(code) for code in (*range(9), *range(0x0E, 0x1C), 0x7F)]
_ANY_CONTROL = re.compile(f"[{''.join(_CONTROLS)}]")


def fold(text: str) -> str:
    """Return a text on one line, its white space folded."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """Return a text without control characters, empty lines and white space at the ends of lines."""
    if any(control in text for control in _CONTROLS):  # ten times faster than to search for all at once
        text = _ANY_CONTROL.sub("", text)
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))
