// Overview: is it worth going on? Figures, the harvest with what is ahead, what happens now, where a word helps.
import { get } from "/static/api.js";
import { bar, bare, cut, draw, html, many, number, percent, picture, score, shortHost, size, words } from "/static/text.js";
import { ear, key, roomOf } from "/static/frame.js";
import { pair, say, told as toldEffect } from "/static/labels.js";

const name = (host) => bare(host);

const figure = (value, label, kind = "", of = "") => html`<div class="figure"><b class="${kind}">${value}</b>${of ? html` <span class="of">${of}</span>` : ""}<span>${label}</span></div>`;

const figures = ({ crawl, recent, recent_of, waiting }) => html`<section class="card figures" aria-label="Figures">
${figure(number(crawl.relevant), "relevant pages", "grain")}${figure(number(crawl.pages), "pages fetched")}${figure(percent(crawl.harvest), "harvest, all of it")}${figure(percent(recent), `harvest, last ${number(recent_of)}`)}
${figure(number(crawl.hosts_paid), "hosts that paid", "", `of ${number(crawl.hosts)}`)}${figure(number(waiting), "links waiting")}${figure(size(crawl.disk), "on disk")}</section>`;

function lede({ crawl, forecast }) {
  const found = `${many(crawl.relevant, "relevant page")} so far`;
  if (!forecast) return `${found}.`;
  return `${found}; the next ${number(forecast.downloads)} downloads would bring about ${number(forecast.relevant)}, four times in five between ${number(forecast.low)} and ${number(forecast.high)}.`;
}

const legend = (line) => html`<span class="legend"><span><i class="key-line"></i>this crawl</span>${line.baseline ? html`<span><i class="key-dash"></i>breadth-first, same seeds</span>` : ""}${line.forecast ? html`<span><i class="key-fan"></i>forecast</span>` : ""}</span>`;

const flight = (each) => html`<li><span class="grain num">${score(each.price)}</span><span class="cut"><b>${shortHost(each.url)}</b> ${bare(each.url).split("/").slice(1).join("/")}</span><span class="num muted">${each.seconds ? `${each.seconds.toFixed(1)} s` : ""}</span></li>`;
const nowCard = (now, latest) => html`<h2>Now <span class="sub">${now.is_known && now.in_flight.length ? "in flight" : latest.length ? "just fetched" : "next up"}</span></h2>
<ul class="rows">${now.in_flight.length ? now.in_flight.slice(0, 8).map(flight) : latest.length ? latest.map((visit) => html`<li><span class="num ${visit.is_relevant ? "grain" : "muted"}">${visit.outcome === "fetched" ? score(visit.relevance) : "–"}</span><span class="cut"><b>${shortHost(visit.url)}</b> ${bare(visit.url).split("/").slice(1).join("/")}</span><span class="muted small">${visit.outcome}</span></li>`) : now.next_up.map(flight)}</ul>
${now.resting ? html`<p class="small muted">${many(now.resting, "host")} ${now.resting === 1 ? "rests" : "rest"}.</p>` : ""}${!now.in_flight.length && !now.next_up.length && !latest.length ? html`<p class="muted">Nothing waits.</p>` : ""}`;

const hostsCard = (hosts, id) => html`<h2>Hosts that pay <span class="sub">relevant of fetched</span><a class="more" href="/c/${id}/hosts">all ${number(hosts.total)}</a></h2>
<table class="bars">${hosts.items.map((host) => html`<tr><td class="cut"><a href="/c/${id}/pages?host=${encodeURIComponent(name(host.host).replace(/:\d+$/, ""))}"><span title="${bare(host.host)}">${words(name(host.host).replace(/:\d+$/, ""))}</span></a></td><td>${bar(host.pages ? host.relevant / host.pages : 0)}</td><td class="num">${number(host.relevant)} <span class="muted">of ${number(host.pages)}</span></td></tr>`)}</table>`;

const wishCard = (wishes, id) => html`<h2>Where your word would help <span class="sub">unsure</span></h2>
<ul class="rows wishes">${wishes.items.slice(0, 5).map((wish, place) => html`<li data-wish="${wish.url}"${place ? "" : html` class="chosen"`}><span class="cut"><a href="/c/${id}/pages?sel=${wish.key}">${words(wish.title || bare(wish.url))}</a><small class="muted">score ${score(wish.score)}${wish.alike ? `, stands for ${many(wish.alike, "page")} like it` : ""}</small></span>${pair(wish.url, null)}</li>`)}</ul>
<p class="small muted">${wishes.learns ? html`${key("Y")} yes ${key("N")} no ${key("J")} next. It takes one of each before the crawl learns from them.` : "The strategy of this crawl does not learn from labels; they count all the same."}</p>`;

const wordsCard = (wishes) => html`<h2>Words that led here <span class="sub">in links that paid</span></h2>
${wishes.words.length ? html`<p class="chips">${wishes.words.map((word) => html`<span class="chip plain">${words(word.name)} <b class="grain">${percent(word.brought, 0)}</b></span>`)}</p>` : html`<p class="muted">Too few visits yet.</p>`}
${wishes.nowhere.length ? html`<h2>Led nowhere</h2><ul class="rows">${wishes.nowhere.slice(0, 4).map((host) => html`<li><span class="cut" title="${bare(host.name)}">${bare(host.name).replace(/:\d+$/, "")}</span><span class="small muted nowrap">${many(host.visits, "visit")}, ${score(Math.max(0, host.brought))} each</span></li>`)}</ul>` : ""}`;

const counts = (items, kind) => { const most = Math.max(1, ...items.map((item) => item.count)); return html`<table class="bars">${items.map((item) => html`<tr><td>${item.name}</td><td>${bar(item.count / most, kind, "l")}</td><td class="num">${number(item.count)}</td></tr>`)}</table>`; };
const requests = (told) => html`<h2>Requests and refusals <span class="sub">${many(told.requests, "request")}; links never asked for, by reason</span></h2><div class="two even">${counts(told.outcomes, "teal")}${counts([...told.causes.slice(0, 5), ...told.refused].slice(0, 9), "dull")}</div>`;

const ended = (crawl) => (crawl.state === "cut off" ? html`<div class="note warn">The crawl was cut off${crawl.sentence.startsWith("the disk") ? `: ${crawl.sentence}` : ""}. Every page that was acknowledged is kept and whole; what was under way is fetched again. <button class="btn" data-to="running">Resume</button></div>`
  : crawl.state === "failed" ? html`<div class="note bad"><b>The crawl stopped by itself.</b> ${crawl.sentence} ${crawl.pages ? `All ${many(crawl.pages, "page")} are kept and whole.` : ""} <button class="btn" data-to="running">Resume</button></div>` : "");

const YET = {
  running: "The crawl has begun. It asks for robots.txt first, and pauses between two requests to a host.", paused: "The crawl was paused before its first page.",
  stopped: "The crawl was stopped before its first page.", "cut off": "The crawl was cut off before its first page: nothing is lost, and it can begin where it was.",
};
const nothingYet = ({ crawl, requests: asked, ...told }, now, id) => html`<section class="yet">${ear(52)}<h2>Nothing has come in yet</h2><p>${YET[crawl.state] ?? `The crawl ended without a page: ${crawl.sentence}.`}</p>
${now.in_flight.length || now.next_up.length ? html`<ul class="mono">${[...now.in_flight, ...now.next_up].slice(0, 3).map((each) => html`<li>${cut(each.url, 80)}</li>`)}</ul>` : ""}
<p><a href="/c/${id}/topic">Look at the topic meanwhile</a>${["cut off", "paused", "stopped"].includes(crawl.state) ? html`, or go on: <button class="btn" data-to="running">Resume</button>` : "."}</p></section>${asked ? html`<section class="card">${requests({ requests: asked, ...told })}</section>` : ""}`;

export async function show({ id, main }) {
  const harvest = () => get(`/crawls/${id}/curve?width=${roomOf(main, 8)}`);
  const [told, line, now, hosts, wishes] = await Promise.all([get(`/crawls/${id}`), harvest(), get(`/crawls/${id}/now`), get(`/crawls/${id}/hosts?limit=8`), get(`/crawls/${id}/wishes`).catch(() => ({ items: [], words: [], nowhere: [], learns: true }))]);
  const { crawl } = told;
  const latest = [];
  let asked = Date.now();
  const learn = async () => {  // what the crawl has learned costs more to tell than what it has found
    asked = Date.now();
    const told = await get(`/crawls/${id}/wishes`), mine = main.querySelector(".wishes .chosen")?.dataset.wish;
    draw(main.querySelector("[data-wishes]"), wishCard(told, id));
    draw(main.querySelector("[data-words]"), wordsCard(told));
    const again = [...main.querySelectorAll(".wishes > li")].find((item) => item.dataset.wish === mine);
    if (again) { main.querySelector(".wishes .chosen")?.classList.remove("chosen"); again.classList.add("chosen"); }
  };
  return {
    title: crawl.name,
    crawl,
    body: !crawl.pages && !crawl.behind ? html`<h1 class="vh">${crawl.name}</h1>${crawl.state === "failed" ? ended(crawl) : ""}${nothingYet(told, now, id)}` : html`<div class="head"><div><h1>${words(crawl.name)}</h1><p data-lede>${lede(told)}</p></div></div>
    ${ended(crawl)}
    ${crawl.behind > 500 ? html`<div class="note">These figures count ${number(crawl.pages)} pages; ${many(crawl.behind, "visit")} more are being counted.</div>` : ""}
    <div data-figures>${figures(told)}</div>
    <div class="grid"><section class="card span-8" data-curve><h2>Harvest <span class="sub">relevant pages by pages fetched</span>${legend(line)}</h2><div class="chartbox">${line.picture ? picture(line.picture) : html`<p class="muted">No page yet.</p>`}</div></section>
    <section class="card span-4" data-now>${nowCard(now, latest)}</section>
    <section class="card span-4" data-hosts>${hostsCard(hosts, id)}</section><section class="card span-4" data-wishes>${wishCard(wishes, id)}</section><section class="card span-4" data-words>${wordsCard(wishes)}</section>
    <section class="card span-12" data-requests>${requests(told)}</section></div>`,
    wire: (element, app) => wire(element, app, id),
    live: async (event, body, again, app) => {
      if (event === "visit") { latest.unshift(body); latest.length = Math.min(latest.length, 7); return; }
      const [more, points, moment, paying] = await Promise.all([get(`/crawls/${id}`), harvest(), get(`/crawls/${id}/now`), get(`/crawls/${id}/hosts?limit=8`)]);
      if (!main.querySelector("[data-figures]")) return again();
      draw(main.querySelector("[data-figures]"), figures(more));
      draw(main.querySelector("[data-lede]"), html`${lede(more)}`);
      draw(main.querySelector("[data-now]"), nowCard(moment, latest));
      if (points.picture) draw(main.querySelector(".chartbox"), picture(points.picture));
      draw(main.querySelector("[data-requests]"), requests(more));
      draw(main.querySelector("[data-hosts]"), hostsCard(paying, id));
      if (event === "state" || Date.now() - asked > 10_000) await learn();
      app.counted(more.crawl);
    },
    resized: async () => line.picture && draw(main.querySelector(".chartbox"), picture((await harvest()).picture)),
  };
}

function wire(main, app, id) {
  const card = main.querySelector("[data-wishes]"), chosen = () => card?.querySelector(".chosen");
  if (!card) return;
  const label = async (item, answer) => {
    const url = item.dataset.wish;
    const effect = await say(id, url, answer);
    app.toast(toldEffect(effect, answer), () => say(id, url, null).then((back) => app.toast(toldEffect(back, null))));
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
    const items = [...card.querySelectorAll(".wishes > li")], at = items.indexOf(chosen());
    if (!items.length) return;
    items[at]?.classList.remove("chosen");
    items[(at + by + items.length) % items.length].classList.add("chosen");
  }
}

