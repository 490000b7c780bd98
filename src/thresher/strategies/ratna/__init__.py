"""Ratna."""
