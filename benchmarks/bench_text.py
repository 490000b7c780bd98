"""Words out of text and scores out of words: 1 MB of English, 1 MB of Chinese, and one page for each judge.

python benchmarks/bench_text.py

The texts are made of the words of the vector table, the frequent ones as often as in real text (Zipf), with
function words and punctuation between them. Times are processor time, the best of several runs.
"""

import random
import time
from collections.abc import Callable
from copy import copy
from functools import partial

from thresher.core.records import Page, Topic, Url
from thresher.judges import JUDGES
from thresher.text import page_record
from thresher.text.tokenize import WordCounts, words
from thresher.text.vectors import shipped_vectors

MEGABYTE = 1_000_000
PAGE = 20_000
RUNS = 20


def main() -> None:
    """Print a line for each text and each judge."""
    for language, text in (("English", english()), ("Chinese", chinese())):
        part = text.encode()[:PAGE].decode("utf-8", "ignore")
        whole, single = best(partial(words, text)), best(partial(words, part))
        print(f"{language}: 1 MB {whole:.0f} ms, a page of 20 KB {single:.2f} ms")
    page = Page(Url("http://a.com/"), "Basketball", english()[:PAGE])
    topic = Topic("basketball", {"basketball": 1.0, "篮球": 1.0})
    for name, kind in JUDGES.items():
        made, scored = best(partial(kind, topic)), best(partial(kind(topic).score, page))
        print(f"{name:12} made in {made:5.2f} ms, scores a page whose words are known in {scored:.2f} ms")
    print(f"and the words of a page in {best(partial(fresh, page)):.2f} ms")


def fresh(page: Page) -> WordCounts:
    """Count the words of a page as if it had not been seen."""
    return page_record.page_counts(copy(page))


def best(work: Callable[[], object]) -> float:
    """Return the processor milliseconds of the fastest of several runs."""
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times) * 1e3


def english() -> str:
    """Return 1 MB of English: a function word after each word, a full stop after ten."""
    vectors = shipped_vectors()
    drawn = _drawn(vectors.words[: vectors.english], 160_000)
    joined = " ".join(
        f"{word} {'the of and to in'.split()[at % 5]}{'.' * (at % 10 == 9)}" for at, word in enumerate(drawn)
    )
    return joined[:MEGABYTE]


def chinese() -> str:
    """Return 1 MB of Chinese: a particle after every third word, a full stop after ten."""
    vectors = shipped_vectors()
    drawn = _drawn(vectors.words[vectors.english :], 200_000)
    joined = "".join(f"{word}{'的' * (at % 3 == 2)}{'。' * (at % 10 == 9)}" for at, word in enumerate(drawn))
    return joined.encode()[:MEGABYTE].decode("utf-8", "ignore")


def _drawn(ranked: list[str], many: int) -> list[str]:
    weights = [1 / (rank + 2) for rank in range(len(ranked))]
    return random.Random(1).choices(ranked, weights, k=many)


if __name__ == "__main__":
    main()
