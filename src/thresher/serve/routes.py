"""The one table of routes: from it come the server's paths, OpenAPI and the page in docs."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from msgspec import Struct

from thresher.serve import answers, asks, page_answers, topic_answers
from thresher.serve.changes import list_changes
from thresher.serve.compare import compare
from thresher.serve.copies import copy_key
from thresher.serve.desk import Desk
from thresher.serve.exports import list_exports, make_export
from thresher.serve.hosts import list_hosts
from thresher.serve.labels import label, wishes
from thresher.serve.overview import begin_crawl, change_state, curve, list_crawls, now, overview
from thresher.serve.pages import list_pages, one_page, search_all
from thresher.serve.topics import apply_topic, topic_detail, try_topic, understand
from thresher.serve.why import why

Handler = Callable[[Desk, Any], Struct]


class Needs(Enum):
    """What opens a route."""

    NOTHING = "nothing"
    TOKEN = "token"
    KEY = "key"  # made by the server for this one thing


class Route(Struct, frozen=True):
    """One thing that can be asked: how, with what, what comes back, and in a sentence why."""

    method: str
    path: str
    ask: type[asks.Ask]
    answer: type[Struct] | str  # a type of content where it is no struct
    sentence: str
    handler: Handler | None = None  # none: the server has one of its own for what is no struct
    status: int = 200
    needs: Needs = Needs.TOKEN


API = "/api/v1"
ONE = f"{API}/crawls/{{id}}"

ROUTES: tuple[Route, ...] = (
    Route("GET", f"{API}/crawls", asks.CrawlList, answers.Crawls, "List all crawls.", list_crawls),
    Route("POST", f"{API}/crawls", asks.NewCrawl, answers.Crawl, "Begin a crawl.", begin_crawl, 201),
    Route("GET", ONE, asks.OfCrawl, answers.Overview, "Show one crawl and its figures.", overview),
    Route(
        "POST",
        f"{ONE}/state",
        asks.NewState,
        answers.Crawl,
        "Pause, stop or resume a crawl.",
        change_state,
        202,
    ),
    Route("GET", f"{ONE}/curve", asks.DrawnCrawl, answers.Curve, "Draw the harvest of a crawl.", curve),
    Route("GET", f"{ONE}/now", asks.OfCrawl, answers.Now, "Show what is in flight and what is next.", now),
    Route("GET", f"{ONE}/pages", asks.PageList, page_answers.PageItems, "List or search pages.", list_pages),
    Route("GET", f"{ONE}/pages/{{key}}", asks.OnePage, page_answers.PageDetail, "Read one page.", one_page),
    Route("GET", f"{ONE}/pages/{{key}}/why", asks.WhyOf, page_answers.WhyPage, "Say why a page came.", why),
    Route(
        "POST",
        f"{ONE}/copies",
        asks.Copy,
        page_answers.CopyKey,
        "Open an archived copy for five minutes.",
        copy_key,
        201,
    ),
    Route(
        "POST",
        f"{ONE}/labels",
        asks.Label,
        page_answers.Effect,
        "Say yes or no to a page, or take it back.",
        label,
    ),
    Route(
        "GET", f"{ONE}/wishes", asks.OfCrawl, page_answers.Wishes, "List where a label helps most.", wishes
    ),
    Route("GET", f"{ONE}/changes", asks.ChangeList, answers.ChangeItems, "List what changed.", list_changes),
    Route(
        "GET",
        f"{ONE}/changes.atom",
        asks.Feed,
        "application/atom+xml",
        "Follow the changes by Atom.",
        needs=Needs.KEY,
    ),
    Route(
        "GET",
        f"{ONE}/changes.json",
        asks.Feed,
        "application/feed+json",
        "Follow the changes by JSON Feed.",
        needs=Needs.KEY,
    ),
    Route("GET", f"{ONE}/hosts", asks.HostList, answers.HostItems, "List hosts.", list_hosts),
    Route("GET", f"{ONE}/topic", asks.DrawnCrawl, topic_answers.TopicDetail, "Show the topic.", topic_detail),
    Route(
        "POST",
        f"{ONE}/topic/try",
        asks.TopicTrial,
        topic_answers.Preview,
        "See what another topic would turn.",
        try_topic,
    ),
    Route(
        "PUT", f"{ONE}/topic", asks.TopicTrial, topic_answers.Preview, "Judge all pages anew.", apply_topic
    ),
    Route(
        "GET", f"{ONE}/exports", asks.OfCrawl, answers.Exports, "List files for other programs.", list_exports
    ),
    Route(
        "POST", f"{ONE}/exports", asks.NewExport, answers.ExportItem, "Make such a file.", make_export, 202
    ),
    Route(
        "GET", f"{ONE}/exports/{{name}}", asks.ExportFile, "application/octet-stream", "Download such a file."
    ),
    Route(
        "POST",
        f"{API}/topics/understand",
        asks.TopicWords,
        topic_answers.Understood,
        "Understand a topic.",
        understand,
    ),
    Route("GET", f"{API}/compare", asks.Comparison, answers.Compared, "Set crawls side by side.", compare),
    Route(
        "GET", f"{API}/search", asks.SearchAll, page_answers.PageItems, "Search several crawls.", search_all
    ),
    Route("GET", f"{API}/events", asks.Watch, "text/event-stream", "Follow crawls live."),
    Route(
        "GET",
        f"{API}/openapi.json",
        asks.Ask,
        "application/json",
        "Describe all of this.",
        needs=Needs.NOTHING,
    ),
    Route(
        "GET", "/copy/{id}/{visit}", asks.ShownCopy, "text/html", "Show an archived copy.", needs=Needs.KEY
    ),
    Route("GET", "/metrics", asks.Ask, "text/plain", "Count for Prometheus."),
    Route("GET", "/healthz", asks.Ask, answers.Health, "Say that the server answers.", needs=Needs.NOTHING),
)
