// A topic as it is understood: what a page must speak of, what counts a little, and the command.
import { bar, html, words } from "/static/text.js";

const most = (near) => Math.max(...near.map((each) => each.weight));
export const understood = (told) =>
  html`<section class="card">
      <h2>As it is understood</h2>
      ${told.wanted.map(
        (phrases, place) =>
          html`<p>
            ${place ? "and also " : "Pages that speak of "}${phrases.map(
              (phrase, number) => html`${number ? " or " : ""}<b>${words(phrase)}</b>`,
            )}
          </p>`,
      )}
      ${
        told.excluded.length
          ? html`<p>but not of ${told.excluded.map((phrase) => html`<b>${words(phrase)}</b> `)}</p>`
          : ""
      }
      ${
        told.near.length
          ? html`<h3>Near in meaning <span class="sub">they count a little</span></h3>
              <table class="bars">
                ${told.near.slice(0, 12).map(
                  (near) =>
                    html`<tr>
                      <td>${words(near.word)}</td>
                      <td>${bar(near.weight / most(told.near), "grain", "m")}</td>
                      <td class="num small">${near.weight.toFixed(2)}</td>
                    </tr>`,
                )}
              </table>`
          : ""
      }
      <p class="small muted">
        Looked for in addresses:
        ${told.spellings.length ? html`<code>${told.spellings.join(" ")}</code>` : "nothing"}
      </p>
      ${
        told.nodes.length
          ? html`<p class="small muted">The taxonomy has ${told.nodes.join("; ")}.</p>`
          : ""
      }
    </section>
    ${told.warnings
      .concat(told.bad_seeds)
      .map((warning) => html`<div class="note warn">${warning}</div>`)}
    <section class="card">
      <h2>The same in a terminal</h2>
      <pre>${told.command}</pre>
    </section>`;
