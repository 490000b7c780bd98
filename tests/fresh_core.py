"""Builds the native core where a source of it is newer: imported before anything that imports it."""

import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "src" / "native" / "build.py"
subprocess.run([sys.executable, BUILD], check=False)
