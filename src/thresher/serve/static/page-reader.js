// The reader of one page: its text, archived copy, links and versions.
import { bare, cut, html, langOf, marks, number, score, words } from "/static/text.js";
import { icon, key } from "/static/frame.js";

export const TABS = [
  ["text", "Text"],
  ["copy", "Archived copy"],
  ["links", "Links"],
  ["versions", "Versions"],
];

export function readerOf(page, tab, id, effect) {
  const pressed = (answer) =>
    html`<button
      class="btn ${answer[0]}"
      data-label="${answer}"
      aria-pressed="${page.label === (answer === "yes")}"
    >
      ${answer === "yes" ? "Yes" : "No"} ${key(answer[0].toUpperCase())}
    </button>`;
  return html`<div class="readerbar">
      <button class="btn quiet back" data-back aria-label="Back to the list">←</button>
      <div role="tablist" aria-label="Views of the page">
        ${TABS.map(
          ([name, text]) =>
            html`<button role="tab" class="tab" data-tab="${name}" aria-selected="${name === tab}">
              ${text}
            </button>`,
        )}
      </div>
      <a class="tab" href="/c/${id}/why?key=${page.key}">${icon("why", 14)}Why</a
      ><span class="grow"></span>${pressed("yes")}${pressed("no")}
    </div>
    ${effect ? html`<div class="note effect" role="status">${effect}</div>` : ""}
    <article class="reader" lang="${page.language || "en"}">
      <h2 class="title">
        <bdi dir="auto" lang="${langOf(page.title)}">${cut(page.title || page.url)}</bdi>
      </h2>
      <p class="mono address">
        ${cut(page.url, 400)} <button class="btn quiet small" data-live-web>open on the web</button>
      </p>
      <p class="small muted">
        fetched ${page.fetched_at.slice(0, 16).replace("T", " ")} UTC · ${number(page.size)}
        bytes${page.language ? ` · ${page.language}` : ""} ·
        <span class="tag ${page.is_relevant ? "grain" : ""}"
          >relevance ${score(page.relevance)}</span
        >
      </p>
      ${VIEWS[tab](page, id)}
    </article>`;
}

const VIEWS = {
  text: (page) =>
    html`<div class="prose">
      ${
        page.paragraphs.length
          ? page.paragraphs.map(
              (pieces) => html`<p lang="${langOf(pieces.join(""))}">${marks(pieces)}</p>`,
            )
          : html`<p class="muted">The page has no text.</p>`
      }${page.cut ? html`<p class="muted">The rest is not shown.</p>` : ""}
    </div>`,
  copy: () => html`<div data-copy><p class="muted">One moment …</p></div>`,
  links: (page, id) =>
    html`<table class="list links">
        <thead>
          <tr>
            <th>link</th>
            <th>state</th>
            <th class="num">relevance</th>
          </tr>
        </thead>
        <tbody>
          ${page.links.map(
            (link) =>
              html`<tr>
                <td>
                  ${words(link.anchor || "no words")}
                  <div class="mono muted cut">${cut(bare(link.url), 120)}</div>
                </td>
                <td class="small">
                  ${
                    link.state === "fetched"
                      ? html`<a href="/c/${id}/pages?sel=${link.key}">read</a>`
                      : link.state
                  }
                </td>
                <td class="num">${link.relevance === null ? "" : score(link.relevance)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      ${
        page.links_total > page.links.length
          ? html`<p class="muted small">${number(page.links_total)} links in all.</p>`
          : ""
      }`,
  versions: (page) =>
    html`<table class="list">
      <thead>
        <tr>
          <th>looked at</th>
          <th>outcome</th>
          <th>change</th>
          <th class="num">bytes</th>
          <th class="num">relevance</th>
        </tr>
      </thead>
      <tbody>
        ${page.versions.map(
          (version) =>
            html`<tr>
              <td>${version.at.replace("T", " ").replace("Z", "")}</td>
              <td>${version.outcome}${version.status ? ` ${version.status}` : ""}</td>
              <td>${version.change}</td>
              <td class="num">${number(version.size)}</td>
              <td class="num">${version.outcome === "fetched" ? score(version.relevance) : ""}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
};
