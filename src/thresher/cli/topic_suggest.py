"""What `topic suggest` prints: words to add to a topic, by example pages or by what a crawl has found."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from shlex import quote

import click

from thresher.core.records import Page, Topic, Visit
from thresher.core.url import tokens
from thresher.export.items import Selection, chosen
from thresher.export.wording import many, number
from thresher.store.folder import CrawlFolder
from thresher.store.read import Reading
from thresher.topic.suggest import Suggestion, suggest
from thresher.topic.url_spellings import tokens_to_review

SAMPLE = 30  # of the best pages, and of those that are none
IN_TWENTY = 20  # a word of addresses is worth a look from one address in so many on
FEWEST = 3
TELLING = 2  # times as frequent in relevant addresses as in others, else a word says nothing


def suggest_from_pages(made: Topic, pages: Mapping[str, Page], several: int) -> None:
    """Print what example pages of a topic have that is near it."""
    found = suggest([_text(page) for page in pages.values()], made, several=several)
    click.echo("\n".join(_lines(found, len(pages))))
    ready = _flags(found)
    click.echo(
        f"From {many(len(pages), 'page')}. Add what fits: thresher crawl {quote(made.name)}{ready}", err=True
    )


def suggest_from_crawl(made: Topic, crawl: CrawlFolder, seen_often: int | None, several: int) -> None:
    """Print what the relevant pages of a crawl have and its others have not, in texts and in addresses."""
    store = crawl.open()
    try:
        best, others, addresses, relevant = _read(store)
    finally:
        store.close()
    if not best:
        click.echo(
            f"{crawl.path} has no relevant page yet to learn words from; name example pages.", err=True
        )
        return
    found = suggest(best, made, others, several)
    click.echo("\n".join(_lines(found, len(best))))
    often = seen_often or max(FEWEST, relevant // IN_TWENTY)
    for token, count in tokens_to_review(addresses, made, often)[:several]:
        click.echo(f"{token}  in {count} addresses")
    place = quote(str(crawl.path))
    click.echo(
        f"From {many(relevant, 'relevant page')}. Add what fits: thresher rejudge {place}{_flags(found)}",
        err=True,
    )
    click.echo(
        "A word of addresses goes under [topic.spellings] in the file of 'thresher topic new'.", err=True
    )


def _read(store: Reading) -> tuple[list[str], list[str], Counter[str], int]:
    """Return texts of the best pages and of others, the words of addresses, and how many are relevant."""
    threshold = store.facts.threshold
    ours, theirs = Counter[str](), Counter[str]()
    pages = Counter[bool]()
    for visit in store.pages():
        fits = visit.relevance >= threshold
        pages[fits] += 1
        (ours if fits else theirs).update(set(tokens(visit.candidate.url)))
    best = chosen(store, Selection(relevant=True, top=SAMPLE, unique=True))
    others = (visit for visit in store.pages() if visit.relevance < threshold)
    telling = Counter(
        {
            token: count
            for token, count in ours.items()
            if count * pages[False] >= TELLING * theirs[token] * pages[True]
        }
    )
    return _texts(best), _texts(islice(others, SAMPLE)), telling, pages[True]


def _texts(visits: Iterator[Visit]) -> list[str]:
    return [_text(visit.page) for visit in visits if visit.page]


def _text(page: Page) -> str:
    return f"{page.title}\n{page.main or page.text}"


def _lines(found: Sequence[Suggestion], pages: int) -> Iterator[str]:
    for each in found:
        spread = f"  on {each.pages} of {number(pages)} pages" if pages > 1 else ""
        yield f"{each.weight:5.2f}  {each.term}{spread}"


def _flags(found: Sequence[Suggestion]) -> str:
    """Return the first suggestion as the flag that takes it, for an example."""
    return f" --keyword {quote(found[0].term)}" if found else ""
