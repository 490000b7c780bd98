"""Compiles the C files beside it into the core, src/thresher/_core.abi3.so (_core.pyd on Windows).

Takes the C compiler of this machine (CC, or the one that Python was built with, or cc), and where there is
none that of the `ziglang` wheel, if it is installed. Python's headers are not needed. Leaves with 0 if the
core is there and newer than its sources, with 1 if it is not.
`--needs` prints what must be installed first, `--sanitize FILE` builds a core that ends at the first wrong
access, `--torture FILE` one whose allocations can be made to fail, `--verbose` shows the command.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "thresher" / ("_core.pyd" if sys.platform == "win32" else "_core.abi3.so")
ZIGLANG = "ziglang==0.17.0"  # a wheel with a C compiler, of 100 MB
FLAGS = "-std=c11 -O3 -fPIC -shared -fvisibility=hidden -fstack-protector-strong"
AS_ONE = "-flto"  # all files compiled as one: a fifth less time, and not every linker can do it
WARNINGS = "-Wall -Wextra -Wno-unused-parameter"
SANITIZERS = "-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
TORTURE = f"{SANITIZERS} -DCORE_TORTURE"
LONGEST = 300  # seconds: the first time, zig compiles what every program needs


def main(arguments: Sequence[str]) -> int:
    """Build the core and tell by the exit code whether there is one."""
    if "--needs" in arguments:
        print(*needs())
        return 0
    for option, flags in (("--sanitize", SANITIZERS), ("--torture", TORTURE)):
        if option in arguments:
            return 0 if compiled(Path(arguments[-1]), flags) else 1
    return 0 if built("--verbose" in arguments) else 1


def needs() -> list[str]:
    """Return what must be installed before the core can be built: nothing where a compiler or the core is."""
    return [] if is_current(TARGET) or compiler() else [ZIGLANG]


def built(verbose: bool = False) -> bool:
    """Build the core if it is not there, or older than its sources."""
    if is_current(TARGET) or (compiler() and compiled(TARGET, AS_ONE, quiet=True)):
        return True
    return compiled(TARGET, verbose=verbose)


def is_current(target: Path) -> bool:
    """Tell whether a core is there and newer than all its sources."""
    return target.exists() and all(
        source.stat().st_mtime <= target.stat().st_mtime for source in HERE.iterdir() if source.is_file()
    )


def compiler() -> list[str]:
    """Return the command of the C compiler, empty where there is none."""
    for words in (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"):
        command = shlex.split(words or "")
        if command and shutil.which(command[0]):
            return command
        if words and words == os.environ.get("CC"):
            break  # asked for by name: no other one
    return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") else []


def compiled(target: Path, more: str = "", verbose: bool = False, quiet: bool = False) -> bool:
    """Compile all sources into one file; if that fails, no old one stays, for it is not what they say."""
    if not compiler():
        print(f"No C compiler here: install one, or pip install {ZIGLANG}", file=sys.stderr)
        return False
    target.unlink(missing_ok=True)
    made = target.with_suffix(f".{os.getpid()}")
    command = _command(made, more)
    if verbose:
        print(shlex.join(command), file=sys.stderr)
    try:
        if subprocess.run(command, capture_output=quiet, timeout=LONGEST, check=False).returncode == 0:
            made.replace(target)  # nothing loads half a file
    except subprocess.TimeoutExpired as error:
        print(error, file=sys.stderr)
    finally:
        made.unlink(missing_ok=True)
    return target.exists()


def _command(target: Path, more: str) -> list[str]:
    python = Path(sys.base_prefix) / "libs" / "python3.lib"
    loose = {"darwin": ["-undefined", "dynamic_lookup"], "win32": [str(python)]}
    sources = sorted(str(source) for source in HERE.glob("*.c"))
    flags = f"{FLAGS} {WARNINGS} {more}".split()
    return [*compiler(), *flags, *sources, *loose.get(sys.platform, []), "-o", str(target)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
