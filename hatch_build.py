"""Puts the native core into the wheel where a C compiler is at hand; elsewhere the wheel is pure Python."""

import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CORE = "src/thresher/_core.abi3.so"


class CoreHook(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Has the core compiled before a wheel is made, editable or not; a failure is none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say for which Pythons and machines the wheel is: one for all from 3.11 on."""
        built = subprocess.run([sys.executable, Path(self.root) / "src" / "native" / "build.py"], check=False)
        if built.returncode == 0:
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data.update(pure_python=False, tag=f"cp311-abi3-{platform}")
            build_data["artifacts"].append(CORE)
