"""The sources of back-links that the settings name, wrapped round the web of a crawl."""

from collections import Counter
from pathlib import Path

from thresher.assemble.worlds import World
from thresher.core.doors import BacklinkSource
from thresher.core.errors import SettingsError
from thresher.settings.rooms import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.web.backlinks import Folders, OwnLinks, Paced, Several, WithBacklinks
from thresher.web.endpoint import Endpoint
from thresher.web.link_dump import open_dump


def check_backlinks(settings: Settings) -> None:
    """Refuse a file that is not there and an address without a place for the page."""
    asked = settings.backlinks
    for name in ("file", "vertices"):
        path = getattr(asked, name)
        if path and not Path(path).is_file():
            raise SettingsError(f"There is no file {path}: correct backlinks.{name}.")
    if asked.endpoint and "{url}" not in asked.endpoint:
        raise SettingsError("backlinks.endpoint has no {url} where the address of the page should go.")


def with_backlinks(
    settings: Settings, world: World, store: Database, folder: CrawlFolder, failed: Counter[str]
) -> WithBacklinks:
    """Return the world's web, which also answers who links to a page."""
    asked = settings.backlinks
    sources: list[BacklinkSource] = []
    if asked.file:
        vertices = Path(asked.vertices) if asked.vertices else None
        sources.append(open_dump(Path(asked.file), folder.path / "backlinks.db", vertices))
    if asked.endpoint:
        sources.append(Paced(Endpoint(world.web, asked.endpoint), world.clock, settings.web.delay))
    if asked.own:
        sources.append(OwnLinks(store))
    if asked.folders:
        sources.append(Folders())
    most = asked.questions or settings.stop.pages
    left = max(0, most - store.questions()) if most else None
    return WithBacklinks(world.web, Several(sources, failed), world.clock, left, asked.most)
