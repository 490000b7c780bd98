"""The kinds of things: one word each, for programs; sentences are for people."""

from enum import Enum


class WordEnum(Enum):
    """Something of which there is one for each of a few words."""

    __hash__ = object.__hash__  # by what it is, not by what it is called: sets are asked for each link


class Request(WordEnum):
    """What kind of request a candidate is."""

    SEED = "seed"  # the user's own word
    LINK = "link"
    REDIRECT = "redirect"  # the target of one
    CANONICAL = "canonical"  # what a page calls its proper address
    REVISIT = "revisit"  # a revisit of a known page
    PROBE = "probe"  # a second load, to tell noise from changes
    BACKLINKS = "backlinks"  # who links to the URL; the page itself is not fetched


REVISITS = frozenset({Request.REVISIT, Request.PROBE})
"""The requests for pages that are known."""


LEADING = frozenset({Request.REDIRECT, Request.CANONICAL})
"""The requests for where another page has led: it moved there, or calls it its proper address."""

NO_NEW_PAGES = REVISITS | {Request.BACKLINKS}
"""The requests that can bring no page that was not there before: they harvest nothing."""


class Refusal(WordEnum):
    """Why a link that was offered is not queued, or not fetched when its turn has come."""

    OUTSIDE_DOMAINS = "outside the domains"
    NOT_INCLUDED = "not included"
    EXCLUDED = "excluded"
    TOO_DEEP = "too deep"
    NOFOLLOW = "nofollow"
    NOFOLLOW_PAGE = "on a nofollow page"
    NEAR_DUPLICATE = "on a near-duplicate"
    COPY = "on a copy of its canonical page"
    OTHER_NAME = "same page as / or /index.html"
    LONG_URL = "long URL"
    DEEP_PATH = "deep path"
    REPEATED_PATH = "repeated path"
    MANY_PARAMETERS = "many parameters"
    GROWING_QUERY = "growing query"
    CALENDAR = "calendar"
    SESSION_ID = "session id"
    TEMPLATE_SPENT = "page template spent"
    HOST_SPENT = "host budget spent"


OUT_OF_SCOPE = frozenset({Refusal.OUTSIDE_DOMAINS, Refusal.NOT_INCLUDED, Refusal.EXCLUDED})
"""The refusals that hold for a URL whatever page links to it, and for good."""


class Outcome(WordEnum):
    """How a visit ended, one word each."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    MOVED = "moved"
    FORBIDDEN = "forbidden"
    GONE = "gone"
    FAILED = "failed"
    REFUSED = "refused"
    TRAPPED = "trapped"


ERRORS = frozenset({Outcome.FORBIDDEN, Outcome.GONE, Outcome.FAILED})


class Detail(WordEnum):
    """What exactly went wrong with a visit, or was odd about it, where its outcome and status do not say."""

    SOFT_404 = "soft 404"
    OTHER_LANGUAGE = "in another language than scope.language"
    TOO_MANY_REDIRECTS = "too many redirects"
    BAD_REDIRECT = "redirect to nowhere"
    PARSER_FAILED = "not parsed"
    NO_READER = "no reader for this kind of document"
    UNKNOWN_DOCUMENT = "unknown kind of document"
    ENCRYPTED = "encrypted document"
    BROKEN_DOCUMENT = "broken document"
    HUGE_DOCUMENT = "document too large"
    JUDGE_FAILED = "not judged"
    OUR_FAULT = "internal error"
    CANCELLED = "cancelled"
    DIFFERS_ON_EACH_LOAD = "differs on each load"
    NO_ANSWER = "no answer"
    UNREACHABLE = "host unreachable"
    UNRESOLVED = "name not resolved"
    CERTIFICATE = "certificate refused"
    TIMED_OUT = "timed out"
    TOO_SLOW = "too slow"
    STALLED = "stalled"
    ROBOTS = "forbidden by robots.txt"
    ROBOTS_UNREACHABLE = "robots.txt unreachable"
    PARKED = "host asks for too long a pause"
    GUARDED = "address not allowed"
    NO_BACKLINKS = "back-links not known"
    TOO_LARGE = "too large"
    BOMB = "decompression bomb"
    HEADERS_TOO_LARGE = "headers too large"
    BAD_RESPONSE = "bad response"
    INCOMPLETE = "incomplete response"
    KILLS_WORKERS = "workers died at it"
    NO_WORKER = "no worker answered"
    RENDERED = "rendered in a browser"
    NEEDS_BROWSER = "needs a browser"
    BROWSER_HUNG = "browser took too long"
    BROWSER_CRASHED = "browser crashed"
    BROWSER_TOO_LARGE = "browser took too much memory"


NOT_RENDERED = frozenset(
    {Detail.NEEDS_BROWSER, Detail.BROWSER_HUNG, Detail.BROWSER_CRASHED, Detail.BROWSER_TOO_LARGE}
)
"""The pages made by script that were kept as they came."""

SCRIPTED = NOT_RENDERED | {Detail.RENDERED}
"""All pages made by script."""


class Origin(WordEnum):
    """Where a link was found: on the page itself, or in another source."""

    PAGE = "page"
    SITEMAP = "sitemap"
    ROBOTS_TXT = "robots.txt"
    BACKLINK = "backlink"  # a source of back-links, which may be wrong
    FOLDER = "folder"  # a guess: the folders above a page
    SEARCH = "search"
    IMAGE = "image"


class ChangeKind(WordEnum):
    """What a later visit to a page found to be different, one word each."""

    TEXT = "text"
    BOILERPLATE = "boilerplate"  # lines that are minor: menus, dates, counters
    STRUCTURE = "structure"
    IMAGES = "images"
    LINKS = "links"
    NOISE = "noise"  # what differs on each load
    MOVED = "moved"
    VANISHED = "vanished"
    BROKEN = "broken"
    BACK = "back"


class TopicForm(Enum):
    """How much of a topic a judge sees."""

    WHOLE = "whole"
    LABELS = "labels"  # of its path alone, as the crawler of Chen et al. 2009 does
