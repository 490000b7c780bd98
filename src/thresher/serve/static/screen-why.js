// Why: the way from the seed, what the priority was made of, and the evidence for the verdict.
import { get } from "/static/api.js";
import { bar, bare, cut, draw, html, many, picture, score, words } from "/static/text.js";
import { key, roomOf } from "/static/frame.js";
import { say, told as toldEffect } from "/static/labels.js";

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;

const steps = (way, id) =>
  html`<ol class="rows steps">
    ${way.map(
      (step, place) =>
        html`<li>
          <span class="cut"
            ><small class="muted"
              >${place ? html`“${words(step.anchor || "no words")}”` : "seed"}</small
            ><a class="mono" href="/c/${id}/why?key=${step.key}"
              >${cut(bare(step.url), 90)}</a
            ></span
          ><span class="num ${step.relevance > 0 ? "grain" : "muted"}"
            >${
              ["fetched", "unchanged"].includes(step.outcome) ? score(step.relevance) : step.outcome
            }</span
          >
        </li>`,
    )}
  </ol>`;

function priority(why) {
  if (!why.priority_terms.length)
    return why.terms.length
      ? html`<ul class="terms">
          ${why.terms.map((term) => html`<li class="mono small">${term}</li>`)}
        </ul>`
      : html`<p class="muted">
          ${
            why.way.length < 2
              ? "It is a seed."
              : `${why.strategy} keeps no account of its priorities.`
          }
        </p>`;
  const most = Math.max(
    0.001,
    ...why.priority_terms.map((part) => Math.abs(part.weight)),
    Math.abs(why.usual),
  );
  return html`<table class="bars waterfall">
      <tr>
        <td>a usual link</td>
        <td>${bar(Math.abs(why.usual) / most, "dull", "m")}</td>
        <td class="num">${why.usual.toFixed(3)}</td>
      </tr>
      ${why.priority_terms
        .filter((part) => Math.abs(part.weight) >= 0.0005)
        .map(
          (part) =>
            html`<tr>
              <td>${part.name}</td>
              <td>
                ${bar(Math.abs(part.weight) / most, part.weight < 0 ? "no" : "yes", "m")}<small
                  class="muted"
                  >${part.sentence}</small
                >
              </td>
              <td class="num ${part.weight < 0 ? "no" : "yes"}">${signed(part.weight)}</td>
            </tr>`,
        )}
    </table>
    <p class="small muted">
      As the crawl sees it now; it asked for the page at ${why.priority.toFixed(3)}.
    </p>`;
}

const evidence = (why) => {
  const most = Math.max(0.001, ...why.evidence.map((part) => Math.abs(part.weight)));
  return html`<table class="bars">
    ${why.evidence.map(
      (part) =>
        html`<tr>
          <td>${words(part.name)}</td>
          <td>${bar(Math.abs(part.weight) / most, part.weight < 0 ? "no" : "grain", "m")}</td>
          <td class="num small">${part.weight.toFixed(3)}</td>
        </tr>`,
    )}
  </table>`;
};

export async function show({ id, params, main }) {
  const wanted = params.get("key") ?? (await get(`/crawls/${id}/pages?limit=1`)).items[0]?.key;
  if (!wanted)
    return {
      title: "Why",
      body: html`<h1>Why</h1>
        <p class="nothing">No page yet.</p>`,
    };
  const ask = () => get(`/crawls/${id}/pages/${wanted}/why?width=${roomOf(main)}`);
  const why = await ask();
  const relevance = why.judged ?? why.relevance;
  const verdict =
    why.label === null
      ? `${score(relevance)}, the threshold is ${why.threshold}`
      : `you said ${why.label ? "yes" : "no"}; the judge says ${score(relevance)}`;
  return {
    title: "Why",
    body: html`<div class="head">
        <div>
          <h1>${words(why.title || bare(why.url))}</h1>
          <p class="mono small">${cut(why.url, 300)}</p>
        </div>
        <span class="grow"></span><a class="btn" href="/c/${id}/pages?sel=${why.key}">Read it</a>
      </div>
      <section class="card">
        <h2>
          The way from the seed
          <span class="sub"
            >${many(why.way.length - 1, "link")}; the height is how relevant each page was</span
          >
        </h2>
        <div class="chartbox">${why.picture ? picture(why.picture) : ""}</div>
      </section>
      <div class="grid">
        <section class="card span-4">
          <h2>Step by step</h2>
          ${steps(why.way, id)}
        </section>
        <section class="card span-4">
          <h2>Why it was asked for <span class="sub">priority ${score(why.priority)}</span></h2>
          ${priority(why)}
        </section>
        <section class="card span-4">
          <h2>
            Why it is ${(why.label ?? relevance >= why.threshold) ? "" : "not "}relevant
            <span class="sub">${verdict}</span>
          </h2>
          ${bar(relevance, "grain", "full")}${evidence(why)}
          <div class="note">
            Wrong? ${key("N")} says so, ${key("Y")} says it is right. <span data-effect></span>
          </div>
        </section>
      </div>`,
    wire: (element, app) => {
      const label = async (answer) =>
        draw(
          element.querySelector("[data-effect]"),
          toldEffect(await say(id, why.url, answer), answer),
        );
      app.keys({ y: () => label("yes"), n: () => label("no"), u: () => label(null) });
      element.addEventListener("click", (event) => {
        if (event.target.closest("[data-label]")) label(null);
      });
    },
    resized: async () =>
      why.picture && draw(main.querySelector(".chartbox"), picture((await ask()).picture)),
  };
}
