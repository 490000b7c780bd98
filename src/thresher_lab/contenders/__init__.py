"""Contenders: what takes part in a comparison, by name, and systems of others since the five papers."""
