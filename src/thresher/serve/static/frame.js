// The frame of every screen: bar, rail, tabs of a phone, and the banner when something is wrong.
import { html, number, words } from "/static/text.js";

const PATHS = {
  home: "M3 11l9-8 9 8M5 10v10h14V10",
  plus: "M12 5v14M5 12h14",
  compare: "M4 18c6 0 6-12 16-12M4 18c8 0 10-5 16-5",
  overview: "M4 20V11M10 20V5M16 20v-7M21 20H3",
  pages: "M6 3h9l4 4v14H6zM9 9h3M9 13h7M9 17h7",
  why: "M4 19h4c5 0 2-14 8-14h4M17 2l3 3-3 3",
  changes: "M4 8h14l-3-3M20 16H6l3 3",
  hosts: "M4 5h16v5H4zM4 14h16v5H4zM7.500 7.500h.1M7.500 16.500h.1",
  topic: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 8a4 4 0 100 8 4 4 0 000-8z",
  requests: "M4 6h16M4 12h10M4 18h7M17 15l3 3-3 3",
  exports: "M12 3v12M7 10l5 5 5-5M4 20h16",
  moon: "M20 14A8 8 0 1110 4a6.500 6.500 0 0010 10z",
  pause: "M9 5v14M15 5v14",
  stop: "M6 6h12v12H6z",
  play: "M7 4l12 8-12 8z",
  find: "M11 4a7 7 0 100 14 7 7 0 000-14zM16.500 16.500L21 21",
  feed: "M5 19h.1M5 13a6 6 0 016 6M5 6a13 13 0 0113 13",
};
export const icon = (name, side = 17) =>
  html`<svg class="icon" width="${side}" height="${side}" viewBox="0 0 24 24" aria-hidden="true">
    <path d="${PATHS[name]}" />
  </svg>`;
export const ear = (side = 22) =>
  html`<svg class="ear" width="${side}" height="${side}" viewBox="0 0 24 24" aria-hidden="true">
    <path
      d="M12 22V7M12 7c-1.300-1.600-1.300-3.300 0-5 1.300 1.700 1.300 3.400 0 5z
        M12 12c.3-2.700 2-4.200 4.800-4.500-.2 2.800-1.900 4.300-4.800 4.500z
        M12 12c-.3-2.700-2-4.200-4.800-4.500.2 2.800 1.900 4.300 4.800 4.500z
        M12 17c.3-2.700 2-4.200 4.800-4.500-.2 2.800-1.900 4.300-4.800 4.500z
        M12 17c-.3-2.700-2-4.200-4.800-4.500.2 2.800 1.900 4.300 4.800 4.500z"
    />
  </svg>`;

export const SCREENS = [
  ["overview", "Overview"],
  ["pages", "Pages"],
  ["why", "Why"],
  ["changes", "Changes"],
  ["hosts", "Hosts"],
  ["requests", "Requests"],
  ["topic", "Topic"],
  ["exports", "Exports"],
];
const DOT = {
  running: "on",
  beginning: "on",
  paused: "paused",
  "cut off": "paused",
  failed: "bad",
  unreadable: "bad",
};
export const dot = (state) => html`<span class="live ${DOT[state] ?? "idle"}"></span>`;
const SAID = { running: "crawling", unreadable: "cannot be read" };
export const said = (crawl) => {
  const word = SAID[crawl.state] ?? crawl.state;
  const more =
    crawl.sentence && !["crawling", word].includes(crawl.sentence) ? `: ${crawl.sentence}` : "";
  return word + more;
};

/** How wide a picture in a card may be that takes so many of the twelve columns. */
export function roomOf(main, span = 12) {
  const { paddingLeft, paddingRight } = getComputedStyle(main),
    inner = main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const card =
    innerWidth > 1100 && span < 12 ? ((inner - 11 * 14) * span) / 12 + (span - 1) * 14 : inner;
  return Math.floor(card - 34);
}

export const key = (name) => html`<kbd>${name}</kbd>`;

function controls(crawl) {
  if (!crawl) return "";
  if (["running", "beginning"].includes(crawl.state))
    return html`<button class="btn" data-to="paused" aria-label="Pause">
        ${icon("pause", 14)}<span>Pause</span></button
      ><button class="btn" data-to="stopped" aria-label="Stop">
        ${icon("stop", 14)}<span>Stop</span>
      </button>`;
  if (crawl.state === "unreadable" || (crawl.state === "failed" && !crawl.pages)) return "";
  return html`<button
    class="btn${crawl.state === "finished" ? "" : " main"}"
    data-to="running"
    aria-label="${crawl.state === "finished" ? "Go on" : "Resume"}"
  >
    ${icon("play", 14)}<span>${crawl.state === "finished" ? "Go on" : "Resume"}</span>
  </button>`;
}

export function frame({ crawl, at, id, q }) {
  const link = (path, name, picture, now, count = "") =>
    html`<a href="${path}" ${now ? html` aria-current="page"` : ""}
      >${icon(picture)}<span>${name}</span
      ><span class="count" data-count="${name}">${count}</span></a
    >`;
  const counts = { pages: crawl?.pages ? number(crawl.pages) : "" };
  return html`<header class="top">
      <a class="brand" href="/" aria-label="Thresher, all crawls"
        >${ear()}<span class="word">Thresher</span></a
      >
      ${
        crawl &&
        html`<div class="crawlname">
          ${dot(crawl.state)}<b>${words(crawl.name)}</b
          ><span class="muted small hide" data-said>${said(crawl)}</span>
        </div>`
      }
      <span class="grow"></span>
      <form class="find hide" role="search" data-find>
        ${icon("find", 15)}<input
          type="search"
          name="q"
          autocomplete="off"
          maxlength="400"
          placeholder="Search ${id ? "this crawl" : "all crawls"}, 中文也行"
          aria-label="${id ? "Search this crawl" : "Search all crawls"}"
          value="${q ?? ""}"
        />${key("/")}
      </form>
      <span class="controls">${controls(crawl)}</span>
      <button class="btn quiet" data-theme-switch aria-label="Light or dark">
        ${icon("moon", 16)}</button
      ><button class="btn quiet hide" data-keys aria-label="Keys">${key("?")}</button>
    </header>
    <div id="banner" role="alert"></div>
    <div class="frame">
      <nav class="rail" aria-label="Screens">
        ${link("/", "All crawls", "home", at === "all")}${link(
          "/new",
          "New crawl",
          "plus",
          at === "new",
        )}${link(id ? `/compare?ids=${id}` : "/compare", "Compare", "compare", at === "compare")}
        ${
          id &&
          html`<hr />
            ${SCREENS.map(([screen, name]) =>
              link(`/c/${id}/${screen}`, name, screen, at === screen, counts[screen]),
            )}`
        }
        <div class="foot">
          ${location.host}<br />Nothing on these screens comes from another address.
        </div>
      </nav>
      ${
        id
          ? html`<nav class="others" aria-label="More screens">
              ${[
                ["why", "Why"],
                ["hosts", "Hosts"],
                ["requests", "Requests"],
                ["exports", "Exports"],
              ].map(
                ([screen, name]) =>
                  html`<a
                    class="chip"
                    href="/c/${id}/${screen}"
                    ${at === screen ? html` aria-current="page"` : ""}
                    >${name}</a
                  >`,
              )}<a class="chip" href="/compare?ids=${id}">Compare</a>
            </nav>`
          : ""
      }
      <main id="main" tabindex="-1"><p class="muted waiting">One moment …</p></main>
    </div>
    <nav class="tabs" aria-label="Screens of a phone">
      ${
        id
          ? [
              ["overview", "Overview"],
              ["pages", "Pages"],
              ["changes", "Changes"],
              ["topic", "Topic"],
            ].map(
              ([screen, name]) =>
                html`<a href="/c/${id}/${screen}" ${at === screen ? html` aria-current="page"` : ""}
                  >${icon(screen, 19)}${name}</a
                >`,
            )
          : html`<a href="/new" ${at === "new" ? html` aria-current="page"` : ""}
                >${icon("plus", 19)}New</a
              ><a href="/compare" ${at === "compare" ? html` aria-current="page"` : ""}
                >${icon("compare", 19)}Compare</a
              >`
      }<a href="/" ${at === "all" ? html` aria-current="page"` : ""}>${icon("home", 19)}Crawls</a>
    </nav>`;
}

/** What happened, what is safe, what to do: one line each, above the screen. */
export const banner = (problem, seconds) =>
  html`<div class="banner ${problem.kind ?? ""}">
    <b>${problem.title}.</b>
    <span
      >${problem.detail} ${problem.safe}
      ${problem.next}${seconds ? ` Trying again in ${seconds} s.` : ""}</span
    >
  </div>`;

export const trouble = (problem) =>
  html`<div class="trouble">
    <h1>${problem.title}</h1>
    <dl>
      <dt>What happened</dt>
      <dd>${problem.detail}</dd>
      ${
        problem.safe &&
        html`<dt>What is safe</dt>
          <dd>${problem.safe}</dd>`
      }${
        problem.next &&
        html`<dt>What to do</dt>
          <dd>${problem.next}</dd>`
      }
    </dl>
  </div>`;

const KEYS = [
  ["/", "search"],
  ["J K", "next, previous page"],
  ["Y N", "this is what I want, or not"],
  ["U", "take it back"],
  ["1 2 3 4", "text, archived copy, links, versions"],
  ["W", "why is it here"],
  ["G then O P C H T E", "go to overview, pages, changes, hosts, topic, exports"],
  ["?", "this list"],
  ["Esc", "close"],
];
export const keyList = () =>
  html`<form method="dialog">
    <h2 id="keys-title">Keys</h2>
    <dl class="keys">
      ${KEYS.map(
        ([keys, meaning]) =>
          html`<dt>${keys.split(" ").map((each) => (each === "then" ? " then " : key(each)))}</dt>
            <dd>${meaning}</dd>`,
      )}
    </dl>
    <button class="btn main">Close</button>
  </form>`;
