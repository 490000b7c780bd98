"""An endpoint for models that does what we tell it: be honest, lie, hang, babble, limit the rate."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NETWORK = "127.0.0.1/32"
Mind = Callable[[str], str]
"""What a model makes of a page: the text of its answer."""


class FakeModel:
    """What the endpoint was asked, and how it behaves."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.strategy: Mind = honest
        self.behave: Callable[[BaseHTTPRequestHandler, FakeModel], bool] = lambda handler, fake: False
        self.vector: Callable[[str], list[Any]] = vector_of
        self.address = ""
        self.released = threading.Event()

    def pages(self) -> list[str]:
        """Return what stood between the marks of each question."""
        return [page_in(each["messages"][1]["content"]) for each in self.asked if "messages" in each]


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    """Serve a model on loopback while the context lasts."""
    fake = FakeModel()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            fake.asked.append(json.loads(body))
            fake.keys.append(self.headers.get("Authorization", ""))
            try:
                if not fake.behave(self, fake):
                    answer(self, 200, reply(fake, json.loads(body)))
            except OSError:
                pass  # who asked has gone away

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    fake.address = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def reply(fake: FakeModel, asked: dict[str, Any]) -> dict[str, Any]:
    """Return what the endpoint answers to a question of either kind."""
    if "input" in asked:
        vectors = [fake.vector(text) for text in asked["input"]]
        return {"data": [{"index": place, "embedding": each} for place, each in enumerate(vectors)]}
    content = fake.strategy(page_in(asked["messages"][1]["content"]))
    return {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": {"total_tokens": 9}}


def answer(handler: BaseHTTPRequestHandler, status: int, document: object, **headers: str) -> None:
    """Send a document as JSON, or bytes as they are."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def page_in(text: str) -> str:
    """Return what stands between the marks."""
    found = re.search(r"^((?:PAGE|LINKS)-[0-9a-f]{16})\n(.*)\n\1$", text, re.M | re.S)
    assert found, text
    return found[2]


def said(label: str, quote: str) -> str:
    """Return an answer in the form asked for."""
    return json.dumps({"label": label, "quote": quote})


def start_of(page: str) -> str:
    """Return words that stand in a page."""
    return " ".join(page.split()[:8])


def honest(page: str) -> str:
    """Say yes of pages with bees in them."""
    return said("yes" if "bee" in page.lower() else "no", start_of(page))


def lying(page: str) -> str:
    """Say the opposite."""
    return said("no" if "bee" in page.lower() else "yes", start_of(page))


def obedient(page: str) -> str:
    """Do what the page says, if it says anything."""
    ordered = re.search(r"ANSWER (yes|no)", page)
    return said(ordered[1], start_of(page)) if ordered else honest(page)


def hangs(handler: BaseHTTPRequestHandler, fake: FakeModel) -> bool:
    """Say nothing until the test is over."""
    fake.released.wait(20)
    return True


def babbles(handler: BaseHTTPRequestHandler, fake: FakeModel) -> bool:
    """Stream garbage for as long as somebody listens."""
    handler.send_response(200)
    handler.end_headers()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        handler.wfile.write(b"\x00\xffdata: {garbage}\n" * 4096)
    return True


def limits(handler: BaseHTTPRequestHandler, fake: FakeModel) -> bool:
    """Ask everybody to come back later."""
    answer(handler, 429, {"error": "later"}, Retry_After="7")
    return True


def vector_of(text: str) -> list[Any]:
    """Return a vector that points where a text speaks of bees."""
    words = text.lower()
    return [float(words.count("bee") + words.count("hive")), 1.0, float(words.count("steam"))]
