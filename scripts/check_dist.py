"""Builds what is published, checks it, and runs the demo from the wheel in a bare environment."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CONSTRAINTS = ROOT / "constraints.txt"


def main(only_wheel: bool) -> None:
    """Build, check, install and run."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", *(["--wheel"] if only_wheel else []), "--outdir", str(DIST), str(ROOT))
    built = sorted(DIST.iterdir())
    if not only_wheel:
        run(sys.executable, "-m", "twine", "check", "--strict", *map(str, built))
    [wheel] = [file for file in built if file.suffix == ".whl"]
    with tempfile.TemporaryDirectory() as place:
        size, seconds = demo_of(wheel, Path(place))
    for file in built:
        print(f"{file.stat().st_size / 1e6:6.1f} MB  {file.name}")
    print(f"{size / 1e6:6.1f} MB  installed; demo from the wheel in {seconds:.0f} s, without a compiler")


def demo_of(wheel: Path, place: Path) -> tuple[int, float]:
    """Return how large an installation of the wheel is, and how long its demo took."""
    environment = place / "bare"
    venv.create(environment, with_pip=True)
    before = size_of(environment)
    bare = {**os.environ, "CC": "no-compiler-here", "CXX": "no-compiler-here", "PYTHONPATH": ""}
    python = str(environment / "bin" / "python")
    install = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--only-binary", ":all:"]
    run(*install, "--constraint", str(CONSTRAINTS), str(wheel), env=bare)
    size, begun = size_of(environment) - before, time.monotonic()
    check_core(wheel, str(environment / "bin" / "thresher"))
    run(str(environment / "bin" / "thresher"), "lab", "papers", env=bare, cwd=place)
    run(str(environment / "bin" / "thresher"), "demo", env=bare, cwd=place)
    return size, time.monotonic() - begun


def check_core(wheel: Path, thresher: str) -> None:
    """Fail unless a wheel is for this platform and brings the native core with it."""
    run(thresher, "--version")
    if "-abi3-" not in wheel.name:
        raise SystemExit(f"{wheel.name} is without the native core")


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def run(*command: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> None:
    """Run a command, and stop at the first that fails."""
    subprocess.run(command, check=True, env=env, cwd=cwd, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main("--wheel" in sys.argv)
