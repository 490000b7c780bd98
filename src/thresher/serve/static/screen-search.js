// Search over all crawls at once.
import { get, query } from "/static/api.js";
import { html, many, number } from "/static/text.js";
import { item } from "/static/screen-pages.js";

export async function show({ params }) {
  const q = params.get("q") ?? "";
  const list = q ? await get(`/search${query({ q, limit: 100 })}`) : { items: [], total: 0, ms: 0, remarks: [] };
  return {
    title: "Search", q,
    body: html`<div class="head"><div><h1>Search</h1><p>${q ? html`${many(list.total, "page")} of all crawls for <b>${q}</b>, ${number(list.ms)} ms` : "Type words above: all crawls are searched."}${list.remarks.map((remark) => html`<br>${remark}`)}</p></div></div><section class="card">${list.items.length ? html`<ul class="hits plain" role="listbox" aria-label="Pages" tabindex="0">${list.items.map((hit) => item(hit, "", hit.crawl))}</ul>` : html`<p class="nothing">Nothing found. Drop a word, or look for its beginning with word*.</p>`}</section>`,
    wire: (main, app) => main.querySelector(".hits")?.addEventListener("click", (event) => {
      const row = event.target.closest("[data-key]");
      if (row) app.go(`/c/${row.dataset.crawl}/pages${query({ q, sel: row.dataset.key })}`);
    }),
  };
}
