// Exports: files for other programs, made one at a time, with the command that makes the same.
import { download, get, post } from "/static/api.js";
import { ago, draw, html, size } from "/static/text.js";
import { icon } from "/static/frame.js";

const file = (item, id) =>
  html`<tr>
    <td class="mono">${item.name}</td>
    <td data-name="format">${item.format}</td>
    <td class="num" data-name="size">${item.state === "ready" ? size(item.size) : ""}</td>
    <td class="small muted" data-name="made">
      ${
        item.state === "ready"
          ? ago(item.made_at)
          : item.state === "making"
            ? "being made …"
            : item.sentence
      }
    </td>
    <td>
      ${
        item.state === "ready"
          ? html`<button class="btn" data-file="${item.name}">
              ${icon("exports", 14)}Download
            </button>`
          : ""
      }
    </td>
  </tr>`;
const files = (told, id) =>
  told.items.length
    ? html`<table class="list files">
        <thead>
          <tr>
            <th>file</th>
            <th>format</th>
            <th class="num">size</th>
            <th>made</th>
            <th><span class="vh">download</span></th>
          </tr>
        </thead>
        <tbody>
          ${told.items.map((item) => file(item, id))}
        </tbody>
      </table>`
    : html`<p class="nothing">No file was made yet.</p>`;

export async function show({ id }) {
  const told = await get(`/crawls/${id}/exports`);
  return {
    title: "Exports",
    body: html`<div class="head">
        <div>
          <h1>Exports</h1>
          <p>A file appears when it is whole. The crawl may be running meanwhile.</p>
        </div>
      </div>
      <div class="grid">
        ${told.formats.map(
          (form) =>
            html`<section class="card span-4 format">
              <h2>${form.sentence.split(": ")[0]} <span class="sub">${form.ending}</span></h2>
              <p>${form.sentence.slice(form.sentence.indexOf(": ") + 2)}</p>
              <p>
                <button class="btn main" data-make="${form.name}" data-relevant="yes">
                  Relevant pages
                </button>
                <button class="btn" data-make="${form.name}">All pages</button>
              </p>
            </section>`,
        )}
        <section class="card span-12">
          <h2>Files <span class="sub">in the crawl's folder, under exports</span></h2>
          <div data-files>${files(told, id)}</div>
        </section>
        <section class="card span-12">
          <h2>The same in a terminal</h2>
          <pre>${told.command}</pre>
        </section>
      </div>`,
    wire: (main, app) =>
      main.addEventListener("click", async (event) => {
        const make = event.target.closest("[data-make]"),
          wanted = event.target.closest("[data-file]");
        try {
          if (wanted)
            await download(`/crawls/${id}/exports/${wanted.dataset.file}`, wanted.dataset.file);
          if (!make) return;
          await post(`/crawls/${id}/exports`, {
            format: make.dataset.make,
            relevant: Boolean(make.dataset.relevant),
          });
          for (let more = true; more && main.isConnected;) {
            const now = await get(`/crawls/${id}/exports`),
              place = main.querySelector("[data-files]");
            if (!place) return;
            draw(place, files(now, id));
            more = now.items.some((item) => item.state === "making");
            if (more) await new Promise((done) => setTimeout(done, 500));
          }
        } catch (problem) {
          app.toast(html`${problem.message} ${problem.next ?? ""}`);
        }
      }),
  };
}
