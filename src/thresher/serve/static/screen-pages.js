// Pages: a list to search and filter, and a reader beside it.
import { get, post, query } from "/static/api.js";
import { FILTERS, counted, items } from "/static/page-list.js";
import { TABS, readerOf } from "/static/page-reader.js";
import { draw, html } from "/static/text.js";
import { icon, trouble } from "/static/frame.js";
import { say, told as toldEffect } from "/static/labels.js";

export async function show({ id, params, main }) {
  const q = params.get("q") ?? "",
    filter = params.get("filter") ?? "",
    host = params.get("host") ?? "";
  const asked = { q, host, ...(FILTERS.find(([name]) => name === filter)?.[2] ?? {}), limit: 50 };
  const list = await get(`/crawls/${id}/pages${query(asked)}`);
  const chosen = params.get("sel") ?? (innerWidth > 900 ? list.items[0]?.key : "") ?? "";
  const link = (values) => `/c/${id}/pages${query({ q, filter, host, ...values })}`;
  return {
    title: "Pages",
    wide: true,
    q,
    body: html`<h1 class="vh">Pages</h1>
      <div class="split${params.get("sel") ? " reading" : ""}">
        <div class="left">
          <div class="searchbox">
            <form class="find" role="search" data-find-here>
              ${icon("find", 15)}<input
                type="search"
                name="q"
                maxlength="400"
                autocomplete="off"
                value="${q}"
                placeholder="Search this crawl, 中文也行"
                aria-label="Search the pages"
              />
            </form>
            <p class="chips">
              ${FILTERS.map(
                ([name, text]) =>
                  html`<a
                    class="chip"
                    href="${link({ filter: name, sel: "" })}"
                    ${name === filter ? html` aria-current="true"` : ""}
                    >${text}</a
                  >`,
              )}${
                host
                  ? html`<a class="chip" aria-current="true" href="${link({ host: "", sel: "" })}"
                      >${host} ×</a
                    >`
                  : ""
              }
            </p>
            <div class="small muted" data-counted>${counted(list, q, filter)}</div>
          </div>
          <ul class="hits" role="listbox" aria-label="Pages" tabindex="0">
            ${items(list.items, chosen)}
          </ul>
          <div class="center" data-more>
            ${list.next ? html`<button class="btn" data-after="${list.next}">More</button>` : ""}
          </div>
        </div>
        <div class="right" data-reader>
          ${
            chosen
              ? html`<p class="muted waiting">One moment …</p>`
              : html`<p class="muted nothing">Choose a page.</p>`
          }
        </div>
      </div>`,
    wire: (element, app) => wire(element, app, { id, q, asked, chosen, link }),
    live: async () => {},
    main,
  };
}

function wire(main, app, state) {
  const { id, q, asked, link } = state;
  const hits = main.querySelector(".hits"),
    reader = main.querySelector("[data-reader]");
  let page = null,
    tab = "text",
    last = null;
  const rows = () => [...hits.children];
  const open = async (name, moved = true) => {
    rows().forEach((row) => row.setAttribute("aria-selected", row.dataset.key === name));
    hits.setAttribute("aria-activedescendant", `p${name}`);
    document.getElementById(`p${name}`)?.scrollIntoView({ block: "nearest" });
    if (moved) {
      app.replace(link({ sel: name }));
      main.querySelector(".split").classList.add("reading");
    }
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
      draw(
        place,
        html`<p class="small muted">
            As it was received, without its scripts, styles, pictures and links: it can do nothing
            here.
          </p>
          <div class="copy"></div>`,
      );
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
    const row = document.getElementById(`p${page.key}`),
      meta = row?.querySelector(".meta");
    row?.querySelector(".score").classList.toggle("grain", effect.is_relevant);
    meta?.querySelector(".tag")?.remove();
    if (meta && answer)
      meta.insertAdjacentElement(
        "afterbegin",
        Object.assign(document.createElement("span"), {
          className: `tag ${answer}`,
          textContent: `you said ${answer}`,
        }),
      );
  };
  const step = (by) => {
    const all = rows(),
      at = all.findIndex((row) => row.getAttribute("aria-selected") === "true");
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    if (next) open(next.dataset.key);
  };
  hits.addEventListener("click", (event) => {
    const row = event.target.closest("[data-key]");
    if (row) open(row.dataset.key);
  });
  hits.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    }
  });
  main.addEventListener("click", async (event) => {
    const more = event.target.closest("[data-after]"),
      tabbed = event.target.closest("[data-tab]"),
      labelled = event.target.closest("[data-reader] [data-label]");
    if (more) {
      const list = await get(
        `/crawls/${id}/pages${query({ ...asked, after: more.dataset.after })}`,
      );
      const box = document.createElement("ul");
      draw(box, html`${items(list.items)}`);
      hits.append(...box.children);
      draw(
        main.querySelector("[data-more]"),
        list.next ? html`<button class="btn" data-after="${list.next}">More</button>` : html``,
      );
    }
    if (tabbed) {
      tab = tabbed.dataset.tab;
      drawReader();
    }
    if (labelled) label(labelled.dataset.label === "null" ? null : labelled.dataset.label);
    if (event.target.closest("[data-back]"))
      main.querySelector(".split").classList.remove("reading");
    if (event.target.closest("[data-live-web]")) app.leave(page.url);
  });
  const form = main.querySelector("[data-find-here]");
  let timer = 0,
    composing = false;
  const find = () => {
    clearTimeout(timer);
    if (!composing)
      timer = setTimeout(
        () => app.go(link({ q: form.elements.q.value.trim(), sel: "" }), { keepFocus: true }),
        250,
      );
  };
  form.addEventListener("compositionstart", () => (composing = true));
  form.addEventListener("compositionend", () => {
    composing = false;
    find();
  });
  form.addEventListener("input", (event) => {
    if (!event.isComposing) find();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    find();
  });
  app.keys({
    j: () => step(1),
    k: () => step(-1),
    y: () => label("yes"),
    n: () => label("no"),
    u: () => page && (last || page.label !== null) && label(null),
    w: () => page && app.go(`/c/${id}/why?key=${page.key}`),
    ...Object.fromEntries(
      TABS.map(([name], place) => [
        String(place + 1),
        () => {
          tab = name;
          if (page) drawReader();
        },
      ]),
    ),
  });
  if (state.chosen) open(state.chosen, false);
}
