"""A folder of HTML files, asked as if it were the site http://folder.localhost/."""

from pathlib import Path

from thresher import Candidate, Fetched, Web


class FolderWeb(Web):
    """Answers for the files of one folder, and for nothing outside it."""

    def __init__(self, folder: Path = Path("site")) -> None:
        self.folder = folder.resolve()

    async def get(self, candidate: Candidate) -> Fetched:
        file = (self.folder / candidate.url.removeprefix("http://folder.localhost/")).resolve()
        if not file.is_relative_to(self.folder) or not file.is_file():
            return Fetched(candidate, candidate.url, 404)
        headers = (("content-type", "text/html"),)
        return Fetched(candidate, candidate.url, 200, headers, body=file.read_bytes())
