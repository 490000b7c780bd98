// The address is the state: it names the screen, and one stream of events keeps the screen live.
import { Problem, follow, get, post, takeToken } from "/static/api.js";
import { banner, dot, frame, said, trouble } from "/static/frame.js";
import { listenToKeys, showKeys, theme } from "/static/keys.js";
import { beginning, reading, stillReading, unread } from "/static/overview-empty.js";
import { draw, html, number } from "/static/text.js";

const NAMES = { "": "all", new: "new", compare: "compare", search: "search" };
const root = document.getElementById("app");
let shown = null,
  ending = () => {},
  followed = null,
  pending = 0,
  undo = null,
  toastTimer = 0,
  keymap = {},
  turn = 0;

function where() {
  const parts = location.pathname.split("/").filter(Boolean);
  const params = new URLSearchParams(location.search);
  return parts[0] === "c"
    ? { id: decodeURIComponent(parts[1] ?? ""), screen: parts[2] ?? "overview", params }
    : { id: "", screen: NAMES[parts[0] ?? ""] ?? "all", params };
}

/** What screens may do with the frame round them. */
const app = {
  go(path, options = {}) {
    history.pushState(null, "", path);
    render(options);
  },
  replace(path) {
    history.replaceState(null, "", path);
  },
  keys(more) {
    keymap = more;
  },
  counted(crawl) {
    const count = root.querySelector('[data-count="Pages"]');
    if (count) count.textContent = crawl.pages ? number(crawl.pages) : "";
    const state = root.querySelector("[data-said]");
    if (state) state.textContent = said(crawl);
    const name = root.querySelector(".crawlname .live");
    if (name) {
      const box = document.createElement("span");
      draw(box, dot(crawl.state));
      name.className = box.firstChild.className;
    }
  },
  toast(markup, back = null) {
    const place = document.getElementById("toast");
    undo = back;
    draw(place, markup);
    place.classList.add("on");
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => place.classList.remove("on"), 9000);
  },
  leave(url) {
    if (!/^https?:\/\//i.test(url)) return;
    if (confirm(`This opens the live web, outside of Thresher:\n\n${url}`))
      window.open(url, "_blank", "noopener,noreferrer");
  },
};

async function render(options = {}) {
  const mine = ++turn,
    at = where(),
    typed = options.keepFocus
      ? document.activeElement?.closest("form")?.querySelector("input")
      : null;
  const caret = typed?.selectionStart,
    same = shown && shown.at.id === at.id && shown.at.screen === at.screen;
  keymap = {};
  let crawl = null,
    screen = null,
    problem = null;
  const coming = import(`/static/screen-${at.screen}.js`);
  coming.catch(() => {}); // it is said when the screen is asked for
  try {
    if (at.id) crawl = (await get("/crawls")).items.find((each) => each.id === at.id) ?? null;
    if (at.id && !crawl)
      throw new Problem({
        title: "Not here",
        detail: `No crawl ${at.id} is served here.`,
        safe: "",
        next: "Open the list of all crawls.",
      });
    if (crawl?.problem) throw new Problem(crawl.problem);
    if (!same) frameOf({ at, crawl });
    const early = crawl && ["beginning", "failed"].includes(crawl.state) && !crawl.strategy;
    if (early) screen = beginning(crawl);
    else if (crawl && unread(crawl) && !crawl.pages) screen = reading(crawl);
    else screen = await (await coming).show({ ...at, main: document.getElementById("main") });
  } catch (error) {
    problem = error;
  }
  if (mine !== turn) return;
  if (problem) {
    frameOf({ at, crawl });
    fail(problem);
    return watch(at);
  }
  const main = document.getElementById("main"),
    holder = document.createElement("div");
  main.classList.toggle("wide", Boolean(screen.wide));
  draw(holder, html`${crawl && crawl.pages ? stillReading(crawl) : ""}${screen.body}`);
  main.replaceChildren(holder); // a new element: listeners of an earlier screen go with the old one
  document.title = `${screen.title} · Thresher`;
  shown = { at, screen };
  screen.wire?.(holder, app);
  if (options.keepFocus) {
    const input = holder.querySelector("[data-find-here] input");
    if (input) {
      input.focus();
      input.setSelectionRange(caret ?? input.value.length, caret ?? input.value.length);
    }
  } else if (options.moved) main.focus({ preventScroll: true });
  watch(at);
}

function frameOf({ at, crawl }) {
  draw(root, frame({ crawl, at: at.screen, id: at.id, q: at.params.get("q") }));
  shown = { at, screen: null };
}

function fail(error) {
  const problem =
    error instanceof Problem
      ? error
      : {
          title: "This screen failed",
          detail: error.message,
          safe: "Nothing was changed.",
          next: "Reload the page.",
        };
  if (!(error instanceof Problem)) console.error(error);
  draw(document.getElementById("main"), trouble(problem));
}

function watch(at) {
  if (followed === at.id) return;
  ending();
  followed = at.id;
  ending = follow(at.id, told, lost);
}

function told(name, body) {
  const { at, screen } = shown ?? {};
  if (!screen) {
    if (name === "state") {
      clearTimeout(pending);
      pending = setTimeout(render, 600);
    }
    return;
  }
  if (name === "visit") {
    screen.live?.(name, body, () => {}, app);
    return;
  }
  if (at.id) app.counted(body);
  if (at.id && root.querySelector("[data-reading]") && !unread(body)) return void render();
  if (name === "state" && at.id && root.querySelector(".controls")) {
    const controls = document.createElement("div");
    draw(controls, frame({ crawl: body, at: at.screen, id: at.id }));
    root.querySelector(".controls").replaceWith(controls.querySelector(".controls"));
  }
  clearTimeout(pending);
  pending = setTimeout(
    () => shown?.screen?.live?.(name, body, render, app)?.catch?.(() => {}),
    400,
  );
}

function lost(problem, seconds) {
  const place = document.getElementById("banner");
  if (!place) return;
  if (!problem) {
    draw(place, html``);
    render();
    return;
  }
  draw(place, banner(problem, seconds));
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href^='/']"),
    to = event.target.closest("[data-to]");
  if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    app.go(link.getAttribute("href"), { moved: true });
  }
  if (to) {
    try {
      app.counted(
        await post(`/crawls/${where().id}/state`, {
          to: to.dataset.to,
          ...(to.dataset.to === "running" ? await further() : {}),
        }),
      );
    } catch (problem) {
      app.toast(html`${problem.message} ${problem.next ?? ""}`);
    }
  }
  if (event.target.closest("[data-theme-switch]")) theme();
  if (event.target.closest("[data-keys]")) showKeys();
  if (event.target.closest("#toast [data-label]")) takeBack();
});

/** Take back what the toast tells of, once. */
function takeBack() {
  undo?.();
  undo = null;
}

/** A finished crawl goes on only with a limit that is further away. */
async function further() {
  const { crawl } = await get(`/crawls/${where().id}`);
  if (crawl.state !== "finished") return {};
  const pages = Number(
    prompt("Go on up to how many pages in all?", String(Math.max(1000, crawl.pages * 2))),
  );
  return pages > 0 ? { pages } : {};
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-find]");
  if (!form) return;
  event.preventDefault();
  const { id } = where(),
    q = form.elements.q.value.trim();
  app.go(`${id ? `/c/${id}/pages` : "/search"}${q ? `?q=${encodeURIComponent(q)}` : ""}`);
});

addEventListener("popstate", () => render());
let resizing = 0;
addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => shown?.screen?.resized?.()?.catch?.(() => {}), 120);
});
addEventListener("hashchange", () => {
  takeToken();
  render();
});

listenToKeys(app, () => ({ id: where().id, keymap, takeBack }));
takeToken();
render();
