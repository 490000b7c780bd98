"""Forward and backward links, counted as pages come in: what Mali and Meshram's P-value is made of."""

from thresher.core.enums import LOOKS
from thresher.core.records import Url, Visit
from thresher.core.url import host_of, key_of
from thresher.strategies.base import links_of


class LinkCounts:
    """How many pages link to each URL, and how many links the pages of each host have on average."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self._backward: dict[int, int] = {}
        self._hosts: dict[str, tuple[int, int]] = {}  # links, pages
        self._all = (0, 0)
        self._changed: dict[int, None] = {}
        self._changed_hosts: dict[str, None] = {}

    def add(self, visit: Visit) -> None:
        """Count the links of a visit; one that brought no page has none, and a second look brings no news."""
        if visit.candidate.kind in LOOKS:
            return
        targets = {key_of(link.target): None for link in links_of(visit)}
        for key in targets:
            self._backward[key] = self._backward.get(key, 0) + 1
        self._changed |= targets
        self._count(host_of(visit.candidate.url), len(targets), 1)

    def forward(self, url: Url) -> float:
        """Return the mean number of links of the pages of a URL's host, of all pages if none is known."""
        links, pages = self._hosts.get(host_of(url), self._all)
        return links / pages if pages else 0.0

    def backward(self, url: Url) -> int:
        """Return how many pages link to a URL."""
        return self._backward.get(key_of(url), 0)

    def _count(self, host: str, links: int, pages: int) -> None:
        before = self._hosts.get(host, (0, 0))
        self._hosts[host] = before[0] + links, before[1] + pages
        self._all = self._all[0] + links, self._all[1] + pages
        self._changed_hosts[host] = None


IMAGES = frozenset("jpg jpeg png gif webp bmp ico svg tif tiff avif".split())
FILES = IMAGES | frozenset(
    "mp3 ogg wav flac mp4 avi mov mkv webm mpg mpeg wmv zip gz bz2 xz 7z rar tar tgz exe dmg iso apk deb rpm"
    " css js json woff woff2 ttf ps eps doc docx xls xlsx ppt pptx pdf".split()
)


def is_image(url: Url) -> bool:
    """Tell whether a URL ends as pictures do."""
    return ending(url) in IMAGES


def is_page(url: Url) -> bool:
    """Tell whether a URL ends as no file but a page does."""
    return ending(url) not in FILES


def ending(url: Url) -> str:
    """Return what stands after the last full stop of a path's last part, in lower case, if anything."""
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
