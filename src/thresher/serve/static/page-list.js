// The list of pages: one row for each, the filters, and the sentence above it.
import { bare, cut, html, langOf, many, marks, number, score, shortTime } from "/static/text.js";

export const FILTERS = [
  ["", "All", {}],
  ["relevant", "Relevant", { relevant: "yes" }],
  ["unsure", "Unsure", { sort: "unsure" }],
  ["not", "Not relevant", { relevant: "no" }],
  ["labelled", "You said yes", { label: "yes" }],
  ["refused", "You said no", { label: "no" }],
  ["new", "Newest", { sort: "new" }],
  ["zh", "中文", { lang: "zh" }],
  ["en", "English", { lang: "en" }],
];
const SAID = {
  true: html`<span class="tag yes">you said yes</span>`,
  false: html`<span class="tag no">you said no</span>`,
};

/** Rows of a list; a host and a day that the row above has are not said again. */
export const items = (hits, chosen = "", crawl = () => "") =>
  hits.map((hit, place) => item(hit, chosen, crawl(hit), hits[place - 1]));

const item = (hit, chosen, crawl, above) =>
  html`<li
    role="option"
    id="p${hit.key}"
    data-key="${hit.key}"
    data-url="${hit.url}"
    data-crawl="${hit.crawl}"
    aria-selected="${chosen === hit.key}"
    lang="${hit.language || "en"}"
  >
    <span class="score ${hit.is_relevant ? "grain" : "muted"}">${score(hit.relevance)}</span>
    <div>
      <h2>
        <bdi dir="auto" lang="${langOf(hit.title)}"
          >${hit.title ? marks(hit.title_marked) : bare(hit.url)}</bdi
        >
      </h2>
      <p class="snippet">
        <bdi dir="auto" lang="${langOf(hit.snippet.join(""))}">${marks(hit.snippet)}</bdi>
      </p>
      <p class="meta">
        ${SAID[String(hit.label)] ?? ""}${crawl ? html`<b>${crawl}</b>` : ""}${
          above?.host === hit.host ? "" : html`<span class="host">${cut(bare(hit.host), 60)}</span>`
        }${
          above?.fetched_at.slice(0, 10) === hit.fetched_at.slice(0, 10)
            ? ""
            : html`<span>${shortTime(hit.fetched_at)}</span>`
        }<span class="depth">depth ${hit.depth}</span>${
          hit.alike ? html`<span>and ${number(hit.alike)} like it</span>` : ""
        }${hit.all_words ? "" : html`<span>some of the words</span>`}
      </p>
    </div>
  </li>`;

export function counted(list, q, filter) {
  if (!list.total)
    return html`<p class="nothing">
      ${
        q
          ? `No page has ${
              q.trim().includes(" ") ? "these words" : "this word"
            }. Drop one, or look for its beginning with word*.`
          : filter
            ? "No page is like this."
            : "No page yet."
      }
    </p>`;
  const order = q
    ? "best match and most relevant first"
    : filter === "unsure"
      ? "nearest the threshold first"
      : filter === "new"
        ? "newest first"
        : "most relevant first";
  return html`${many(list.total, "page")}, ${order}, ${list.ms < 1 ? "under 1" : number(list.ms)}
  ms${
    list.behind > 50
      ? html` <span class="tag">the words of ${many(list.behind, "page")} are not read yet</span>`
      : ""
  }${list.remarks.map((remark) => html`<br />${remark}`)}`;
}
