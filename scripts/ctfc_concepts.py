"""Figure 6b and Table 1 of CT-FC: the judge with more meanings of a query, fewer concepts, no synonyms.

python scripts/ctfc_concepts.py CORPUS:topic,topic ...     such as dev-wikispeedia:wiki-music

Every page of the corpora is judged with the lexicon of each form; a page counts as right if people call it
relevant. Precision is of all pages with Score(q) = 1, recall of all relevant ones, both over all topics.
"""

import sys
from collections import Counter
from pathlib import Path

from thresher.build.plugins import make_strategy
from thresher.judges.baselines import LexiconJudge
from thresher.settings.model import StrategySettings
from thresher.strategies.ctfc import Ctfc
from thresher_lab.contenders.named import contender_of, plan_of
from thresher_lab.corpus import Corpus
from thresher_lab.setup import ReplayStage, stage

FORMS = (
    "ctfc+ontology",
    "ctfc+meanings=2",
    "ctfc+meanings=3",
    "ctfc+meanings=5",
    "ctfc+concepts=1",
    "ctfc+concepts=5",
    "ctfc+synonyms=false",
)


def lexicon_of(place: ReplayStage, topic: str, form: str) -> LexiconJudge:
    """Return the judge that a form of CT-FC has for a topic."""
    contender = contender_of(form)
    plan = plan_of(contender, topic, 1, ("hub",))
    strategy = make_strategy(
        StrategySettings("ctfc", contender.parameters), place.judge(plan), place.topic(plan)
    )
    assert isinstance(strategy, Ctfc)
    return strategy.lexicon


def count(place: ReplayStage, topics: list[str], found: dict[str, Counter[str]]) -> None:
    """Judge every page, and count what was called relevant, what rightly so, and what there is."""
    lexicons = {(topic, form): lexicon_of(place, topic, form) for topic in topics for form in FORMS}
    relevant = {topic: place.relevant(topic) for topic in topics}
    for url, _ in place.web.pages():
        if not (fetched := place.web.peek(url)) or fetched.status != 200:
            continue
        page = place.parse(fetched)
        for (topic, form), lexicon in lexicons.items():
            right, called = url in relevant[topic], lexicon.score(page) >= lexicon.threshold
            found[form].update(called=called, right=called and right, wanted=right)


def main() -> None:
    """Print a row for each form."""
    found: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    for asked in sys.argv[1:]:
        corpus, _, topics = asked.partition(":")
        with stage(Corpus(Path(corpus))) as place:
            count(place, topics.split(","), found)
    for form, counts in found.items():
        precision, recall = (counts["right"] / max(1, counts[of]) for of in ("called", "wanted"))
        print(f"| `{form}` | {counts['called']} | {counts['right']} | {precision:.3f} | {recall:.3f} |")


if __name__ == "__main__":
    main()
