"""The native core says what its oracles in Python say, and is built on every machine."""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import render
from tests.reference import text as reference
from tests.reference.lines import CODE
from tests.reference.tree import tidied
from thresher.core import optional
from thresher.core.optional import CORE
from thresher.parse.anchors import BEGIN, BREAK, END, words_of_anchors
from thresher.parse.document import letters_in
from thresher.parse.fingerprint import SIMHASHED, simhash
from thresher.parse.tree import in_utf8, tidy
from thresher.text.tokenize import word_counts, words

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "src" / "native" / "build.py"

ODD = "aZ09'_#+ \t\n\x00\x05\x1c\x85\xa0éßÀñİıﬁ\u2019\u202f\u3000\ud800"
SCRIPTS = "中文漢字かなカナ한글Привет\U00020000\U0001f600"
texts = st.text(st.one_of(st.sampled_from(ODD + SCRIPTS), st.characters()), max_size=300)


HEADERS = Path(sysconfig.get_path("include"))
CC = shutil.which("cc") or shutil.which("gcc") or ""
needs_compiler = pytest.mark.skipif(not CC, reason="no C compiler here")


@needs_compiler
def test_all_of_it_compiles_without_a_warning(tmp_path):
    done = subprocess.run([sys.executable, "-c", COMPILE, str(tmp_path / "core.so")], cwd=BUILD.parent,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


COMPILE = "import sys, build; sys.exit(not build.compiled(build.Path(sys.argv[1]), '-Werror'))"


@needs_compiler
@pytest.mark.skipif(not (HEADERS / "Python.h").exists(), reason="no headers of Python here")
def test_what_is_declared_of_python_is_what_its_own_headers_declare(tmp_path):
    source = tmp_path / "check.c"
    source.write_text(
        "#define PY_SSIZE_T_CLEAN\n#define Py_LIMITED_API 0x030B0000\n"
        '#include <Python.h>\n#include "python.h"\n'
    )
    command = [CC, "-std=c11", "-fsyntax-only", f"-I{HEADERS}", f"-I{BUILD.parent}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def built_with(compiler: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    copy = shutil.copytree(BUILD.parent, folder / "src" / "native")
    (folder / "src" / "thresher").mkdir()
    return subprocess.run([sys.executable, copy / "build.py", *options], env={**os.environ, "CC": compiler},
                          capture_output=True, text=True, check=False)  # fmt: skip


@pytest.mark.skipif(find_spec("ziglang") is not None, reason="zig is a compiler")
def test_without_a_compiler_it_is_said_what_to_install(tmp_path):
    done = built_with("no-such-compiler", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("No C compiler here: install one, or pip install ziglang==")


@pytest.mark.skipif(find_spec("ziglang") is not None, reason="zig is a compiler")
def test_the_build_needs_ziglang_where_there_is_no_compiler(tmp_path):
    assert built_with("no-such-compiler", tmp_path, "--needs").stdout.startswith("ziglang==")


@needs_compiler
def test_the_build_needs_nothing_where_there_is_a_compiler(tmp_path):
    assert built_with(CC, tmp_path, "--needs").stdout == "\n"


def test_a_core_of_another_form_is_refused(monkeypatch):
    monkeypatch.setattr(optional, "FORM", optional.FORM + 1)
    with pytest.raises(ImportError, match="run make"):
        optional.load()


@given(texts)
def test_simhash_is_that_of_the_reference(text):
    assert simhash(text) == reference.simhash(in_utf8(text))


def test_simhash_sorts_every_character_as_the_reference_does():
    """One bit of 64 is all it takes to see that a letter was taken for a sign."""
    for first in range(0, 0x110000, 0x1000):
        points = [chr(point) for point in range(first, first + 0x1000) if not 0xD800 <= point < 0xE000]
        text = "".join(f"a{point}b " for point in points)
        assert simhash(text) == reference.simhash(in_utf8(text)), hex(first)


def test_simhash_reads_as_far_as_the_reference_does():
    text = "é word " * (SIMHASHED // 7) + "the end of it is not read"
    assert simhash(text) == reference.simhash(in_utf8(text)) == simhash(text + " at all")


def assert_same_words(text: str, language: str = "en") -> None:
    assert words(text, language) == reference.words(text, language)
    counted = word_counts(text, language)
    assert list(counted.items()) == list(reference.word_counts(text, language).items())


ENGLISH = "The C# and c++ crawlers don't care for naïve cafés, they’re “reading” 12345 pages — in Σ-algebras"
mostly_english = st.lists(
    st.one_of(st.sampled_from(ENGLISH.split()), texts.map(lambda text: text[:8])), max_size=80
)


@given(texts)
def test_words_of_any_text_are_those_of_the_reference(text):
    assert_same_words(text)


@given(mostly_english.map(" ".join), st.sampled_from(["en", "de", "fr", "it", "zh", "ru"]))
def test_words_of_a_text_with_some_foreign_ones_are_those_of_the_reference(text, language):
    assert_same_words(text, language)


@pytest.mark.parametrize(
    "characters", [range(0, 0x3400, 16), pytest.param(range(0, 0x110000, 16), marks=pytest.mark.slow)]
)
def test_words_are_cut_at_every_character_where_the_reference_cuts_them(characters):
    for first in characters:
        points = [chr(point) for point in range(first, first + 16) if not 0xD800 <= point < 0xE000]
        assert_same_words(
            "some plain words before the odd one, so that it is one of many " + "x ".join(points * 2)
        )


def test_more_tokens_than_the_core_remembers_are_counted_all_the_same():
    many = " ".join(f"a{number:x}z" for number in range(60_000))
    for text in (
        many,
        "hello world",
        many[: len(many) // 3],
        many[len(many) // 2 :],
        "a" * 300 + " b c",
        many,
    ):
        assert_same_words(text)


MARKS = f"{BEGIN}{END}{BREAK}{CODE}"
PROSE = "A line that is long enough to be prose, whatever stands behind it or in it; it ends as others do."
lines = st.lists(
    st.one_of(
        st.text(st.sampled_from(MARKS + ODD + SCRIPTS + ".!?…。'\")]”»"), max_size=40),
        st.sampled_from(
            [PROSE, PROSE[:59], PROSE[:24] + ".", "中文" * 12, f"{BEGIN}Home{END} | {BEGIN}Up{END}"]
        ),
    ),
    max_size=12,
)
rendered = lines.map("\n".join) | lines.map("".join)


@given(rendered)
def test_a_text_is_tidied_as_by_the_reference(text):
    assert tidy(text) == tidied(in_utf8(text))


@given(rendered, st.integers(-1, 1))
def test_words_of_anchors_are_those_of_the_reference(text, more):
    many = text.count(BEGIN) + more
    found = words_of_anchors(text, many)
    assert text_has_surrogates(text) or found == render.words_of_anchors(text, many)


def text_has_surrogates(text: str) -> bool:
    return any(0xD800 <= ord(each) < 0xE000 for each in text)


@pytest.mark.parametrize("most", [0, 1, 2, 5, 1000])
def test_words_of_an_anchor_are_cut_where_the_reference_cuts_them(most):
    marked = f"see {BEGIN} a  b\xa0cé {END}{BEGIN}{END} and {BEGIN}\n中 文{END}"
    assert CORE.anchors(marked, 3, most) == [words[:most] for words in ("a b cé", "", "中 文")]


tags = st.sampled_from(
    ["<p>", "</p>", "<!--", "-->", "<script>", "</SCRIPT", "<svg a='>'>", "</svg>", "<title>", "</title >",
     "<", "&amp;", "&#x20;", "&" + "a" * 31 + ";", "&" + "a" * 32 + ";", "&;", "words of it", "<style",
     "</style>", "é", "<Template>", "</template>", "<scripts>", "<a-b>", "< p>", "\0"]
)  # fmt: skip
pages = st.lists(st.one_of(tags.map(str.encode), st.binary(max_size=6)), max_size=30).map(b"".join)


@given(pages, st.sampled_from([0, 10, 200]))
def test_as_many_letters_are_seen_as_by_the_reference(markup, most):
    assert letters_in(markup, most) == reference.letters_in(markup, most)


def test_letters_are_looked_for_as_far_as_by_the_reference():
    for markup in (b"<b>" * 20_000 + b"words", b" " * 40_000 + b"words<p>", b"<!-- " * 9, b"<script>" * 9):
        assert letters_in(markup, 3) == reference.letters_in(markup, 3)
