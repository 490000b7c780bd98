"""A model asked about the pages of a crawl: which ones, and what is kept and taught of what it says."""

from collections.abc import Iterator
from contextlib import closing

from msgspec import Struct

from thresher.core.errors import UsageError
from thresher.core.records import Page, Url
from thresher.core.url import key_of
from thresher.models.labelling import FEWEST, OF_EACH, Labelled, Plan, balanced, plan_of
from thresher.report.learned import wishes_of
from thresher.store.folder import CrawlFolder
from thresher.store.labels import ModelLabel, add_model_labels, read_model_labels
from thresher.store.read import Reading


class Kept(Struct, frozen=True):
    """What was kept of what a model said, and whether the crawl may learn from it."""

    kept: int
    taught: int
    why_not: str  # why nothing is taught, if nothing is


def plan_for(folder: CrawlFolder, pages: int, words: int) -> Plan:
    """Return about which pages a model is to be asked: the unsure ones first, with a person's among them."""
    with closing(folder.open()) as store:
        said = store.labels()
        checks = [(page, said[url]) for url in balanced(said) if (page := _readable(store, url))]
        kinds = [wanted for _, wanted in checks]
        if len(checks) < FEWEST or min(kinds.count(True), kinds.count(False)) < OF_EACH:
            raise UsageError(
                f"Label at least {FEWEST} pages yourself first, {OF_EACH} of them yes and {OF_EACH} no, so "
                f"that it can be checked: so far {kinds.count(True)} say yes, {kinds.count(False)} no. "
                "'thresher report' lists the pages whose label helps most."
            )
        others = list(_unsure(folder, store, pages))
        return plan_of(store.facts.topic, checks, others, words)


def keep(folder: CrawlFolder, model: str, labelled: Labelled) -> Kept:
    """Keep what a model said of pages that nobody has labelled, apart from what people say."""
    taught, why_not = labelled.may_be_taught, _why_not(labelled)
    answers = [
        ModelLabel(each.url, each.verdict.wanted, taught, model, each.verdict.quote)
        for each in labelled.answers
        if not each.is_check and each.verdict.wanted is not None
    ]
    if answers:
        add_model_labels(folder.model_labels, answers)
    return Kept(len(answers), len(answers) if taught else 0, why_not)


def _why_not(labelled: Labelled) -> str:
    agreement = labelled.agreement
    asked = agreement.yes[1] + agreement.no[1]
    if agreement.is_enough:
        return ""
    if asked < FEWEST:
        return f"it was asked about {asked} of your labels only, and {FEWEST} are needed to check it"
    return "it does not agree with you often enough"


def _unsure(folder: CrawlFolder, store: Reading, most: int) -> Iterator[Page]:
    """Yield pages that nobody has labelled: those whose label helps most, then those nearest the line."""
    told = {key_of(url) for url in store.labels()}
    told |= {key_of(each.url) for each in read_model_labels(folder.model_labels)}
    wished = [wish.url for wish in wishes_of(folder, store, most + len(told))]
    left = most
    for url in (*wished, *store.nearest(store.facts.threshold, most + len(told) + len(wished))):
        if not left:
            return
        if key_of(url) not in told and (page := _readable(store, url)):
            told.add(key_of(url))
            left -= 1
            yield page


def _readable(store: Reading, url: Url) -> Page | None:
    """Return a page that was fetched and whose words are kept."""
    page = store.page(url)
    return page if page and not page.noindex and (page.main or page.text) else None
