// Compare: curves together, what all found, what only one did, and by host.
import { get, query } from "/static/api.js";
import { bar, bare, draw, html, number, percent, picture, score, words } from "/static/text.js";
import { roomOf, said } from "/static/frame.js";

/** Two crawls of one topic, of the one that was named; no two if there are none. */
function alike(crawls, [id]) {
  const named = crawls.filter((crawl) => !id || crawl.id === id);
  const pairs = named.map((crawl) => [
    crawl.id,
    ...crawls.filter((each) => each.id !== crawl.id && each.name === crawl.name).map((e) => e.id),
  ]);
  return (pairs.find((pair) => pair.length > 1) ?? (id ? [id] : [])).slice(0, 2);
}

export async function show({ params, main }) {
  const { items } = await get("/crawls");
  const readable = items.filter((crawl) => !crawl.problem);
  const given = (params.get("ids") ?? "").split(",").filter(Boolean);
  const ids = given.length > 1 ? given : alike(readable, given);
  const choose = html`<section class="card">
    <h2>Crawls <span class="sub">choose two to six</span></h2>
    <p class="chips">
      ${readable.map((crawl) => {
        const chosen = ids.includes(crawl.id);
        const next = chosen ? ids.filter((id) => id !== crawl.id) : [...ids, crawl.id];
        return html`<a
          class="chip"
          href="/compare${query({ ids: next.join(",") })}"
          ${chosen ? html` aria-current="true"` : ""}
          >${chosen ? "" : "+ "}${crawl.id}</a
        >`;
      })}
    </p>
  </section>`;
  if (ids.length < 2)
    return {
      title: "Compare",
      body: html`<div class="head">
          <div>
            <h1>Compare</h1>
            <p>It takes two crawls, best of one topic from the same seeds.</p>
          </div>
        </div>
        ${choose}`,
    };
  const ask = () => get(`/compare${query({ ids: ids.join(","), width: roomOf(main, 8) })}`);
  const told = await ask();
  const sides = [...told.sides].sort((a, b) => b.crawl.relevant - a.crawl.relevant);
  const [best, worst] = [sides[0].crawl, sides.at(-1).crawl];
  const fair = best.pages === worst.pages && worst.relevant > 0 && best.relevant > worst.relevant;
  const lede = fair
    ? `${best.id} found ${(best.relevant / worst.relevant).toFixed(1)} times as many ` +
      `relevant pages as ${worst.id} in the same ${number(best.pages)} pages: ` +
      `${number(best.relevant)} against ${number(worst.relevant)}.`
    : sides
        .map(
          (side) =>
            `${side.crawl.id}: ${number(side.crawl.relevant)} of ` +
            `${number(side.crawl.pages)} pages relevant`,
        )
        .join("; ") + ".";
  const whom = [
    ...sides.map((side, place) => [`only ${side.crawl.id}`, side.only, place ? "dull" : "grain"]),
    [sides.length > 2 ? "all of them" : "both", told.shared, "teal"],
  ];
  return {
    title: "Compare",
    body: html`<div class="head">
        <div>
          <h1>Compare</h1>
          <p>${lede}</p>
        </div>
      </div>
      ${choose}
      <div class="grid">
        <section class="card span-8" data-curve>
          <h2>Relevant pages found</h2>
          <div class="chartbox">${picture(told.picture)}</div>
        </section>
        <section class="card span-4">
          <h2>
            Found by whom
            <span class="sub">relevant addresses${told.is_estimate ? ", about" : ""}</span>
          </h2>
          <table class="bars">
            ${whom.map(
              ([name, count, kind]) =>
                html`<tr>
                  <td class="cut" title="${name}">${name}</td>
                  <td>${bar(count / Math.max(1, told.union), kind)}</td>
                  <td class="num">${number(count)}</td>
                </tr>`,
            )}
          </table>
        </section>
        <section class="card span-12">
          <table class="list">
            <thead>
              <tr>
                <th>crawl</th>
                <th class="num">relevant</th>
                <th class="num">pages</th>
                <th class="num">harvest</th>
                <th class="num">hosts</th>
                <th class="hide">state</th>
              </tr>
            </thead>
            <tbody>
              ${sides.map(
                ({ crawl }) =>
                  html`<tr>
                    <td class="nowrap"><a href="/c/${crawl.id}/overview">${crawl.id}</a></td>
                    <td class="num grain strong" data-name="relevant">${number(crawl.relevant)}</td>
                    <td class="num" data-name="pages">${number(crawl.pages)}</td>
                    <td class="num" data-name="harvest">${percent(crawl.harvest)}</td>
                    <td class="num" data-name="hosts">${number(crawl.hosts)}</td>
                    <td class="hide" data-name="state">${said(crawl)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </section>
        <section class="card span-6">
          <h2>Where they differ <span class="sub">relevant pages by host</span></h2>
          <table class="list">
            <thead>
              <tr>
                <th>host</th>
                ${told.sides.map((side) => html`<th class="num">${side.crawl.id}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${told.hosts.map(
                (host) =>
                  html`<tr>
                    <td>${words(bare(host.host))}</td>
                    ${host.counts.map((count) => html`<td class="num">${number(count)}</td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>
        </section>
        <section class="card span-6">
          <h2>Found by one alone <span class="sub">the best of them</span></h2>
          <ul class="rows">
            ${told.missed.map(
              (page) =>
                html`<li>
                  <span class="num grain">${score(page.relevance)}</span
                  ><span class="cut"
                    ><a href="/c/${page.crawl}/pages?sel=${page.key}"
                      >${words(page.title || bare(page.url))}</a
                    ></span
                  ><span class="small muted">${page.crawl}</span>
                </li>`,
            )}
          </ul>
        </section>
      </div>`,
    resized: async () => draw(main.querySelector(".chartbox"), picture((await ask()).picture)),
  };
}
