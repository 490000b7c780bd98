"""What the user says of fetched pages: the judge learns from it, and judges the latest ones again."""

from collections.abc import Mapping

from thresher.core.doors import Memory
from thresher.core.records import Url
from thresher.relevance.learning import Learning
from thresher.strategies.learning.evidence import Evidence
from thresher.strategies.learning.history import History

JUDGED_AGAIN = 300  # pages, the latest


def teach(
    labels: Mapping[Url, bool],
    taught: dict[Url, bool],
    judge: Learning,
    evidence: Evidence,
    history: History,
    memory: Memory,
) -> bool:
    """Learn from labels that are new beside those `taught` before, and return whether there was something.

    Labels of one kind are noted and wait for one of the other: many a no says that nothing was found yet,
    not which words are wrong.
    """
    news = {
        url: wanted for url, wanted in labels.items() if taught.get(url) is not wanted and memory.page(url)
    }
    had_both = _has_both_kinds(taught)
    taught |= news
    if not news or not (had_both or _has_both_kinds(taught)):
        return False
    _correct(judge, news if had_both else taught, memory)
    for place in history.latest(min(len(history), JUDGED_AGAIN)):
        _judge_again(place, judge, evidence, history, memory)
    return True


def _has_both_kinds(labels: Mapping[Url, bool]) -> bool:
    """Tell whether somebody has said both yes and no."""
    return len({*labels.values()}) == 2


def _correct(judge: Learning, labels: Mapping[Url, bool], memory: Memory) -> None:
    """Let the judge learn from labelled pages."""
    pages = {url: page for url in labels if (page := memory.page(url))}
    judge.correct([*map(judge.read, pages.values())], [labels[url] for url in pages])


def _judge_again(place: int, judge: Learning, evidence: Evidence, history: History, memory: Memory) -> None:
    """Judge a page that was learned from once more, and correct what was counted for its groups."""
    url, _, groups, before = history.at(place)
    page = memory.page(url)
    if page is None:
        return
    label = judge.score(judge.read(page))
    history.correct(place, label)
    evidence.count(groups, label - before, visits=0)
