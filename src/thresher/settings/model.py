"""What can be set: one frozen struct per package, each field with its default and its reason."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from thresher.settings.components import (
    ClusterSettings,
    GuideSettings,
    JudgeSettings,
    NotNegative,
    Positive,
    Seconds,
    Secret,
    Share,
    StrategySettings,
    about,
)


class TopicSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What the crawl is about."""

    name: Annotated[str, about("What is looked for, best as a phrase; of `a and b` either will do.")] = ""
    keywords: Annotated[
        dict[str, float],
        about("Further words for it with their weights, in any language; any of them will do."),
    ] = {}
    also: Annotated[
        tuple[str, ...], about("What the same page must speak of, too; `a|b` for words of which any will do.")
    ] = ()
    language: Annotated[
        str, about("The language of these words, such as `zh`, if they do not show it themselves.")
    ] = ""
    node: Annotated[
        str, about("A node of the taxonomy, by label or path, such as `Sports/Basketball` or `篮球`.")
    ] = ""
    query: Annotated[
        str, about("Words to be taken for exactly one concept, by what the example pages say.")
    ] = ""
    description: Annotated[str, about("What the topic is, in a sentence or two.")] = ""
    examples: Annotated[tuple[str, ...], about("Pages that are what is wanted: URLs, files or folders.")] = ()
    negatives: Annotated[
        tuple[str, ...],
        about("What looks like it and is not wanted: words, or pages as URLs, files or folders (`wrong/`)."),
    ] = ()
    spellings: Annotated[
        dict[str, tuple[str, str, str, str]],
        about("How labels are spelt in URLs: English, abbreviation, pinyin, initials; `a|b` for several."),
    ] = {}
    vocabularies: Annotated[
        tuple[tuple[str, ...], ...],
        about(
            "The words and phrases of each sub-domain, for Jamali et al. 2006; not set: from example pages."
        ),
    ] = ()
    form: Annotated[
        Literal["", "whole", "labels"],
        about(
            "What of the topic the judge sees: `whole`, or the `labels` of its path; not set: the paper's."
        ),
    ] = ""
    seen_often: Annotated[
        Positive | None,
        about(
            "In how many relevant addresses a word stands before `topic suggest` lists it; not set: in one of"
            " twenty. Chen et al. 2009: 500."
        ),
    ] = None


class WebSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where pages come from, and how politely."""

    kind: Annotated[
        str,
        about(
            "`live` is the real web, `practice` the synthetic one, or `package.module:Class`; not set: live"
            " when there are seeds."
        ),
    ] = ""
    seed: Annotated[int, about("The seed from which the practice web is made.")] = 1
    contact: Annotated[
        str, about("A web or mail address where site owners reach you; it goes into the user agent.")
    ] = ""
    user_agent: Annotated[str, about("The whole user agent, if not `thresher/VERSION (+contact)`.")] = ""
    robots_token: Annotated[
        str, about("The name that robots.txt files know the crawl by; not set: the one in the user agent.")
    ] = ""
    delay: Annotated[Seconds, about("Seconds between an answer and the next request to the same host.")] = 1.0
    wait_for_better: Annotated[
        Seconds | None,
        about(
            "Seconds to wait for a better host before a middling page is requested; not set: 2, but 0 where"
            " only the time is limited, and as the time allows where both time and pages are."
        ),
    ] = None
    throttle: Annotated[
        bool,
        about("Let a host rest for as long as its answers usually take, if that is more than the delay."),
    ] = True
    concurrency: Annotated[Positive, about("Requests in flight at once, over all hosts.")] = 16
    per_host: Annotated[Positive, about("Requests in flight at once to one host.")] = 1
    workers: Annotated[
        NotNegative | None,
        about(
            "Processes that fetch, read and pack for the crawl; 0: all is done in one; not set: one a core"
            " where 64 requests go at once, or 8 without a delay, and 2,000 pages or more are wanted."
        ),
    ] = None
    read_timeout: Annotated[
        Seconds, about("Seconds a large page or a document may take to be read, in a process of its own.")
    ] = 10.0
    per_address: Annotated[Positive, about("Requests in flight at once to one IP address.")] = 4
    max_redirects: Annotated[NotNegative, about("Redirects followed in a row before it is a trap.")] = 10
    allow_networks: Annotated[
        tuple[str, ...],
        about("Private networks that may be crawled, such as 127.0.0.0/8; all others never are."),
    ] = ()
    timeout: Annotated[Seconds, about("Seconds one answer may take from the request to its last byte.")] = (
        60.0
    )
    connect_timeout: Annotated[Seconds, about("Seconds until a connection stands.")] = 10.0
    idle_timeout: Annotated[Seconds, about("Seconds of silence in the middle of an answer.")] = 20.0
    max_bytes: Annotated[Positive, about("Bytes of one body, as received and as decoded.")] = 8 << 20
    backoff: Annotated[
        Seconds, about("Seconds before a failed request is tried again; doubles each time.")
    ] = 4.0
    after_timeout: Annotated[Seconds, about("Seconds to leave a host alone after it did not answer.")] = 60.0
    patience: Annotated[Seconds, about("Seconds one visit may wait for its retries in all.")] = 120.0
    longest_wait: Annotated[
        Seconds, about("Seconds a crawl waits when every host that is left rests; then it ends, resumable.")
    ] = 300.0
    longest_rest: Annotated[
        Seconds, about("Seconds a host rests at most, however long it asks for with Retry-After.")
    ] = 3600.0
    crawl_delay_cap: Annotated[
        Seconds, about("A host that asks for a longer Crawl-delay is parked and shown in the report.")
    ] = 60.0
    sitemaps: Annotated[bool, about("Also read the sitemaps that the robots.txt of a seed's host names.")] = (
        False
    )
    proxy: Annotated[
        Secret, about("A proxy for every request, such as http://127.0.0.1:3128; or `env:NAME`.")
    ] = Secret()
    proxy_resolves: Annotated[
        bool, about("Let the proxy look up names, which makes it the only guard of private networks.")
    ] = False
    cookies: Annotated[bool, about("Keep cookies; off, so that a site sees every request alike.")] = False
    cookie_file: Annotated[
        str, about("A file of your own cookies in Netscape format, each sent to the hosts it names alone.")
    ] = ""
    credentials: Annotated[
        dict[str, Secret],
        about("Passwords by host or origin, as `user:password` or `env:NAME`; they never go anywhere else."),
    ] = {}
    headers: Annotated[
        dict[str, dict[str, Secret]],
        about("Headers by host or origin, each a text or `env:NAME`; they never go anywhere else."),
    ] = {}
    trust: Annotated[str, about("A file of certificates to trust besides the system's.")] = ""
    readers: Annotated[
        tuple[str, ...],
        about(
            "Document readers besides ours, asked first: names of installed ones, or `package.module:Class`."
        ),
    ] = ()
    browser: Annotated[
        Literal["never", "auto", "always"],
        about("Whether Chromium renders pages: `auto` those that have scripts and hardly any text."),
    ] = "never"
    browser_share: Annotated[
        Share, about("The share of visits that `auto` renders at most, beside the first 20 pages.")
    ] = 0.1
    browser_timeout: Annotated[
        Seconds, about("Seconds one page may take in the browser, without those it waits for its requests.")
    ] = 15.0
    browser_requests: Annotated[
        NotNegative, about("Requests that one page may make while it is rendered; each is asked politely.")
    ] = 40
    browser_path: Annotated[
        str, about("The Chromium to start; not set: that of the system, or one that Playwright has brought.")
    ] = ""


class BacklinkSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The source of back-links, for strategies that need them."""

    folders: Annotated[
        bool, about("Take the folders above a page for pages that link to it: the substitute that is free.")
    ] = True
    crawl: Annotated[
        str | tuple[str, ...],
        about("The folder of another crawl, or a list of them: the links that it has found are asked."),
    ] = ()
    file: Annotated[
        str,
        about(
            "A file of links, `source target` a line, URLs or hosts, packed or not; or a host graph's edges."
        ),
    ] = ""
    vertices: Annotated[
        str, about("The vertices of that host graph, as Common Crawl publishes them: number, tab, name.")
    ] = ""
    endpoint: Annotated[
        Secret,
        about("An address with {url} in it that answers with JSON or with a URL a line; or `env:NAME`."),
    ] = Secret()
    most: Annotated[Positive, about("Links taken from one answer at most.")] = 100
    questions: Annotated[NotNegative, about("Questions asked at most; 0: as many as pages.")] = 0


class ScopeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Which links may be followed at all."""

    domains: Annotated[
        tuple[str, ...], about("Stay on these domains and their subdomains; none: anywhere.")
    ] = ()
    include: Annotated[
        tuple[str, ...], about("Regular expressions searched in the URL; one of them must be found.")
    ] = ()
    exclude: Annotated[
        tuple[str, ...], about("Regular expressions searched in the URL; one that is found leaves it out.")
    ] = ()
    depth: Annotated[NotNegative, about("Links followed from a seed at most; 0: no limit.")] = 0
    obey_nofollow: Annotated[
        bool, about("Leave out links and the links of pages that their authors mark nofollow.")
    ] = True
    language: Annotated[
        str,
        about("Keep and expand only pages in this language, such as `zh`, if it can be told; not set: any."),
    ] = ""
    rules: Annotated[
        bool,
        about(
            "Keep out of traps, expand no duplicates, count soft 404s as gone and keep no word of noindex"
            " pages; off where a recorded crawl is played again."
        ),
    ] = True


class TrapSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What keeps a crawl out of sites without end."""

    url_length: Annotated[Positive, about("Characters a URL may have.")] = 2083
    path_depth: Annotated[Positive, about("Parts between slashes that a path may have.")] = 20
    path_repeats: Annotated[Positive, about("Times one part of a path must come back to be a trap.")] = 3
    query_parameters: Annotated[Positive, about("Parameters a query may have.")] = 24
    template_budget: Annotated[
        Positive,
        about("Pages of one URL pattern, such as /p/{n}, that may bring nothing new before it is given up."),
    ] = 100
    host_budget: Annotated[
        Positive, about("Pages of one host that may bring nothing new before it is given up.")
    ] = 2000
    host_pages: Annotated[
        NotNegative, about("Pages asked of one host at most, whatever they bring; 0: no limit.")
    ] = 0


class WarcSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The archive of what was received."""

    store: Annotated[
        str, about("Where finished WARC files move, such as `s3://bucket/prefix`; not set: they stay.")
    ] = ""


class RevisitSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How the pages of a crawl are kept fresh by `thresher revisit`."""

    policy: Annotated[
        str,
        about(
            "Which pages are looked at how often: harmonic, binary, regular, adaptive, proportional, fixed,"
            " or pvalue, the order of Mali and Meshram 2011."
        ),
    ] = "harmonic"
    change: Annotated[
        Literal["sound", "paper"],
        about("What a change is: `sound` compares lines, `paper` the codes of Mali and Meshram 2011."),
    ] = "sound"
    repository: Annotated[
        Literal["all", "paper"],
        about("What is kept: `all`, or as in that `paper` relevant pages only, broken links last."),
    ] = "all"
    discover: Annotated[
        float,
        Meta(ge=-1, le=1),
        about("Share of the requests that goes to new pages; -1: where they are worth more than a revisit."),
    ] = -1.0
    missing_after: Annotated[
        Positive, about("Revisits in a row that end in 404 before a page has vanished; 410 needs one.")
    ] = 3
    failed_after: Annotated[
        Positive, about("Revisits in a row that fail before a page counts as broken.")
    ] = 5
    command: Annotated[
        str, about("A command that gets every relevant change as JSON on its standard input.")
    ] = ""
    webhook: Annotated[
        Secret, about("A web address to which every relevant change is sent as JSON; or `env:NAME`.")
    ] = Secret()
    hold: Annotated[
        Seconds,
        about("Seconds a change waits before it is notified: it may turn out to be the whole site's."),
    ] = 900.0


class StopSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """When the crawl ends; 0: no limit."""

    pages: Annotated[int, Meta(ge=0, le=10**9), about("Pages fetched.")] = 1000
    relevant: Annotated[NotNegative, about("Relevant pages found, as the judge calls them on the way.")] = 0
    seconds: Annotated[Seconds, about("Seconds since the start; `--time` takes 90s, 10m, 2h, 1d.")] = 0.0
    below: Annotated[
        Share,
        about("Share of the next 1,000 downloads that must promise to be relevant, such as 0.02 for 2 %."),
    ] = 0.0
    found: Annotated[
        Share,
        about("Share of the relevant pages within reach that is enough, by estimate, such as 0.9 for 90 %."),
    ] = 0.0


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be set, one struct per package."""

    topic: TopicSettings = TopicSettings()
    seeds: Annotated[tuple[str, ...], about("The URLs to start from.")] = ()
    strategy: StrategySettings = StrategySettings()
    judge: JudgeSettings = JudgeSettings()
    guide: GuideSettings = GuideSettings()
    web: WebSettings = WebSettings()
    backlinks: BacklinkSettings = BacklinkSettings()
    scope: ScopeSettings = ScopeSettings()
    traps: TrapSettings = TrapSettings()
    warc: WarcSettings = WarcSettings()
    revisit: RevisitSettings = RevisitSettings()
    stop: StopSettings = StopSettings()
    cluster: ClusterSettings = ClusterSettings()
