"""Runs every contender on recorded webs: same seeds, same budget, same served web, each its own process.

    python benchmarks/peers/contest.py CORPUS... -o FOLDER [--pages 120] [--topics 4] [--only NAME] [--jobs 3]
    thresher lab score CORPUS... --runs FOLDER/runs.jsonl -o FOLDER/score

The topics are the first of each corpus with 50 to 250 relevant pages. A run that is in FOLDER/runs.jsonl
already is not run again. The server counts the pages and ends with the last; then the contender is ended.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from contenders import CONTENDERS, Contender, Told

from thresher import __version__
from thresher_lab.corpus import DEFAULT_SEEDS, Corpus
from thresher_lab.efforts import further_words, typed_name

THRESHER = str(Path(sys.executable).with_name("thresher"))
FEWEST, MOST = 50, 250  # relevant pages of a topic
LOCK = threading.Lock()


@dataclass(frozen=True)
class Job:
    """One run that is to be made."""

    contender: Contender
    corpus: Corpus
    topic: str
    efforts: tuple[str, ...]

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What tells it from the others."""
        return self.contender.name, self.corpus.name, self.topic, "+".join(self.efforts)


def topics_of(corpus: Corpus, count: int) -> list[str]:
    """Return the first topics that are neither tiny nor everything."""
    return [name for name in corpus.topics if FEWEST <= len(corpus.relevant(name)) <= MOST][:count]


def jobs_of(given: argparse.Namespace) -> list[Job]:
    """Return every run, topic by topic, so that what is done after a while can be compared."""
    named = [each for each in CONTENDERS if not given.only or any(only in each.name for only in given.only)]
    named = [each for each in named if not any(part in each.name for part in given.without)]
    able = [each for each in named if not each.missing()]
    for each in named:
        if sentence := each.missing():
            print(sentence, file=sys.stderr)
    corpora = [Corpus(Path(folder)) for folder in given.corpora]
    return [
        Job(contender, corpus, topic, efforts)
        for number in range(given.topics)
        for corpus in corpora
        for topic in topics_of(corpus, given.topics)[number : number + 1]
        for contender in able
        for efforts in contender.efforts
    ]


def run(job: Job, given: argparse.Namespace) -> dict:
    """Serve the corpus, set the contender to it, and return the run."""
    log = Path("logs") / f"{'-'.join(job.name).replace(' ', '_').replace(',', '')}.jsonl"
    folder = Path(tempfile.mkdtemp(prefix="peer-"))
    with subprocess.Popen(
        serving(job, given, log), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        port = server.stdout.readline().rpartition(":")[2].strip()
        if not port:
            raise SystemExit(
                f"The web of {job.corpus.name} cannot be served: {' '.join(serving(job, given, log))}"
            )
        proxy = f"http://127.0.0.1:{port}"
        ended, seconds, peak = set_to_work(job.contender, told_of(job, given, proxy, folder), server)
        server.send_signal(signal.SIGTERM)
    shutil.rmtree(folder, ignore_errors=True)
    versions = [version_of(job.contender)]
    return {
        "contender": job.contender.name,
        "corpus": job.corpus.name, "topic": job.topic, "efforts": job.efforts,
        "log": str(log), "seeds": DEFAULT_SEEDS, "seconds": round(seconds, 2), "ended": ended,
        "peak_megabytes": round(peak, 1), "versions": [*versions, f"Python {platform.python_version()}"],
    }  # fmt: skip


def version_of(contender: Contender) -> str:
    """Return the version of a contender: of its package, of its program, or ours."""
    if contender.package:
        return contender.package.split()[0]
    if not contender.program:
        return f"thresher {__version__}"
    said = subprocess.run([contender.program, "--version"], capture_output=True, text=True, check=False)
    return said.stdout.partition("\n")[0]


def serving(job: Job, given: argparse.Namespace, log: Path) -> list[str]:
    """Return the command that serves the corpus of a run."""
    path = Path(given.output) / log
    path.parent.mkdir(parents=True, exist_ok=True)
    asked = {"pages": given.pages, "log": path, "crawl-delay": given.delay, "latency": given.latency}
    asked |= {"seconds": given.seconds, "idle": 60}
    options = [part for name, value in asked.items() for part in (f"--{name}", str(value))]
    return [THRESHER, "lab", "serve", str(job.corpus.path), *options]


def told_of(job: Job, given: argparse.Namespace, proxy: str, folder: Path) -> Told:
    """Return what the contender of a run is told."""
    entry = job.corpus.topic(job.topic)
    seeds = [url.replace("https:", "http:", 1) for url in job.corpus.seeds(job.topic, DEFAULT_SEEDS)]
    words = further_words(entry) if "name" not in job.efforts else ()
    return Told(seeds, typed_name(entry), words, given.pages, proxy, given.delay, folder)


def set_to_work(contender: Contender, told: Told, server: subprocess.Popen) -> tuple[str, float, float]:
    """Run a contender until it or the server ends; return how it ended, its seconds and its megabytes."""
    clean = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    storage = {"CRAWLEE_STORAGE_DIR": str(told.folder), "CRAWL4_AI_BASE_DIRECTORY": str(told.folder)}
    with (told.folder / "said.txt").open("wb") as said:
        worker = subprocess.Popen(
            contender.command(told), cwd=told.folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            env=clean | storage | contender.environment, start_new_session=True,
        )  # fmt: skip
        ended, seconds = "", 0.0
        while not ended:
            pid, status, used = os.wait4(worker.pid, os.WNOHANG)
            if pid:
                ended, seconds = f"by itself with {os.waitstatus_to_exitcode(status)}", _seconds(used)
            elif server.poll() is not None:
                seconds = seconds_of_all(worker.pid)
                os.killpg(worker.pid, signal.SIGTERM)
                used, ended = reap(worker.pid), "by the server"
            else:
                time.sleep(0.05)
    worker.returncode = 0  # it is reaped
    with suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)  # what it left running
    if ended.startswith("by itself") and not ended.endswith(" 0"):
        print(contender.name, (told.folder / "said.txt").read_text(errors="replace")[-800:], file=sys.stderr)
    return ended, seconds, used.ru_maxrss / 1024


def _seconds(used: "os.struct_rusage") -> float:
    return used.ru_utime + used.ru_stime


def seconds_of_all(session: int) -> float:
    """Return the processor time of a process and of all that it has started."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15])) if int(fields[3]) == session else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def reap(pid: int) -> "os.struct_rusage":
    """Wait for a process that was asked to end, insist after a while, and return what it has used."""
    for _ in range(60):
        found, _, used = os.wait4(pid, os.WNOHANG)
        if found:
            return used
        time.sleep(0.05)
    os.killpg(pid, signal.SIGKILL)
    return os.wait4(pid, 0)[2]


def options() -> argparse.Namespace:
    """Return what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--pages", type=int, default=120)
    parser.add_argument("--topics", type=int, default=4, help="of each corpus")
    parser.add_argument("--only", action="append", help="contenders with this in their names")
    parser.add_argument("--without", action="append", default=[], help="contenders with this in their names")
    parser.add_argument("--jobs", type=int, default=2, help="runs at once")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that every robots.txt asks for")
    parser.add_argument("--latency", type=float, default=0.02, help="median seconds of an answer")
    parser.add_argument("--seconds", type=float, default=120.0, help="seconds that a run may take")
    return parser.parse_args()


def main() -> None:
    """Run what has not been run."""
    given = options()
    kept = Path(given.output) / "runs.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    before = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    done = {(each["contender"], each["corpus"], each["topic"], "+".join(each["efforts"])) for each in before}

    def carry_out(job: Job) -> None:
        found = run(job, given)
        with LOCK, kept.open("a") as file:
            file.write(json.dumps(found) + "\n")
            print(*job.name, found["ended"], flush=True)

    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(carry_out, [job for job in jobs_of(given) if job.name not in done]))


if __name__ == "__main__":
    main()
