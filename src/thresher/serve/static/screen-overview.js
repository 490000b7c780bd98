// Overview: is it worth going on? Figures, the harvest with what is ahead, what happens now, where a word helps.
import { get } from "/static/api.js";
import { bar, curve } from "/static/charts.js";
import { bare, draw, html, many, number, percent, score, shortHost, size, words } from "/static/text.js";
import { key } from "/static/frame.js";
import { pair, say, told as toldEffect } from "/static/labels.js";

const name = (host) => bare(host);

const figure = (value, label, kind = "", of = "") => html`<div class="figure"><b class="${kind}">${value}</b>${of ? html` <span class="of">${of}</span>` : ""}<span>${label}</span></div>`;

const figures = ({ crawl, recent, recent_of, waiting }) => html`<section class="card figures" aria-label="Figures">
${figure(number(crawl.relevant), "relevant pages", "grain")}${figure(number(crawl.pages), "pages fetched")}${figure(percent(crawl.harvest), "harvest, all of it")}${figure(percent(recent), `harvest, last ${recent_of}`)}
${figure(number(crawl.hosts_paid), "hosts that paid", "", `of ${number(crawl.hosts)}`)}${figure(number(waiting), "links waiting")}${figure(size(crawl.disk), "on disk")}</section>`;

function lede({ crawl, forecast }) {
  const found = `${many(crawl.relevant, "relevant page")} so far`;
  if (crawl.state === "beginning" || !crawl.pages) return "The first pages are on their way.";
  if (!forecast) return `${found}.`;
  return `${found}; the next ${number(forecast.downloads)} downloads would bring about ${number(forecast.relevant)}, four times in five between ${number(forecast.low)} and ${number(forecast.high)}.`;
}

const harvest = (line, width) => {
  const lines = [{ points: line.points, label: "" }];
  if (line.baseline) lines.push({ points: line.baseline.points, label: "breadth-first" });
  return curve({ lines, forecast: line.forecast, width, title: "Relevant pages by pages fetched" });
};
const legend = (line) => html`<span class="legend"><i class="key-line"></i>this crawl ${line.baseline ? html`<i class="key-dash"></i>breadth-first, same seeds` : ""} ${line.forecast ? html`<i class="key-fan"></i>forecast` : ""}</span>`;

const flight = (each) => html`<li><span class="grain num">${score(each.price)}</span><span class="cut"><b>${shortHost(each.url)}</b> ${bare(each.url).split("/").slice(1).join("/")}</span><span class="num muted">${each.seconds ? `${each.seconds.toFixed(1)} s` : ""}</span></li>`;
const nowCard = (now, latest) => html`<h2>Now <span class="sub">${now.is_known && now.in_flight.length ? "in flight" : latest.length ? "just fetched" : "next up"}</span></h2>
<ul class="rows">${now.in_flight.length ? now.in_flight.slice(0, 8).map(flight) : latest.length ? latest.map((visit) => html`<li><span class="num ${visit.is_relevant ? "grain" : "muted"}">${visit.outcome === "fetched" ? score(visit.relevance) : "–"}</span><span class="cut"><b>${shortHost(visit.url)}</b> ${bare(visit.url).split("/").slice(1).join("/")}</span><span class="muted small">${visit.outcome}</span></li>`) : now.next_up.map(flight)}</ul>
${now.resting ? html`<p class="small muted">${many(now.resting, "host")} ${now.resting === 1 ? "rests" : "rest"}.</p>` : ""}${!now.in_flight.length && !now.next_up.length && !latest.length ? html`<p class="muted">Nothing waits.</p>` : ""}`;

const hostsCard = (hosts, id) => html`<h2>Hosts that pay <span class="sub">relevant of fetched</span><a class="more" href="/c/${id}/hosts">all ${number(hosts.total)}</a></h2>
<table class="bars">${hosts.items.map((host) => html`<tr><td class="cut"><a href="/c/${id}/pages?host=${encodeURIComponent(name(host.host).replace(/:\d+$/, ""))}">${words(name(host.host))}</a></td><td>${bar(host.pages ? host.relevant / host.pages : 0)}</td><td class="num">${number(host.relevant)} <span class="muted">of ${number(host.pages)}</span></td></tr>`)}</table>`;

const wishCard = (wishes, id) => html`<h2>Where your word would help <span class="sub">unsure</span></h2>
<ul class="rows wishes">${wishes.items.slice(0, 5).map((wish, place) => html`<li data-wish="${wish.url}"${place ? "" : html` class="chosen"`}><span class="cut"><a href="/c/${id}/pages?sel=${wish.key}">${words(wish.title || bare(wish.url))}</a><small class="muted">score ${score(wish.score)}${wish.alike ? `, stands for ${many(wish.alike, "page")} like it` : ""}</small></span>${pair(wish.url, null)}</li>`)}</ul>
<p class="small muted">${wishes.learns ? html`${key("Y")} yes ${key("N")} no ${key("J")} next. It takes one of each before the crawl learns from them.` : "The strategy of this crawl does not learn from labels; they count all the same."}</p>`;

const wordsCard = (wishes) => html`<h2>Words that led here <span class="sub">in links that paid</span></h2>
${wishes.words.length ? html`<p class="chips">${wishes.words.map((word) => html`<span class="chip plain">${words(word.name)} <b class="grain">${percent(word.brought, 0)}</b></span>`)}</p>` : html`<p class="muted">Too few visits yet.</p>`}
${wishes.nowhere.length ? html`<h2>Led nowhere</h2><ul class="rows">${wishes.nowhere.slice(0, 4).map((host) => html`<li><span class="cut">${bare(host.name)}</span><span class="small muted nowrap">${many(host.visits, "visit")}, ${score(Math.max(0, host.brought))} each</span></li>`)}</ul>` : ""}`;

const counts = (items, kind) => { const most = Math.max(1, ...items.map((item) => item.count)); return html`<table class="bars">${items.map((item) => html`<tr><td>${item.name}</td><td>${bar(item.count / most, kind, 160)}</td><td class="num">${number(item.count)}</td></tr>`)}</table>`; };
const requests = (told) => html`<h2>Requests and refusals <span class="sub">${many(told.requests, "request")}; links never asked for, by reason</span></h2><div class="two even">${counts(told.outcomes, "teal")}${counts([...told.causes.slice(0, 5), ...told.refused].slice(0, 9), "dull")}</div>`;

export async function show({ id, main }) {
  const [told, line, now, hosts, wishes] = await Promise.all([get(`/crawls/${id}`), get(`/crawls/${id}/curve`), get(`/crawls/${id}/now`), get(`/crawls/${id}/hosts?limit=8`), get(`/crawls/${id}/wishes`).catch(() => ({ items: [], words: [], nowhere: [], learns: true }))]);
  const { crawl } = told;
  const latest = [];
  const width = () => Math.max(300, (main.querySelector("[data-curve]")?.clientWidth ?? (main.clientWidth - 48) * 0.64) - 34);
  return {
    title: crawl.name,
    crawl,
    body: html`<div class="head"><div><h1>${words(crawl.name)}</h1><p data-lede>${lede(told)}</p></div></div>
    ${crawl.state === "cut off" ? html`<div class="note warn">The crawl was cut off. Every page that was acknowledged is kept and whole; what was under way is fetched again. <button class="btn" data-to="running">Resume</button></div>` : ""}
    ${crawl.state === "failed" ? html`<div class="note bad">${crawl.sentence} Everything acknowledged before is kept. Mend the cause, then go on.</div>` : ""}
    ${crawl.behind > 500 ? html`<div class="note">These figures count ${number(crawl.pages)} pages; ${many(crawl.behind, "visit")} more are being counted.</div>` : ""}
    <div data-figures>${figures(told)}</div>
    <div class="grid"><section class="card span-8" data-curve><h2>Harvest <span class="sub">relevant pages by pages fetched</span>${legend(line)}</h2><div class="chartbox">${line.points.length > 1 ? harvest(line, width()) : html`<p class="muted">No page yet.</p>`}</div></section>
    <section class="card span-4" data-now>${nowCard(now, latest)}</section>
    <section class="card span-4" data-hosts>${hostsCard(hosts, id)}</section><section class="card span-4" data-wishes>${wishCard(wishes, id)}</section><section class="card span-4">${wordsCard(wishes)}</section>
    <section class="card span-12" data-requests>${requests(told)}</section></div>`,
    wire: (element, app) => wire(element, app, id),
    live: async (event, body, again, app) => {
      if (event === "visit") { latest.unshift(body); latest.length = Math.min(latest.length, 7); return; }
      const [more, points, moment] = await Promise.all([get(`/crawls/${id}`), get(`/crawls/${id}/curve`), get(`/crawls/${id}/now`)]);
      if (!main.querySelector("[data-figures]")) return again();
      draw(main.querySelector("[data-figures]"), figures(more));
      draw(main.querySelector("[data-lede]"), html`${lede(more)}`);
      draw(main.querySelector("[data-now]"), nowCard(moment, latest));
      if (points.points.length > 1) draw(main.querySelector(".chartbox"), harvest(points, width()));
      draw(main.querySelector("[data-requests]"), requests(more));
      app.counted(more.crawl);
    },
    resized: () => line.points.length > 1 && draw(main.querySelector(".chartbox"), harvest(line, width())),
  };
}

function wire(main, app, id) {
  const list = main.querySelector(".wishes");
  const chosen = () => list?.querySelector(".chosen");
  const label = async (item, answer) => {
    const url = item.dataset.wish;
    const effect = await say(id, url, answer);
    app.toast(toldEffect(effect, answer), () => say(id, url, null).then((back) => app.toast(toldEffect(back, null))));
    const next = item.nextElementSibling ?? list.firstElementChild;
    item.remove();
    next?.classList.add("chosen");
    app.counted({ ...(await get(`/crawls/${id}`)).crawl });
  };
  list?.addEventListener("click", (event) => {
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
    const items = [...(list?.children ?? [])], at = items.indexOf(chosen());
    if (!items.length) return;
    items[at]?.classList.remove("chosen");
    items[(at + by + items.length) % items.length].classList.add("chosen");
  }
}

