"""The verb `label --llm`: a model is asked about pages, checked against the user's labels, and kept apart."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from itertools import count

import click

from thresher.api.model_labels import keep, plan_for
from thresher.cli.documents import print_json
from thresher.core.errors import UsageError
from thresher.export.wording import counted, many, number, plain
from thresher.models.endpoint import MOST_TOKENS, Endpoint
from thresher.models.labelling import Answered, Labelled, Plan, label, most_requests, words_of
from thresher.settings.components import Secret
from thresher.store.folder import CrawlFolder

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
    endpoint = Endpoint(Secret(llm), model, Secret(key), networks, timeout)
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


def cost_of(plan: Plan, model: str) -> str:
    """Return what asking may cost, before anything is sent."""
    words = words_of(plan)
    checks = f"{many(len(plan.said), 'label')} of yours to check it"
    asked = f"{many(plan.asked, 'page')} to ask {plain(model, 80)} about, and {checks}"
    sent = f"{number(words)} words of pages, some {number(round(words * TOKENS))} tokens"
    requests = many(most_requests(plan), "request")
    bound = f"{requests}, {number(plan.words)} words, {MOST_TOKENS} tokens an answer"
    return f"{asked}. It is sent {sent}; at most {bound}."


def _told(labelled: Labelled) -> Iterator[str]:
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
