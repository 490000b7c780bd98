"""Files that are being made, each by a child process, and why one was not."""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from thresher.serve.problems import too_many


@dataclass
class Workshop:
    """The files that are being made; `failed` says why one was not."""

    making: dict[Path, subprocess.Popen[bytes]] = field(default_factory=dict)
    failed: dict[Path, str] = field(default_factory=dict)

    def begin(self, file: Path, command: list[str]) -> None:
        """Make a file, unless another is being made."""
        self.look()
        if self.making:
            raise too_many("One file is made at a time.", 5)
        self.failed.pop(file, None)
        self.making[file] = subprocess.Popen(
            [sys.executable, "-P", "-m", "thresher", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def look(self) -> None:
        """Let go of what is finished, and keep why it failed."""
        for file, child in list(self.making.items()):
            if child.poll() is None:
                continue
            del self.making[file]
            told = child.stderr.read().decode(errors="replace").strip() if child.stderr else ""
            if child.stderr:
                child.stderr.close()
            if child.returncode:
                self.failed[file] = told.splitlines()[-1] if told else f"It ended with {child.returncode}."
