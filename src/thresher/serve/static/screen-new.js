// New crawl: the topic as it is understood while it is typed, before anything is fetched.
import { Problem, get, post } from "/static/api.js";
import { draw, html, words } from "/static/text.js";
import { icon } from "/static/frame.js";
import { understood } from "/static/understood.js";

const STRATEGIES = [
  ["thresher", "thresher: it learns"],
  ["best_first", "best_first"],
  ["shark_search", "shark_search"],
  ["breadth_first", "breadth_first"],
];
const EXAMPLES = ["beekeeping", "cider", "围棋", "茶艺"]; // the practice web has them

const field = (name, label, more) =>
  html`<label class="field"><span>${label}</span>${more}</label>`;

export async function show() {
  const { root } = await get("/crawls");
  return {
    title: "New crawl",
    body: html`<div class="head">
        <div>
          <h1>New crawl</h1>
          <p>
            Say what you are after. What is understood is shown as you type, before anything is
            fetched.
          </p>
        </div>
      </div>
      <div class="two">
        <form class="card form" data-new>
          ${field(
            "topic",
            "Topic: words, in English or 中文",
            html`<input
              class="big"
              name="topic"
              required
              maxlength="200"
              autocomplete="off"
              placeholder="beekeeping"
            />`,
          )}
          <p class="chips">
            ${EXAMPLES.map(
              (example) =>
                html`<button type="button" class="chip" data-example="${example}">
                  ${words(example)}
                </button>`,
            )}
          </p>
          ${field(
            "seeds",
            "Where to begin: one address a line. None: a practice web made on this machine",
            html`<textarea
              class="mono"
              name="seeds"
              rows="4"
              placeholder="https://example.org/a-good-page"
            ></textarea>`,
          )}
          ${field(
            "keywords",
            "Other words for it, any will do: one a line",
            html`<textarea name="keywords" rows="2" placeholder="apiculture"></textarea>`,
          )}${field(
            "description",
            "What you want, in a sentence",
            html`<input name="description" maxlength="2000" />`,
          )}${field(
            "examples",
            "Pages that are what you want: one address a line",
            html`<textarea class="mono" name="examples" rows="2"></textarea>`,
          )}
          <div class="three">
            ${field(
              "pages",
              "Stop after pages",
              html`<input name="pages" type="number" min="0" max="10000000" value="1000" />`,
            )}${field(
              "relevant",
              "or relevant pages",
              html`<input name="relevant" type="number" min="0" placeholder="no limit" />`,
            )}${field(
              "minutes",
              "or minutes",
              html`<input
                name="minutes"
                type="number"
                min="0"
                step="any"
                placeholder="no limit"
              />`,
            )}
          </div>
          <div class="three">
            ${field(
              "strategy",
              "Strategy",
              html`<select name="strategy">
                ${STRATEGIES.map(
                  ([value, name]) => html`<option value="${value}">${name}</option>`,
                )}
              </select>`,
            )}${field(
              "domains",
              "Keep to domains (empty: the whole web)",
              html`<input name="domains" placeholder="example.org" />`,
            )}${field(
              "name",
              "Folder",
              html`<input name="name" maxlength="80" placeholder="the topic's words" />`,
            )}
          </div>
          <div class="three">
            ${field(
              "delay",
              "Seconds between two requests to a host",
              html`<input
                name="delay"
                type="number"
                min="0.2"
                max="3600"
                step="any"
                placeholder="1"
              />`,
            )}${field(
              "contact",
              "How site owners reach you",
              html`<input name="contact" maxlength="200" placeholder="me@example.org" />`,
            )}
          </div>
          <p class="small muted">
            robots.txt, private networks, headers and hooks are set on the command line, never here.
          </p>
          <p>
            <button class="btn main">${icon("play", 14)}Start</button>
            <span class="small muted" data-place>A folder is made in ${root}.</span>
          </p>
          <div data-trouble role="alert"></div>
        </form>
        <div data-understood>
          <section class="card">
            <h2>As it is understood</h2>
            <p class="muted">Type a topic.</p>
          </section>
        </div>
      </div>`,
    wire,
  };
}

const lines = (text) => text.split(/[\s,]+/).filter(Boolean);
const phrases = (text) =>
  text
    .split(/[\n,，、;；]+/)
    .map((each) => each.trim())
    .filter(Boolean);

function asked(form) {
  const given = Object.fromEntries(new FormData(form));
  return {
    topic: given.topic.trim(),
    name: given.name.trim(),
    strategy: given.strategy,
    seeds: lines(given.seeds),
    domains: lines(given.domains),
    pages: Number(given.pages) || 0,
    relevant: Number(given.relevant) || 0,
    minutes: Number(given.minutes) || 0,
    keywords: phrases(given.keywords),
    description: given.description.trim(),
    examples: lines(given.examples),
    delay: Number(given.delay) || null,
    contact: given.contact.trim(),
  };
}

function wire(main, app) {
  const form = main.querySelector("[data-new]"),
    panel = main.querySelector("[data-understood]");
  let timer = 0,
    composing = false;
  const look = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const { topic, seeds, keywords, description } = asked(form);
      if (!topic || composing) return;
      try {
        const told = await post("/topics/understand", { topic, seeds, keywords, description });
        if (form.isConnected && told.name === asked(form).topic) draw(panel, understood(told));
      } catch (error) {
        if (error instanceof Problem && error.status !== 429)
          draw(
            panel,
            html`<section class="card">
              <h2>As it is understood</h2>
              <div class="note warn">${error.detail} ${error.next}</div>
            </section>`,
          );
      }
    }, 150);
  };
  form.addEventListener("compositionstart", () => (composing = true));
  form.addEventListener("compositionend", () => {
    composing = false;
    look();
  });
  form.addEventListener("input", look);
  form.addEventListener("click", (event) => {
    const example = event.target.closest("[data-example]");
    if (!example) return;
    form.elements.topic.value = example.dataset.example;
    look();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const crawl = await post("/crawls", asked(form));
      app.go(`/c/${crawl.id}/overview`);
    } catch (error) {
      draw(
        main.querySelector("[data-trouble]"),
        html`<div class="note bad">
          <b>${error.title ?? "It did not work"}.</b> ${error.message} ${error.next ?? ""}
        </div>`,
      );
    }
  });
  form.elements.topic.focus();
}
