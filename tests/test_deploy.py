"""compose.yaml and the manifests say what our commands and the engine understand."""

import json
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import thresher
from tests.contracts.test_wires import engine, free_port
from tests.faults.killing.evidence import acknowledged
from tests.faults.killing.site import NETWORK, Sites
from thresher.cluster.leases import LeaseCounter, Status, metrics
from thresher.settings.load import all_names

yaml = pytest.importorskip("yaml", reason="PyYAML comes with pre-commit, which is not here")

NUMBERED = [f"WORKER_{number}" for number in range(1, 5)]
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
            **{f"{name}_PASSWORD": name for name in NUMBERED},
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.posix
@pytest.mark.timeout(120)
def test_a_crawl_and_two_workers_run_as_the_compose_file_says(tmp_path):
    """The engine, the crawl and two of the workers as processes of this machine, on loopback alone."""
    port, passwords = free_port(), {name: secrets.token_hex(8) for name in ("CRAWL", *NUMBERED)}
    environment = {**os.environ, **{f"{name}_PASSWORD": word for name, word in passwords.items()}}
    told = (ROOT / "deploy" / "bus.conf").read_text().replace('"0.0.0.0:4222"', f'"127.0.0.1:{port}"')
    (tmp_path / "bus.conf").write_text(re.sub(r"http: .*", "", told))
    quiet, folder = subprocess.DEVNULL, tmp_path / "crawl"
    command = [engine(), "-c", str(tmp_path / "bus.conf")]
    started = [subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)]
    try:
        with Sites(12) as sites:
            for number in (1, 2):
                line = f"nats://worker-{number}:{passwords[f'WORKER_{number}']}@127.0.0.1:{port}"
                command = [*COMPOSE["services"]["worker-1"]["command"], f"--allow-network={NETWORK}"]
                started.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "thresher", *command], env=environment | {"THRESHER_BUS": line}
                    )
                )
            bus = f"nats://crawl:{passwords['CRAWL']}@127.0.0.1:{port}"
            seeds = [f"--seed={seed}" for seed in sites.seeds]
            usual = ["--pages=0", "--delay=0", f"--allow-network={NETWORK}", "--set=cluster.insecure=true"]
            ran = thresher("crawl", "honey", "-o", str(folder), f"--workers={bus}", *seeds, *usual)
            assert ran.code == 0, ran.err
            assert {visit.url: visit.outcome for visit in acknowledged(folder)} == sites.expected()
    finally:
        for each in reversed(started):
            each.terminate()
            each.wait()


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


def test_the_board_asks_for_measures_that_there_are():
    """Grafana's own pages say what it looks like; here stands that none of its panels would stay empty."""
    board = json.loads((ROOT / "deploy" / "grafana.json").read_text())
    status = Status("c", 0.0, (), 0, 0, 0.0, {count.value: 0 for count in LeaseCounter})
    told = {line.partition("{")[0] for line in metrics(status).splitlines()}
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    names = {name for each in asked for name in re.findall(r"thresher_\w+", each)}
    assert len(asked) > 10 and names <= told, names - told


def test_every_worker_of_the_compose_file_has_an_account_of_its_own():
    told = (ROOT / "deploy" / "bus.conf").read_text()
    workers = [name for name in COMPOSE["services"] if name.startswith("worker")]
    buses = [COMPOSE["services"][name]["environment"]["THRESHER_BUS"] for name in workers]
    assert len(workers) == len(set(buses)) == 4
    for name, bus in zip(workers, buses, strict=True):
        assert f"//{name}:" in bus and f"user: {name}," in told
        assert f'"thresher.*.from.{name}.*"' in told and f'"thresher.*.worker.{name}.*"' in told


def test_no_password_stands_in_a_file_of_the_project():
    for name in ("compose.yaml", "deploy/bus.conf", "deploy/kubernetes/thresher.yaml"):
        assert not re.search(r"password:\s*[\"']", (ROOT / name).read_text(), re.IGNORECASE), name
