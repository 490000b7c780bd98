"""What example pages have in common: sub-domain vocabularies, a centroid, and terms worth adding.

Jamali et al. 2006 let a search engine cluster the pages of a domain and keep, for each cluster, the words
that occur at least minOccurrence = 2 times. We cluster the example pages, by k-means on TF-IDF vectors.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log1p, sqrt
from random import Random

import numpy as np
from numpy.typing import NDArray

from thresher.text.languages import PLAIN
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import shipped_vectors

MIN_OCCURRENCE = 2
FEWEST_PAGES = 10  # with fewer there are no sub-domains to find
MOST_CLUSTERS = 12
LARGEST_CENTROID = 200
NEGATIVE = 0.5  # how much a negative example takes away
_WORDS, _ROUNDS = 2000, 20

Counts = Mapping[str, int]


def sub_domains(
    texts: Sequence[str], min_occurrence: int = MIN_OCCURRENCE, seed: int = 1
) -> tuple[tuple[str, ...], ...]:
    """Return the vocabulary of each sub-domain of the example pages, its words in order."""
    pages = [Counter(plain_words(text)) for text in texts]
    return tuple(
        tuple(sorted(word for word, count in _pooled(cluster).items() if count >= min_occurrence))
        for cluster in _clusters(pages, seed)
    )


def centroid(texts: Sequence[str], negatives: Sequence[str] = (), language: str = PLAIN) -> dict[str, float]:
    """Return the words of the example pages with their weights, less those of the negative ones; length 1."""
    weights = _mean([Counter(plain_words(text, language)) for text in texts])
    for word, weight in _mean([Counter(plain_words(text, language)) for text in negatives]).items():
        weights[word] = weights.get(word, 0.0) - NEGATIVE * weight
    heaviest = sorted(weights.items(), key=lambda pair: (-abs(pair[1]), pair[0]))[:LARGEST_CENTROID]
    length = sqrt(fsum(weight * weight for _, weight in heaviest)) or 1.0
    return {word: round(weight / length, 5) for word, weight in heaviest}


def suggestions(
    texts: Sequence[str], known: Iterable[str] = (), several: int = 12
) -> list[tuple[str, float]]:
    """Return terms worth adding, as they are written on the pages, weighed beside the first."""
    have = {word for phrase in known for word in plain_words(phrase)}
    found = centroid(texts).items()
    weights = {
        word: weight for word, weight in found if weight > 0 and word not in have and not word.isdigit()
    }
    written = _written(texts)
    best = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:several]
    return [(written.get(word, word), round(weight / best[0][1], 3)) for word, weight in best]


def _mean(pages: Sequence[Counts]) -> dict[str, float]:
    """Return the mean of the pages' vectors; a word of one page out of many is chance and left out."""
    needed = 2 if len(pages) > 2 else 1
    spread = Counter(word for page in pages for word in page)
    total: dict[str, float] = {}
    for page in pages:
        for word, weight in _unit(page).items():
            if spread[word] >= needed:
                total[word] = total.get(word, 0.0) + weight / len(pages)
    return total


def _unit(page: Counts) -> dict[str, float]:
    rarity = shipped_vectors().rarity
    weights = {word: log1p(count) * rarity(word) for word, count in page.items()}
    length = sqrt(fsum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _written(texts: Sequence[str]) -> dict[str, str]:
    """Return how each stem is most often written."""
    forms: dict[str, Counter[str]] = {}
    for text in texts:
        for token in tokens(fold(text)):
            for stem in plain_words(token):
                forms.setdefault(stem, Counter())[token] += 1
    return {stem: max(sorted(counts), key=lambda form: counts[form]) for stem, counts in forms.items()}


def _pooled(pages: Iterable[Counts]) -> Counter[str]:
    total: Counter[str] = Counter()
    for page in pages:
        total.update(page)
    return total


def _clusters(pages: Sequence[Counts], seed: int) -> list[list[Counts]]:
    """Return the pages in clusters: about the root of half their number, one where there are few."""
    if len(pages) < FEWEST_PAGES:
        return [list(pages)] if pages else []
    vectors = _matrix(pages)
    several = max(2, min(MOST_CLUSTERS, round(sqrt(len(pages) / 2))))
    nearest = _k_means(vectors, several, Random(seed))
    groups = [
        [page for page, at in zip(pages, nearest, strict=True) if at == number] for number in range(several)
    ]
    return [group for group in groups if group]


def _matrix(pages: Sequence[Counts]) -> NDArray[np.float64]:
    spread = Counter(word for page in pages for word in page)
    shared = sorted((word for word in spread if spread[word] > 1), key=lambda word: (-spread[word], word))[
        :_WORDS
    ]
    column = {word: number for number, word in enumerate(shared)}
    vectors = np.zeros((len(pages), len(column) or 1))
    for row, page in enumerate(pages):
        for word, weight in _unit(page).items():
            if word in column:
                vectors[row, column[word]] = weight
    return np.asarray(vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-12))


def _k_means(vectors: NDArray[np.float64], several: int, random: Random) -> list[int]:
    """Return the cluster of each row, from `several` rows chosen far apart (k-means++, spherical)."""
    centres = [vectors[random.randrange(len(vectors))]]
    while len(centres) < several:
        far = 1 - np.max(vectors @ np.array(centres).T, axis=1)
        centres.append(
            vectors[random.choices(range(len(vectors)), weights=list(np.clip(far, 1e-9, None)))[0]]
        )
    middle = np.array(centres)
    nearest = np.argmax(vectors @ middle.T, axis=1)
    for _ in range(_ROUNDS):
        groups = [vectors[nearest == number] for number in range(several)]
        middle = np.array([group.mean(axis=0) if len(group) else middle[n] for n, group in enumerate(groups)])
        nearest = np.argmax(vectors @ middle.T, axis=1)
    return [int(number) for number in nearest]
