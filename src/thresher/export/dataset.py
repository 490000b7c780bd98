"""A dataset folder as Hugging Face has them: Parquet files by split, and a card that says what they are."""

from contextlib import ExitStack
from itertools import count
from pathlib import Path
from zlib import crc32

from thresher.export.format import FolderFormat, Pages
from thresher.export.items import Item
from thresher.export.parquet import Table, groups
from thresher.export.words import number

TEST = 10  # one host of so many is for testing: pages of one host are all in one split
SHARD = 100_000  # pages of a file


class DatasetFolder(FolderFormat):
    """data/train-00000.parquet and data/test-00000.parquet, and README.md."""

    name = "dataset"
    suffixes = ()
    use = "Dataset: Parquet by split and a card, as Hugging Face has them."

    def fill(self, pages: Pages, folder: Path) -> int:
        """Write the splits and the card, and return how many pages there were."""
        (folder / "data").mkdir()
        counts = {}
        for split in ("train", "test"):
            counts[split] = _write_split(pages, split, folder / "data")
        (folder / "README.md").write_text(_card(pages, counts), encoding="utf-8")
        return sum(counts.values())


def split_of(item: Item) -> str:
    """Return the split of a page, by its host, so that none is in both."""
    return "test" if crc32(item.host.encode()) % TEST == 0 else "train"


def _write_split(pages: Pages, split: str, folder: Path) -> int:
    """Write the pages of a split in files of a hundred thousand."""
    rows = (
        tuple(getattr(item, name) for name in pages.fields)
        for item in pages.items()
        if split_of(item) == split
    )
    shards, table = count(), None
    total = 0
    with ExitStack() as files:
        for group in groups(rows):
            if table is None or table.count >= SHARD:
                files.close()
                file = files.enter_context((folder / f"{split}-{next(shards):05}.parquet").open("wb"))
                table = files.enter_context(Table(pages.fields, file))
            table.add(group)
            total += len(group)
    return total


def _card(pages: Pages, counts: dict[str, int]) -> str:
    """Return the card: where the pages are from, and what nobody has said of them."""
    topic = pages.store.facts.topic.name
    splits = "".join(
        f"  - split: {split}\n    path: data/{split}-*.parquet\n" for split, many in counts.items() if many
    )
    total = number(sum(counts.values()))
    return (
        f"---\npretty_name: Pages on a topic\nlicense: unknown\nconfigs:\n- config_name: default\n"
        f"  data_files:\n{splits}---\n\n# {total} pages\n\nTopic: `{topic}`. Pages of the web, fetched by "
        "Thresher with respect for robots.txt. Each page belongs to whoever wrote it: its licence is unknown "
        f"unless it says so itself.\n\nFields: "
        f"{', '.join(pages.fields)}. Splits: {number(counts['train'])} train, "
        f"{number(counts['test'])} test, by host: all pages of a host are in one of them.\n"
    )
