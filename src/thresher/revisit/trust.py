"""Whether a host's own word on what changed can be relied on: only after it proved right."""

from msgspec import Struct

ENOUGH = 5  # checked predictions before the dates of a host can be trusted
RIGHT = 0.8  # share of them that must have been right
MOST_UNMODIFIED = 10  # 304s in a row before we look for ourselves


class Trust(Struct, frozen=True):
    """What one host said of its pages, and what was found."""

    right: int = 0  # dates of sitemaps and feeds that agreed with what we saw
    wrong: int = 0
    lies: int = 0  # 304s behind which a page had changed
    fickle: int = 0  # new validators of pages that had not changed

    @property
    def dates(self) -> bool:
        """Whether the dates of its sitemaps and feeds are worth following."""
        checked = self.right + self.wrong
        return checked >= ENOUGH and self.right >= RIGHT * checked

    @property
    def validators(self) -> bool:
        """Whether its 304s can be believed."""
        return self.lies == 0
