"""The user's own configuration: settings for every crawl, and a place for what only he may know."""

import os
from pathlib import Path

from thresher.core.files import whole_file

PRIVATE = 0o600
PRIVATE_FOLDER = 0o700


def user_file() -> Path:
    """Return the file with the user's own settings: THRESHER_CONFIG, or settings.toml where he keeps such."""
    if chosen := os.environ.get("THRESHER_CONFIG"):
        return Path(chosen)
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "thresher" / "settings.toml"


def crawls_folder() -> Path:
    """Return where is kept what the user allowed his crawls: beside his settings."""
    return user_file().parent / "crawls"


def write_private(path: Path, text: str) -> None:
    """Write a file that nobody else can read, in a folder nobody else can look into."""
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    with whole_file(path, PRIVATE) as file:
        file.write(text.encode())
