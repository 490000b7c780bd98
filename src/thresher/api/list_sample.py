"""A list that can be checked: pages drawn at random from the relevant ones and from those just refused.

Pages are drawn in the order of the keys of their URLs, which are hashes. So a second drawing asks about
the same pages and only of those that have no label yet, and a sample of forty begins with that of twenty.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from thresher.build.reading import make_judge, with_own_judge
from thresher.build.rejudge import labelled, threshold_in_force, threshold_of_pages
from thresher.core.interfaces import Judge
from thresher.core.records import Url
from thresher.export.wording import many, plain
from thresher.judges.list_check import Share, near, share_of
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader

REFUSED = 4  # one page of so many is drawn from those that were just refused
LETTERS = 240  # of the beginning of a page


class DrawnPage(Struct, frozen=True):
    """A page that was drawn: enough of it to say whether it is what is wanted."""

    url: Url
    title: str
    beginning: str
    relevance: float  # as the judge sees it, whatever the user says
    on_list: bool  # the judge calls it relevant; else it was just refused
    label: bool | None  # what the user says of it


class ListSample(Struct, frozen=True):
    """Pages drawn from the list of a crawl and from below it, and what their labels tell of both."""

    topic: str
    listed: int  # pages that the judge calls relevant
    refused: int  # pages near the threshold that it does not
    pages: tuple[DrawnPage, ...]
    precision: Share  # of the list
    missed: Share  # of the pages just refused, how many are relevant all the same
    threshold: float
    threshold_by_labels: float  # to which 'rejudge' moves it, by all labels there are
    listed_by_labels: int

    @property
    def unlabelled(self) -> tuple[DrawnPage, ...]:
        """The pages that wait for an answer."""
        return tuple(page for page in self.pages if page.label is None)


def sample_of(folder: CrawlFolder, most: int) -> ListSample:
    """Return so many pages drawn from a crawl, three quarters of them from its list, with their labels."""
    with folder.open() as store:
        return _sampled(folder, store, most)


def _sampled(folder: CrawlFolder, store: CrawlReader, most: int) -> ListSample:
    settings, scores = with_own_judge(folder.asked()), store.scores()
    judge = make_judge(settings, store.facts.topic)
    threshold = threshold_in_force(store, judge)
    moved = _moved(judge, settings, store, [p for _, p in scores], threshold)
    low, _ = near(threshold)
    listed = [key for key, p in scores if p >= threshold]
    refused = [key for key, p in scores if low <= p < threshold]
    below = max(min(most // REFUSED, len(refused)), most - len(listed))
    pages = tuple(
        _drawn(store, key, threshold) for key in sorted([*listed[: most - below], *refused[:below]])
    )
    return ListSample(
        store.facts.topic.name,
        len(listed),
        len(refused),
        pages,
        _share((page for page in pages if page.on_list), len(listed)),
        _share((page for page in pages if not page.on_list), len(refused)),
        threshold,
        moved,
        sum(p >= moved for _, p in scores),
    )


def _drawn(store: CrawlReader, key: int, threshold: float) -> DrawnPage:
    url = store.url_of(key)
    assert url is not None  # its page is stored
    page, relevance = store.page(url), store.judged(url) or 0.0
    title, beginning = (page.title, plain(page.main or page.text, LETTERS)) if page else ("", "")
    return DrawnPage(url, title, beginning, relevance, relevance >= threshold, store.label(url))


def _share(pages: Iterable[DrawnPage], every: int) -> Share:
    said = [page.label for page in pages if page.label is not None]
    return share_of(said.count(True), len(said), every)


def _moved(
    judge: Judge, settings: Settings, store: CrawlReader, scores: Sequence[float], threshold: float
) -> float:
    """Return to where all labels of a crawl move its threshold when it is judged again."""
    before, after = (threshold_of_pages(judge, settings, scores, each) for each in ((), labelled(store)))
    return threshold if before == after else after


def told_of(sample: ListSample, folder: str) -> Iterator[str]:
    """Yield what the labels of a sample tell, the figure first."""
    on_list, below = sample.precision, sample.missed
    if on_list.asked:
        drawn = f"{on_list.right} of {on_list.asked} drawn from the list"
        yield f"{_precision(on_list)}: {drawn} of {many(sample.listed, 'page')} are relevant."
    if below.asked:
        drawn = f"{below.right} of {below.asked} drawn from the {many(sample.refused, 'page')}"
        yield f"{drawn} just below it are, too."
    if on_list.asked or below.asked:
        yield _effect(sample, folder)
    if sample.unlabelled:
        yield f"{many(len(sample.unlabelled), 'page')} drawn without an answer."


def _precision(share: Share) -> str:
    if share.low == share.high:
        return f"Precision {share.low:.0%}, of the whole list"
    between = f"95 % between {share.low:.0%} and {share.high:.0%}, Wilson"
    return f"Precision {share.right / share.asked:.0%} ({between})"


def _effect(sample: ListSample, folder: str) -> str:
    if sample.threshold_by_labels == sample.threshold:
        return (
            f"The threshold stays {sample.threshold:g}: few labels stand near it, or they say what it says."
        )
    between = "no page stands between"
    if sample.listed_by_labels != sample.listed:
        between = f"{many(sample.listed_by_labels, 'page')} instead of {sample.listed:,}"
    moved = f"{sample.threshold_by_labels:g} instead of {sample.threshold:g}"
    return f"By the labels the threshold is {moved}: {between}. 'thresher label --apply {folder}' applies it."
