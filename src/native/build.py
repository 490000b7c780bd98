"""Compiles the C files beside it into src/thresher/_core.abi3.so, if this machine can; without a word if not.

Needs a C compiler (CC, or the one that Python was built with) and Python's headers, and nothing else. Leaves
with 0 if the core is there and newer than its sources, with 1 if it is not: then Python does its work.
`--verbose` shows what the compiler says, `--sanitize FILE` builds a core that ends at the first wrong access.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "thresher" / "_core.abi3.so"
FLAGS = "-std=c11 -O3 -fPIC -shared -fvisibility=hidden -fstack-protector-strong"
AS_ONE = "-flto"  # all files compiled as one: a fifth less time, and not every linker can do it
WARNINGS = "-Wall -Wextra -Wno-unused-parameter"
SANITIZERS = "-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
PATIENCE = 120  # seconds


def main(arguments: Sequence[str]) -> int:
    """Build the core and tell by the exit code whether there is one."""
    if "--sanitize" in arguments:
        return 0 if compiled(Path(arguments[-1]), SANITIZERS, verbose=True) else 1
    verbose = "--verbose" in arguments
    built = is_current(TARGET) or compiled(TARGET, AS_ONE, verbose) or compiled(TARGET, verbose=verbose)
    return 0 if built else 1


def is_current(target: Path) -> bool:
    """Tell whether a core is there and newer than all its sources."""
    return target.exists() and all(
        source.stat().st_mtime <= target.stat().st_mtime for source in HERE.iterdir() if source.is_file()
    )


def compiled(target: Path, more: str = "", verbose: bool = False) -> bool:
    """Compile all sources into one file; if that fails, no old one stays, for it is not what they say."""
    target.unlink(missing_ok=True)
    made = target.with_suffix(f".{os.getpid()}")
    try:
        done = subprocess.run(_command(made, more), capture_output=not verbose, timeout=PATIENCE, check=False)
        if done.returncode == 0:
            made.replace(target)  # nobody loads half a file
    except (OSError, subprocess.TimeoutExpired) as error:
        if verbose:
            print(error, file=sys.stderr)
    finally:
        made.unlink(missing_ok=True)
    return target.exists()


def _command(target: Path, more: str) -> list[str]:
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    loose = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    includes = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
    sources = sorted(str(source) for source in HERE.glob("*.c"))
    return [
        *(*shlex.split(compiler), *FLAGS.split(), *WARNINGS.split(), *more.split(), *loose),
        *(f"-I{folder}" for folder in sorted(includes)),
        *(*sources, "-o", str(target)),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
