"""Standing guards: what once let somebody in is not written again, in any file."""

from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "thresher"
MODULES = {str(path.relative_to(SOURCE)): path.read_text() for path in sorted(SOURCE.rglob("*.py"))}


def who_says(*words: str) -> set[str]:
    return {name for name, text in MODULES.items() if any(word in text for word in words)}


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        pytest.param(("sys.path",), {"__main__.py", "build/plugins.py"}, id="the path of imports"),
        pytest.param(("sys.path.insert",), set(), id="the front of the path of imports"),
        pytest.param(("import pickle", " eval(", " exec(", "shell=True", "os.system"), set(), id="code"),
        pytest.param(
            ("subprocess_exec", "Popen"),
            {
                "cluster/sockets.py",
                "engine/revisit.py",
                "engine/reader_process.py",
                "fetch/browser/chromium.py",
                "serve/processes.py",
                "serve/state.py",
            },
            id="programs",
        ),
        pytest.param(("secret import given",), {"store/trust.py"}, id="secrets as they were given"),
    ],
)
def test_what_is_dangerous_stands_in_one_place(words, allowed):
    assert who_says(*words) <= allowed, words


def test_only_the_rooms_behind_the_guard_open_sockets():
    openers = who_says("import aiohttp", "from aiohttp", "import socket", "urllib.request", "open_connection")
    listeners = {"cli/serve.py", *(name for name in MODULES if name.startswith("serve/"))}  # they only answer
    assert {name.partition("/")[0] for name in openers - listeners} <= {"cluster", "fetch", "practice"}


def test_only_the_folder_reads_what_a_folder_asks_for():
    """Others get it through CrawlFolder.asked, which leaves out what a stranger may not ask for."""
    only_topic_and_seeds = {"store/folder.py", "build/rejudge.py", "store/forget.py"}
    assert (
        who_says("read(folder.settings", "read(crawl.settings", "read(place.settings") <= only_topic_and_seeds
    )
