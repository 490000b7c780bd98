"""What the default judge says of the pages that another judge has judged, and what both tell of the crawl."""

from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from thresher.core.interfaces import Judge
from thresher.core.progress import SecondCount
from thresher.core.records import Page, Topic
from thresher.judges import DEFAULT_JUDGE
from thresher.judges.question import QuestionJudge
from thresher.settings.components import JudgeSettings
from thresher.store.read import CrawlReader
from thresher.text.tokenize import word_counts
from thresher.topic.question import question_of

MOST = 5_000  # pages that are judged a second time
LOOKED_AT = 400  # pages of which it is told where the topic's words stand
FEWEST, ENOUGH = 100, 200  # pages after which that is told, and that nearly all of them pass
MANY, NEARLY_ALL = 0.5, 0.95


def second_count(store: CrawlReader, judge: Judge, topic: Topic, settings: JudgeSettings) -> SecondCount:
    """Return what the default judge says of the first pages, with sentences on what looks wrong."""
    own = settings.name == DEFAULT_JUDGE
    pages = [visit.page for visit in islice(store.pages(), LOOKED_AT if own else MOST) if visit.page]
    by_question = None if own else _by_question(store, topic, pages)
    sentences = [outside_main_text(pages[:LOOKED_AT], judge, topic, settings)]
    if by_question is not None:
        passed = sum((store.judged(page.url) or 0.0) >= judge.threshold for page in pages)
        sentences.append(_nearly_all(len(pages), passed, judge.threshold, settings.name))
    return SecondCount(len(pages), by_question, tuple(filter(None, sentences)))


def _by_question(store: CrawlReader, topic: Topic, pages: Sequence[Page]) -> int:
    judge = QuestionJudge(topic)
    learned = judge.learner(store)
    learned.recall(islice(store.pages(), MOST), {})
    scores = [learned.now(page) for page in pages]
    threshold = judge.threshold_for(scores)
    return sum(score >= threshold for score in scores)


def outside_main_text(pages: Sequence[Page], judge: Judge, topic: Topic, settings: JudgeSettings) -> str:
    """Return a sentence if most pages have the topic's words outside the main text alone, else nothing."""
    names = {word for facet in question_of(topic).facets for name in facet.names for word in name.words}
    outside = sum(_stands_outside(page, names) for page in pages)
    if len(pages) < FEWEST or outside <= MANY * len(pages):
        return ""
    where = f"outside the main text alone on {outside} of {len(pages)} pages, in a menu, as it seems."
    stands = f"'{topic.name}' stands {where}"
    if settings.name == DEFAULT_JUDGE and settings.skip_boilerplate is not False:
        return f"{stands} Lines that a host repeats do not count for the judge {settings.name}."
    helps = "Set judge.skip_boilerplate=true, or sort by relevance."
    if judge.in_batches:
        return f"{stands} {helps}"
    whole, main = _passed(judge, pages), _passed(judge, [replace(page, text=page.main) for page in pages])
    counts = f"The judge {settings.name} counts words wherever they stand and calls {whole} relevant"
    return f"{stands} {counts}; by main text alone it would be {main}. {helps}"


def _stands_outside(page: Page, names: set[str]) -> bool:
    """Tell whether a page has any of the words, but not in its main text."""
    within, whole = word_counts(page.main), word_counts(page.text)
    return any(whole[name] for name in names) and not any(within[name] for name in names)


def _passed(judge: Judge, pages: Sequence[Page]) -> int:
    return sum(judge.score(page) >= judge.threshold for page in pages)


def _nearly_all(pages: int, passed: int, threshold: float, name: str) -> str:
    """Return a sentence if nearly all pages pass, else nothing."""
    if pages < ENOUGH or passed <= NEARLY_ALL * pages:
        return ""
    asks = f"the judge {name} asks for {threshold:g}, which a page with any word of the topic has"
    helps = f"Raise judge.threshold, or set judge.name={DEFAULT_JUDGE}."
    return f"{passed} of {pages} pages pass: {asks}. {helps}"
