"""Live web of the settings: the one place where it is made, for crawls, example pages and questions alike."""

from collections.abc import Mapping
from pathlib import Path

from thresher.core.clock import SteadyClock
from thresher.fetch.client import NO_COPIES, Copies, Leave, always
from thresher.fetch.limits import Limits
from thresher.fetch.live import LiveWeb
from thresher.fetch.logins import read_cookies
from thresher.fetch.retry import Waits
from thresher.fetch.user_agent import agent_of
from thresher.settings.model import Settings, WebSettings


def make_live(settings: Settings, copies: Copies = NO_COPIES) -> LiveWeb:
    """Return the live web, asked as the settings say, and under conditions where we have a copy."""
    return live_web(settings.web, copies)


def live_web(
    web: WebSettings,
    copies: Copies = NO_COPIES,
    leave: Leave = always,
    secrets: Mapping[str, str] | None = None,
) -> LiveWeb:
    """Return the live web as one room of the settings says; `leave` is asked for before every request.

    `secrets` are lines of a request by origin, in the place of those that the settings have.
    """
    clock = SteadyClock()
    return LiveWeb(
        agent=agent_of(web),
        allow_networks=web.allow_networks,
        limits=Limits(web.timeout, web.connect_timeout, web.idle_timeout, web.max_bytes),
        waits=Waits(web.backoff, web.after_timeout, web.patience, web.longest_rest),
        delay=web.delay,
        throttle=web.throttle,
        crawl_delay_cap=web.crawl_delay_cap,
        per_host=web.per_host,
        per_address=web.per_address,
        proxy=web.proxy.reveal(),
        proxy_resolves=web.proxy_resolves,
        cookies=web.cookies,
        given_cookies=read_cookies(Path(web.cookie_file), clock.now()) if web.cookie_file else (),
        sitemaps=web.sitemaps,
        credentials={origin: secret.reveal() for origin, secret in web.credentials.items()},
        headers={
            origin: {name: secret.reveal() for name, secret in named.items()}
            for origin, named in web.headers.items()
        },
        secrets=secrets,
        trust=web.trust,
        copies=copies,
        leave=leave,
        now=clock.now,
    )
