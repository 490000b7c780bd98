"""Makes a virtual environment for each contender of others; what cannot be had is skipped, and named.

python benchmarks/peers/install.py [NAME...]
"""

import shutil
import subprocess
import sys
import venv

from contenders import CONTENDERS, Contender


def install(peer: Contender) -> str:
    """Return the sentence that says what came of it."""
    if (peer.place / "installed").exists() and (peer.place / "installed").read_text() == peer.package:
        return f"{peer.package} is there."
    shutil.rmtree(peer.place, ignore_errors=True)
    try:
        venv.create(peer.place, with_pip=True)
        pip = [peer.place / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, *peer.package.split()], check=True, capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        shutil.rmtree(peer.place, ignore_errors=True)
        return f"{peer.package} is skipped: it cannot be installed here ({said[-1] if said else error})."
    (peer.place / "installed").write_text(peer.package)
    return f"{peer.package} is installed."


def main() -> None:
    """Install what is asked for, or everything."""
    peers = {peer.package: peer for peer in CONTENDERS if peer.package}
    wanted = sys.argv[1:] or list(peers)
    for peer in peers.values():
        if any(name in peer.package for name in wanted):
            print(install(peer), flush=True)
    for peer in CONTENDERS:
        if peer.program and not shutil.which(peer.program):
            print(f"{peer.name} is skipped: there is no {peer.program} on this machine.")


if __name__ == "__main__":
    main()
