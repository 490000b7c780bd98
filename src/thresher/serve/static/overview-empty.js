// What the overview says before the first page, and when a crawl ended before it should.
import { cut, html, many, number, words } from "/static/text.js";
import { ear } from "/static/frame.js";
import { requests } from "/static/overview-cards.js";

export const ended = (crawl) =>
  crawl.state === "cut off"
    ? html`<div class="note warn">
        The crawl was cut off${crawl.sentence.startsWith("the disk") ? `: ${crawl.sentence}` : ""}.
        Every page that was acknowledged is kept and whole; what was under way is fetched again.
        <button class="btn" data-to="running">Resume</button>
      </div>`
    : crawl.state === "failed"
      ? html`<div class="note bad">
          <b>The crawl stopped by itself.</b> ${crawl.sentence}
          ${crawl.pages ? `All ${many(crawl.pages, "page")} are kept and whole.` : ""}
          <button class="btn" data-to="running">Resume</button>
        </div>`
      : "";

/** Visits of a crawl that its figures do not count yet; a crawl at work is always some behind. */
export const unread = (crawl) =>
  crawl.behind > (["running", "beginning"].includes(crawl.state) ? 500 : 0);

/** The screen of a crawl of which nothing is counted yet. */
export const reading = (crawl) => ({
  title: crawl.name,
  crawl,
  body: html`<h1 class="vh">${crawl.name}</h1>
    <section class="yet" data-reading>
      ${ear(52)}
      <h2>Reading ${many(crawl.behind, "page")} …</h2>
      <p>Figures and lists appear by themselves when they are read.</p>
    </section>`,
  live: async (name, body, again) => again(),
});

/** Said above a screen whose figures are of a part of the crawl. */
export const stillReading = (crawl) =>
  unread(crawl)
    ? html`<div class="note" data-reading>
        Reading ${many(crawl.behind, "page")} more …: these figures are of the first
        ${number(crawl.pages)}.
      </div>`
    : "";

/** What is said of a crawl that has found nothing certain, with the words that may help. */
export const offer = ({ crawl, keyword_offer: offered }) => {
  if (!offered || (crawl.state === "running" && crawl.pages < offered.pages)) return "";
  const help = offered.words.length
    ? html`These may be other words for it:
        ${offered.words.map((word, place) => html`${place ? ", " : ""}<b>${words(word)}</b>`)}.
        <button class="btn" data-offer="${JSON.stringify(offered.words)}">
          Add them and go on
        </button>`
    : "Other words for the topic, a description or other addresses to begin at may help.";
  return html`<div class="note warn">
    Nothing certain found in ${many(offered.pages, "page")}: the best has a relevance of
    ${offered.best.toFixed(2)}. ${help}
  </div>`;
};

const YET = {
  running:
    "The crawl has begun. It asks for robots.txt first, and pauses between two requests to a host.",
  paused: "The crawl was paused before its first page.",
  stopped: "The crawl was stopped before its first page.",
  "cut off":
    "The crawl was cut off before its first page: nothing is lost, and it can begin where it was.",
};
export const nothingYet = ({ crawl, requests: asked, ...told }, now, id) =>
  html`<section class="yet">
      ${ear(52)}
      <h2>Nothing has come in yet</h2>
      <p>${YET[crawl.state] ?? `The crawl ended without a page: ${crawl.sentence}.`}</p>
      ${
        now.in_flight.length || now.next_up.length
          ? html`<ul class="mono">
              ${[...now.in_flight, ...now.next_up]
                .slice(0, 3)
                .map((each) => html`<li>${cut(each.url, 80)}</li>`)}
            </ul>`
          : ""
      }
      <p>
        <a href="/c/${id}/topic">Look at the topic meanwhile</a>${
          ["cut off", "paused", "stopped"].includes(crawl.state)
            ? html`, or go on: <button class="btn" data-to="running">Resume</button>`
            : "."
        }
      </p>
    </section>
    ${
      asked
        ? html`<section class="card">${requests({ requests: asked, ...told }, id)}</section>`
        : ""
    }`;

/** The screen of a crawl whose folder is not made yet. */
export const beginning = (crawl) => ({
  title: crawl.name,
  crawl,
  body: html`<div class="head">
      <div>
        <h1>${crawl.name}</h1>
        <p>
          ${
            crawl.state === "failed"
              ? "It ended before its first page."
              : "It is beginning: the first pages are on their way."
          }
        </p>
      </div>
    </div>
    ${
      crawl.state === "failed"
        ? html`<div class="note bad">
            ${crawl.sentence} Nothing was fetched, and nothing is lost. Mend it, or begin anew.
          </div>`
        : html`<section class="yet">
            ${ear(52)}
            <h2>Nothing has come in yet</h2>
            <p>Figures, pages and the curve appear with the first page.</p>
          </section>`
    }`,
  live: async (name, body, again) => again(),
});
