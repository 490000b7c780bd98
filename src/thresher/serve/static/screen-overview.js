// Overview: is it worth going on? Figures, the harvest with its forecast, and what happens now.
import { get, post } from "/static/api.js";
import {
  figures,
  lede,
  legend,
  nowCard,
  hostsCard,
  suggestionCard,
  wordsCard,
  requests,
} from "/static/overview-cards.js";
import { ended, nothingYet, offer } from "/static/overview-empty.js";
import { draw, html, picture, words } from "/static/text.js";
import { roomOf } from "/static/frame.js";
import { say, told as toldEffect } from "/static/labels.js";

export async function show({ id, main }) {
  const harvest = () => get(`/crawls/${id}/curve?width=${roomOf(main, 8)}`);
  const [told, line, now, hosts, suggestions] = await Promise.all([
    get(`/crawls/${id}`),
    harvest(),
    get(`/crawls/${id}/now`),
    get(`/crawls/${id}/hosts?limit=8`),
    get(`/crawls/${id}/suggestions`).catch(() => ({
      items: [],
      words: [],
      nowhere: [],
      learns: true,
    })),
  ]);
  const { crawl } = told;
  const latest = [];
  let asked = Date.now();
  const learn = async () => {
    // what the crawl has learned costs more to tell than what it has found
    asked = Date.now();
    const told = await get(`/crawls/${id}/suggestions`),
      mine = main.querySelector(".suggestions .chosen")?.dataset.suggestion;
    draw(main.querySelector("[data-suggestions]"), suggestionCard(told, id));
    draw(main.querySelector("[data-words]"), wordsCard(told));
    const again = [...main.querySelectorAll(".suggestions > li")].find(
      (item) => item.dataset.suggestion === mine,
    );
    if (again) {
      main.querySelector(".suggestions .chosen")?.classList.remove("chosen");
      again.classList.add("chosen");
    }
  };
  return {
    title: crawl.name,
    crawl,
    body:
      !crawl.pages
        ? html`<h1 class="vh">${crawl.name}</h1>
            ${crawl.state === "failed" ? ended(crawl) : ""}${nothingYet(told, now, id)}`
        : html`<div class="head">
              <div>
                <h1>${words(crawl.name)}</h1>
                <p data-lede>${lede(told)}</p>
              </div>
            </div>
            ${ended(crawl)}
            <div data-offered>${offer(told)}</div>
            <div data-figures>${figures(told)}</div>
            <div class="grid">
              <section class="card span-8" data-curve>
                <h2>
                  Harvest <span class="sub">relevant pages by pages fetched</span>${legend(line)}
                </h2>
                <div class="chartbox">
                  ${line.picture ? picture(line.picture) : html`<p class="muted">No page yet.</p>`}
                </div>
              </section>
              <section class="card span-4" data-now>${nowCard(now, latest)}</section>
              <section class="card span-4" data-hosts>${hostsCard(hosts, id)}</section>
              <section class="card span-4" data-suggestions>
                ${suggestionCard(suggestions, id)}
              </section>
              <section class="card span-4" data-words>${wordsCard(suggestions)}</section>
              <section class="card span-12" data-requests>${requests(told, id)}</section>
            </div>`,
    wire: (element, app) => wire(element, app, id),
    live: async (event, body, again, app) => {
      if (event === "visit") {
        latest.unshift(body);
        latest.length = Math.min(latest.length, 7);
        return;
      }
      const [more, points, moment, paying] = await Promise.all([
        get(`/crawls/${id}`),
        harvest(),
        get(`/crawls/${id}/now`),
        get(`/crawls/${id}/hosts?limit=8`),
      ]);
      if (!main.querySelector("[data-figures]")) return again();
      draw(main.querySelector("[data-figures]"), figures(more));
      draw(main.querySelector("[data-offered]"), html`${offer(more)}`);
      draw(main.querySelector("[data-lede]"), html`${lede(more)}`);
      draw(main.querySelector("[data-now]"), nowCard(moment, latest));
      if (points.picture) draw(main.querySelector(".chartbox"), picture(points.picture));
      draw(main.querySelector("[data-requests]"), requests(more, id));
      draw(main.querySelector("[data-hosts]"), hostsCard(paying, id));
      if (event === "state" || Date.now() - asked > 10_000) await learn();
      app.counted(more.crawl);
    },
    resized: async () =>
      line.picture && draw(main.querySelector(".chartbox"), picture((await harvest()).picture)),
  };
}

/** Let a crawl go on with further keywords; one that runs is paused before. */
async function goOnWith(id, keywords, app) {
  const state = async () => (await get(`/crawls/${id}`)).crawl;
  let crawl = await state();
  if (crawl.state === "running") {
    await post(`/crawls/${id}/state`, { to: "paused" });
    for (let tries = 0; tries < 120 && (crawl = await state()).state === "running"; tries++)
      await new Promise((done) => setTimeout(done, 500));
  }
  const more = crawl.state === "finished" ? { pages: 2 * crawl.pages } : {};
  app.counted(await post(`/crawls/${id}/state`, { to: "running", keywords, ...more }));
}

function wire(main, app, id) {
  main.querySelector("[data-offered]")?.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-offer]");
    if (!button) return;
    button.disabled = true;
    try {
      await goOnWith(id, JSON.parse(button.dataset.offer), app);
    } catch (problem) {
      button.disabled = false;
      app.toast(html`${problem.message} ${problem.next ?? ""}`);
    }
  });
  const card = main.querySelector("[data-suggestions]"),
    chosen = () => card?.querySelector(".chosen");
  if (!card) return;
  const label = async (item, answer) => {
    const url = item.dataset.suggestion;
    const effect = await say(id, url, answer);
    app.toast(toldEffect(effect, answer), () =>
      say(id, url, null).then((back) => app.toast(toldEffect(back, null))),
    );
    const next = item.nextElementSibling ?? item.parentElement.firstElementChild;
    item.remove();
    next?.classList.add("chosen");
    app.counted({ ...(await get(`/crawls/${id}`)).crawl });
  };
  card.addEventListener("click", (event) => {
    const button = event.target.closest("[data-label]");
    if (button) label(button.closest("li"), button.dataset.label);
  });
  app.keys({
    y: () => chosen() && label(chosen(), "yes"),
    n: () => chosen() && label(chosen(), "no"),
    j: () => step(1),
    k: () => step(-1),
  });
  function step(by) {
    const items = [...card.querySelectorAll(".suggestions > li")],
      at = items.indexOf(chosen());
    if (!items.length) return;
    items[at]?.classList.remove("chosen");
    items[(at + by + items.length) % items.length].classList.add("chosen");
  }
}
