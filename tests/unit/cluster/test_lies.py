"""What a worker, or a folder of somebody else's, says of itself is bounded, and never an instruction."""

import asyncio
import logging
from typing import Any

import msgspec
import pytest

from thresher.build.reading import reading_task
from thresher.build.topic import topic_of
from thresher.build.worker import VisitorFactory, WorkerTask, plain_of
from thresher.cli.output import Sentence, Stderr
from thresher.cli.workers import table
from thresher.cluster.leases import MOST_CAPACITY, LeaseCounter, LeaseTable, Status, WorkerStatus, metrics
from thresher.cluster.messages import LONGEST, SPEAKS, Heartbeat
from thresher.cluster.nats_server import _PASSWORD, EmbeddedNats, _kept
from thresher.cluster.sockets import messages
from thresher.core.errors import NotACrawl, UsageError
from thresher.core.records import Candidate, Url
from thresher.fetch.client import NO_COPIES
from thresher.settings.components import Secret, encoded
from thresher.settings.load import read
from thresher.settings.model import WebSettings

MOST = 1 << 20


def ledger_with_an_order() -> LeaseTable:
    ledger = LeaseTable(15.0, 1.0, 190.0)
    ledger.hear("w", Heartbeat(SPEAKS, "e", 0.0, 10**9, []), 0.0)
    ledger.write(Candidate(Url("http://a.test/")), 0.0)
    assert len(ledger.place(0.0)) == 1
    return ledger


def test_an_answer_is_taken_from_the_worker_that_has_the_order_and_once():
    ledger = ledger_with_an_order()
    assert ledger.end("another", 1) is None
    assert ledger.end("w", 1) is not None
    assert ledger.end("w", 1) is None
    assert ledger.counts[LeaseCounter.LATE] == 2


def test_a_worker_that_lied_three_times_is_away_under_every_name_of_its_processes():
    ledger = LeaseTable(15.0, 1.0, 190.0)
    for number in range(3):
        ledger.hear(f"worker-1.{number}", Heartbeat(SPEAKS, "e", 0.0, 1, []), 0.0)
        errand = ledger.write(Candidate(Url(f"http://a.test/{number}")), 0.0)
        assert len(ledger.place(0.0)) == 1
        ledger.end(errand.worker, errand.number)
        ledger.refuse(errand, 0.0)
        ledger.waiting.clear()
        ledger.members.clear()
    assert ledger.is_away("worker-1.new") and not ledger.is_away("worker-2.0")


def test_a_worker_gets_no_more_than_any_could_do():
    assert ledger_with_an_order().capacity == MOST_CAPACITY


async def test_what_announces_a_message_too_large_to_hold_is_heard_no_more():
    reader = asyncio.StreamReader()
    reader.feed_data(b"\x00\x00\x00\x02ok" + (LONGEST + 1).to_bytes(4, "big") + b"x" * 100)
    assert [message async for message in messages(reader)] == [b"ok"]


STATUS = Status(
    'x"} 1\nthresher_evil{crawl="y',
    0.0,
    (WorkerStatus("\x1b[2Jworker\u202e", 1, 1, 1, 1.0, 1.0, 1.0, False, 0),),
    *(1, 1, 0.0),
    {"lost": 1, "\x1b]0;x": 2},
)


def test_names_in_the_note_of_workers_drive_no_terminal_and_end_no_label():
    shown = table(STATUS)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    lines = metrics(STATUS).splitlines()
    assert all(line.startswith("thresher_") and line.count('"') == 2 for line in lines)
    assert not any(line.startswith("thresher_evil") for line in lines)


def test_what_others_said_drives_no_terminal_in_a_log(capsys):
    handler = Stderr()
    handler.setFormatter(Sentence())
    record = logging.LogRecord("x", 30, "", 0, "Worker %s: it is about %s", ("w\x1b[2J", "\x9b\u202e"), None)
    handler.emit(record)
    assert capsys.readouterr().err == "Worker w\\u001b[2J: it is about \\u009b\\u202e\n"


@pytest.mark.parametrize("said", ['x"\ninclude "/etc/passwd', "", "0" * 200, "secret"])
def test_a_password_that_we_did_not_make_is_made_anew(tmp_path, said):
    file = tmp_path / "secret"
    file.write_text(said)
    assert _kept(file, "a" * 32, _PASSWORD) == file.read_text() == "a" * 32
    assert _kept(file, "b" * 32, _PASSWORD) == "a" * 32


@pytest.mark.posix
def test_no_password_is_read_through_a_link(tmp_path):
    (tmp_path / "diary").write_text("c" * 32)
    (tmp_path / "secret").symlink_to(tmp_path / "diary")
    with pytest.raises(NotACrawl, match="is a link"):
        _kept(tmp_path / "secret", "a" * 32, _PASSWORD)


@pytest.mark.parametrize("port", ["²", "1_0", "x", "-1", "٣"])
def test_a_port_that_is_no_number_is_refused_in_a_sentence(tmp_path, port):
    with pytest.raises(UsageError, match="named as bus"):
        EmbeddedNats(tmp_path, f"127.0.0.1:{port}")._place()


@pytest.mark.parametrize("port", ["²", "x\nlisten: 0.0.0.0", ""])
def test_a_port_that_a_folder_brings_is_taken_only_if_it_is_one(tmp_path, port):
    (tmp_path / "port").write_text(port)
    assert 0 < EmbeddedNats(tmp_path, "")._place()[1] < 65536


def test_a_crawl_cannot_have_a_worker_read_files_or_variables_of_its_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKER_SECRET", "canary")
    web = WebSettings(
        credentials={"a.test": Secret("env:WORKER_SECRET")},
        headers={"a.test": {"X-Key": Secret("env:WORKER_SECRET")}},
        cookie_file=str(tmp_path / "cookies.txt"),
    )
    plain = plain_of(web)
    assert (plain.credentials, plain.headers, plain.cookie_file) == ({}, {}, "")
    settings = read(None, [("topic", "bees")])
    reading = reading_task(settings, topic_of(settings))
    task = msgspec.msgpack.encode(WorkerTask(web, reading, True, "env:WORKER_SECRET"), enc_hook=encoded)
    with pytest.raises(UsageError, match="a variable of this machine"):
        VisitorFactory()(task, lambda: None, NO_COPIES, {})


@pytest.mark.parametrize("is_here", [True, False])
async def test_only_a_crawl_of_this_machine_chooses_a_proxy_that_nobody_vets(is_here):
    settings = read(None, [("topic", "bees")])
    told = WorkerTask(WebSettings(), reading_task(settings, topic_of(settings)), True, "http://127.0.0.1:9")
    task = msgspec.msgpack.encode(told, enc_hook=encoded)
    visitor: Any = VisitorFactory(is_here=is_here)(task, lambda: None, NO_COPIES, {})
    assert visitor.web.live.proxy_is_ours is is_here
    await visitor.close()
