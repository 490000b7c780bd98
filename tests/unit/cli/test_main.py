"""The command line as a whole: help with examples, nearest names, one sentence for every complaint."""

import json
import logging
import shlex
import subprocess
import sys

import click
import pytest

from tests.command_line import thresher
from thresher import __version__
from thresher.cli.main import FORMER, MODES, LazyGroup
from thresher.cli.main import thresher as group

VERBS = group.sentences()


def command_of(verb: str) -> click.Command:
    found = group.get_command(click.Context(group), verb)
    assert found is not None
    return found


def examples_of(verb: str) -> list[str]:
    return [line.strip() for line in (command_of(verb).epilog or "").splitlines() if "  thresher " in line]


def test_the_version_is_one_line():
    assert thresher("--version") == (0, f"thresher, version {__version__}\n", "")


def test_help_lists_every_verb_with_its_sentence():
    ran = thresher("--help")
    assert ran.code == 0
    words = " ".join(ran.out.split())
    assert [verb for verb, sentence in VERBS.items() if f"{verb} {sentence}" not in words] == []


def test_there_are_at_most_seventeen_verbs():
    assert len(VERBS.keys() - {"help", "lab"}) <= 17


@pytest.mark.parametrize(("verb", "flag"), MODES)
def test_the_flag_of_a_mode_is_in_the_help_of_its_verb_and_has_help_of_its_own(verb, flag):
    assert f"{flag} " in thresher(verb, "--help").out
    own = thresher(verb, flag, "--help").out
    assert own.startswith(f"Usage: thresher {verb} {flag} ")
    assert f"thresher {verb} {flag} " in own.partition("Example")[2]


@pytest.mark.parametrize("former", FORMER)
def test_a_former_verb_is_understood_and_says_what_it_is_called_now(former):
    now = " ".join(FORMER[former])
    ran = thresher(former, "--help")
    assert (ran.code, ran.err) == (0, f"'thresher {former}' is called 'thresher {now}' now.\n")
    assert ran.out.startswith(f"Usage: thresher {now} ")
    assert former not in VERBS


def test_help_loads_no_room():
    loaded = "import sys, thresher.cli.main; print([n for n in sys.modules if n.startswith('thresher.a')])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_help_loads_no_module_of_the_lab_and_the_lab_none_of_its_commands():
    load = "import sys; from thresher.cli.main import thresher; thresher({}, standalone_mode=False); print()"
    tell = "print([n for n in sys.modules if n.startswith('thresher_lab.')])"
    for asked, loaded in (
        (["--help"], []),
        (["lab", "--help"], ["thresher_lab.cli", "thresher_lab.cli.main"]),
    ):
        code = f"{load.format(asked)}; {tell}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == str(loaded), done.stderr


def test_the_lab_lists_each_command_with_the_sentence_of_its_help():
    lab = command_of("lab")
    assert isinstance(lab, LazyGroup)
    for name, sentence in lab.sentences().items():
        found = lab.get_command(click.Context(lab), name)
        assert found is not None
        assert " ".join((found.help or "").split()).startswith(sentence)


@pytest.fixture
def foreign_verbs(tmp_path, monkeypatch):
    """An installed package with a verb that works, and one with a verb that does not."""
    good = (
        "import click\nVERB = ('greets:hello', 'Say hello.')\n"
        "@click.command()\ndef hello():\n    click.echo('hello')\n"
    )
    for package, verb, code in (("greets", "hello", good), ("broken", "bang", "1 / 0\n")):
        (tmp_path / f"{package}.py").write_text(code)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[thresher.verbs]\n{verb} = {package}:VERB\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("foreign_verbs")
def test_an_installed_package_adds_its_verb():
    assert thresher("hello").out == "hello\n"
    assert "hello Say hello." in " ".join(thresher("--help").out.split())


@pytest.mark.usefixtures("foreign_verbs")
def test_a_verb_that_cannot_be_loaded_is_one_sentence_with_the_name_of_its_package():
    sentence = "The verb 'bang' of the package broken cannot be loaded"
    assert thresher("bang") == (1, "", f"{sentence} (division by zero).\n")
    assert f"bang {sentence}." in " ".join(thresher("--help").out.split())


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_begins_with_its_sentence_and_shows_an_example(verb):
    ran = thresher(verb, "--help")
    assert ran.code == 0
    assert VERBS[verb] in " ".join(ran.out.split())
    assert "Example" in ran.out
    assert examples_of(verb)


@pytest.mark.parametrize("example", [line for verb in VERBS for line in examples_of(verb)])
def test_an_example_in_the_help_is_understood(example):
    _, *words = shlex.split(example.partition(">")[0])
    whole = click.Context(group, **group.context_settings)
    name, command, arguments = group.resolve_command(whole, words)
    assert command is not None
    command.make_context(name, arguments, parent=whole)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crwl"], "No verb 'crwl'. Did you mean 'crawl'? See 'thresher --help'."),
        (["frobnicate"], "No verb 'frobnicate'. Known: check, crawl, demo, "),
        (["--versoin"], "--version"),
        (["report", "--jsn"], "--json"),
        (["export", "-f", "xml"], "No format 'xml'. Known: atom, csv"),
    ],
)
def test_a_misspelt_command_is_one_sentence_with_the_nearest_name(arguments, words):
    ran = thresher(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_without_a_verb_the_help_is_shown():
    assert "Start a crawl:" in "".join(thresher()[1:])


def test_a_reader_who_has_seen_enough_ends_the_command_quietly():
    shell = f"{shlex.quote(sys.executable)} -m thresher settings | head -n 1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert done.stdout.startswith("topic.name = ")
    assert done.stderr == ""


def test_the_root_logger_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    thresher("crawl", "beekeeping", "--pages", "3", "--delay", "0", "-vv")
    assert (list(root.handlers), root.level) == before


def test_a_parameter_with_the_name_of_a_setting_is_listed_in_full():
    assert "--set strategy.depth=3" in thresher("strategies", "fcmrps", "--all").out


def test_help_shows_a_verb_a_subject_and_the_exit_codes():
    assert thresher("help", "crawl").out == thresher("crawl", "--help").out
    assert thresher("help", "labels").out.startswith("# ")
    assert "| 11 | interrupted" in thresher("help", "exit", "codes").out
    assert thresher("help", "ctfc").out.startswith("# CT-FC")
    assert "Did you mean 'labels'?" in thresher("help", "lables").err
    assert "labels" in thresher("help").out


def test_logs_for_programs_are_one_object_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("thresher.cli.run.Events.pause", 0.01)
    ran = thresher("crawl", "beekeeping", "--pages", "30", "-v", "--log-format", "json")
    events = [json.loads(line) for line in ran.err.splitlines()]
    assert {"log", "progress"} >= {event["event"] for event in events}
    assert sum(event["event"] == "log" for event in events) >= 30
    assert all(event["time"] > 0 for event in events)
