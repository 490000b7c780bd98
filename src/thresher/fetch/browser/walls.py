"""What keeps a browser from the network: five walls, of which any four would do.

intercept   every request of every target stops at `Fetch` and is answered by us
proxy       whatever went past it would go to a proxy that does not exist, loopback included
flags       no name resolves, no datagram leaves, nothing is fetched on speculation or for Google
script      before a page's own scripts run, what opens sockets is gone
namespace   where the system allows it, the process has no network interface at all
"""

from pathlib import Path

from msgspec import Struct

HERE = Path(__file__).parent
WALL_SCRIPT = (HERE / "walls.js").read_text(encoding="utf-8")
SNAPSHOT_SCRIPT = (HERE / "snapshot.js").read_text(encoding="utf-8")


class Walls(Struct, frozen=True):
    """Which walls stand. All of them, but in the tests that show what each one keeps out."""

    proxy: bool = True
    flags: bool = True
    script: bool = True
    namespace: bool = True


NO_FEATURES = (
    *("SpeculationRulesPrefetch", "Prerender2", "PreconnectToSearch", "NavigationPredictor"),
    "SpareRendererForSitePerProcess",  # a process that every page would start for the next one in vain
    *("Translate", "OptimizationHints", "MediaRouter", "InterestFeedContentSuggestions"),
    *("CertificateTransparencyComponentUpdater", "AutofillServerCommunication", "DialMediaRouteProvider"),
)
NO_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--block-new-web-contents",
    "--dns-prefetch-disable",
    "--no-pings",
    f"--disable-features={','.join(NO_FEATURES)}",
)
DEAD_PROXY = ("--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>")
CALM = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check"),
    *("--disable-sync", "--disable-default-apps", "--disable-extensions", "--disable-component-update"),
    *(
        "--disable-domain-reliability",
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--no-service-autorun",
    ),
    *("--disable-gpu", "--mute-audio", "--hide-scrollbars", "--deny-permission-prompts"),
    *("--disable-dev-shm-usage", "--disk-cache-size=1", "--password-store=basic", "--use-mock-keychain"),
    *("--disable-renderer-backgrounding", "--disable-background-timer-throttling"),
    *("--disable-backgrounding-occluded-windows", "--js-flags=--max-old-space-size=512"),
)


def arguments(walls: Walls, profile: str, is_root: bool, more: tuple[str, ...] = ()) -> list[str]:
    """Return what a browser is started with; as root it has no sandbox of its own."""
    return [
        *CALM,
        f"--user-data-dir={profile}",
        *(NO_NETWORK if walls.flags else ()),
        *(DEAD_PROXY if walls.proxy else ()),
        *(("--no-sandbox",) if is_root else ()),
        *more,
        "about:blank",
    ]
