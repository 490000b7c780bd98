"""The verb `label` with a model: what it will cost, how far it agrees with the user, what is kept."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from itertools import count

import click
from msgspec import Struct

from thresher.cli.output import print_json
from thresher.core.errors import UsageError
from thresher.core.records import Page, Url
from thresher.core.url import key_of
from thresher.export.wording import counted, many, number, plain
from thresher.models.endpoint import MOST_TOKENS, ModelEndpoint
from thresher.models.labelling import (
    MIN_CHECKS,
    MIN_CHECKS_PER_KIND,
    Answered,
    LabellingPlan,
    LabellingResult,
    balanced,
    label,
    most_requests,
    plan_of,
    words_of,
)
from thresher.report.learned import suggestions_of
from thresher.settings.components import Secret
from thresher.store.folder import CrawlFolder
from thresher.store.labels import ModelLabel, add_model_labels, read_model_labels
from thresher.store.read import CrawlReader

# A model asked about the pages of a crawl: which ones, and what is kept and taught of what it says.


class ModelLabelResult(Struct, frozen=True):
    """What was kept of what a model said, and whether the crawl may learn from it."""

    kept: int
    taught: int
    why_not: str  # why nothing is taught, if nothing is


def plan_for(folder: CrawlFolder, pages: int, words: int) -> LabellingPlan:
    """Return about which pages a model is to be asked: the unsure ones first, with a person's among them."""
    with folder.open() as store:
        said = store.labels()
        checks = [(page, said[url]) for url in balanced(said) if (page := _readable(store, url))]
        kinds = [wanted for _, wanted in checks]
        if len(checks) < MIN_CHECKS or min(kinds.count(True), kinds.count(False)) < MIN_CHECKS_PER_KIND:
            raise UsageError(
                f"Label at least {MIN_CHECKS} pages yourself first, {MIN_CHECKS_PER_KIND} of them yes and "
                f"{MIN_CHECKS_PER_KIND} no, so that it can be checked: so far {kinds.count(True)} say yes, "
                f"{kinds.count(False)} no. 'thresher report' lists the pages whose label helps most."
            )
        others = list(_unsure(folder, store, pages))
        return plan_of(store.facts.topic, checks, others, words)


def keep(folder: CrawlFolder, model: str, labelled: LabellingResult) -> ModelLabelResult:
    """Keep what a model said of unlabelled pages, apart from what people say."""
    taught, why_not = labelled.may_be_taught, _why_not(labelled)
    answers = [
        ModelLabel(each.url, each.verdict.wanted, taught, model, each.verdict.quote)
        for each in labelled.answers
        if not each.is_check and each.verdict.wanted is not None
    ]
    if answers:
        add_model_labels(folder.model_labels, answers)
    return ModelLabelResult(len(answers), len(answers) if taught else 0, why_not)


def _why_not(labelled: LabellingResult) -> str:
    agreement = labelled.agreement
    asked = agreement.yes[1] + agreement.no[1]
    if agreement.is_enough:
        return ""
    if asked < MIN_CHECKS:
        return f"it was asked about {asked} of your labels only, and {MIN_CHECKS} are needed to check it"
    return "it does not agree with you often enough"


def _unsure(folder: CrawlFolder, store: CrawlReader, most: int) -> Iterator[Page]:
    """Yield unlabelled pages: those whose label helps most, then those nearest the threshold."""
    told = {key_of(url) for url in store.labels()}
    told |= {key_of(each.url) for each in read_model_labels(folder.model_labels)}
    suggested = [suggestion.url for suggestion in suggestions_of(folder, store, most + len(told))]
    left = most
    for url in (*suggested, *store.nearest(store.facts.threshold, most + len(told) + len(suggested))):
        if not left:
            return
        if key_of(url) not in told and (page := _readable(store, url)):
            told.add(key_of(url))
            left -= 1
            yield page


def _readable(store: CrawlReader, url: Url) -> Page | None:
    """Return a page that was fetched and whose words are kept."""
    page = store.page(url)
    return page if page and not page.noindex and (page.main or page.text) else None


# The verb


TOKENS = 4 / 3  # of a word, as a rule of thumb


def label_by_model(
    crawl: CrawlFolder,
    llm: str,
    model: str,
    key: str,
    pages: int,
    words: int,
    timeout: float,
    networks: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> int:
    """Show what it may cost, ask, show how far it agrees, and only then let the crawl learn from it."""
    endpoint = ModelEndpoint(Secret(llm), model, Secret(key), networks, timeout)
    if not endpoint.model:
        raise UsageError("Name the model with --model, as the endpoint calls it.")
    plan = plan_for(crawl, pages, words)
    click.echo(cost_of(plan, endpoint.model), err=True)
    if dry_run or not plan.asked:
        return 0 if plan.asked else 1
    labelled = asyncio.run(label(plan, endpoint, _shown(len(plan.pages))))
    click.echo("\n".join(_told(labelled)), err=as_json)
    kept = keep(crawl, endpoint.model, labelled)
    if as_json:
        print_json({"labelled": labelled, "endings": labelled.endings, "kept": kept})
    else:
        learns = f"{many(kept.taught, 'page')} to learn from"
        click.echo(
            f"Nothing is taught: {kept.why_not}." if kept.why_not else f"{learns}, as the model's word."
        )
        click.echo(f"{many(kept.kept, 'label')} kept apart in {crawl.model_labels}; yours go before them.")
    return 0 if kept.taught else 1


def cost_of(plan: LabellingPlan, model: str) -> str:
    """Return what asking may cost, before anything is sent."""
    words = words_of(plan)
    checks = f"{many(len(plan.said), 'label')} of yours to check it"
    asked = f"{many(plan.asked, 'page')} to ask {plain(model, 80)} about, and {checks}"
    sent = f"{number(words)} words of pages, some {number(round(words * TOKENS))} tokens"
    requests = many(most_requests(plan), "request")
    bound = f"{requests}, {number(plan.words)} words, {MOST_TOKENS} tokens an answer"
    return f"{asked}. It is sent {sent}; at most {bound}."


def _told(labelled: LabellingResult) -> Iterator[str]:
    requests, words = many(labelled.requests, "request"), number(labelled.words)
    yield f"{requests}, {words} words sent: {counted(labelled.endings)}."
    if labelled.given_up:
        yield f"It was given up: {plain(labelled.given_up, 300)}."
    yes, no = labelled.agreement.yes, labelled.agreement.no
    yield (
        f"It agrees with {yes[0] + no[0]} of {yes[1] + no[1]} labels of yours "
        f"(yes {yes[0]} of {yes[1]}, no {no[0]} of {no[1]})."
    )


def _shown(total: int) -> Callable[[Answered], None]:
    numbers = count(1)

    def show(answered: Answered) -> None:
        if sys.stderr.isatty():
            click.echo(f"\rAsked about {next(numbers)} of {total} pages ", err=True, nl=False)

    return show
