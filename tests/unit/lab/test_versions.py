"""Results are taken for new only while everything that decided them is the same."""

import numpy
import pytest

from thresher_lab.versions import code_version, packages, parser_version


@pytest.fixture
def shipped(tmp_path):
    for path in ("text/vectors.npz", "knowledge/shipped/concepts.tsv", "engine/crawl.py", "cli/main.py"):
        file = tmp_path / path
        file.parent.mkdir(parents=True)
        file.write_bytes(b"as shipped")
    return tmp_path


@pytest.mark.parametrize("path", ["text/vectors.npz", "knowledge/shipped/concepts.tsv", "engine/crawl.py"])
def test_a_byte_of_code_or_data_makes_another_version(shipped, path):
    before = code_version(shipped)
    (shipped / path).write_bytes(b"as shipped.")
    assert code_version(shipped) != before


def test_a_file_more_makes_another_version(shipped):
    before = code_version(shipped)
    (shipped / "judges").mkdir()
    (shipped / "judges" / "new.py").touch()
    assert code_version(shipped) != before


def test_what_only_prints_and_what_python_leaves_behind_make_none(shipped):
    before = code_version(shipped)
    (shipped / "cli" / "main.py").write_bytes(b"another sentence")
    (shipped / "engine" / "__pycache__").mkdir()
    (shipped / "engine" / "__pycache__" / "loop.pyc").write_bytes(b"compiled")
    assert code_version(shipped) == before


def test_the_packages_that_count_are_in_it_with_their_versions():
    assert f"numpy=={numpy.__version__}" in packages()
    assert {each.partition("==")[0].lower() for each in packages()} > {
        "ada-url",
        "pystemmer",
        "rjieba",
        "turbohtml",
    }


def test_the_real_code_and_its_parser_have_versions():
    assert len({code_version(), parser_version()}) == 2
