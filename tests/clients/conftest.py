"""Run by `make clients` alone: the programs of others take 400 MB."""

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these elsewhere, and say so."""
    if os.environ.get("THRESHER_CLIENTS"):
        return
    for item in items:
        if "tests/clients" in str(item.fspath):
            item.add_marker(pytest.mark.skip(reason="the programs of others are run by 'make clients'"))
