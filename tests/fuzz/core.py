"""Hold every function of the native core, built to end at the first wrong access, against its reference.

python -m tests.fuzz.core [--generated 200000] [--mutated 1000000] [--pages 200000] [--seed 1]
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import islice
from pathlib import Path
from random import Random

from tests.fuzz.mutation import mutated
from tests.fuzz.pages import PageMaker, changed_pages

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "src" / "native" / "build.py"
SAID = "THRESHER_FUZZED_CORE"  # where the core lies that the child process loads
LETTERS = (
    "abcXYZ 09'_#+.,;:!?()[]&<>/-\t\n\r\x00\x04\x05\x06\x0e\x1c\x7f\x85\xa0"
    "éßñİﬁ\u2019\u202f\u2028…”»。！中文字かカ한Пр\U00020000\U0001f600"
)
WANTS = ("place", "context", "offsets", "codes")
PIECES = (
    *(
        "the ",
        "C++ ",
        "don't ",
        "naïve ",
        "crawlers ",
        "12345 ",
        "\n",
        "\x05",
        "\x04",
        "\x05Home\x04 | ",
        "\x0e",
    ),
    *("<p>", "</p>", "<!--", "-->", "<script>", "</script>", "<title>", "</title>", "&amp;", "&#160;", "<"),
    "A line that is long enough to be prose, whatever stands behind it or in it; it ends as others do.\n",
)


def main() -> int:
    """Build the core with sanitizers, and go through all inputs in a process that has loaded it."""
    asked = argparse.ArgumentParser(prog="python -m tests.fuzz.core", description=__doc__)
    asked.add_argument("--generated", type=int, default=200_000)
    asked.add_argument("--mutated", type=int, default=1_000_000)
    asked.add_argument("--pages", type=int, default=200_000)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()

    def work() -> int:
        found = compare(given.generated, given.mutated, Random(given.seed))
        return min(found + compare_pages(given.pages, Random(given.seed)), 1)

    return in_child("--sanitize", "tests.fuzz.core", work)


def in_child(option: str, module: str, work: Callable[[], int]) -> int:
    """Build a core, and do some work in a process that has loaded it: this one, if it is that child."""
    if SAID in os.environ:
        load(os.environ[SAID])
        return work()
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "core.so"
        if subprocess.run([sys.executable, BUILD, option, built], check=False).returncode:
            print("No core could be built here: install a C compiler with its sanitizers.", file=sys.stderr)
            return 2
        options = {"ASAN_OPTIONS": "detect_leaks=0", "LD_PRELOAD": _sanitizer(), "PYTHONMALLOC": "malloc"}
        return subprocess.run([sys.executable, "-m", module, *sys.argv[1:]], cwd=ROOT, check=False,
                              env={**os.environ, **options, SAID: str(built)}).returncode  # fmt: skip


def _sanitizer() -> str:
    """Return the library that must be loaded before everything else."""
    found = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def load(path: str) -> None:
    """Put a core in the place of the one beside the sources."""
    loader = ExtensionFileLoader("thresher._core", path)
    spec = spec_from_loader("thresher._core", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    sys.modules["thresher._core"] = module


def compare(generated: int, changed: int, random: Random) -> int:
    """Return how many answers of the core and of its references to the same input differ."""
    questions, found, asked = pairs(), 0, 0
    for data in inputs(generated, changed, random):
        for name, question in questions.items():
            asked += 1
            if not question(data):
                print(f"{name}: {data!r}", flush=True)
                found += 1
    print(f"{generated:,} generated and {changed:,} changed inputs: {found} of {asked:,} answers differ")
    return found


def compare_pages(many: int, random: Random) -> int:
    """Return how many pages the core reads otherwise than their trees in Python say."""
    from tests.reference import html as reference
    from thresher.parse import html

    found = 0
    for markup in islice(pages(random), many):
        wants = {name: len(markup) % (2 * n) >= n for n, name in enumerate(WANTS, 1)}
        if html.read(markup, "thresher", **wants) != reference.read(markup, "thresher", **wants):
            print(f"page: {markup!r}", flush=True)
            found += 1
    print(f"{many:,} pages, {html.ReadCounts.sound:,} read as they are: {found} otherwise than by their tree")
    return found


def pages(random: Random) -> Iterator[str]:
    """Yield made-up pages, and changed ones of these and of the practice web, without end."""
    from thresher.parse.charset import decode
    from thresher_practice import PracticeWeb

    web = PracticeWeb(seed=1)
    seeds = [decode(web.answer(web.address(url)).body)[0] for url in web.pages[::17]]
    sound, broken = PageMaker(random), PageMaker(random, broken=3)
    changes = changed_pages([*seeds, *(sound.page() for _ in range(len(seeds)))], random)
    while True:
        yield sound.page()
        yield broken.page()
        yield from islice(changes, 4)


def inputs(generated: int, changed: int, random: Random) -> Iterator[bytes]:
    """Yield made-up texts, then changed ones; a lone surrogate is one byte that UTF-8 does not have."""
    seeds: list[bytes] = []
    for number in range(generated):
        text = "".join(random.choices((*LETTERS, *PIECES), k=random.randrange(60)))
        seeds = [*seeds, text.encode()] if number < 500 else seeds
        yield text.encode()
    changes = mutated(seeds or [b"".join(piece.encode() for piece in PIECES)], random)
    yield from (next(changes) for _ in range(changed))


def pairs() -> dict[str, Callable[[bytes], bool]]:
    """Return for each function of the core whether it says what its reference says."""
    from tests.reference import render
    from tests.reference import text as reference
    from tests.reference.tree import tidied
    from thresher.parse.anchors import BEGIN, words_of_anchors
    from thresher.parse.document import letters_in
    from thresher.parse.fingerprint import simhash
    from thresher.parse.tree import in_utf8, tidy
    from thresher.text.tokenize import word_counts, words

    def text_of(data: bytes) -> str:
        return data.decode("utf-8", "surrogateescape" if data[:1] < b"a" else "replace")

    def anchors(data: bytes) -> bool:
        text = text_of(data)
        found = words_of_anchors(text, many := text.count(BEGIN))
        return found == render.words_of_anchors(text, many) or (found is None and _has_surrogates(text))

    def counts(data: bytes) -> bool:
        text = text_of(data)
        same = words(text) == reference.words(text)
        return same and [*word_counts(text).items()] == [*reference.word_counts(text).items()]

    return {
        "anchors": anchors,
        "tidy": lambda data: tidy(text_of(data)) == tidied(in_utf8(text_of(data))),
        "letters": lambda data: letters_in(data, 200) == reference.letters_in(data, 200),
        "simhash": lambda data: simhash(text_of(data)) == reference.simhash(in_utf8(text_of(data))),
        "words": counts,
    }


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= each <= "\udfff" for each in text)


if __name__ == "__main__":
    raise SystemExit(main())
