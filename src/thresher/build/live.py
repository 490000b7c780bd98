"""Live web of the settings: the one place where it is made, for crawls, example pages and questions alike."""

import logging
from collections.abc import Mapping
from pathlib import Path

from thresher.core.clock import SteadyClock
from thresher.core.errors import SettingsError
from thresher.fetch.browser.chromium import Renderer
from thresher.fetch.browser.tab import PageLimits
from thresher.fetch.client import NO_COPIES, Copies, Leave, always
from thresher.fetch.limits import Backoff, ResponseLimits
from thresher.fetch.live import LiveWeb, RenderingWeb, When
from thresher.fetch.request_headers import agent_of, read_cookies, robots_token_of, secret_lines
from thresher.parse.document import has_script, is_made_by_script
from thresher.settings.model import Settings, WebSettings

log = logging.getLogger(__name__)


def make_web(settings: Settings, copies: Copies = NO_COPIES) -> RenderingWeb:
    """Return the live web with eyes for pages made by script, and a browser if the settings ask for one."""
    when = When(settings.web.browser)
    return RenderingWeb(
        live_web(settings.web, copies),
        is_made_by_script,
        has_script,
        _renderer(settings.web) if when is not When.NEVER else None,
        when,
        settings.web.browser_share,
    )


def _renderer(web: WebSettings) -> Renderer:
    limits = PageLimits(seconds=web.browser_timeout, requests=web.browser_requests, letters=web.max_bytes)
    renderer = Renderer(web.browser_path, limits, now=SteadyClock().now)
    if not renderer.program and (web.browser == "always" or web.browser_path):
        raise SettingsError(f"There is no browser {web.browser_path or 'here'}. {INSTALL_BROWSER}")
    if not renderer.program:
        log.warning("No browser is here, so pages made by script are only counted. %s", INSTALL_BROWSER)
    return renderer


INSTALL_BROWSER = (
    "Install one, such as by apt-get install chromium, or name it with --set web.browser_path=FILE."
)


def live_web(
    web: WebSettings,
    copies: Copies = NO_COPIES,
    leave: Leave = always,
    secrets: Mapping[str, str] | None = None,
    proxy_is_ours: bool = True,
) -> LiveWeb:
    """Return the live web as one table of the settings says, asked under conditions where we have a copy.

    `leave` is asked for before every request; `secrets` are lines of a request by origin, in the place of
    those that the settings have.
    """
    clock = SteadyClock()
    return LiveWeb(
        agent=agent_of(web),
        robots_token=robots_token_of(web),
        allow_networks=web.allow_networks,
        limits=ResponseLimits(web.timeout, web.connect_timeout, web.idle_timeout, web.max_bytes),
        waits=Backoff(web.backoff, web.after_timeout, web.patience, web.longest_rest),
        delay=web.delay,
        throttle=web.throttle,
        crawl_delay_cap=web.crawl_delay_cap,
        per_host=web.per_host,
        per_address=web.per_address,
        proxy=web.proxy.reveal(),
        proxy_resolves=web.proxy_resolves,
        proxy_is_ours=proxy_is_ours,
        cookies=web.cookies,
        given_cookies=read_cookies(Path(web.cookie_file), clock.now()) if web.cookie_file else (),
        sitemaps=web.sitemaps,
        secrets=secret_lines_of(web) if secrets is None else secrets,
        trust=web.trust,
        copies=copies,
        leave=leave,
        now=clock.now,
    )


def secret_lines_of(web: WebSettings) -> Mapping[str, str]:
    """Return what each origin is told and no other: passwords and headers, as lines of a request."""
    passwords = {origin: secret.reveal() for origin, secret in web.credentials.items()}
    headers = {
        origin: {name: secret.reveal() for name, secret in named.items()}
        for origin, named in web.headers.items()
    }
    return secret_lines(passwords, headers)
