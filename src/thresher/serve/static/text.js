// Text from outside becomes harmless here, by construction: `html` escapes every value it is given.

const ODD = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f" +
    "\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]|[\\u{e0000}-\\u{e007f}]",
  "gu",
);
const PILE = /(\p{M}{2})\p{M}+/gu;
const ENTITY = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const code = (letter) => `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
const plain = (value) => String(value).replace(PILE, "$1");
const escape = (text) => text.replace(/[&<>"']/g, (sign) => ENTITY[sign]);

/** Markup that may be drawn; only `html` makes it. */
export class Html {
  #markup;
  constructor(markup) {
    this.#markup = markup;
  }
  toString() {
    return this.#markup;
  }
}

const inAttribute = /<[^<>]*="[^"<>]*$/;
const asText = (value) =>
  escape(plain(value)).replace(ODD, (letter) => `<span class="odd">${code(letter)}</span>`);
const asAttribute = (value) => escape(plain(value).replace(ODD, (letter) => `[${code(letter)}]`));

function shown(value, quoted) {
  if (value instanceof Html) return String(value);
  if (Array.isArray(value)) return value.map((each) => shown(each, quoted)).join("");
  if (value === null || value === undefined || value === false) return "";
  return quoted ? asAttribute(value) : asText(value);
}

/** Tag of template strings: values between the pieces are escaped, as text or as an attribute. */
export function html(pieces, ...values) {
  let written = "",
    out = "";
  pieces.forEach((piece, place) => {
    written += piece;
    out += piece;
    if (place < values.length) out += shown(values[place], inAttribute.test(written));
  });
  return new Html(out);
}

/** Draws markup into an element: the only place that does. */
export function draw(element, markup) {
  if (!(markup instanceof Html)) throw new TypeError("only what html`` made is drawn");
  element.innerHTML = String(markup);
}

export const NONE = html``;

const SHAPES = new Set([
  "svg",
  "title",
  "text",
  "line",
  "polyline",
  "polygon",
  "path",
  "rect",
  "circle",
]);
const ACTIVE = /^on|href|style|src/i;
/** A picture that the server drew: shapes and words, and nothing else. */
export function picture(markup) {
  const drawn = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
  const isPlain = (part) =>
    SHAPES.has(part.localName) && [...part.attributes].every(({ name }) => !ACTIVE.test(name));
  return [drawn, ...drawn.querySelectorAll("*")].every(isPlain)
    ? new Html(new XMLSerializer().serializeToString(drawn))
    : NONE;
}

/** A share of a whole as a bar; the number stands beside it. */
export const bar = (share, kind = "grain", wide = "") =>
  html`<meter
    class="bar ${kind} ${wide}"
    min="0"
    max="1"
    value="${Math.max(0, Math.min(1, share)).toFixed(4)}"
    aria-hidden="true"
  ></meter>`;

export const number = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u00a0%`;
export const many = (count, one, more = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : more}`;
export const score = (value) => value.toFixed(2);
export const cut = (text, most = 300) =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

export function size(bytes) {
  let amount = bytes;
  for (const unit of ["bytes", "kB", "MB", "GB"]) {
    if (amount < 1000) return `${unit === "bytes" ? amount : amount.toFixed(1)} ${unit}`;
    amount /= 1000;
  }
  return `${amount.toFixed(1)} TB`;
}

export function ago(moment) {
  if (!moment) return "not yet";
  const seconds = (Date.now() - Date.parse(moment)) / 1000;
  if (seconds < 0 || seconds > 86400 * 30) return moment.slice(0, 10);
  if (seconds < 5) return "now";
  if (seconds < 90) return `${Math.round(seconds)} seconds ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes ago`;
  return seconds < 129600
    ? `${Math.round(seconds / 3600)} hours ago`
    : `${Math.round(seconds / 86400)} days ago`;
}

export const shortTime = (moment) => moment.slice(5, 16).replace("T", " ");
export const bare = (url) => url.replace(/^https?:\/\//, "");
export const hostOf = (url) => bare(url).split("/")[0];
/** A host by the name people call it; an address of numbers has none. */
export const shortHost = (url) => {
  const name = hostOf(url)
    .replace(/:\d+$/, "")
    .replace(/^www\./, "");
  return /^[\d.]+$/.test(name) ? name : name.split(".")[0];
};

/** Pieces that come plain, marked, plain, marked … */
export const marks = (pieces) =>
  pieces.map((piece, place) => (place % 2 ? html`<mark>${piece}</mark>` : html`${piece}`));

const HAN = /[\u3400-\u9fff]/g;
export const langOf = (text) =>
  (text.match(HAN) || []).length * 4 > text.length * 0.4 ? "zh" : "en";

/** Foreign words in an element of their own: their language, their direction, nobody else's. */
export const words = (text, kind = "") =>
  html`<bdi class="${kind}" lang="${langOf(text)}" dir="auto">${cut(text)}</bdi>`;
