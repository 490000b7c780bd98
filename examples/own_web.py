"""A web of one's own: a folder of HTML files, asked as if it were the site http://folder.localhost/."""

from pathlib import Path

from thresher import Web
from thresher.core.errors import HostUnreachable
from thresher.core.records import Candidate, Fetched

SITE = "http://folder.localhost/"


class FolderWeb(Web):
    """Answers for the files of one folder, and for nothing outside it."""

    def __init__(self, folder: Path) -> None:
        """Remember where the files are."""
        self.folder = folder.resolve()

    async def get(self, candidate: Candidate) -> Fetched:
        """Return the file of that name, or a 404; another site is out of reach."""
        if not candidate.url.startswith(SITE):
            raise HostUnreachable(f"{candidate.url} is not in {self.folder}.")
        file = (self.folder / (candidate.url.removeprefix(SITE) or "index.html")).resolve()
        if not file.is_relative_to(self.folder) or not file.is_file():
            return Fetched(candidate, candidate.url, 404)
        return Fetched(
            candidate, candidate.url, 200, (("content-type", "text/html"),), body=file.read_bytes()
        )

    async def close(self) -> None:
        """Let go of nothing: there are no connections."""
