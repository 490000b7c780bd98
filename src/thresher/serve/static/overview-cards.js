// The cards of the overview: figures, requests under way, hosts, labels that would help, words.
import {
  bar,
  bare,
  html,
  many,
  number,
  percent,
  score,
  shortHost,
  size,
  words,
} from "/static/text.js";
import { key } from "/static/frame.js";
import { pair } from "/static/labels.js";

const withoutPort = (host) => bare(host).replace(/:\d+$/, "");

const figure = (value, label, kind = "", of = "") =>
  html`<div class="figure">
    <b class="${kind}">${value}</b>${of ? html` <span class="of">${of}</span>` : ""}<span
      >${label}</span
    >
  </div>`;

export const figures = ({ crawl, recent, recent_of, waiting }) =>
  html`<section class="card figures" aria-label="Figures">
    ${figure(number(crawl.relevant), "relevant pages", "grain")}${figure(
      number(crawl.pages),
      "pages fetched",
    )}${figure(percent(crawl.harvest), "harvest rate")}${figure(
      percent(recent),
      `harvest rate, last ${number(recent_of)}`,
    )}
    ${figure(number(crawl.hosts_paid), "hosts gave some", "", `of ${number(crawl.hosts)}`)}${figure(
      number(waiting),
      "links waiting",
    )}${figure(size(crawl.disk), "on disk")}
  </section>`;

function shareFound(found) {
  if (!found) return "";
  if (found.low === 1) return ", all that is within reach";
  const band = `four times in five between ${percent(found.low, 0)} and ${percent(found.high, 0)}`;
  return `, about ${percent(found.share, 0)} of what is within reach (${band})`;
}

export function lede({ crawl, forecast }) {
  const found = `${many(crawl.relevant, "relevant page")} so far${shareFound(forecast?.found)}`;
  if (!forecast?.relevant) return `${found}.`;
  const likely = `about ${number(forecast.relevant)}`,
    band = `four times in five between ${number(forecast.low)} and ${number(forecast.high)}`;
  const next = `the next ${number(forecast.downloads)} downloads`;
  return `${found}; ${next} would bring ${likely}, ${band}.`;
}

export const legend = (line) =>
  html`<span class="legend"
    ><span><i class="key-line"></i>this crawl</span>${
      line.baseline ? html`<span><i class="key-dash"></i>breadth-first, same seeds</span>` : ""
    }${line.forecast?.relevant ? html`<span><i class="key-fan"></i>forecast</span>` : ""}</span
  >`;

const flight = (each) =>
  html`<li>
    <span class="grain num">${score(each.priority)}</span
    ><span class="cut"
      ><b>${shortHost(each.url)}</b> ${bare(each.url).split("/").slice(1).join("/")}</span
    ><span class="num muted">${each.seconds ? `${each.seconds.toFixed(1)} s` : ""}</span>
  </li>`;
export const nowCard = (now, latest) =>
  html`<h2>
      Now
      <span class="sub"
        >${
          now.is_known && now.in_flight.length
            ? "in flight"
            : latest.length
              ? "just fetched"
              : "next up"
        }</span
      >
    </h2>
    <ul class="rows">
      ${
        now.in_flight.length
          ? now.in_flight.slice(0, 8).map(flight)
          : latest.length
            ? latest.map(
                (visit) =>
                  html`<li>
                    <span class="num ${visit.is_relevant ? "grain" : "muted"}"
                      >${visit.outcome === "fetched" ? score(visit.relevance) : "–"}</span
                    ><span class="cut"
                      ><b>${shortHost(visit.url)}</b>
                      ${bare(visit.url).split("/").slice(1).join("/")}</span
                    ><span class="muted small">${visit.outcome}</span>
                  </li>`,
              )
            : now.next_up.map(flight)
      }
    </ul>
    ${
      now.resting
        ? html`<p class="small muted">
            ${many(now.resting, "host")} ${now.resting === 1 ? "rests" : "rest"}.
          </p>`
        : ""
    }${
      !now.in_flight.length && !now.next_up.length && !latest.length
        ? html`<p class="muted">Nothing waits.</p>`
        : ""
    }`;

export const hostsCard = (hosts, id) =>
  html`<h2>
      Best hosts <span class="sub">relevant of fetched</span
      ><a class="more" href="/c/${id}/hosts">all ${number(hosts.total)}</a>
    </h2>
    <table class="bars">
      ${hosts.items.map(
        (host) =>
          html`<tr>
            <td class="cut">
              <a href="/c/${id}/pages?host=${encodeURIComponent(withoutPort(host.host))}"
                ><span title="${bare(host.host)}">${words(withoutPort(host.host))}</span></a
              >
            </td>
            <td>${bar(host.pages ? host.relevant / host.pages : 0)}</td>
            <td class="num">
              ${number(host.relevant)} <span class="muted">of ${number(host.pages)}</span>
            </td>
          </tr>`,
      )}
    </table>`;

export const suggestionCard = (suggestions, id) =>
  html`<h2>Label these next <span class="sub">unsure</span></h2>
    <ul class="rows suggestions">
      ${suggestions.items.slice(0, 5).map(
        (suggestion, place) =>
          html`<li data-suggestion="${suggestion.url}" ${place ? "" : html` class="chosen"`}>
            <span class="cut"
              ><a href="/c/${id}/pages?sel=${suggestion.key}"
                >${words(suggestion.title || bare(suggestion.url))}</a
              ><small class="muted"
                >score
                ${score(suggestion.score)}${
                  suggestion.alike ? `, similar pages: ${number(suggestion.alike)}` : ""
                }</small
              ></span
            >${pair(suggestion.url, null)}
          </li>`,
      )}
    </ul>
    <p class="small muted">
      ${
        suggestions.learns
          ? html`${key("Y")} yes ${key("N")} no ${key("J")} next. It takes one of each before the
            crawl learns from them.`
          : "The strategy of this crawl does not learn from labels; they count all the same."
      }
    </p>`;

export const wordsCard = (suggestions) =>
  html`<h2>Words that led here <span class="sub">in links to relevant pages</span></h2>
    ${
      suggestions.words.length
        ? html`<p class="chips">
            ${suggestions.words.map(
              (word) =>
                html`<span class="chip plain"
                  >${words(word.name)} <b class="grain">${percent(word.brought, 0)}</b></span
                >`,
            )}
          </p>`
        : html`<p class="muted">Too few visits yet.</p>`
    }
    ${
      suggestions.nowhere.length
        ? html`<h2>Unproductive hosts</h2>
            <ul class="rows">
              ${suggestions.nowhere
                .slice(0, 4)
                .map(
                  (host) =>
                    html`<li>
                      <span class="cut" title="${bare(host.name)}">${withoutPort(host.name)}</span
                      ><span class="small muted nowrap"
                        >${many(host.visits, "visit")}, ${score(Math.max(0, host.brought))}
                        each</span
                      >
                    </li>`,
                )}
            </ul>`
        : ""
    }`;

const counts = (items, kind, name = (item) => item.name) => {
  const most = Math.max(1, ...items.map((item) => item.count));
  return html`<table class="bars">
    ${items.map(
      (item) =>
        html`<tr>
          <td>${name(item)}</td>
          <td>${bar(item.count / most, kind, "l")}</td>
          <td class="num">${number(item.count)}</td>
        </tr>`,
    )}
  </table>`;
};
export const requests = (told, id) =>
  html`<h2>
      Requests and refusals
      <span class="sub">${many(told.requests, "request")}; links never asked for, by reason</span
      ><a class="more" href="/c/${id}/requests">all requests</a>
    </h2>
    <div class="two even">
      ${counts(
        told.outcomes,
        "teal",
        ({ name }) => html`<a href="/c/${id}/requests?outcome=${name}">${name}</a>`,
      )}${counts(
        [...told.causes.slice(0, 5), ...told.refused].slice(0, 9),
        "dull",
      )}
    </div>`;
