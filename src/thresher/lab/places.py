"""Where the lab keeps what it worked out: never in the corpus folder."""

import os
from pathlib import Path


def default_cache() -> Path:
    """Return the lab's folder in the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "thresher" / "lab"
