// Hosts: what each was asked, what it gave beside the crawl's own share, and whether it rests.
import { get, query } from "/static/api.js";
import { bar, bare, draw, html, number, percent, words } from "/static/text.js";

const row = (host, share, id) => {
  const own = host.pages ? host.relevant / host.pages : 0;
  return html`<tr>
    <td>
      <a href="/c/${id}/pages?host=${encodeURIComponent(bare(host.host).replace(/:\d+$/, ""))}"
        >${words(bare(host.host))}</a
      >
    </td>
    <td class="num grain strong" data-name="relevant">${number(host.relevant)}</td>
    <td class="num" data-name="pages">${number(host.pages)}</td>
    <td data-name="share">
      ${bar(own, own >= share ? "grain" : "dull", "m")}
      <span class="small">${percent(own, 0)}</span>
    </td>
    <td class="num" data-name="requests">
      <a href="/c/${id}/requests${query({ host: host.host })}">${number(host.visits)}</a>
    </td>
    <td class="num" data-name="errors">
      ${
        host.failed
          ? html`<a href="/c/${id}/requests${query({ host: host.host, outcome: "errors" })}"
              >${number(host.failed)}</a
            >`
          : "0"
      }
    </td>
    <td class="small muted" data-name="state">
      ${host.state}${host.seconds > 0 ? `, ${Math.ceil(host.seconds)} s` : ""}
    </td>
  </tr>`;
};

export async function show({ id, params }) {
  const sort = params.get("sort") ?? "relevant";
  const list = await get(`/crawls/${id}/hosts${query({ sort, limit: 100 })}`);
  const head = (name, text) =>
    html`<th class="num">
      <a href="/c/${id}/hosts?sort=${name}" ${sort === name ? html` aria-current="true"` : ""}
        >${text}${sort === name ? " ↓" : ""}</a
      >
    </th>`;
  return {
    title: "Hosts",
    body: html`<div class="head">
        <div>
          <h1>Hosts</h1>
          <p>
            ${number(list.total)} hosts were asked. ${percent(list.share)} of all pages are
            relevant; a host above that is drawn in orange.
          </p>
        </div>
      </div>
      <section class="card">
        <table class="list hosts">
          <thead>
            <tr>
              <th>host</th>
              ${head("relevant", "relevant")}${head("pages", "pages")}
              <th>share</th>
              <th class="num">requests</th>
              ${head("failed", "errors")}
              <th>state</th>
            </tr>
          </thead>
          <tbody>
            ${list.items.map((host) => row(host, list.share, id))}
          </tbody>
        </table>
        ${list.items.length ? "" : html`<p class="nothing">No host yet.</p>`}
        <p class="center" data-more>
          ${list.next ? html`<button class="btn" data-after="${list.next}">More</button>` : ""}
        </p>
      </section>`,
    wire: (main) =>
      main.addEventListener("click", async (event) => {
        const more = event.target.closest("[data-after]");
        if (!more) return;
        const next = await get(
          `/crawls/${id}/hosts${query({ sort, limit: 100, after: more.dataset.after })}`,
        );
        const box = document.createElement("tbody");
        draw(box, html`${next.items.map((host) => row(host, next.share, id))}`);
        main.querySelector("tbody").append(...box.children);
        draw(
          main.querySelector("[data-more]"),
          next.next ? html`<button class="btn" data-after="${next.next}">More</button>` : html``,
        );
      }),
  };
}
