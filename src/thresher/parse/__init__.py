"""From the bytes of a response to a page."""
