"""What we are made of: licences that allow it, and no version with a hole that is known."""

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec

import pytest

ALLOWED = re.compile(
    r"\b(?:MIT|0?BSD|Apache|ISC|PSF|Python Software|Python-2\.0|MPL|Mozilla|LGPL|Unlicense|HPND|Zlib)\b",
    re.IGNORECASE,
)


def needed(name: str, seen: set[str]) -> set[str]:
    """Return the names of all that a package needs to run, itself included."""
    name = re.sub(r"[-_.]+", "-", name).lower()
    if name in seen:
        return seen
    try:
        requires = distribution(name).requires or []
    except PackageNotFoundError:  # for another system or version of Python
        return seen
    seen.add(name)
    for each in requires:
        if "extra ==" not in each:
            needed(re.split(r"[ ;<>=!~\[(]", each, maxsplit=1)[0], seen)
    return seen


def licence(name: str) -> str:
    about = distribution(name).metadata
    classified = [line for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    return " ".join([about.get("License-Expression") or "", (about.get("License") or "")[:200], *classified])


@pytest.mark.parametrize("name", sorted(needed("thresher", set()) - {"thresher"}))
def test_a_package_may_be_used_with_ours(name: str) -> None:
    assert ALLOWED.search(licence(name)), licence(name)


def test_no_version_has_a_hole_that_is_known() -> None:
    if not find_spec("pip_audit"):
        pytest.skip("pip-audit is not installed: pip install pip-audit")
    told = "--format json --progress-spinner off --requirement constraints.txt --no-deps --disable-pip"
    ran = subprocess.run(
        [sys.executable, "-m", "pip_audit", *told.split()], capture_output=True, text=True, check=False
    )
    if not ran.stdout.startswith("{"):
        pytest.skip(f"the list of known holes cannot be reached from here: {ran.stderr[-200:]}")
    packages = json.loads(ran.stdout)["dependencies"]
    looked_up = [package for package in packages if "vulns" in package]
    if not looked_up:
        pytest.skip(f"the list of known holes knows none of our {len(packages)} packages from here")
    holes = {package["name"]: package["vulns"] for package in looked_up if package["vulns"]}
    print(f"{len(looked_up)} of {len(packages)} packages were looked up")
    assert holes == {}
