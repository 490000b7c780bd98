// Requests: how each ended, by outcome and by host, with the hosts that brought most errors.
import { get, query } from "/static/api.js";
import { bare, cut, draw, html, number, score, shortTime, words } from "/static/text.js";

const KINDS = "errors fetched moved unchanged gone forbidden failed refused trapped".split(" ");

const row = (each, id) =>
  html`<tr>
    <td>
      <a
        href="/c/${id}/${each.outcome === "fetched" ? "pages?sel" : "why?key"}=${each.key}"
        title="${each.url}"
        >${words(cut(bare(each.url), 120))}</a
      >
    </td>
    <td class="num" data-name="request">${number(each.visit)}</td>
    <td class="nowrap" data-name="outcome">${each.outcome}</td>
    <td class="num" data-name="status">${each.status || "–"}</td>
    <td class="num grain" data-name="score">
      ${each.outcome === "fetched" ? score(each.relevance) : ""}
    </td>
    <td class="small muted" data-name="why">${each.reason}</td>
    <td class="small muted nowrap" data-name="at">${shortTime(each.at)}</td>
  </tr>`;

const failing = (hosts, link) =>
  html`<section class="card">
    <h2>Errors by host <span class="sub">of all requests to it</span></h2>
    <table class="bars">
      ${hosts.map(
        (host) =>
          html`<tr>
            <td class="cut">
              <a href="${link({ host: host.host, outcome: "errors" })}"
                >${words(bare(host.host))}</a
              >
            </td>
            <td class="num nowrap">
              ${number(host.failed)} <span class="muted">of ${number(host.visits)}</span>
            </td>
          </tr>`,
      )}
    </table>
  </section>`;

export async function show({ id, params }) {
  const host = params.get("host") ?? "",
    outcome = params.get("outcome") ?? "";
  const ask = (after) => get(`/crawls/${id}/requests${query({ host, outcome, after })}`);
  const link = (values) => `/c/${id}/requests${query({ host, outcome, ...values })}`;
  const [list, hosts] = await Promise.all([
    ask(""),
    get(`/crawls/${id}/hosts${query({ sort: "failed", limit: 8 })}`),
  ]);
  const bad = hosts.items.filter((each) => each.failed);
  const more = (next) =>
    next ? html`<button class="btn" data-after="${next}">More</button>` : html``;
  const chip = (name, text) =>
    html`<a
      class="chip"
      href="${link({ outcome: name })}"
      ${name === outcome ? html` aria-current="true"` : ""}
      >${text}</a
    >`;
  return {
    title: "Requests",
    body: html`<div class="head">
        <div>
          <h1>Requests</h1>
          <p>How each ended, the latest first. A request that was tried again says how often.</p>
        </div>
      </div>
      <p class="chips">
        ${chip("", "all")}${KINDS.map((kind) => chip(kind, kind))}${
          host
            ? html`<a class="chip" aria-current="true" href="${link({ host: "" })}"
                >${bare(host)} ×</a
              >`
            : ""
        }
      </p>
      ${bad.length && !host ? failing(bad, link) : ""}
      <section class="card">
        ${
          list.items.length
            ? html`<table class="list hosts">
                <thead>
                  <tr>
                    <th>address</th>
                    <th class="num">request</th>
                    <th>outcome</th>
                    <th class="num">status</th>
                    <th class="num">score</th>
                    <th>why</th>
                    <th>at</th>
                  </tr>
                </thead>
                <tbody>
                  ${list.items.map((each) => row(each, id))}
                </tbody>
              </table>`
            : html`<p class="nothing">No request ended so.</p>`
        }
        <p class="center" data-more>${more(list.next)}</p>
      </section>`,
    wire: (main) =>
      main.addEventListener("click", async (event) => {
        const button = event.target.closest("[data-after]");
        if (!button) return;
        const next = await ask(button.dataset.after),
          box = document.createElement("tbody");
        draw(box, html`${next.items.map((each) => row(each, id))}`);
        main.querySelector(".list tbody").append(...box.children);
        draw(main.querySelector("[data-more]"), more(next.next));
      }),
  };
}
