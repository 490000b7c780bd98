"""The order of visits of every strategy, pinned by a digest, so that a rebuilding that changes one is seen.

python -m tests.orders                    pin the orders of the practice web anew; say in the commit why
python -m tests.orders FOLDER...          print those on recorded webs, to be held against another commit
python -m tests.orders --page NAME...     print the line by which a page of figures knows what was played
"""

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import sha1
from pathlib import Path

from tests.contracts.forms import FORMS
from tests.floors import TOPICS, recorded
from thresher_lab.contenders.named import contender_of, plan_of
from thresher_lab.corpus import DEFAULT_SEEDS, Corpus
from thresher_lab.replay import play
from thresher_lab.setup import stage

ORDERS = Path(__file__).with_name("orders.json")
PAGES = 150


def digests(corpus: Corpus, cache: Path | None, topics: Iterable[str], strategy: str) -> Iterator[str]:
    """Yield the digest of the order of visits for each topic."""
    named = contender_of(strategy)
    with stage(corpus, cache=cache) as place:
        for topic in topics:
            plan = plan_of(named, topic, PAGES, DEFAULT_SEEDS, model="rich")
            urls = [step.url for step in play(place, plan).steps]
            yield sha1("\n".join(urls).encode(), usedforsecurity=False).hexdigest()[:12]


def pinned() -> dict[str, list[str]]:
    """Return the digests of each strategy."""
    orders: dict[str, list[str]] = json.loads(ORDERS.read_text())
    return orders


def line_of(names: Iterable[str]) -> str:
    """Return what a page of figures says of the strategies that were played: a comment nobody sees."""
    return f"<!-- orders: {', '.join(f'{name}={short(name)}' for name in names)} -->"


def short(name: str) -> str:
    """Return the digests of a strategy's orders as one."""
    return "/".join(each[:6] for each in pinned()[name])


def _pin() -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus, cache = recorded(Path(folder)), Path(folder) / "cache"
        found = {name: [*digests(corpus, cache, TOPICS, name)] for name in sorted(FORMS)}
    ORDERS.write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    if not (folders := sys.argv[1:]):
        return _pin()
    if folders[0] == "--page":
        return print(line_of(folders[1:]))
    for folder in folders:
        corpus = Corpus(Path(folder))
        topics = [topic for topic in corpus.topics if corpus.relevant(topic)][:3]
        for name in sorted(FORMS):
            print(corpus.name, name, *digests(corpus, None, topics, name), flush=True)
    return None


if __name__ == "__main__":
    main()
