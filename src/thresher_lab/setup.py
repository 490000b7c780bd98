"""A recorded web set up for replays, and what is to be played on it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import inf, sqrt
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override

from thresher.build.plugins import own_threshold, strategy_class
from thresher.build.reading import make_judge
from thresher.build.webs import VIRTUAL_START
from thresher.core.clock import VirtualClock
from thresher.core.errors import NotAnArchive, SettingsError, UsageError
from thresher.core.interfaces import CrawlView, Judge, Lexicon, OnlineJudge
from thresher.core.records import KeptConcept, Page, Reason, Topic, Url
from thresher.engine.read import as_sync
from thresher.judges import DEFAULT_JUDGE
from thresher.judges.question.features import Effort
from thresher.knowledge.index import shipped_knowledge
from thresher.parse import parse
from thresher.settings.components import JudgeSettings, Parameter
from thresher.settings.model import Settings
from thresher.strategies import ALL_STRATEGIES
from thresher.text.tokenize import words
from thresher.topic.build import make_topic
from thresher.topic.ontology import MEANINGS, ConceptChoice, choose, named_by, ontology_of
from thresher_lab.archive_web import ArchiveWeb
from thresher_lab.corpus import DEFAULT_SEEDS, EFFORTS, Corpus, CorpusTopic, default_cache, topic_of
from thresher_lab.efforts import asked, example_pages, typed_name
from thresher_lab.graph import Graph, graph_of
from thresher_lab.parsed_cache import ParsedCache
from thresher_lab.politeness import Politeness
from thresher_lab.versions import parser_version

# The local ontology of a corpus topic (CT-FC): what the shipped knowledge keeps beside its concept.
#
# The topic's name is the query; its keywords and description stand for the seed pages that tell meanings
# apart. Where the name has fewer meanings than Figure 6b wants, concepts that are called alike follow them.


def corpus_ontology(entry: CorpusTopic) -> tuple[KeptConcept, ...]:
    """Return the concepts kept for a topic, meaning by meaning; none where nothing is called so."""
    context = " ".join([*entry.words(), entry.description])
    names = (typed_name(entry), *(path[-1].replace("_", " ") for path in entry.labels().values()))
    return next(filter(None, (_ontology(name, context) for name in names)), ())


@cache
def _ontology(query: str, context: str) -> tuple[KeptConcept, ...]:
    with shipped_knowledge() as lexicon:
        try:
            choice = choose(query, context, lexicon)
        except SettingsError:
            return ()
        return ontology_of(_with_namesakes(choice, query, lexicon), lexicon)


def _with_namesakes(choice: ConceptChoice, query: str, lexicon: Lexicon) -> ConceptChoice:
    """Return the choice with as many rivals as are counted, the last of them called alike only."""
    meant = [choice.concept.id, *(concept.id for concept, _ in choice.rivals)]
    alike = [concept for concept in lexicon.nearest(query, 2 * MEANINGS) if concept.id not in meant]
    return ConceptChoice(
        choice.concept, choice.score, (*choice.rivals, *((concept, 0.0) for concept in alike))
    )


PAPERS_JUDGE = JudgeSettings("cosine", 0.1)
"""The cosine and the delta of Chen et al. 2009: what guides a contender that does not ask for another."""

MOST_TEXTS = 200_000  # short texts remembered at a time: some 50 MB


@dataclass
class CachedJudge(Judge):
    """The judge behind it; in a recorded web a page of one URL is always the same, so is its score."""

    inner: Judge
    threshold: float = field(init=False)
    _scores: dict[Url, float] = field(default_factory=dict)
    _similarities: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take over from which score on a page is relevant."""
        self.threshold = self.inner.threshold

    @override
    def score(self, page: Page) -> float:
        """Return the score of a page, judging it only once."""
        if page.url not in self._scores:
            self._scores[page.url] = self.inner.score(page)
        return self._scores[page.url]

    @override
    def similarity(self, text: str) -> float:
        """Return how well a short text fits the topic: the strategies of a comparison ask alike."""
        known = self._similarities.get(text)
        if known is None:
            if len(self._similarities) >= MOST_TEXTS:
                self._similarities.clear()
            known = self._similarities[text] = self.inner.similarity(text)
        return known

    @override
    def explain(self, page: Page) -> Sequence[Reason]:
        return self.inner.explain(page)

    @override
    def learner(self, memory: CrawlView | None = None) -> OnlineJudge | None:
        return self.inner.learner(memory)


class Description:
    """R'_PC = cos(page, Desc), eq. (9): Desc is all that is said of the topic and of the topics below it."""

    def __init__(self, corpus: Corpus, topic: CorpusTopic) -> None:
        """Gather what the corpus says of the topic's subtree."""
        below = [each for each in corpus.topics.values() if _is_below(each.path, topic.path)]
        self._weights = Counter(words("\n".join(_said(each) for each in below)))
        self._length = _length(self._weights)
        self._known: dict[Url, float] = {}

    def information(self, page: Page) -> float:
        """Return what a page adds to the sum of information, eq. (11)."""
        if page.url not in self._known:
            self._known[page.url] = self._cosine(Counter(words(f"{page.title}\n{page.text}")))
        return self._known[page.url]

    def _cosine(self, counts: Counter[str]) -> float:
        shared = sum(weight * counts[word] for word, weight in self._weights.items())
        return shared / (self._length * _length(counts)) if shared else 0.0


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _said(topic: CorpusTopic) -> str:
    labels = [label for path in topic.labels().values() for label in path[-1:]]
    return "\n".join([*labels, *topic.words(), topic.description])


def _length(counts: Counter[str]) -> float:
    return sqrt(sum(count * count for count in counts.values()))


class ReplayPlan(Struct, frozen=True):
    """What to play: everything that decides how a replay ends."""

    topic: str
    strategy: str
    pages: int
    seeds: tuple[str, ...] = DEFAULT_SEEDS
    model: str = "labels"
    judge: JudgeSettings | None = None  # None: the one that guides the strategy in the lab
    parameters: dict[str, Parameter] = {}
    rules: bool = False
    delay: float = 0.0
    polite: Politeness | None = None  # none: one request at a time, answered at once
    in_turn: bool = False  # redirects wait for their turn, as in a crawl

    @property
    def charged(self) -> bool:
        """Whether a question for back-links costs as much as a page; its strategy may be told it does not."""
        return bool(self.parameters.get("charged", True))


def guide_of(plan: ReplayPlan) -> JudgeSettings:
    """Return the judge that a plan names, or the one that guides its strategy in the lab."""
    if plan.judge:
        return plan.judge
    known = plan.strategy in ALL_STRATEGIES or ":" in plan.strategy  # the oracles are none
    if known and strategy_class(plan.strategy).defaults.default_judge_in_lab:
        return JudgeSettings(DEFAULT_JUDGE, own_threshold(DEFAULT_JUDGE))
    return PAPERS_JUDGE


@dataclass
class ReplayStage:
    """A recorded web set up for replays: its pages parsed once, its hidden pages out of sight."""

    corpus: Corpus
    web: ArchiveWeb
    parse: ParsedCache
    cache: Path
    clock: VirtualClock
    hidden: frozenset[Url] = frozenset()
    _judges: dict[tuple[str, str, JudgeSettings], Judge] = field(default_factory=dict)
    _descriptions: dict[str, Description] = field(default_factory=dict)
    _graph: list[Graph] = field(default_factory=list)

    @property
    def graph(self) -> Graph:
        """The links of all pages, hidden ones too."""
        if not self._graph:
            self._graph.append(graph_of(self.web, self.parse, self.cache))
        return self._graph[0]

    def citing(self, url: Url) -> list[Url]:
        """Return the pages that link to a page, hidden ones left out: the answer to a question."""
        return [source for source in self.graph.sources(url) if source not in self.hidden]

    def judge(self, plan: ReplayPlan) -> Judge:
        """Return the guide that a plan asks for; plans that ask for the same share its memory."""
        known = (plan.topic, plan.model, guide_of(plan))
        if known not in self._judges:
            judge = as_sync(make_judge(Settings(judge=guide_of(plan)), self.topic(plan)))
            self._judges[known] = CachedJudge(judge)
        return self._judges[known]

    def description(self, topic: str) -> Description:
        """Return the judge that adds up information."""
        if topic not in self._descriptions:
            self._descriptions[topic] = Description(self.corpus, self.corpus.topic(topic))
        return self._descriptions[topic]

    def topic(self, plan: ReplayPlan) -> Topic:
        """Return the topic as the strategy of a plan sees it, with a lexicon if it needs one."""
        entry = self.corpus.topic(plan.topic)
        if plan.model in EFFORTS:
            return self._typed(entry, Effort(plan.model))
        topic = topic_of(entry, plan.model)
        if plan.model != "ontology" and not _reads_lexicon(plan.strategy):
            return topic
        kept = corpus_ontology(entry)
        lexicon = named_by(kept) if plan.model == "ontology" else {}
        return replace(topic, lexicon=lexicon or entry.lexicon(), ontology=kept)

    def _typed(self, entry: CorpusTopic, effort: Effort) -> Topic:
        """Return the topic as a person would type it; two relevant pages are shown as examples."""
        shown = example_pages(entry, self._relevant_pages(entry.id)) if effort is Effort.EXAMPLES else ()
        with shipped_knowledge() as lexicon:
            return make_topic(asked(entry, effort, shown), lexicon)

    def _relevant_pages(self, topic: str) -> Iterator[Page]:
        """Yield the relevant pages that are not hidden."""
        for url in sorted(self.relevant(topic)):
            if fetched := self.web.peek(url):
                yield self.parse(fetched)

    def relevant(self, topic: str) -> frozenset[Url]:
        """Return the relevant pages that are not hidden."""
        relevant = self.corpus.relevant(topic) - self.hidden
        if not relevant:
            raise UsageError(f"Topic {topic} has no relevant page in {self.corpus.name}: nothing to find.")
        return relevant

    def score_of(self, plan: ReplayPlan, url: Url) -> float | None:
        """Return the score of the page a URL leads to, or None if the archive does not show it."""
        page = self.graph.page_of(url)
        if page in self.hidden or page not in self.graph.edges.links:
            return None
        fetched = self.web.peek(page)
        return self.judge(plan).score(self.parse(fetched)) if fetched else None


def _reads_lexicon(strategy: str) -> bool:
    """Tell whether a strategy, ours or one derived from it, has the judge of the lexicon for its own."""
    known = strategy in ALL_STRATEGIES or ":" in strategy  # the oracles are none
    return known and strategy_class(strategy).defaults.judge == "lexicon"


@contextmanager
def stage(
    corpus: Corpus, hidden: frozenset[Url] = frozenset(), cache: Path | None = None
) -> Iterator[ReplayStage]:
    """Set up a corpus for replays, and put everything away afterwards."""
    cache = cache or default_cache()
    clock = VirtualClock(VIRTUAL_START)
    archives = sorted(path for path in corpus.path.iterdir() if is_archive(path))
    if not archives:
        raise NotAnArchive(
            f"{corpus.path} holds no WARC file: put the recorded pages there as pages.warc.gz."
        )
    with ArchiveWeb(archives, hidden, clock, cache=cache / "scans") as web:
        parsed = ParsedCache(parse, parser_version(), cache / "parsed.db")
        try:
            yield ReplayStage(corpus, web, parsed, cache, clock, hidden)
        finally:
            parsed.close()


def is_archive(path: Path) -> bool:
    """Tell whether a file is an archive by its name."""
    return path.name.lower().endswith((".warc", ".warc.gz", ".arc", ".arc.gz"))


def budget_of(text: str, relevant: int) -> int:
    """Return how many pages a run may fetch: a number, or a multiple of the relevant pages such as 2x.

    2x:240 is twice the relevant pages, but 240 at most.
    """
    wanted, _, most = text.partition(":")
    number, times = (wanted[:-1], relevant) if wanted.endswith("x") else (wanted, 1)
    try:
        pages = min(round(float(number) * times), int(most) if most else inf)
    except ValueError:
        pages = 0
    if pages < 1:
        raise UsageError(f"--pages {text} is no number of pages. Write 1000, or 2x for twice the relevant.")
    return int(pages)
