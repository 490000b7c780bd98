// Changes: word by word, day by day; what is substantive and what is minor; a feed to follow.
import { get, query } from "/static/api.js";
import { bare, draw, html, langOf, many, number, picture, score, words } from "/static/text.js";
import { icon, roomOf } from "/static/frame.js";

const piece = (part) =>
  part.kind === "same"
    ? html`${part.text}`
    : part.kind === "gone"
      ? html`<del>${part.text}</del>`
      : html`<ins>${part.text}</ins>`;
const MOST = 900; // letters of a change before it is folded
function folded(parts) {
  let left = MOST,
    place = 0;
  while (place < parts.length && left > 0) left -= parts[place++].text.length;
  const rest = parts.slice(place),
    letters = rest.reduce((sum, part) => sum + part.text.length, 0);
  const language = langOf(parts.map((part) => part.text).join(""));
  return html`<p class="prose diff" lang="${language}">
      ${parts.slice(0, place).map(piece)}${letters ? " …" : ""}
    </p>
    ${
      letters
        ? html`<details>
            <summary class="small">${number(letters)} letters more</summary>
            <p class="prose diff" lang="${language}">${rest.map(piece)}</p>
          </details>`
        : ""
    }`;
}
const entry = (change, id) =>
  html`<section class="card change">
    <h3>
      <a href="/c/${id}/pages?sel=${change.key}">${words(change.title || bare(change.url))}</a>
      <span class="tag ${change.left_topic || change.kind === "vanished" ? "no" : "grain"}"
        >${change.left_topic ? "left the topic" : change.kind}</span
      >${change.substantive ? "" : html` <span class="tag">minor</span>`}
    </h3>
    <p class="small muted">
      ${change.at.slice(11, 16)} · ${bare(change.host)} · relevance
      ${score(change.relevance_before)} → ${score(change.relevance)}
    </p>
    ${
      change.diff.length
        ? folded(change.diff)
        : html`<p class="muted">
            ${
              change.kind === "vanished"
                ? "It is gone from its address. The last copy is kept."
                : "No line to show."
            }
          </p>`
    }
  </section>`;

const dayName = (day) =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
function byDay(items, id) {
  const groups = new Map();
  for (const change of items) groups.set(change.day, [...(groups.get(change.day) ?? []), change]);
  return [...groups].map(
    ([day, changes]) =>
      html`<div class="day">
        <h2>${dayName(day)}</h2>
        <div>${changes.map((change) => entry(change, id))}</div>
      </div>`,
  );
}

export async function show({ id, params, main }) {
  const substantive = params.get("substantive") !== "all";
  const ask = (more) =>
    get(`/crawls/${id}/changes${query({ substantive: String(substantive), limit: 50, ...more })}`);
  const [list, told] = await Promise.all([ask({ width: roomOf(main) }), get(`/crawls/${id}`)]);
  const found = list.days.reduce((sum, day) => sum + day.substantive, 0),
    other = list.days.reduce((sum, day) => sum + day.other, 0);
  return {
    title: "Changes",
    body: html`<div class="head">
        <div>
          <h1>Changes</h1>
          <p>
            ${
              list.revisits
                ? `${many(list.revisits, "page")} revisited; ${number(found)} changed,
                  ${number(other)} only in menus, counters or dates.`
                : "No page was looked at again yet."
            }
          </p>
        </div>
        <span class="grow"></span
        ><a
          class="chip"
          href="/c/${id}/changes${substantive ? "?substantive=all" : ""}"
          ${substantive ? html` aria-current="true"` : ""}
          >News only</a
        ><button class="btn" data-feed="/api/v1/crawls/${id}/changes.atom?key=${told.feed}">
          ${icon("feed", 14)}Atom feed
        </button>
      </div>
      ${
        list.days.length
          ? html`<section class="card">
              <h2>
                By day
                <span class="legend"
                  ><span><i class="key-column grain"></i>substantive</span
                  ><span><i class="key-column"></i>minor</span></span
                >
              </h2>
              <div class="chartbox">${picture(list.picture)}</div>
            </section>`
          : ""
      }
      ${
        list.items.length
          ? byDay(list.items, id)
          : html`<section class="card nothing">
              <p>
                ${list.revisits ? "Nothing changed." : "Look at the pages again from a terminal:"}
              </p>
              ${list.revisits ? "" : html`<pre>thresher revisit ${told.crawl.folder}</pre>`}
            </section>`
      }${
        list.next
          ? html`<p class="center"><button class="btn" data-after="${list.next}">More</button></p>`
          : ""
      }`,
    wire: (element, app) =>
      element.addEventListener("click", async (event) => {
        const feed = event.target.closest("[data-feed]"),
          more = event.target.closest("[data-after]");
        if (feed) {
          await navigator.clipboard?.writeText(location.origin + feed.dataset.feed).catch(() => {});
          app.toast(
            html`The address of the feed is copied. Its key reads changes and nothing else, until
            the server ends.`,
          );
        }
        if (more) {
          const next = await ask({ after: more.dataset.after });
          const box = document.createElement("div");
          draw(
            box,
            html`${byDay(next.items, id)}${
              next.next
                ? html`<p class="center">
                    <button class="btn" data-after="${next.next}">More</button>
                  </p>`
                : ""
            }`,
          );
          more.parentElement.replaceWith(...box.childNodes);
        }
      }),
    resized: async () =>
      list.days.length &&
      draw(
        main.querySelector(".chartbox"),
        picture((await ask({ limit: 1, width: roomOf(main) })).picture),
      ),
  };
}
