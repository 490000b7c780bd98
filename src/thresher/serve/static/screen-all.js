// All crawls: state, figures, what each has found; folders that cannot be read, with the reason.
import { get } from "/static/api.js";
import { ago, html, many, number, percent, picture, size, words } from "/static/text.js";
import { dot, icon, said } from "/static/frame.js";
import { unread } from "/static/overview-empty.js";

/** Nothing was found, or nothing was counted yet: the second is no zero. */
const counted = (crawl, value) => (crawl.problem || (crawl.behind && !crawl.pages) ? "" : value);

const row = (crawl) =>
  html`<tr>
    <td>
      <a class="topicname" href="/c/${crawl.id}/overview">${words(crawl.name)}</a
      >${crawl.id === crawl.name ? "" : html` <span class="small muted">${crawl.id}</span>`}
      <div class="small muted">
        ${dot(crawl.state)}
        ${said(crawl)}${crawl.strategy ? ` · ${crawl.strategy}` : ""}${
          unread(crawl) ? ` · reading ${many(crawl.behind, "page")} …` : ""
        }
      </div>
    </td>
    <td data-name="found so far">${crawl.problem ? "" : picture(crawl.spark)}</td>
    <td class="num grain strong" data-name="relevant">${counted(crawl, number(crawl.relevant))}</td>
    <td class="num" data-name="pages">${counted(crawl, number(crawl.pages))}</td>
    <td class="num" data-name="harvest">${crawl.pages ? percent(crawl.harvest) : ""}</td>
    <td class="num" data-name="hosts">${crawl.hosts ? number(crawl.hosts) : ""}</td>
    <td class="num" data-name="on disk">${crawl.disk ? size(crawl.disk) : ""}</td>
    <td class="small muted nowrap" data-name="last find">
      ${counted(crawl, ago(crawl.last_find))}
    </td>
  </tr>`;

const table = (items) =>
  html`<table class="list crawls">
    <thead>
      <tr>
        <th>topic</th>
        <th>found so far</th>
        <th class="num">relevant</th>
        <th class="num">pages</th>
        <th class="num">harvest</th>
        <th class="num">hosts</th>
        <th class="num">on disk</th>
        <th>last find</th>
      </tr>
    </thead>
    <tbody>
      ${items.map(row)}
    </tbody>
  </table>`;

const empty = html`<div class="nothing">
  <h2>No crawl here yet</h2>
  <p>
    A crawl begins with a topic in words. Without a place to begin, it walks a practice web made on
    this machine, and nothing leaves it.
  </p>
  <a class="btn main" href="/new">${icon("plus", 14)}New crawl</a>
</div>`;

export async function show() {
  const { items, root } = await get("/crawls?sparks=true");
  return {
    title: "All crawls",
    body: html`<div class="head">
        <div>
          <h1>All crawls</h1>
          <p>
            ${many(items.length, "crawl")} in <code>${root}</code>. Each is a process of its own: it
            outlives this page and the server.
          </p>
        </div>
        <span class="grow"></span><a class="btn main" href="/new">${icon("plus", 14)}New crawl</a>
      </div>
      <section class="card" data-crawls>${items.length ? table(items) : empty}</section>`,
    live: async (name, crawl, again) => again(),
  };
}
