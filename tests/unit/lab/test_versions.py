"""Results are taken for new only while everything that decided them is the same."""

import numpy
import pytest

from thresher_lab.versions import code_version, packages, parser_version

DECISIVE = (
    "thresher/text/vectors.npz",
    "thresher/knowledge/shipped/concepts.tsv",
    "thresher/engine/crawl.py",
    "thresher_lab/replay.py",
)


@pytest.fixture
def shipped(tmp_path):
    for path in (*DECISIVE, "thresher/cli/main.py", "thresher_lab/cli/main.py"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"as shipped")
    return tmp_path


def version_of(shipped):
    return code_version(shipped / "thresher", shipped / "thresher_lab")


@pytest.mark.parametrize("path", DECISIVE)
def test_a_byte_of_code_or_data_makes_another_version(shipped, path):
    before = version_of(shipped)
    (shipped / path).write_bytes(b"as shipped.")
    assert version_of(shipped) != before


def test_a_file_more_makes_another_version(shipped):
    before = version_of(shipped)
    (shipped / "thresher" / "judges").mkdir()
    (shipped / "thresher" / "judges" / "new.py").touch()
    assert version_of(shipped) != before


def test_what_only_prints_and_what_python_leaves_behind_make_none(shipped):
    before = version_of(shipped)
    (shipped / "thresher" / "cli" / "main.py").write_bytes(b"another sentence")
    (shipped / "thresher_lab" / "cli" / "main.py").write_bytes(b"another sentence")
    (shipped / "thresher" / "engine" / "__pycache__").mkdir()
    (shipped / "thresher" / "engine" / "__pycache__" / "loop.pyc").write_bytes(b"compiled")
    assert version_of(shipped) == before


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
