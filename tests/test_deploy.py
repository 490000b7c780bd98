"""compose.yaml and the manifests say what our commands and the engine understand."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import thresher
from tests.contracts.test_wires import engine
from thresher.settings.load import all_names

yaml = pytest.importorskip("yaml", reason="PyYAML comes with pre-commit, which is not here")

ROOT = Path(__file__).resolve().parents[1]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
MANIFESTS = list(yaml.safe_load_all((ROOT / "deploy/kubernetes/thresher.yaml").read_text()))


def containers() -> list[dict[str, Any]]:
    pods = [each["spec"]["template"]["spec"] for each in MANIFESTS if "template" in each.get("spec", {})]
    return [container for pod in pods for container in pod["containers"]]


def commands() -> list[list[str]]:
    """Return every command of ours, as words."""
    ours = [each["command"] for each in COMPOSE["services"].values() if each["image"] == "thresher"]
    for container in containers():
        words = container.get("args", [])
        if container["image"] == "thresher":
            ours += [each.split() for each in re.findall(r"thresher ([a-z].*?)(?= \|\||$)", words[-1])] or [
                words
            ]
    return ours


@pytest.mark.parametrize("command", commands(), ids=lambda command: command[0])
def test_our_commands_know_the_flags_and_settings_they_are_given(command):
    verb, *words = command
    told = thresher(verb, "--help").out
    flags = [word.partition("=")[0] for word in words if word.startswith("--")]
    assert flags and all(flag in told for flag in flags), (command, told)
    named = [word.removeprefix("--set=") for word in words if re.match(r"(--set=)?(web|cluster)\.\w+=", word)]
    assert {each.partition("=")[0] for each in named} <= set(all_names())


def test_the_engine_takes_its_configuration():
    done = subprocess.run(
        [engine(), "-t", "-c", str(ROOT / "deploy" / "bus.conf")],
        env={
            **os.environ,
            "CRAWL_PASSWORD": "one",
            **{f"WORKER_{number}_PASSWORD": f"w{number}" for number in range(1, 5)},
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_workers_run_without_rights_and_have_time_to_leave():
    worker = COMPOSE["services"]["worker-1"]
    assert worker["read_only"] and worker["cap_drop"] == ["ALL"] and worker["stop_grace_period"] == "90s"
    (pod,) = [
        each["spec"]["template"]["spec"]
        for each in MANIFESTS
        if each["metadata"]["name"] == "worker" and "template" in each["spec"]
    ]
    assert pod["terminationGracePeriodSeconds"] == 90
    assert pod["containers"][0]["securityContext"]["readOnlyRootFilesystem"]


def test_no_password_stands_in_a_file_of_the_project():
    for name in ("compose.yaml", "deploy/bus.conf", "deploy/kubernetes/thresher.yaml"):
        assert not re.search(r"password:\s*[\"']", (ROOT / name).read_text(), re.IGNORECASE), name
