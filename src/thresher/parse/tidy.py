"""White space and control characters: what is taken off a text before anybody reads it."""

_CONTROLS = bytes((*range(9), *range(0x0E, 0x1C), 0x7F))


def fold(text: str) -> str:
    """Return a text on one line, its white space folded."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """Return a text without control characters, empty lines and white space at the ends of lines."""
    encoded = text.encode("utf-8", "surrogatepass")  # in UTF-8 a control character is a byte of its own
    clean = encoded.translate(None, _CONTROLS)
    if len(clean) < len(encoded):
        text = clean.decode("utf-8", "surrogatepass")
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))
