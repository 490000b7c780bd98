"""Compiles the native core and puts it into the wheel; where there is no C compiler, `ziglang` brings one."""

import importlib.util
import sysconfig
from pathlib import Path
from platform import machine
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CoreHook(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Has the core compiled before a wheel is made, editable or not."""

    def dependencies(self) -> list[str]:
        """Return what the build needs beyond hatchling: a compiler, where the machine has none."""
        needs: list[str] = _build(self.root).needs()
        return needs

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say for which Pythons and machines the wheel is: one for all from 3.11 on."""
        build = _build(self.root)
        if not build.built():
            raise RuntimeError("the native core could not be compiled: the compiler says why above")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        platform = platform.replace("universal2", machine())  # it is compiled for one processor
        build_data.update(pure_python=False, tag=f"cp311-abi3-{platform}")
        build_data["artifacts"].append(f"src/thresher/{build.TARGET.name}")


def _build(root: str) -> ModuleType:
    """Return src/native/build.py."""
    spec = importlib.util.spec_from_file_location("build", Path(root) / "src" / "native" / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
