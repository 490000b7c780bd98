"""A priority in words: what each expert adds to it, and what the learner's own part is made of."""

from collections import Counter
from collections.abc import Container, Iterator

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import GroupKind, GroupYield, LabelSuggestion, PriorityBreakdown, PriorityTerm, Url
from thresher.strategies.learned.features import NAMES, LinkFeatures
from thresher.strategies.learned.model import EXPERTS, Experts, LinearModel
from thresher.strategies.learned.rows import History
from thresher.strategies.learned.table import GROUPS

Floats = NDArray[np.float64]

WORTH_SAYING = 5e-3  # terms smaller than this are left out

IN_WORDS = {
    "parents": "how topical the pages are that mention it",
    "anchor words": "words of the topic in its anchors, or beside them on a seed",
    "anchor meaning": "how near its anchors are to the topic in meaning",
    "URL words": "words of the topic in its URL",
    "URL meaning": "how near its URL is to the topic in meaning",
    "same host": "mentions by its own host",
    "clicks": "how far it is from a seed (1: eight clicks or more)",
    "heading words": "words of the topic in the headings it stands under",
    "heading meaning": "how near these headings are to the topic in meaning",
    "page": "what other links of the same page brought, compared with usual ones",
    "section": "what links at the same place of such pages brought, compared with usual ones",
    "heading": "what links under the same heading of the host brought, compared with usual ones",
    "host": "what its host brought, compared with the others",
    "folder": "what its folder brought, compared with its host",
}
"""What each link feature means, for the user."""


IN_TURN = "its turn has come, whatever it promises: it is next once its host has rested"


def mixture(experts: Experts, opinions: NDArray[np.float64], chance: float) -> list[str]:
    """Explain a link's priority: each expert's contribution, largest first, times the chance of a page."""
    if not experts.are_ready:
        return []
    said = experts.said(opinions)[:, 0]
    parts = experts.weights * said
    together = float(parts.sum())
    lines = [
        (part, f"{part:+.3f} {name}, which weighs {weight:.2f}, says {each:.2f}: {words}")
        for part, weight, each, (name, words) in zip(
            parts.tolist(), experts.weights.tolist(), said.tolist(), EXPERTS.items(), strict=True
        )
    ]
    lines.sort(key=lambda line: -line[0])
    odds = f"a chance of {chance:.2f} that the request brings a page"
    head = f"priority {together * chance:.3f} = {together:.3f} by all experts, times {odds}:"
    return [head, *(line for _, line in lines), "The learner's own score is made up of:"]


def priority_of(evidence: Floats, weights: LinearModel | None, prior: Floats) -> PriorityBreakdown:
    """Return the priority of a row and its terms compared with a usual link, largest first."""
    if weights is None:
        parts, base = evidence * prior, 0.0
    else:
        parts, base = weights.terms(evidence), weights.intercept
    order = np.argsort(-np.abs(parts), kind="stable").tolist()
    return PriorityBreakdown(
        base,
        tuple(
            PriorityTerm(NAMES[place], float(parts[place]), float(evidence[place]), IN_WORDS[NAMES[place]])
            for place in order
        ),
    )


def explain_terms(priority: PriorityBreakdown) -> list[str]:
    """Return a priority in words."""
    total = priority.base + sum(part.amount for part in priority.parts)
    return [
        f"{total:.3f} learned = {priority.base:.3f} for a usual link, and:",
        *(
            f"{part.amount:+.3f} {part.name} {part.value:.3f}: {part.sentence}"
            for part in priority.parts
            if abs(part.amount) >= WORTH_SAYING
        ),
    ]


FOLDER = GROUPS.index("folder")
KINDS = (GroupKind.HOST, GroupKind.FOLDER, GroupKind.SECTION)
THRESHOLD = 0.5  # a page of this label is as likely wanted as not
BLUR = 0.15  # a label so far from the threshold is half as doubtful as one at it


def lessons(evidence: LinkFeatures) -> list[GroupYield]:
    """Return what hosts, folders and sections have brought, the greatest gain over usual visits first."""
    usual = evidence.sum / evidence.visits if evidence.visits else 0.0
    found = [lesson for kind in KINDS for lesson in _lessons(evidence, kind, usual)]
    return sorted(found, key=lambda lesson: (-lesson.gain, lesson.kind.value, lesson.name))


def questions(evidence: LinkFeatures, history: History, answered: Container[Url]) -> list[LabelSuggestion]:
    """Return unlabelled visited pages, most useful to label first.

    A label is useful where the score of the page is near 0.5 and many frontier links share its groups, whose
    yields it corrects. The second page of a folder is worth less than the first.
    """
    waiting = evidence.table.cells["groups"][evidence.table.waiting()]
    counts = [np.bincount(column) for column in waiting.T]
    asked: list[tuple[float, int, LabelSuggestion]] = []
    for place in range(len(history)):
        url, _, groups, label = history.at(place)
        if url not in answered:
            alike = [_count(column, number) for column, number in zip(counts, groups.tolist(), strict=False)]
            doubt = 1 / (1 + ((label - THRESHOLD) / BLUR) ** 2)
            worth = doubt * (1 + float(np.log1p(alike).mean()))
            asked.append((worth, int(groups[FOLDER]), LabelSuggestion(url, label, alike[FOLDER])))
    return _varied(asked)


def _lessons(evidence: LinkFeatures, kind: GroupKind, usual: float) -> Iterator[GroupYield]:
    counted = evidence.tallies[kind.value]
    for number in np.flatnonzero(counted.counts).tolist():
        name, visits, total = str(counted.name(number)), int(counted.counts[number]), counted.sums[number]
        host = "/".join(name.partition(" ")[0].split("/")[:3])
        if kind is GroupKind.HOST or name != host:  # skip groups that are the bare host; the host counts them
            yield GroupYield(kind, name, host, visits, float(total / visits), float(total - visits * usual))


def _count(column: NDArray[np.signedinteger], number: int) -> int:
    return int(column[number]) if number < len(column) else 0


def _varied(asked: list[tuple[float, int, LabelSuggestion]]) -> list[LabelSuggestion]:
    """Return the questions in order, each worth less by every better one of the same folder."""
    before: Counter[int] = Counter()
    ranked: list[tuple[float, LabelSuggestion]] = []
    for worth, pattern, question in sorted(asked, key=lambda each: (-each[0], each[2].url)):
        before[pattern] += 1
        ranked.append((worth / before[pattern], question))
    return [question for _, question in sorted(ranked, key=lambda each: (-each[0], each[1].url))]
