"""Which addresses and ports are anybody's to visit."""

import pytest

from thresher.core.errors import SettingsError
from thresher.core.records import Url
from thresher.fetch.guard import Guard, is_localhost, is_web_port, port_of

PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "2606:4700:4700::1111",
]
NOT_PUBLIC = (
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.0.0.192 192.168.1.1 198.18.0.1"
    " 224.0.0.1 255.255.255.255 ::1 :: ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2001:0:1::1"
    " 2001:db8::1 fe80::1 fc00::1 ff02::1 fe80::1%eth0 nonsense"
).split()


@pytest.mark.parametrize("address", PUBLIC)
def test_the_public_internet_is_open(address):
    assert Guard().allows(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_everything_else_is_closed(address):
    assert not Guard().allows(address)


def test_a_network_opens_when_it_is_named():
    guard = Guard(["10.0.0.0/8", "::1"])
    assert guard.allows("10.1.2.3") and guard.allows("::1")
    assert not guard.allows("127.0.0.1") and not guard.allows("::ffff:10.1.2.3")


def test_a_network_that_is_none_is_refused_with_an_example():
    with pytest.raises(SettingsError, match=r"127\.0\.0\.0/8"):
        Guard(["my laptop"])


def test_ports():
    assert [port for port in (0, 22, 80, 443, 445, 3306, 6379, 8080, 65536) if is_web_port(port)] == [
        80,
        443,
        8080,
    ]
    assert port_of(Url("http://a.org/")) == 80 and port_of(Url("https://a.org/x:9")) == 443
    assert port_of(Url("http://[::1]:8080/")) == 8080 and port_of(Url("http://[::1]/")) == 80


def test_names_that_mean_this_machine():
    assert is_localhost("localhost") and is_localhost("A.Localhost.")
    assert not is_localhost("localhost.example.org")
