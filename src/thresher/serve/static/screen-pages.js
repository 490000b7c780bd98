// Pages: a list to search and filter, and a reader beside it with text, archived copy, links and versions.
import { get, post, query } from "/static/api.js";
import { bare, cut, draw, html, langOf, many, marks, number, score, shortTime, words } from "/static/text.js";
import { icon, key, trouble } from "/static/frame.js";
import { say, told as toldEffect } from "/static/labels.js";

const FILTERS = [
  ["", "All", {}], ["relevant", "Relevant", { relevant: "yes" }], ["unsure", "Unsure", { sort: "unsure" }], ["not", "Not relevant", { relevant: "no" }],
  ["labelled", "You said yes", { label: "yes" }], ["refused", "You said no", { label: "no" }], ["new", "Newest", { sort: "new" }], ["zh", "中文", { lang: "zh" }], ["en", "English", { lang: "en" }],
];
const TABS = [["text", "Text"], ["copy", "Archived copy"], ["links", "Links"], ["versions", "Versions"]];
const SAID = { true: html`<span class="tag yes">you said yes</span>`, false: html`<span class="tag no">you said no</span>` };

export const item = (hit, chosen, crawl = "") => html`<li role="option" id="p${hit.key}" data-key="${hit.key}" data-url="${hit.url}" data-crawl="${hit.crawl}" aria-selected="${chosen === hit.key}" lang="${hit.language || "en"}">
<span class="score ${hit.is_relevant ? "grain" : "muted"}">${score(hit.relevance)}</span><div><h2><bdi dir="auto" lang="${langOf(hit.title)}">${hit.title ? marks(hit.title_marked) : bare(hit.url)}</bdi></h2>
<p class="snippet"><bdi dir="auto" lang="${langOf(hit.snippet.join(""))}">${marks(hit.snippet)}</bdi></p><p class="meta">${SAID[String(hit.label)] ?? ""}${crawl ? html`<b>${crawl}</b>` : ""}<span class="host">${cut(bare(hit.host), 60)}</span><span>${shortTime(hit.fetched_at)}</span><span class="depth">depth ${hit.depth}</span>${hit.all_words ? "" : html`<span>some of the words</span>`}</p></div></li>`;

function counted(list, q, filter) {
  if (!list.total) return html`<p class="nothing">${q ? `No page has ${q.trim().includes(" ") ? "these words" : "this word"}. Drop one, or look for its beginning with word*.` : filter ? "No page is like this." : "No page yet."}</p>`;
  const order = q ? "best match and most relevant first" : filter === "unsure" ? "nearest the threshold first" : filter === "new" ? "newest first" : "most relevant first";
  return html`${many(list.total, "page")}, ${order}, ${list.ms < 1 ? "under 1" : number(list.ms)} ms${list.behind > 50 ? html` <span class="tag">search is ${many(list.behind, "visit")} behind</span>` : ""}${list.remarks.map((remark) => html`<br>${remark}`)}`;
}

export async function show({ id, params, main }) {
  const q = params.get("q") ?? "", filter = params.get("filter") ?? "", host = params.get("host") ?? "";
  const asked = { q, host, ...(FILTERS.find(([name]) => name === filter)?.[2] ?? {}), limit: 50 };
  const list = await get(`/crawls/${id}/pages${query(asked)}`);
  const chosen = params.get("sel") ?? (innerWidth > 900 ? list.items[0]?.key : "") ?? "";
  const link = (values) => `/c/${id}/pages${query({ q, filter, host, ...values })}`;
  return {
    title: "Pages", wide: true, q,
    body: html`<h1 class="vh">Pages</h1><div class="split${params.get("sel") ? " reading" : ""}"><div class="left"><div class="searchbox"><form class="find" role="search" data-find-here>${icon("find", 15)}<input type="search" name="q" maxlength="400" autocomplete="off" value="${q}" placeholder="Search this crawl, 中文也行" aria-label="Search the pages"></form>
    <p class="chips">${FILTERS.map(([name, text]) => html`<a class="chip" href="${link({ filter: name, sel: "" })}"${name === filter ? html` aria-current="true"` : ""}>${text}</a>`)}${host ? html`<a class="chip" aria-current="true" href="${link({ host: "", sel: "" })}">${host} ×</a>` : ""}</p><div class="small muted" data-counted>${counted(list, q, filter)}</div></div>
    <ul class="hits" role="listbox" aria-label="Pages" tabindex="0">${list.items.map((hit) => item(hit, chosen))}</ul><div class="center" data-more>${list.next ? html`<button class="btn" data-after="${list.next}">More</button>` : ""}</div></div>
    <div class="right" data-reader>${chosen ? html`<p class="muted waiting">One moment …</p>` : html`<p class="muted nothing">Choose a page.</p>`}</div></div>`,
    wire: (element, app) => wire(element, app, { id, q, asked, chosen, link }),
    live: async () => {},
    main,
  };
}

function wire(main, app, state) {
  const { id, q, asked, link } = state;
  const hits = main.querySelector(".hits"), reader = main.querySelector("[data-reader]");
  let page = null, tab = "text", last = null;
  const rows = () => [...hits.children];
  const open = async (name, moved = true) => {
    rows().forEach((row) => row.setAttribute("aria-selected", row.dataset.key === name));
    hits.setAttribute("aria-activedescendant", `p${name}`);
    document.getElementById(`p${name}`)?.scrollIntoView({ block: "nearest" });
    if (moved) { app.replace(link({ sel: name })); main.querySelector(".split").classList.add("reading"); }
    try {
      page = await get(`/crawls/${id}/pages/${name}${query({ q })}`);
      drawReader();
    } catch (problem) {
      draw(reader, trouble(problem));
    }
  };
  const drawReader = (effect = null) => {
    draw(reader, readerOf(page, tab, id, effect));
    if (tab === "copy") openCopy();
  };
  const openCopy = async () => {
    const place = reader.querySelector("[data-copy]");
    try {
      const visit = page.versions.find((version) => version.has_copy)?.visit ?? page.visit;
      const copy = await post(`/crawls/${id}/copies`, { visit });
      const shown = document.createElement("iframe");
      shown.setAttribute("sandbox", "");
      shown.title = "Archived copy";
      shown.src = copy.address;
      draw(place, html`<p class="small muted">As it came over the wire, without its scripts, styles, pictures and links: it can do nothing here.</p><div class="copy"></div>`);
      place.querySelector(".copy").replaceChildren(shown);
    } catch (problem) {
      draw(place, html`<p class="note">${problem.detail} ${problem.next}</p>`);
    }
  };
  const label = async (answer) => {
    if (!page) return;
    const effect = await say(id, page.url, answer);
    last = answer === null ? null : page.url;
    page.label = answer === null ? null : answer === "yes";
    page.is_relevant = effect.is_relevant;
    drawReader(toldEffect(effect, answer));
    const row = document.getElementById(`p${page.key}`), meta = row?.querySelector(".meta");
    row?.querySelector(".score").classList.toggle("grain", effect.is_relevant);
    meta?.querySelector(".tag")?.remove();
    if (meta && answer) meta.insertAdjacentElement("afterbegin", Object.assign(document.createElement("span"), { className: `tag ${answer}`, textContent: `you said ${answer}` }));
  };
  const step = (by) => {
    const all = rows(), at = all.findIndex((row) => row.getAttribute("aria-selected") === "true");
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    if (next) open(next.dataset.key);
  };
  hits.addEventListener("click", (event) => { const row = event.target.closest("[data-key]"); if (row) open(row.dataset.key); });
  hits.addEventListener("keydown", (event) => { if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); step(event.key === "ArrowDown" ? 1 : -1); } });
  main.addEventListener("click", async (event) => {
    const more = event.target.closest("[data-after]"), tabbed = event.target.closest("[data-tab]"), labelled = event.target.closest("[data-reader] [data-label]");
    if (more) {
      const list = await get(`/crawls/${id}/pages${query({ ...asked, after: more.dataset.after })}`);
      const box = document.createElement("ul");
      draw(box, html`${list.items.map((hit) => item(hit, ""))}`);
      hits.append(...box.children);
      draw(main.querySelector("[data-more]"), list.next ? html`<button class="btn" data-after="${list.next}">More</button>` : html``);
    }
    if (tabbed) { tab = tabbed.dataset.tab; drawReader(); }
    if (labelled) label(labelled.dataset.label === "null" ? null : labelled.dataset.label);
    if (event.target.closest("[data-back]")) main.querySelector(".split").classList.remove("reading");
    if (event.target.closest("[data-live-web]")) app.leave(page.url);
  });
  const form = main.querySelector("[data-find-here]");
  let timer = 0, composing = false;
  const find = () => { clearTimeout(timer); if (!composing) timer = setTimeout(() => app.go(link({ q: form.elements.q.value.trim(), sel: "" }), { keepFocus: true }), 250); };
  form.addEventListener("compositionstart", () => (composing = true));
  form.addEventListener("compositionend", () => { composing = false; find(); });
  form.addEventListener("input", (event) => { if (!event.isComposing) find(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); find(); });
  app.keys({ j: () => step(1), k: () => step(-1), y: () => label("yes"), n: () => label("no"), u: () => page && (last || page.label !== null) && label(null), w: () => page && app.go(`/c/${id}/why?key=${page.key}`), ...Object.fromEntries(TABS.map(([name], place) => [String(place + 1), () => { tab = name; if (page) drawReader(); }])) });
  if (state.chosen) open(state.chosen, false);
}

function readerOf(page, tab, id, effect) {
  const pressed = (answer) => html`<button class="btn ${answer[0]}" data-label="${answer}" aria-pressed="${page.label === (answer === "yes")}">${answer === "yes" ? "Yes" : "No"} ${key(answer[0].toUpperCase())}</button>`;
  return html`<div class="readerbar"><button class="btn quiet back" data-back aria-label="Back to the list">←</button><div role="tablist" aria-label="Views of the page">${TABS.map(([name, text]) => html`<button role="tab" class="tab" data-tab="${name}" aria-selected="${name === tab}">${text}</button>`)}</div><a class="tab" href="/c/${id}/why?key=${page.key}">${icon("why", 14)}Why</a><span class="grow"></span>${pressed("yes")}${pressed("no")}</div>
  ${effect ? html`<div class="note effect" role="status">${effect}</div>` : ""}
  <article class="reader" lang="${page.language || "en"}"><h2 class="title"><bdi dir="auto" lang="${langOf(page.title)}">${cut(page.title || page.url)}</bdi></h2><p class="mono address">${cut(page.url, 400)} <button class="btn quiet small" data-live-web>open on the web</button></p>
  <p class="small muted">fetched ${page.fetched_at.slice(0, 16).replace("T", " ")} UTC · ${number(page.size)} bytes${page.language ? ` · ${page.language}` : ""} · <span class="tag ${page.is_relevant ? "grain" : ""}">relevance ${score(page.relevance)}</span></p>
  ${VIEWS[tab](page, id)}</article>`;
}

const VIEWS = {
  text: (page) => html`<div class="prose">${page.paragraphs.length ? page.paragraphs.map((pieces) => html`<p lang="${langOf(pieces.join(""))}">${marks(pieces)}</p>`) : html`<p class="muted">The page has no text.</p>`}${page.cut ? html`<p class="muted">The rest is not shown.</p>` : ""}</div>`,
  copy: () => html`<div data-copy><p class="muted">One moment …</p></div>`,
  links: (page, id) => html`<table class="list links"><thead><tr><th>link</th><th>state</th><th class="num">relevance</th></tr></thead><tbody>${page.links.map((link) => html`<tr><td>${words(link.anchor || "no words")}<div class="mono muted cut">${cut(bare(link.url), 120)}</div></td><td class="small">${link.state === "fetched" ? html`<a href="/c/${id}/pages?sel=${link.key}">read</a>` : link.state}</td><td class="num">${link.relevance === null ? "" : score(link.relevance)}</td></tr>`)}</tbody></table>${page.links_total > page.links.length ? html`<p class="muted small">${number(page.links_total)} links in all.</p>` : ""}`,
  versions: (page) => html`<table class="list"><thead><tr><th>looked at</th><th>outcome</th><th>change</th><th class="num">bytes</th><th class="num">relevance</th></tr></thead><tbody>${page.versions.map((version) => html`<tr><td>${version.at.replace("T", " ").replace("Z", "")}</td><td>${version.outcome}${version.status ? ` ${version.status}` : ""}</td><td>${version.change}</td><td class="num">${number(version.size)}</td><td class="num">${version.outcome === "fetched" ? score(version.relevance) : ""}</td></tr>`)}</tbody></table>`,
};
