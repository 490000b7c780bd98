"""A crawl folder from somebody else is data: nothing of it runs and nothing else is touched, by any verb."""

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import Ran, thresher
from tests.faults.killing.site import NETWORK, Sites
from tests.nightly import cases
from thresher.judges import DEFAULT_JUDGE
from thresher.store.folder import NAMES, CrawlFolder

pytestmark = pytest.mark.posix

ROOT = Path(__file__).resolve().parents[2]
CONTENT = "what is in a file of the user: 7c1d4f"
PRIVATE = "127.99.0.1"  # where a canary listens; no test may reach it


class Canary:
    """Listens in a private network and counts who comes by."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._socket = socket.create_server((PRIVATE, 0))
        self.address = f"http://{PRIVATE}:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.heard.append(connection.recv(1000))
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def close(self) -> None:
        self._socket.close()


@dataclass
class Foreign:
    """A folder that somebody sent, on the desk of a user who has a file of his own."""

    folder: Path
    victim: Path
    canary: str
    page: str

    def edit(self, *changes: tuple[str, str]) -> None:
        """Change lines of crawl.toml: the text before, and the text in its place."""
        file = self.folder / "crawl.toml"
        text = file.read_text()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        file.write_text(text)

    def execute(self, *statements: str) -> None:
        (self.folder / "crawl.db").with_name("crawl.sums").unlink(
            missing_ok=True
        )  # as if it had been written so
        connection = sqlite3.connect(self.folder / "crawl.db")
        with connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    def link(self, name: str) -> None:
        """Let a name in the folder lead to the user's file, or to a folder of his."""
        place = self.folder / name
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.symlink_to(self.victim.parent if name == "warc" else self.victim)

    def verbs(self) -> dict[str, list[str]]:
        folder, out = str(self.folder), self.folder.parent
        return {
            "resume": ["resume", folder, "--pages", "60"],
            "revisit": ["revisit", folder, "--once", "--budget", "12", "--discover", "0"],
            "changes": ["revisit", "--list", folder, "--json"],
            "report": ["report", folder],
            "report --json": ["report", folder, "--json"],
            "report --top": ["report", folder, "--top", "3"],
            "label": ["label", folder, self.page, "yes"],
            "rejudge": ["label", "--apply", folder, "--keyword", "bees"],
            "search": ["search", folder, "honey"],
            "why": ["why", self.page, folder],
            "export": ["export", folder, "-o", str(out / "out.jsonl")],
            "export warc": ["export", folder, "-o", str(out / "out.warc.gz")],
            "settings": ["settings", f"{folder}/crawl.toml"],
            "topic": ["topic", "show", f"{folder}/crawl.toml"],
            "crawl": ["crawl", f"{folder}/crawl.toml", "--pages", "3", "-o", str(out / "again")],
            "learn-from": ["crawl", "honey", "--learn-from", folder, "--pages", "3", "-o", str(out / "heir")],
        }


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    with Sites(30) as sites:
        yield sites


@pytest.fixture(scope="module")
def crawled(tmp_path_factory, sites) -> Path:
    """A crawl that its user made of the live web, and looked at again."""
    folder = tmp_path_factory.mktemp("owner") / "honey"
    asked = ["crawl", "honey", "-o", str(folder), f"--allow-network={NETWORK}", "--pages=20", "--delay=0"]
    ran = thresher(*asked, "--set", "revisit.hold=0", *(f"--seed={seed}" for seed in sites.seeds))
    assert ran.code == 0, ran.err
    return folder


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()


@pytest.fixture
def foreign(crawled, canary, tmp_path, monkeypatch) -> Foreign:
    """The same folder on the desk of another user, without what its owner had allowed."""
    monkeypatch.setenv("THRESHER_CONFIG", str(tmp_path / "config" / "settings.toml"))
    folder, home = tmp_path / "desk" / "foreign", tmp_path / "home"
    shutil.copytree(crawled, folder)
    home.mkdir()
    (home / "precious.txt").write_text(f"{CONTENT}\n")
    page = CrawlFolder(folder).open()
    try:
        url = next(iter(page.pages())).candidate.url
    finally:
        page.close()
    foreign = Foreign(folder, home / "precious.txt", canary.address, url)
    foreign.edit((f'"{NETWORK}",', ""))
    monkeypatch.chdir(folder.parent)
    return foreign


def evil(at: Foreign) -> None:
    """A class in the folder that writes a file when it is imported."""
    code = f"open({str(at.folder.parent / 'RAN')!r}, 'w')\nclass Evil: pass\n"
    (at.folder.parent / "evil.py").write_text(code)
    (at.folder / "evil.py").write_text(code)


def command(at: Foreign) -> None:
    at.edit(('command = ""', f'command = "touch {at.folder.parent / "RAN"}"'))
    at.execute("INSERT OR REPLACE INTO fact VALUES ('hooks_since', '0.0')")


def webhook(at: Foreign) -> None:
    at.edit(('webhook = ""', f'webhook = "{at.canary}/hook"'))


def a_class(at: Foreign) -> None:
    evil(at)
    at.edit(('name = "thresher"', 'name = "evil:Evil"'))
    at.execute("""UPDATE fact SET value = '"evil:Evil"' WHERE name = 'strategy'""")


def a_judge(at: Foreign) -> None:
    evil(at)
    at.edit((f'name = "{DEFAULT_JUDGE}"', 'name = "evil:Evil"'))


def network(at: Foreign) -> None:
    at.edit(("allow_networks = [", 'allow_networks = [\n"127.0.0.0/8",'), ("seeds = [", seed_of(at)))


def seed_of(at: Foreign) -> str:
    return f'seeds = [\n"{at.canary}/inside",'


def proxy(at: Foreign) -> None:
    at.edit(('proxy = ""', f'proxy = "{at.canary}"'), ("proxy_resolves = false", "proxy_resolves = true"))


def certificates(at: Foreign) -> None:
    at.edit(('trust = ""', f'trust = "{at.victim}"'))


def endpoint(at: Foreign) -> None:
    at.edit(('endpoint = ""', f'endpoint = "{at.canary}/?u={{url}}"'))


def examples(at: Foreign) -> None:
    at.edit(("examples = []", f'examples = ["{at.victim}", "{at.victim.parent}"]'))


def negatives(at: Foreign) -> None:
    at.edit(("negatives = []", f'negatives = ["{at.victim}"]'))


def browser(at: Foreign) -> None:
    at.edit(('browser = "never"', 'browser = "always"'))


def links(at: Foreign) -> None:
    at.victim.write_text(f"http://{CONTENT.split()[-1]}.test/ {at.page}\n")
    at.edit(('\nfile = ""', f'\nfile = "{at.victim}"'))


def earlier(at: Foreign) -> None:
    at.edit(('name = "thresher"', f'name = "thresher"\nlearn_from = "{at.victim.parent}"'))
    at.execute("DELETE FROM fact WHERE name = 'strategy'")


SETTINGS: list[Callable[[Foreign], None]] = [
    command, webhook, a_class, a_judge, network, proxy, certificates, endpoint, examples, negatives, links,
    earlier, browser,
]  # fmt: skip


SOME_VERBS = ("resume", "report")
LINKED = (*NAMES, "warc/index.cdxj", "warc/x.warc.gz", "crawl.toml.part")


def ran_verbs(at: Foreign, verbs: Sequence[str] = ()) -> dict[str, Ran]:
    """Run these verbs, or all, and see that none left a trace, nor said more than sentences."""
    ran = {}
    content, home = at.victim.read_bytes(), sorted(at.victim.parent.iterdir())
    secret = content.decode().strip().encode()
    for name, arguments in at.verbs().items():
        if verbs and name not in verbs:
            continue
        done = ran[name] = thresher(*arguments)
        assert "Traceback" not in done.err, (name, done.err)
        assert done.code in (0, 1, 2, 4, 15), (name, done.err)
        assert at.victim.read_bytes() == content, f"{name} wrote to a file of the user"
        assert sorted(at.victim.parent.iterdir()) == home, f"{name} wrote beside a file of the user"
        assert not (at.folder.parent / "RAN").exists(), f"{name} ran code of the folder"
        assert secret not in f"{done.out}{done.err}".encode(), f"{name} showed a file of the user"
    for file in at.folder.parent.rglob("*"):
        if file.is_file() and not file.is_symlink() and file.name != "crawl.toml":
            assert secret not in file.read_bytes(), f"{file} holds a file of the user"
    return ran


@pytest.mark.parametrize("trap", SETTINGS, ids=lambda trap: trap.__name__)
def test_what_a_foreign_folder_asks_for_is_refused_when_it_is_resumed(trap, foreign, canary):
    trap(foreign)
    ran = ran_verbs(foreign, SOME_VERBS)
    assert canary.heard == []
    assert (ran["resume"].code, ran["resume"].err.count("\n")) == (2, 1), ran["resume"].err
    assert "reaches beyond the crawl" in ran["resume"].err and "--trust-folder" in ran["resume"].err
    assert ran["report"].code == 0, ran["report"].err


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "trap", cases(SETTINGS, here=[command, links, earlier]), ids=lambda trap: trap.__name__
)
def test_what_a_foreign_folder_asks_for_is_refused_by_name_and_leaves_no_trace(trap, foreign, canary):
    trap(foreign)
    ran = ran_verbs(foreign)
    assert canary.heard == []
    for verb in ("resume", "revisit", "rejudge", "crawl", "topic"):
        assert (ran[verb].code, ran[verb].err.count("\n")) == (2, 1), ran[verb].err
        assert "reaches beyond the crawl" in ran[verb].err and "--trust-folder" in ran[verb].err
    for verb in ("changes", "report", "export", "export warc", "settings"):
        assert ran[verb].code == 0, ran[verb].err


@pytest.mark.parametrize("name", LINKED)
def test_no_name_in_a_foreign_folder_leads_out_of_it_when_it_is_resumed(name, foreign):
    foreign.link(name)
    ran = ran_verbs(foreign, SOME_VERBS)
    if name != "crawl.toml.part":  # which is not read, only written anew
        for verb in SOME_VERBS:
            assert (ran[verb].code, ran[verb].err.count("\n")) == (2, 1), (verb, ran[verb].err)
            assert "is a link, and nothing is read or written through it" in ran[verb].err


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", cases(LINKED, here=["crawl.db", "crawl.toml.part", "warc"]))
def test_no_name_in_a_foreign_folder_leads_out_of_it(name, foreign):
    foreign.link(name)
    ran = ran_verbs(foreign)
    if name != "crawl.toml.part":  # which is not read, only written anew
        for verb in ("resume", "revisit", "report", "export", "export warc", "why", "label"):
            assert (ran[verb].code, ran[verb].err.count("\n")) == (2, 1), (verb, ran[verb].err)
            assert "is a link, and nothing is read or written through it" in ran[verb].err


def test_a_report_is_not_written_through_a_link_that_waits_for_it(foreign):
    (foreign.folder / f".report.html.{os.getpid()}").symlink_to(foreign.victim)
    assert thresher("report", str(foreign.folder)).code == 0
    assert foreign.victim.read_text() == f"{CONTENT}\n"


@pytest.mark.timeout(240)
@pytest.mark.parametrize("form", ["../../../home/precious.txt", "{}", "~x.warc.gz", "..", "a\0.warc.gz", "/"])
def test_a_name_in_the_database_is_that_of_a_file_in_the_folder(form, foreign):
    name = form.format(foreign.victim)
    (foreign.folder / "crawl.db").with_name("crawl.sums").unlink(
        missing_ok=True
    )  # as if it had been written so
    connection = sqlite3.connect(foreign.folder / "crawl.db")
    with connection:
        connection.execute("UPDATE capture SET file = ?, offset = 0", (name,))
        connection.execute("DELETE FROM archive")
        connection.execute("INSERT INTO archive (file, length) VALUES (?, 10)", (name,))
    connection.close()
    content = foreign.victim.read_bytes()
    for verb in ("export warc", "resume", "revisit"):
        ran = thresher(*foreign.verbs()[verb])
        *warnings, sentence = ran.err.splitlines()
        assert ran.code == 2 and len(warnings) <= 1, ran.err
        assert sentence.startswith("The database of the crawl names ") and "which it cannot be" in sentence
    assert foreign.victim.read_bytes() == content
    assert not (foreign.folder.parent / "out.warc.gz").exists()


def test_ones_own_folder_remembers_what_was_allowed_and_a_copy_asks_again(crawled, tmp_path):
    assert thresher("resume", str(crawled), "--pages", "22").code == 0
    copy = tmp_path / "copy"
    shutil.copytree(crawled, copy)
    ran = thresher("resume", str(copy), "--pages", "24")
    assert ran.code == 2 and "web.allow_networks" in ran.err
    assert thresher("resume", str(copy), "--pages", "24", "--allow-network", NETWORK).code == 0
    assert thresher("resume", str(copy), "--pages", "26").code == 0  # it is his own now
    assert thresher("resume", str(crawled), "--pages", "24").code == 0


def test_what_somebody_writes_into_ones_own_folder_does_not_count(crawled, canary):
    file, before = crawled / "crawl.toml", (crawled / "crawl.toml").read_text()
    assert 'command = ""' in before and f'"{NETWORK}"' in before
    file.write_text(before.replace(f'"{NETWORK}"', '"127.0.0.0/8"'))
    opened = thresher("resume", str(crawled), "--pages", "25", "--seed", f"{canary.address}/")
    file.write_text(before.replace('command = ""', 'command = "touch x"'))
    ordered = thresher("resume", str(crawled), "--pages", "25")
    file.write_text(before)
    assert canary.heard == []
    assert opened.code == 2 and "web.allow_networks" in opened.err
    assert ordered.code == 2 and "revisit.command" in ordered.err
    assert thresher("resume", str(crawled), "--pages", "25").code == 0


def test_a_folder_can_be_trusted_by_name(crawled, tmp_path, monkeypatch):
    monkeypatch.setenv("THRESHER_CONFIG", str(tmp_path / "settings.toml"))
    copy = tmp_path / "copy"
    shutil.copytree(crawled, copy)
    assert thresher("resume", str(copy), "--pages", "30").code == 2
    assert thresher("resume", str(copy), "--pages", "30", "--trust-folder").code == 0
    assert thresher("resume", str(copy), "--pages", "32").code == 0


def test_the_users_own_settings_count_below_the_file_and_the_flags(tmp_path, monkeypatch):
    mine = tmp_path / "settings.toml"
    mine.write_text('web = { delay = 3.5, timeout = 7.0 }\nrevisit = { command = "tell-me" }\n')
    monkeypatch.setenv("THRESHER_CONFIG", str(mine))
    (tmp_path / "topic.toml").write_text('topic = "bees"\nweb = { timeout = 8.0 }\n')
    out = thresher("settings", str(tmp_path / "topic.toml"), "--set", "web.per_host=2").out
    for line in ("web.delay = 3.5", "web.timeout = 8.0", "web.per_host = 2", 'revisit.command = "tell-me"'):
        assert f"{line} " in out


PROGRAM = "import sys; from thresher.cli.main import main; main(sys.argv[1:])"


@pytest.mark.timeout(240)
@pytest.mark.parametrize("workers", ["0", "1"])
@pytest.mark.parametrize("start", [["-P", "-c", PROGRAM], ["-m", "thresher"]], ids=["script", "-m"])
def test_no_module_where_the_user_stands_is_imported(start, workers, sites, tmp_path):
    """A trap for every module that a crawl imports; `python -m` imports some of its own accord."""
    desk = tmp_path / "downloads"
    desk.mkdir()
    imported = {name.partition(".")[0] for name in sys.modules} | {"lzma", "csv"}
    names = {"rjieba", "brotli", "Stemmer", "xxhash", "publicsuffixlist", "msgspec", "click"}
    names |= set() if start[0] == "-m" else imported
    for name in names - {"thresher", "__main__", "tests", "conftest"}:
        (desk / f"{name}.py").write_text(f"open({str(tmp_path / 'RAN')!r}, 'a').write({name!r})\n")
    crawl = ["crawl", "honey", "-o", str(tmp_path / "honey"), "--pages=4", "--delay=0"]
    crawl += [f"--workers={workers}", f"--allow-network={NETWORK}"]
    done = subprocess.run(
        [sys.executable, *start, *crawl, *(f"--seed={seed}" for seed in sites.seeds)],
        cwd=desk,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert not (tmp_path / "RAN").exists(), (tmp_path / "RAN").read_text()
    assert done.returncode == 0, done.stderr
