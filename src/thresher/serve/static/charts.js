// Six pictures as SVG: no style attribute, no script; each has a title that says the same in words.
import { html, number, percent, score, shortHost } from "/static/text.js";

const step = (end, most) => {
  for (let unit = 1e-6; ; unit *= 10) for (const by of [1, 2, 5]) if (end / (unit * by) <= most) return unit * by;
};
const ticks = (end, most) => {
  const by = Math.max(step(end, most), 1);
  return Array.from({ length: Math.floor(end / by + 1e-9) + 1 }, (_, place) => place * by);
};
const path = (points) => points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** Curves of relevant pages by pages fetched, with a fan for what is ahead. */
export function curve({ lines, forecast, width, height = 290, title }) {
  const narrow = width < 520;
  const longest = Math.max(...lines.map((line) => `${line.points.at(-1)[1]} ${line.label ?? ""}`.length));
  const left = 44, right = narrow ? 14 : Math.max(forecast ? 96 : 60, 12 + 6.6 * (forecast ? 0 : longest)), top = 20, bottom = 40;
  const own = lines[0].points, [pages, found] = own[own.length - 1];
  const ahead = forecast ? Math.min(forecast.downloads, Math.max(60, pages * 2)) : 0;
  const share = forecast ? ahead / forecast.downloads : 0;
  const end = Math.max(1, ...lines.map((line) => line.points.at(-1)[0])) + ahead;
  const ceiling = Math.max(1, found + (forecast ? forecast.high * share : 0), ...lines.map((line) => line.points.at(-1)[1]));
  const ups = ticks(ceiling * 1.08, 5), most = Math.max(ceiling * 1.08, ups.at(-1));
  const X = (x) => left + ((width - left - right) * x) / end;
  const Y = (y) => height - bottom - ((height - top - bottom) * y) / most;
  const placed = (points) => points.map(([x, y]) => [X(x), Y(y)]);
  const fan = forecast && [[pages, found], [pages + ahead, found + forecast.high * share], [pages + ahead, found + forecast.low * share]];
  const named = lines.map((line) => ({ ...line, at: line.points.at(-1) })).sort((a, b) => b.at[1] - a.at[1]);
  let below = -99;
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${title}</title>
  ${ups.map((y) => html`<line class="rule" x1="${left}" x2="${width - right}" y1="${Y(y)}" y2="${Y(y)}"/><text x="${left - 7}" y="${Y(y) + 4}" text-anchor="end">${number(y)}</text>`)}
  ${ticks(end, narrow ? 3 : 5).map((x) => html`<text x="${X(x)}" y="${height - bottom + 18}" text-anchor="middle">${number(x)}</text>`)}
  <text x="${width - right}" y="${height - 6}" text-anchor="end">pages fetched</text>
  ${fan && html`<path class="fan" d="${path(placed(fan))}Z"/><path class="ahead" d="${path(placed([[pages, found], [pages + ahead, found + forecast.relevant * share]]))}"/>`}
  <path class="area" d="${path(placed([[0, 0], ...own, [pages, 0]]))}Z"/>
  ${lines.map((line, place) => html`<path class="line line-${place}" d="${path(placed(line.points))}"/>`)}
  <circle class="dot" cx="${X(pages)}" cy="${Y(found)}" r="4"/>
  ${named.map((line) => { const y = Math.max(Y(line.at[1]) + 4, below + 14); below = y; const inside = X(line.at[0]) > width - right - 4 && narrow; return html`<text class="name" x="${X(line.at[0]) + (inside ? -6 : 8)}" y="${inside ? y - 8 : y}" text-anchor="${inside ? "end" : "start"}">${number(line.at[1])}${line.label ? ` ${line.label}` : ""}</text>`; })}
  ${fan && !narrow && html`<text class="name" x="${X(pages + ahead) + 6}" y="${Y(found + forecast.relevant * share) + 4}">+${number(forecast.relevant * share)}</text>`}
  </svg>`;
}

/** Found so far, small enough for a row. */
export function spark(rates, width = 120, height = 30) {
  let total = 0;
  const sums = [0, ...rates.map((rate) => (total += rate))];
  if (total === 0) return html`<svg class="spark" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true"><line class="rule" x1="0" x2="${width}" y1="${height - 2}" y2="${height - 2}"/></svg>`;
  const points = sums.map((sum, place) => [(width * place) / (sums.length - 1), height - 2 - ((height - 5) * sum) / total]);
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true"><path class="area" d="${path([[0, height - 2], ...points, [width, height - 2]])}Z"/><path class="line line-0" d="${path(points)}"/></svg>`;
}

/** A share of a whole as a bar. */
export const bar = (share, kind = "grain", width = 60) => html`<svg class="bar" viewBox="0 0 ${width} 7" width="${width}" height="7" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="${width}" height="7" rx="1"/><rect class="${kind}" width="${Math.max(0, Math.min(1, share)) * width}" height="7" rx="1"/></svg>`;

/** Pages by relevance, with the threshold and what would turn. */
export function histogram(columns, threshold, before, width, height = 200) {
  const most = Math.sqrt(Math.max(1, ...columns)), left = 8, bottom = 24, top = 22;
  const X = (share) => left + (width - 2 * left) * share;
  const wide = (width - 2 * left) / columns.length;
  const kind = (place) => {
    const middle = (place + 0.5) / columns.length;
    if (middle >= threshold && middle < before) return "yes";
    if (middle < threshold && middle >= before) return "no";
    return middle >= threshold ? "grain" : "dull";
  };
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>Pages by their score; the threshold stands at ${score(threshold)}</title>
  ${columns.map((count, place) => { const tall = count ? Math.max(2, ((height - bottom - top) * Math.sqrt(count)) / most) : 0; return html`<rect class="${kind(place)}" x="${X(place / columns.length) + 0.5}" y="${height - bottom - tall}" width="${Math.max(1, wide - 1.5)}" height="${tall}" rx="1"/>`; })}
  <line class="axis" x1="${left}" x2="${width - left}" y1="${height - bottom}" y2="${height - bottom}"/>
  ${[0, 0.25, 0.5, 0.75, 1].map((share) => html`<text x="${X(share)}" y="${height - 6}" text-anchor="middle">${share}</text>`)}
  <line class="threshold" x1="${X(threshold)}" x2="${X(threshold)}" y1="${top - 6}" y2="${height - bottom}"/><text class="name" x="${X(threshold)}" y="12" text-anchor="middle">${score(threshold)}</text></svg>`;
}

/** The way from a seed: right is a link, up is relevance. */
export function climb(way, threshold, width, height = 300) {
  const narrow = width < 560, left = 40, right = 46, top = 30, bottom = 74;
  const X = (place) => left + 34 + ((width - left - right - 34) * place) / Math.max(1, way.length - 1);
  const Y = (value) => height - bottom - (height - top - bottom) * value;
  const curved = way.map((each, place) => {
    if (!place) return `M${X(0)} ${Y(each.relevance)}`;
    const half = (X(place) - X(place - 1)) / 2;
    return `C${X(place - 1) + half} ${Y(way[place - 1].relevance)} ${X(place) - half} ${Y(each.relevance)} ${X(place)} ${Y(each.relevance)}`;
  }).join("");
  const label = (each) => { const name = shortHost(each.host); return name.length > 18 ? `${name.slice(0, 17)}…` : name; };
  const every = Math.max(1, Math.ceil(way.length / (narrow ? 4 : 9)));
  return html`<svg class="chart climb" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${way.length - 1} links from the seed; the last page scores ${score(way.at(-1).relevance)}</title>
  ${[0, 1].map((value) => html`<text x="${left - 8}" y="${Y(value) + 4}" text-anchor="end">${value}</text>`)}
  <line class="rule dashed" x1="${left}" x2="${width - 10}" y1="${Y(threshold)}" y2="${Y(threshold)}"/><text x="${left - 8}" y="${Y(threshold) + 4}" text-anchor="end">${threshold}</text>
  <path class="way" d="${curved}"/>
  ${way.map((each, place) => html`<circle class="step${each.relevance >= threshold ? " hit" : ""}${place === way.length - 1 ? " last" : ""}" cx="${X(place)}" cy="${Y(each.relevance)}" r="${place === way.length - 1 ? 9 : 6.5}"/>
  ${(place % every === 0 && (place === 0 || way.length - 1 - place >= every)) || place === way.length - 1 ? html`<text class="name" x="${X(place)}" y="${Y(each.relevance) - 15}" text-anchor="middle">${score(each.relevance)}</text>${narrow && place && place < way.length - 1 ? "" : html`<text x="${X(place)}" y="${height - bottom + 26 + (narrow ? 0 : (place % 2) * 17)}" text-anchor="${narrow && place ? "end" : "middle"}">${label(each)}</text>`}` : ""}`)}
  <text x="${X(0)}" y="${height - 4}" text-anchor="middle">seed</text></svg>`;
}

/** Changes by day: news, and what is none, above it. */
export function days(counts, width, height = 84) {
  const most = Math.max(1, ...counts.map((day) => day.news + day.other)), bottom = 20;
  const wide = Math.min(70, width / Math.max(1, counts.length));
  const tall = (count) => ((height - bottom - 6) * count) / most;
  const every = Math.ceil(46 / wide);
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>Changes by day</title>
  ${counts.map((day, place) => html`<rect class="grain" x="${place * wide + 1}" y="${height - bottom - tall(day.news)}" width="${wide - 3}" height="${tall(day.news)}" rx="1"/><rect class="dull" x="${place * wide + 1}" y="${height - bottom - tall(day.news + day.other)}" width="${wide - 3}" height="${Math.max(0, tall(day.other) - 1)}" rx="1"/>${place % every === 0 ? html`<text x="${place * wide + wide / 2}" y="${height - 5}" text-anchor="middle">${day.day.slice(5)}</text>` : ""}`)}</svg>`;
}

export const share = percent;
