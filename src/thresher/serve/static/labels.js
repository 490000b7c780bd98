// Yes and no: buttons, keys, and what came of it in a sentence.
import { post } from "/static/api.js";
import { html, many } from "/static/text.js";
import { key } from "/static/frame.js";

export const pair = (url, label) =>
  html`<span class="pair"
    ><button
      class="btn y"
      data-label="yes"
      data-url="${url}"
      aria-pressed="${label === true}"
      aria-label="Yes, this is what I want"
    >
      Y</button
    ><button
      class="btn n"
      data-label="no"
      data-url="${url}"
      aria-pressed="${label === false}"
      aria-label="No, not what I want"
    >
      N
    </button></span
  >`;

export const say = (crawl, url, label) => post(`/crawls/${crawl}/labels`, { url, label });

/** The effect of a label, as a sentence. */
export function told(effect, label) {
  const turned = effect.turned_in
    ? "It counts as relevant now."
    : effect.turned_out
      ? "It no longer counts as relevant."
      : "It counts as before.";
  const learned =
    effect.needs ||
    `The crawl learns from ${many(effect.said_yes, "yes", "yes")} and ${effect.said_no} no: ` +
      "what waits is ordered anew.";
  return label === null
    ? html`Taken back. ${turned}`
    : html`You said <b class="${label}">${label}</b>. ${turned} ${learned}
        <button class="btn quiet small" data-label="null">Undo ${key("U")}</button>`;
}
