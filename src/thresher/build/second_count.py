"""What the default judge says of pages that another has judged, what both tell, and words that may help."""

from collections.abc import Sequence

from msgspec.structs import replace

from thresher.core.enums import Outcome
from thresher.core.interfaces import Judge
from thresher.core.progress import KeywordOffer, SecondCount
from thresher.core.records import Candidate, Page, Topic, Visit
from thresher.judges import DEFAULT_JUDGE
from thresher.judges.question import QuestionJudge
from thresher.knowledge.index import open_knowledge
from thresher.settings.components import JudgeSettings
from thresher.store.read import CrawlReader
from thresher.text.tokenize import word_counts
from thresher.topic.question import question_of
from thresher.topic.suggest import other_words

MOST = 100  # pages that are judged a second time: each takes a millisecond
FEWEST, ENOUGH = 100, 200  # pages after which it is told where words stand, and that nearly all pages pass
MANY, NEARLY_ALL = 0.5, 0.95


def second_count(store: CrawlReader, judge: Judge, topic: Topic, settings: JudgeSettings) -> SecondCount:
    """Return what the default judge says of a sample of pages, with sentences on what looks wrong."""
    pages = store.page_sample(MOST)
    by_question = None if settings.name == DEFAULT_JUDGE else _by_question(store, topic, pages)
    sentences = [outside_main_text(pages, judge, topic, settings)]
    if by_question is not None:
        told = store.tally(judge.threshold)
        sentences.append(
            _nearly_all(told.outcomes[Outcome.FETCHED], told.relevant, judge.threshold, settings.name)
        )
    return SecondCount(len(pages), by_question, tuple(filter(None, sentences)))


def _by_question(store: CrawlReader, topic: Topic, pages: Sequence[Page]) -> int:
    judge = QuestionJudge(topic)
    learned = judge.learner(store)
    learned.recall((Visit(Candidate(page.url), Outcome.FETCHED, 0.0, page) for page in pages), {})
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


# What may help where nothing certain was found


EARLY = 60  # pages after which it is said
READ = 60  # of the best pages
TOLD_BY = 5  # pages; what fewer say is no reason to load the dictionaries, which takes 150 ms


def certain_from(judge: Judge) -> float:
    """Return from which relevance on a page is certain."""
    return max(judge.threshold, judge.certain)


def keyword_offer(store: CrawlReader, judge: Judge, topic: Topic) -> KeywordOffer | None:
    """Return what may help if no page is certain, else nothing."""
    best = store.best_pages(READ)
    if len(best) < TOLD_BY or best[0][2] >= certain_from(judge):
        return None
    pages = [page for url, _, _ in best if (page := store.page(url))]
    texts = [f"{page.title}\n{page.main or page.text}" for page in pages]
    with open_knowledge() as lexicon:
        words = other_words(texts, topic, lexicon)
    fetched = store.tally(judge.threshold).outcomes[Outcome.FETCHED]
    return KeywordOffer(fetched, round(best[0][2], 3), tuple(words))
