"""Chromium as a renderer without a network: every request it makes is asked of us and answered by us."""
