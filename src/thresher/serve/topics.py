"""Topics: as interpreted while typed, as crawled, and as changed.

A preview tells which pages another threshold or other words would make relevant or irrelevant.
"""

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from shlex import quote
from typing import TypeVar

from msgspec.structs import replace

from thresher.build.reading import make_judge
from thresher.build.rejudge import rejudge
from thresher.core.interfaces import Judge
from thresher.core.records import Concept, Topic
from thresher.core.url import key_of
from thresher.engine.read import as_sync
from thresher.knowledge.index import open_knowledge
from thresher.report.shapes import LEAST
from thresher.report.shapes import histogram as histogram_of
from thresher.search.query import Query
from thresher.search.reader import Between, Fact, Reader, spelt
from thresher.serve.processes import is_held, nowhere_to_begin
from thresher.serve.requests import DrawnCrawl, TopicQuery, TopicTrial
from thresher.serve.responses import Preview, RelevanceChangeItem, TopicDetail, Understood, WeightedWord
from thresher.serve.security import bounded
from thresher.serve.state import CrawlRegistry, ledger
from thresher.store.folder import CrawlFolder, folder_name
from thresher.store.read import CrawlReader
from thresher.text.tokenize import readable
from thresher.topic.build import TopicRequest, make_topic
from thresher.topic.ontology import heaviest
from thresher.topic.question import TopicQuestion, question_of, remarks
from thresher.topic.suggest import neighbourhood, suggest

MOST_WORDS = 24  # shown of each facet, and of the words nearest in meaning
EXAMPLES = 20  # pages shown of those that change
PREVIEW_SECONDS = 0.4  # spent judging pages anew for a preview
NEAR_ENOUGH = 0.1  # beside the nearest word: what counts for less is not shown
SUGGEST_FROM = 30  # relevant pages from which words are suggested

_T = TypeVar("_T")


def understand(desk: CrawlRegistry, ask: TopicQuery) -> Understood:
    """Return how a topic is interpreted, while it is typed."""
    desk.understanding.admit()
    began = time.perf_counter()
    name = ask.topic.strip()
    with open_knowledge() as lexicon:
        keywords = dict.fromkeys(ask.keywords, 1.0)
        topic = make_topic(TopicRequest(name, keywords, description=ask.description), lexicon)
        nodes = [
            " / ".join(_label(step) for step in lexicon.path(node.id)) for node in lexicon.nodes(topic.name)
        ]
    question = question_of(topic)
    return Understood(
        name=name,
        wanted=[[phrase.text for phrase in facet.phrases][:MOST_WORDS] for facet in question.facets],
        excluded=[phrase.text for phrase in question.excluded],
        near=_near(question),
        spellings=_spellings(topic),
        nodes=nodes[:4],
        warnings=[*remarks(topic.facets), *filter(None, [nowhere_to_begin(name, ask.seeds)])],
        folder=folder_name(name),
        bad_seeds=desk.processes.refused_seeds(tuple(filter(None, ask.seeds))),
        command=_command(name, ask),
        ms=1000 * (time.perf_counter() - began),
    )


def _near(question: TopicQuestion) -> list[WeightedWord]:
    """Return the words nearest in meaning, which count a little."""
    weighted = {text: w for facet in question.facets for text, w in question.weighted(facet).items()}
    own = {word for facet in question.facets for phrase in facet.phrases for word in phrase.words}
    found = neighbourhood(weighted).items()
    near = {word: weight for word, weight in found if word not in own and weight >= NEAR_ENOUGH}
    english = {word: weight for word, weight in near.items() if word.isascii()}
    others = {word: weight for word, weight in near.items() if not word.isascii()}
    heavy = [*heaviest(english, MOST_WORDS // 2), *heaviest(others, MOST_WORDS // 2)]
    return _words((readable(word), weight) for word, weight in heavy)


def _label(concept: Concept) -> str:
    return next((label for language, label in concept.labels if language != "abbr"), concept.id)


def _command(name: str, ask: TopicQuery) -> str:
    flags = [f"--keyword {quote(keyword)}" for keyword in ask.keywords]
    flags += [f"--description {quote(ask.description)}"] if ask.description else []
    flags += [f"--seed {quote(seed)}" for seed in ask.seeds[:3] if seed]
    return " ".join(["thresher crawl", quote(name), *flags])


def _spellings(topic: Topic) -> list[str]:
    return list(
        dict.fromkeys(part for row in topic.spellings for cell in row for part in cell.split("|") if part)
    )[:16]


def _words(weights: Iterable[tuple[str, float]]) -> list[WeightedWord]:
    return [WeightedWord(word, round(weight, 3)) for word, weight in weights]


def topic_detail(desk: CrawlRegistry, ask: DrawnCrawl) -> TopicDetail:
    """Return the topic of a crawl as it was run, with the histogram of its pages."""
    folder = desk.crawl(ask.id).folder
    with folder.open() as store:
        facts = store.facts
        suggested = _suggested(folder, store, facts.topic)
        judged = [(store.judged(url), label) for url, label in store.labels().items()]
    with ledger(folder) as book:
        sums, histogram, labels = book.sums(), book.histogram(), list(book.labels.values())
    agree = sum((score >= sums.threshold) == label for score, label in judged if score is not None)
    return TopicDetail(
        name=facts.topic.name,
        concept=facts.topic.concept,
        path=list(facts.topic.path),
        description=facts.topic.description[:500],
        threshold=sums.threshold,
        keywords=_words(heaviest(facts.topic.keywords or {facts.topic.name: 1.0}, 60)),
        spellings=_spellings(facts.topic),
        histogram=histogram,
        pages=sums.pages,
        relevant=sums.relevant,
        suggestions=suggested,
        said_yes=labels.count(True),
        said_no=labels.count(False),
        agreement=agree,
        can_apply=not is_held(folder),
        why_not="The crawl is running: pause it to apply this.",
        picture=_picture(histogram, sums.threshold, sums.threshold, ask.width),
    )


def _picture(columns: Sequence[int], after: float, before: float, width: int) -> str:
    return histogram_of(columns, after, before, max(LEAST, width)) if width else ""


def _suggested(folder: CrawlFolder, store: CrawlReader, topic: Topic) -> list[WeightedWord]:
    """Return words and phrases that the best pages share and the topic lacks."""
    with closing(Reader(0, folder, bounded)) as reader:
        facts = reader.best(Query(relevant=True), SUGGEST_FROM)
    pages = [page for fact in facts if (page := store.page(fact.url))]
    texts = [f"{page.title}\n{page.main or page.text}" for page in pages]
    return [WeightedWord(each.term, each.weight) for each in suggest(texts, topic)]


def try_topic(desk: CrawlRegistry, ask: TopicTrial) -> Preview:
    """Return which pages another threshold or other words would make relevant or not; nothing is stored."""
    began = time.perf_counter()
    folder = desk.crawl(ask.id).folder
    threshold, pages = _sums(folder)
    wanted = threshold if ask.threshold is None else ask.threshold
    if ask.keywords is None:
        preview = _other_threshold(folder, threshold, wanted)
    else:
        preview = _other_words(folder, threshold, wanted, ask.keywords)
    with ledger(folder) as book:
        picture = _picture(book.histogram(), wanted, threshold, ask.width)
    return replace(preview, of=pages, ms=1000 * (time.perf_counter() - began), picture=picture)


def apply_topic(desk: CrawlRegistry, ask: TopicTrial) -> Preview:
    """Judge every page of a crawl by another threshold or other words, and let it go on by them."""
    began = time.perf_counter()
    folder = desk.crawl(ask.id).folder
    asked = folder.asked()
    if ask.keywords is not None:
        asked = replace(asked, topic=replace(asked.topic, keywords=ask.keywords))
    if ask.threshold is not None:
        asked = replace(asked, judge=replace(asked.judge, threshold=ask.threshold))
    done = rejudge(folder, asked)
    examples = [
        RelevanceChangeItem(spelt(key_of(page.url)), page.url, page.title, page.before, page.relevance)
        for page in examples_of(done.turned_relevant, done.no_longer)
    ]
    return Preview(
        turned_in=len(done.turned_relevant),
        turned_out=len(done.no_longer),
        relevant=done.relevant,
        judged=done.pages,
        of=done.pages,
        examples=examples,
        ms=1000 * (time.perf_counter() - began),
    )


def examples_of(turned_in: Sequence[_T], turned_out: Sequence[_T]) -> list[_T]:
    """Return the first of both kinds: half of each where there are enough."""
    some_in = turned_in[: max(EXAMPLES // 2, EXAMPLES - len(turned_out))]
    return [*some_in, *turned_out[: EXAMPLES - len(some_in)]]


def _sums(folder: CrawlFolder) -> tuple[float, int]:
    with ledger(folder) as book:
        sums = book.sums()
        return sums.threshold, sums.pages


def _other_threshold(folder: CrawlFolder, before: float, after: float) -> Preview:
    low, high = sorted((before, after))
    with ledger(folder) as book:
        counts = [book.pages_from(each) for each in (low, high, after)]
        pages = book.between(low, high, EXAMPLES)
    turned = counts[0] - counts[1]
    gained, lost = (turned, 0) if after < before else (0, turned)
    examples = [RelevanceChangeItem(spelt(key), url, title, score, score) for key, url, title, score in pages]
    return Preview(
        turned_in=gained, turned_out=lost, relevant=counts[2], judged=0, of=0, examples=examples, ms=0.0
    )


def _other_words(folder: CrawlFolder, before: float, after: float, words: dict[str, float]) -> Preview:
    """Judge the pages nearest the threshold anew, as many as there is time for."""
    store = folder.open()
    reader = Reader(0, folder, bounded)
    try:
        judge = as_sync(make_judge(folder.asked(), replace(store.facts.topic, keywords=words)))
        scored = list(_scored(reader, store, judge))
    finally:
        reader.close()
        store.close()
    turned = [
        RelevanceChangeItem(spelt(fact.key), fact.url, fact.title, fact.relevance, score)
        for fact, score in scored
        if (fact.relevance >= before) != (score >= after)
    ]
    turned.sort(key=lambda each: -abs(each.after - each.before))
    turned_in = [each for each in turned if each.after >= after]
    turned_out = [each for each in turned if each.after < after]
    gained, lost, shown = len(turned_in), len(turned_out), examples_of(turned_in, turned_out)
    with ledger(folder) as book:
        relevant = book.sums().relevant + gained - lost
    return Preview(
        turned_in=gained, turned_out=lost, relevant=relevant, judged=len(scored), of=0, examples=shown, ms=0.0
    )


def _scored(reader: Reader, store: CrawlReader, judge: Judge) -> list[tuple[Fact, float]]:
    end, shown = time.monotonic() + PREVIEW_SECONDS, Between()
    scored: list[tuple[Fact, float]] = []
    while time.monotonic() < end:
        facts, shown = reader.unsure(Query(), 20, shown)
        pages = ((fact, store.page(fact.url)) for fact in facts)
        scored += [(fact, judge.score(page)) for fact, page in pages if page]
        if len(facts) < 20:
            break
    return scored
