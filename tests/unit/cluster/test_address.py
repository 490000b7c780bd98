"""Where an engine is, who may speak to it in plain text, and which networks a worker visits."""

import pytest

from thresher.build.worker import intersect_networks
from thresher.cluster.nats import Address, address_of, refuse_plain
from thresher.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("nats://bus:4333", Address("bus", 4333)),
        ("nats://127.0.0.1", Address("127.0.0.1", 4222)),
        ("tls://w:p%40ss@bus:1#sha256=ab", Address("bus", 1, True, "w", "p@ss", "ab")),
    ],
)
def test_an_engine_is_named_by_one_line(text, address):
    assert address_of(text) == address
    assert address_of(address.whole) == address


@pytest.mark.parametrize(
    "text", ["http://bus", "nats://", "nats://bus:x", "tls://bus#md5=1", "nats://bus#sha256=1"]
)
def test_what_is_no_engine_is_refused_in_a_sentence(text):
    with pytest.raises(UsageError, match="An engine is named as"):
        address_of(text)


@pytest.mark.parametrize("host", ["bus", "10.0.0.1", "example.org", "::2"])
def test_plain_text_to_another_machine_is_refused_unless_asked_for(host):
    with pytest.raises(UsageError, match="anybody on the way could read along"):
        refuse_plain(Address(host), False, "--insecure")
    refuse_plain(Address(host), True, "--insecure")
    refuse_plain(Address(host, tls=True), False, "--insecure")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "localhost", "::1"])
def test_plain_text_on_this_machine_is_nobody_elses(host):
    refuse_plain(Address(host), False, "--insecure")


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        (("127.0.0.0/8",), ("127.1.0.0/16",), ("127.1.0.0/16",)),
        (("127.1.0.0/16",), ("127.0.0.0/8",), ("127.1.0.0/16",)),
        (("10.0.0.0/8",), ("127.0.0.0/8",), ()),
        (("10.0.0.0/8",), (), ()),
        (("10.0.0.0/8", "fd00::/8"), ("fd00:1::/32", "10.2.0.0/16"), ("10.2.0.0/16", "fd00:1::/32")),
    ],
)
def test_a_private_network_is_visited_only_where_both_sides_allow_it(ours, theirs, both):
    assert intersect_networks(ours, theirs) == both
