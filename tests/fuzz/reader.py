"""Run libFuzzer over the whole reader of the native core, built by clang with sanitizers.

python -m tests.fuzz.reader [--seconds 60] [--seed 1] [--minimise]

An input is a byte that says what is asked for, then markup: `read_input`. What ends the program, and what was
found, lies in build/fuzz-core. `--minimise` writes tests/fuzz/native/corpus anew, of pages made here and of
what was found, as few as reach the same edges.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from hashlib import sha1
from html.entities import html5
from itertools import islice
from pathlib import Path
from random import Random

from tests.fuzz.pages import (
    BLOCKS,
    KEYS,
    NAMES,
    ODDITIES,
    RAW,
    TEXTS,
    VALUES,
    VOIDS,
    WORDS,
    PageMaker,
    changed_pages,
)
from thresher.core.optional import CORE
from thresher.parse import html
from thresher.parse.anchors import Mention

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "src" / "native"
DRIVER = ROOT / "tests" / "fuzz" / "native" / "fuzz_reader.c"
CORPUS = DRIVER.parent / "corpus"
BUILD = ROOT / "build" / "fuzz-core"
PROGRAM, FOUND, DICTIONARY = BUILD / "fuzz_reader", BUILD / "found", BUILD / "html.dict"

WANTS = 31  # the bits of the first byte that say what is asked of the core
FULL = 32  # the bit that asks Python's reader, which asks the core and turbohtml
LONGEST = 4096  # bytes of an input
SIZE = 190_000  # bytes of the corpus at most
SEEDS = 3_000  # pages made up for it
FLAGS = (
    "-std=c11 -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
    " -fno-sanitize=pointer-overflow"  # an empty buffer is NULL + 0
)
LIMITS = (f"-max_len={LONGEST}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1")


def read_input(data: bytes) -> list[str]:
    """Read one input as its first byte says, and return its texts, none where the core cannot read it."""
    form, markup = int.from_bytes(data[:1]), data[1:].decode("utf-8", "replace")
    return read_whole(markup, form & WANTS) if form & FULL else read_by_core(markup, form & WANTS)


def read_whole(markup: str, wants: int) -> list[str]:
    """Return the texts of a page as Python's reader has them."""
    place, offsets = bool(wants & html.PLACES), bool(wants & html.BREAKS)
    codes, context = bool(wants & html.WRITTEN), bool(wants & html.CONTEXT)
    facts = html.read(markup, "thresher", place=place, offsets=offsets, codes=codes, context=context)
    anchors = [mention.anchor for mention in facts.mentions]
    return [facts.title, facts.text, facts.main, facts.written, *facts.tags, *anchors]


def read_by_core(markup: str, wants: int) -> list[str]:
    """Return the texts of a page as the core has them, whether or not turbohtml has written it."""
    asked = (Mention, html.words_of, html.in_shape, html.leads_on, html.refresh_target)
    found = CORE.read(markup, html5, wants, *asked)
    if found is None:
        return []
    mentions, images, tags, rest, hidden, seen, article, written, numbered = found
    places = [each for mention in mentions for each in (mention.reference, mention.place)]
    elements = [each for _, tag, _, above, place, text in rest for each in (tag, above, place, text)]
    parts = [text for _, text in hidden]
    return [seen, article, written, *(numbered or ()), *images, *tags, *places, *elements, *parts]


def main() -> int:
    """Build the program and run it, or write the corpus anew."""
    asked = argparse.ArgumentParser(prog="python -m tests.fuzz.reader", description=__doc__)
    asked.add_argument("--seconds", type=int, default=60)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--minimise", action="store_true")
    given = asked.parse_args()
    for folder in (FOUND, CORPUS):
        folder.mkdir(parents=True, exist_ok=True)
    if not built():
        return 2
    if given.minimise:
        return minimised(Random(given.seed))
    DICTIONARY.write_text(dictionary(), encoding="utf-8")
    again = [f"-dict={DICTIONARY}", f"-seed={given.seed}", f"-artifact_prefix={BUILD}/"]
    return run(f"-max_total_time={given.seconds}", *again, str(FOUND), str(CORPUS))


def built() -> bool:
    """Build the core and the driver into one program with Python in it."""
    sources = [str(source) for source in (DRIVER, *sorted(NATIVE.glob("*.c")))]
    headers = f"-I{sysconfig.get_path('include')}"
    command = ["clang", *FLAGS.split(), headers, *sources, *python_library(), "-o", str(PROGRAM)]
    try:
        done = subprocess.run(command, check=False).returncode == 0
    except FileNotFoundError:
        done = False
    if not done:
        print("The target cannot be built: it needs clang, libFuzzer, and Python's headers.", file=sys.stderr)
    return done


def python_library() -> list[str]:
    """Return how this Python is linked into a program: its shared library, or else its static one."""
    said = {name: str(value) for name, value in sysconfig.get_config_vars().items()}
    others = f"{said['LIBS']} {said['SYSLIBS']} {said['LINKFORSHARED']}".split()
    if said["Py_ENABLE_SHARED"] == "1":
        return [
            f"-L{said['LIBDIR']}",
            f"-Wl,-rpath,{said['LIBDIR']}",
            f"-lpython{said['LDVERSION']}",
            *others,
        ]
    return [str(Path(said["LIBPL"]) / said["LIBRARY"]), *others]


def run(*arguments: str) -> int:
    """Run the program with the packages of this Python; its own memory is not held for leaked."""
    path = os.pathsep.join([str(ROOT), *(each for each in sys.path if each)])
    environment = {"PYTHONHOME": sys.base_prefix, "PYTHONPATH": path, "PYTHONMALLOC": "malloc",
                   "ASAN_OPTIONS": "detect_leaks=0"}  # fmt: skip
    return subprocess.run([PROGRAM, *LIMITS, *arguments], cwd=ROOT, env={**os.environ, **environment},
                          check=False).returncode  # fmt: skip


def minimised(random: Random) -> int:
    """Write the corpus anew: of made-up pages, the old corpus and what was found, what reaches new edges."""
    made, least = BUILD / "made", BUILD / "least"
    for folder in (made, least):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    for data in seeds(random):
        (made / sha1(data).hexdigest()).write_bytes(data)
    code = run("-set_cover_merge=1", str(least), str(made), str(FOUND), str(CORPUS))
    if code == 0:
        kept = keep(least)
        print(f"{kept} inputs in {CORPUS.relative_to(ROOT)}")
    return code


def seeds(random: Random) -> list[bytes]:
    """Return made-up pages and changed ones that are short, each asked for in one of the forms."""
    sound, broken = PageMaker(random), PageMaker(random, broken=3)
    pages = [maker.page() for _ in range(SEEDS // 3) for maker in (sound, broken)]
    pages += islice(changed_pages(pages, random), SEEDS // 3)
    inputs = [bytes([random.randrange(2 * FULL)]) + page.encode("utf-8", "replace") for page in pages]
    return [data for data in inputs if len(data) <= LONGEST // 2]


def keep(least: Path) -> int:
    """Put the smallest inputs of a folder in the place of the corpus, as many as may be."""
    for old in CORPUS.iterdir():
        old.unlink()
    kept = size = 0
    for file in sorted(least.iterdir(), key=lambda file: (file.stat().st_size, file.name)):
        size += file.stat().st_size
        if size > SIZE:
            break
        shutil.copyfile(file, CORPUS / sha1(file.read_bytes()).hexdigest())
        kept += 1
    return kept


def dictionary() -> str:
    """Return the tags, names and odd pieces of our pages in the form in which libFuzzer reads them."""
    closed = [*BLOCKS, *WORDS, *RAW]
    tags = [f"<{name}" for name in (*closed, *VOIDS)] + [f"</{name}>" for name in closed]
    words = {*tags, *(f" {key}=" for key in KEYS), *NAMES, *VALUES, *ODDITIES, *TEXTS} - {""}
    return "".join(f'"{_quoted(word)}"\n' for word in sorted(words) if len(word.encode()) < 60)


def _quoted(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    raise SystemExit(main())
