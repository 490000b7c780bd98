"""Builds the documentation site from the pages as they lie, with every link checked."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "build" / "site-source"
KINDS = {".md", ".svg", ".png", ".html", ".tsv", ".py", ".toml", ".yaml", ".ipynb"}
OUTSIDE = ("docs", "results", "examples", "deploy")  # folders whose pages link to each other


def main() -> None:
    """Lay out what is tracked as it is linked, and let MkDocs refuse a link that leads nowhere."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for name in tracked():
        place = SOURCE / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, place)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(ROOT / "mkdocs.yml")]
    # --quiet would hide the warnings from --strict, so what is said is kept and told if it fails
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("\n".join(line for line in done.stderr.splitlines() if "WARNING" in line or "rror" in line))
    pages = sum(1 for _ in (ROOT / "build" / "site").rglob("*.html"))
    print(f"{pages} pages in build/site")


def tracked() -> list[str]:
    """Return the files that pages are made of, or that they link to."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [Path(name) for name in listed.stdout.splitlines()]
    kept = [name for name in names if name.parts[0] in OUTSIDE or len(name.parts) == 1]
    return [str(name) for name in kept if name.suffix in KINDS or name.name == "LICENSE"]


if __name__ == "__main__":
    main()
