// Topic: a histogram with a threshold to move, the words with their weights, what they change.
import { get, post, put } from "/static/api.js";
import { bar, bare, draw, html, many, number, picture, score, words } from "/static/text.js";
import { roomOf } from "/static/frame.js";
import { pair, say, told as toldEffect } from "/static/labels.js";

const wordRow = (word, most) =>
  html`<tr>
    <td>${words(word.word)}</td>
    <td>${bar(word.weight / most, "grain", "m")}</td>
    <td class="num small">${word.weight.toFixed(2)}</td>
    <td>
      <button class="btn quiet small" data-drop="${word.word}" aria-label="Without this word">
        ×
      </button>
    </td>
  </tr>`;
const wordTable = (keywords) =>
  html`<table class="bars">
    ${keywords.map((word) =>
      wordRow(word, Math.max(0.001, ...keywords.map((each) => each.weight))),
    )}
  </table>`;

function preview(told, topic) {
  const change = told.turned_in - told.turned_out;
  const judged = told.judged
    ? ` Judged anew: ${number(told.judged)} of ${number(told.of)} pages, the nearest to it first.`
    : "";
  return html`<p>
    <b class="grain">${number(told.relevant)}</b> of ${number(topic.pages)} pages would be
    relevant${
      change || told.turned_in || told.turned_out
        ? html`: <b class="yes">+${number(told.turned_in)}</b>
            <b class="no">−${number(told.turned_out)}</b>`
        : ""
    }.${judged}
    <span class="muted small">${number(told.ms)} ms</span>
  </p>`;
}
const turned = (told, threshold) =>
  html`<h2>
      Pages that change <span class="sub">${many(told.turned_in + told.turned_out, "page")}</span>
    </h2>
    <ul class="rows">
      ${told.examples.map(
        (page) =>
          html`<li>
            <span class="tag ${page.after >= threshold ? "yes" : "no"}"
              >${page.after >= threshold ? "in" : "out"}</span
            ><span class="cut">${words(page.title || bare(page.url))}</span
            ><span class="num small"
              >${
                page.before === page.after
                  ? score(page.after)
                  : `${score(page.before)} → ${score(page.after)}`
              }</span
            >${pair(page.url, null)}
          </li>`,
      )}
    </ul>
    ${
      told.examples.length
        ? ""
        : html`<p class="muted">Nothing. Move the threshold, or change a word.</p>`
    }`;

export async function show({ id, main }) {
  const width = () => roomOf(main, 8);
  const topic = await get(`/crawls/${id}/topic?width=${width()}`);
  const start = {
    relevant: topic.relevant,
    turned_in: 0,
    turned_out: 0,
    judged: 0,
    of: topic.pages,
    examples: [],
    ms: 0,
  };
  return {
    title: "Topic",
    body: html`<div class="head">
        <div>
          <h1>Topic</h1>
          <p>
            Try it here; nothing changes until you apply it. Pages are judged anew from their kept
            text: nothing is fetched.${topic.can_apply ? "" : ` ${topic.why_not}`}
          </p>
        </div>
        <span class="grow"></span><button class="btn" data-back>Reset</button
        ><button class="btn main" data-apply${topic.can_apply ? "" : html` disabled`}>
          Apply to the crawl
        </button>
      </div>
      <div class="grid">
        <div class="span-8">
          <section class="card">
            <h2>
              Threshold
              <span class="sub"
                >scores of all ${number(topic.pages)} pages; √ scale</span
              >
            </h2>
            <div data-histogram>${picture(topic.picture)}</div>
            <label class="field"
              ><span>A page is relevant from</span
              ><input
                type="range"
                min="0"
                max="1"
                step="0.01"
                value="${topic.threshold}"
                data-threshold
                aria-label="Threshold"
            /></label>
            <div data-preview>${preview(start, topic)}</div>
          </section>
          <section class="card" data-turned>${turned(start, topic.threshold)}</section>
        </div>
        <div class="span-4">
          <section class="card">
            <h2>Words <span class="sub">what the judge looks for</span></h2>
            <div data-words>${wordTable(topic.keywords)}</div>
            ${
              topic.suggestions.length
                ? html`<p class="small muted">Suggested by what was found:</p>
                    <p class="chips">
                      ${topic.suggestions.map(
                        (word) =>
                          html`<button class="chip" data-add="${word.word}">
                            + ${words(word.word)}
                          </button>`,
                      )}
                    </p>`
                : ""
            }${
              topic.spellings.length
                ? html`<p class="small muted">
                    In addresses: <code>${topic.spellings.join(" ")}</code>
                  </p>`
                : ""
            }
          </section>
          <section class="card">
            <h2>
              Your words
              <span class="sub"
                >${many(topic.said_yes + topic.said_no, "label")} in this crawl</span
              >
            </h2>
            <p>
              ${
                topic.said_yes + topic.said_no
                  ? `${number(topic.said_yes)} yes, ${number(topic.said_no)} no.
                    The judge agrees with ${number(topic.agreement)} of them.`
                  : "None yet."
              }
              Labels are lines of <code>labels.csv</code> in the crawl's folder, and are yours to
              edit.
            </p>
          </section>
        </div>
      </div>`,
    wire: (element, app) => wire(element, app, id, topic, width),
    resized: () => main.querySelector("[data-threshold]").dispatchEvent(new Event("input")),
  };
}

function wire(main, app, id, topic, width) {
  const range = main.querySelector("[data-threshold]"),
    unmoved = range.value;
  let keywords = topic.keywords;
  // a range that was not moved: the judge finds the threshold by the pages
  const chosen = () => (range.value === unmoved ? undefined : Number(range.value));
  const asked = () => ({
    threshold: chosen(),
    width: width(),
    ...(keywords === topic.keywords
      ? {}
      : { keywords: Object.fromEntries(keywords.map((word) => [word.word, word.weight])) }),
  });
  let asking = false,
    again = false;
  const look = async () => {
    // one question at a time; what moved meanwhile is asked next
    again = asking;
    if (asking) return;
    asking = true;
    try {
      const threshold = chosen() ?? topic.threshold,
        told = await post(`/crawls/${id}/topic/try`, asked());
      if (!range.isConnected) return;
      draw(main.querySelector("[data-histogram]"), picture(told.picture));
      draw(main.querySelector("[data-preview]"), preview(told, topic));
      draw(main.querySelector("[data-turned]"), turned(told, threshold));
    } catch (problem) {
      app.toast(html`${problem.message} ${problem.next ?? ""}`);
    } finally {
      asking = false;
    }
    if (again) look();
  };
  const use = (next) => {
    keywords = next;
    draw(main.querySelector("[data-words]"), wordTable(keywords));
    look();
  };
  range.addEventListener("input", look);
  main.addEventListener("click", async (event) => {
    const drop = event.target.closest("[data-drop]"),
      add = event.target.closest("[data-add]"),
      label = event.target.closest("[data-label]");
    if (drop && keywords.length > 1)
      use(keywords.filter((word) => word.word !== drop.dataset.drop));
    if (add && !keywords.some((word) => word.word === add.dataset.add))
      use([
        ...keywords,
        { word: add.dataset.add, weight: Math.max(...keywords.map((word) => word.weight)) / 2 },
      ]);
    if (event.target.closest("[data-back]")) {
      range.value = topic.threshold;
      use(topic.keywords);
    }
    if (event.target.closest("[data-apply]")) {
      try {
        const done = await put(`/crawls/${id}/topic`, asked());
        app.toast(
          html`${number(done.judged)} pages were judged anew: ${number(done.turned_in)} became
          relevant, ${number(done.turned_out)} no longer are. The crawl goes on by it when it is
          resumed.`,
        );
        app.go(location.pathname);
      } catch (problem) {
        app.toast(html`${problem.message} ${problem.next ?? ""}`);
      }
    }
    if (label) {
      const effect = await say(id, label.dataset.url, label.dataset.label);
      app.toast(toldEffect(effect, label.dataset.label), () => say(id, label.dataset.url, null));
      label.setAttribute("aria-pressed", "true");
    }
  });
}
