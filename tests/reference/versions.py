"""Read made-up pages with the oldest and the newest turbohtml allowed: each must say the same as with ours.

How they write Markdown differs (what they escape), and is not compared.

python -m tests.reference.versions [--pages 1000] [--seed 1]
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
OLDEST, NEWEST = "1.12.0", "1.15.4"  # of the range in pyproject.toml


def main() -> int:
    """Compare each version, in a process of its own, with the one that is installed."""
    asked = argparse.ArgumentParser(prog="python -m tests.reference.versions", description=__doc__)
    asked.add_argument("--pages", type=int, default=1_000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument(
        "--digests", action="store_true", help="print what the pages say, for the other process"
    )
    given = asked.parse_args()
    mine = list(digests(given.pages, Random(given.seed)))
    if given.digests:
        print(*mine, sep="\n")
        return 0
    different = 0
    for version in (OLDEST, NEWEST):
        theirs = digests_with(version, given.pages, given.seed)
        different += (found := sum(one != other for one, other in zip(mine, theirs, strict=True)))
        print(f"turbohtml {version}: {found} of {len(mine):,} pages are read otherwise")
    return min(different, 1)


def digests(pages: int, random: Random) -> Iterator[str]:
    """Yield a digest of what each page says: half of them must be repaired."""
    from tests.fuzz.pages import PageMaker
    from thresher.parse.html import read

    sound, broken = PageMaker(random), PageMaker(random, broken=3)
    made = (maker.page() for _ in range(pages) for maker in (sound, broken))
    for page in islice(made, pages):
        said = repr(read(page, "thresher"))
        yield blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()


def digests_with(version: str, pages: int, seed: int) -> list[str]:
    """Return the digests of a process that has another version."""
    with tempfile.TemporaryDirectory() as folder:
        install = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", folder]
        subprocess.run([*install, f"turbohtml=={version}"], check=True)
        command = [sys.executable, "-m", "tests.reference.versions", "--digests", f"--pages={pages}"]
        there = {**os.environ, "PYTHONPATH": folder}
        said = subprocess.run(
            [*command, f"--seed={seed}"], env=there, cwd=ROOT, capture_output=True, text=True, check=True
        )
    return said.stdout.split()


if __name__ == "__main__":
    raise SystemExit(main())
