"""Pages labelled by a model: asked one by one within a budget, checked against a person's labels on the way.

The pages that a person has labelled stand among the others, so that a model that starts answering wrongly is
noticed. Its answers are used for training only if it was checked on at least MIN_CHECKS of them, with
MIN_CHECKS_PER_KIND of yes and of no, and agrees on a share of MIN_AGREEMENT and on most of each kind.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest

from msgspec import Struct

from thresher.core.errors import EndpointFailed
from thresher.core.records import Page, Topic, Url
from thresher.models.endpoint import TRIES, ModelEndpoint
from thresher.models.verdict import Ending, ModelVerdict, Prompt, prompt_for, verdict_of

MIN_CHECKS = 10  # labels of a person by which a model is checked
MIN_CHECKS_PER_KIND = 2  # of them that say yes, and that say no
MOST_CHECKS = 20
MIN_AGREEMENT = 0.8
MAX_FAILURES_IN_A_ROW = 3  # requests without an answer after which asking stops


class LabellingPlan(Struct, frozen=True):
    """What is to be asked, and what it may cost at most."""

    topic: Topic
    pages: tuple[Page, ...]  # checks among the others
    said: Mapping[Url, bool]  # by a person, of the checks
    words: int  # that may be sent, all tries together

    @property
    def asked(self) -> int:
        """How many unlabelled pages are asked about."""
        return len(self.pages) - len(self.said)


class Agreement(Struct, frozen=True):
    """How often a model says what a person said; [agreed, asked] of each kind."""

    yes: tuple[int, int] = (0, 0)
    no: tuple[int, int] = (0, 0)

    @property
    def share(self) -> float:
        """The share of the answers that agree."""
        asked = self.yes[1] + self.no[1]
        return (self.yes[0] + self.no[0]) / asked if asked else 0.0

    @property
    def is_enough(self) -> bool:
        """Whether what the model says may be taught."""
        kinds = (self.yes, self.no)
        each = all(agreed > asked / 2 and asked >= MIN_CHECKS_PER_KIND for agreed, asked in kinds)
        return self.yes[1] + self.no[1] >= MIN_CHECKS and self.share >= MIN_AGREEMENT and each


class Answered(Struct, frozen=True):
    """What a model said of one page."""

    url: Url
    verdict: ModelVerdict
    is_check: bool


class LabellingResult(Struct, frozen=True):
    """What came of asking a model about pages."""

    answers: tuple[Answered, ...]
    agreement: Agreement
    given_up: str  # why the rest was not asked about, if it was not
    requests: int
    words: int
    tokens: int

    @property
    def endings(self) -> dict[str, int]:
        """Number of answers per outcome."""
        return dict(Counter(each.verdict.ending.value for each in self.answers))

    @property
    def may_be_taught(self) -> bool:
        """Whether the answers may be taught: the model agrees with a person."""
        return self.agreement.is_enough


def plan_of(
    topic: Topic, checks: Sequence[tuple[Page, bool]], others: Sequence[Page], words: int
) -> LabellingPlan:
    """Return what is to be asked: the checks evenly among the others, as far as the words reach."""
    chosen, left = [], words
    for page in _among([page for page, _ in checks], others):
        left -= (cost := prompt_for(topic, page).words)
        if left < 0:
            left += cost
            continue
        chosen.append(page)
    urls = {page.url for page in chosen}
    said = {page.url: wanted for page, wanted in checks if page.url in urls}
    return LabellingPlan(topic, tuple(chosen), said, words)


def words_of(plan: LabellingPlan) -> int:
    """Return how many words of pages would be sent if every answer came at once."""
    return sum(prompt_for(plan.topic, page).words for page in plan.pages)


async def label(
    plan: LabellingPlan, endpoint: ModelEndpoint, told: Callable[[Answered], None] = lambda answered: None
) -> LabellingResult:
    """Ask a model about pages, one after the other; `told` hears of each answer."""
    asking = _Asking(plan, endpoint)
    for page in plan.pages:
        if why := asking.reason_to_stop():
            break
        told(await asking.about(page))
    else:
        why = ""
    return LabellingResult(
        tuple(asking.answers), asking.agreement(), why, endpoint.requests, asking.words, endpoint.tokens
    )


class _Asking:
    """One round of questions, and what it has cost so far."""

    def __init__(self, plan: LabellingPlan, endpoint: ModelEndpoint) -> None:
        self._plan, self._endpoint = plan, endpoint
        self.answers: list[Answered] = []
        self.words = 0

    async def about(self, page: Page) -> Answered:
        """Ask about one page."""
        prompt, before = prompt_for(self._plan.topic, page), self._endpoint.requests
        verdict = await self._verdict(prompt)
        self.words += prompt.words * (self._endpoint.requests - before)
        self.answers.append(Answered(page.url, verdict, page.url in self._plan.said))
        return self.answers[-1]

    async def _verdict(self, prompt: Prompt) -> ModelVerdict:
        try:
            return verdict_of(await self._endpoint.chat(prompt.system, prompt.text), prompt.shown)
        except EndpointFailed as error:
            return ModelVerdict(Ending.NO_ANSWER, reason=str(error))

    def reason_to_stop(self) -> str:
        """Return why no more should be asked, or an empty text."""
        latest = [each.verdict for each in self.answers[-MAX_FAILURES_IN_A_ROW:]]
        if len(latest) == MAX_FAILURES_IN_A_ROW and all(each.ending is Ending.NO_ANSWER for each in latest):
            return f"{MAX_FAILURES_IN_A_ROW} times in a row no answer came: {latest[-1].reason}"
        so_far = self.agreement()
        if so_far.yes[1] + so_far.no[1] >= MIN_CHECKS // 2 and so_far.share < MIN_AGREEMENT / 2:
            return "it disagrees with you on most pages"
        if self.words > self._plan.words:
            return f"{self._plan.words} words were sent"
        return ""

    def agreement(self) -> Agreement:
        """Return how often the model agreed with the person; an unusable answer counts as disagreement."""
        counts = {True: [0, 0], False: [0, 0]}
        for each in self.answers:
            if each.is_check:
                wanted = self._plan.said[each.url]
                counts[wanted][0] += each.verdict.wanted is wanted
                counts[wanted][1] += 1
        return Agreement((counts[True][0], counts[True][1]), (counts[False][0], counts[False][1]))


def most_requests(plan: LabellingPlan) -> int:
    """Return how many requests are made at most, all tries together."""
    return TRIES * len(plan.pages)


def balanced(labels: Mapping[Url, bool], most: int = MOST_CHECKS) -> list[Url]:
    """Return pages that a person has labelled, a yes and a no in turn as long as there are both."""
    kinds = [[url for url, wanted in labels.items() if wanted is kind] for kind in (True, False)]
    turns = [url for pair in zip_longest(*kinds) for url in pair if url is not None]
    return turns[:most]


def _among(checks: Sequence[Page], others: Sequence[Page]) -> Iterable[Page]:
    """Yield both, the checks evenly among the others."""
    total, taken = len(checks) + len(others), 0
    rest = iter(others)
    for place in range(total):
        if taken < len(checks) and taken * total <= place * len(checks):
            yield checks[taken]
            taken += 1
        else:
            yield next(rest)
