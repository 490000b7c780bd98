// Search over all crawls at once.
import { get, query } from "/static/api.js";
import { draw, html, many, number } from "/static/text.js";
import { items } from "/static/page-list.js";

const more = (list) =>
  list.next ? html`<button class="btn" data-after="${list.next}">More</button>` : html``;

export async function show({ params }) {
  const q = params.get("q") ?? "";
  const list = q
    ? await get(`/search${query({ q, limit: 50 })}`)
    : { items: [], total: 0, ms: 0, remarks: [] };
  return {
    title: "Search",
    q,
    body: html`<div class="head">
        <div>
          <h1>Search</h1>
          <p>
            ${
              q
                ? html`${many(list.total, "page")} of all crawls for <b>${q}</b>, ${number(list.ms)}
                    ms`
                : "Type words above: all crawls are searched."
            }${list.remarks.map((remark) => html`<br />${remark}`)}
          </p>
        </div>
      </div>
      <section class="card">
        ${
          list.items.length
            ? html`<ul class="hits plain" role="listbox" aria-label="Pages" tabindex="0">
                  ${items(list.items, "", (hit) => hit.crawl)}
                </ul>
                <p class="center" data-more>${more(list)}</p>`
            : html`<p class="nothing">
                Nothing found. Drop a word, or look for its beginning with word*.
              </p>`
        }
      </section>`,
    wire: (main, app) =>
      main.addEventListener("click", async (event) => {
        const row = event.target.closest("[data-key]"),
          button = event.target.closest("[data-after]");
        if (row) app.go(`/c/${row.dataset.crawl}/pages${query({ q, sel: row.dataset.key })}`);
        if (!button) return;
        const next = await get(`/search${query({ q, limit: 50, after: button.dataset.after })}`),
          box = document.createElement("ul");
        draw(box, html`${items(next.items, "", (hit) => hit.crawl)}`);
        main.querySelector(".hits").append(...box.children);
        draw(main.querySelector("[data-more]"), more(next));
      }),
  };
}
