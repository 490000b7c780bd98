// Keys: those of every screen, those of the screen that is shown, and the switch of light and dark.
import { keyList } from "/static/frame.js";
import { draw, html } from "/static/text.js";

export function theme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("thresher-theme", document.documentElement.dataset.theme);
}

export function showKeys() {
  const dialog = document.getElementById("keys");
  draw(dialog, keyList());
  dialog.showModal();
}

let going = false;
const GO = {
  o: "overview",
  p: "pages",
  c: "changes",
  h: "hosts",
  t: "topic",
  e: "exports",
  w: "why",
};
/** Act on keys: what `state()` says of the screen comes before the keys of every screen. */
export function listenToKeys(app, state) {
  document.addEventListener("keydown", (event) => press(event, app, state()));
}

function press(event, app, { id, keymap, takeBack }) {
  if (event.isComposing || event.metaKey || event.ctrlKey || event.altKey) return;
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "Escape" && typing) {
    typing.blur();
    return;
  }
  if (typing || document.querySelector("dialog[open]")) return;
  const pressed = event.key.toLowerCase();
  if (going) {
    going = false;
    if (pressed === "a") app.go("/", { moved: true });
    if (id && GO[pressed]) app.go(`/c/${id}/${GO[pressed]}`, { moved: true });
    return;
  }
  const own = {
    "/": () =>
      (
        document.querySelector("[data-find-here] input") ??
        document.querySelector("[data-find] input")
      )?.focus(),
    "?": showKeys,
    g: () => {
      going = true;
      setTimeout(() => (going = false), 1500);
    },
  };
  const act = keymap[pressed] ?? own[event.key] ?? own[pressed];
  if (!act) {
    if (pressed === "u") takeBack();
    return;
  }
  event.preventDefault();
  Promise.resolve(act()).catch((problem) =>
    app.toast(html`${problem.message} ${problem.next ?? ""}`),
  );
}
