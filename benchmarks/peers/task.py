"""What every contender is told and no more: seeds, the topic as a person types it, a budget, a proxy."""

import argparse
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Task:
    """One run of one contender."""

    seeds: list[str]
    name: str  # of the topic
    words: list[str]  # further ones, if a person typed some
    pages: int
    proxy: str
    delay: float  # seconds between two requests to a host that its robots.txt asks for
    folder: str  # for whatever it leaves behind

    @property
    def keywords(self) -> list[str]:
        """The topic as a list of keywords: the words of its name, and the further ones."""
        return list(dict.fromkeys([*self.name.lower().split(), *(word.lower() for word in self.words)]))

    @property
    def share(self) -> int:
        """Pages for one seed, where a tool takes one at a time."""
        return -(-self.pages // len(self.seeds))


def read_task() -> Task:
    """Return the task that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--name", required=True)
    parser.add_argument("--words", default="")
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--proxy", required=True)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--folder", required=True)
    given = vars(parser.parse_args())
    return Task(**given | {"words": [word for word in given["words"].split(",") if word]})


def everything_to(proxy: str) -> None:
    """Let every name of this process lead to the served web: for tools that know no HTTP proxy."""
    address = ("127.0.0.1", urlsplit(proxy).port)

    def lookup(host, port, *args, **kwargs):
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address)]

    socket.getaddrinfo = lookup
