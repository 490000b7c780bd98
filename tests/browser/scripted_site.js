// The client of the site: it looks where it is, and shows that.
const app = document.getElementById("app");
const link = (path) => `<p><a href="${path}">about ${path}</a></p>`;
const count = (most, name) => Array.from({ length: most }, (_, at) => link(`/${name}/${at + 1}`)).join("");
const api = (path) => fetch("/api" + path).then((answer) => answer.json());

async function article(path) {
  app.innerHTML = "<p>Loading</p>";
  const { title, text } = await api(path);
  document.title = title;
  app.innerHTML = `<h1>${title}</h1><p>${text}</p>`;
}

function home() {
  app.innerHTML = "<h1>The hive</h1>" + link("/route/1") + link("/lazy") + link("/shadow") + link("/scroll")
    + count(8, "fetched");
}

function route(number) {
  const what = ["honey", "wax", "smoke", "pollen", "queens", "drones", "swarms", "frames", "combs"][number];
  const words = `Of ${what} a beekeeper knows everything, and how ${what} are kept in the hive ${number}. `.repeat(8);
  app.innerHTML = `<h1>Route ${number}</h1><p>${words}</p>`;
  if (number < 8) app.innerHTML += link(`/route/${number + 1}`);
}

function lazy() {
  app.innerHTML = Array.from({ length: 10 }, (_, at) => `<div class=row data-n=${at + 1} style="height:900px"></div>`).join("");
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || target.dataset.done) continue;
      target.dataset.done = 1;
      api(`/row/${target.dataset.n}`).then(({ text }) => {
        target.innerHTML = `<p>${text}</p>` + link(`/lazy/${target.dataset.n}`);
      });
    }
  });
  document.querySelectorAll(".row").forEach((row) => seen.observe(row));
}

class Hive extends HTMLElement {
  connectedCallback() {
    const words = "Drones, workers and the queen of the bees live in the hive. ".repeat(6);
    this.attachShadow({ mode: "closed" }).innerHTML = `<h1>Inside</h1><p>${words}</p><slot></slot>` + count(5, "shadow");
  }
}

function shadow() {
  customElements.define("bee-hive", Hive);
  app.innerHTML = "<bee-hive><em>A queen in the light</em></bee-hive>";
}

function scroll() {
  let from = 0, busy = false;
  const more = async () => {
    if (busy) return;
    busy = true;
    const rows = await api(`/scroll?from=${from}`);
    from += rows.length;
    for (const path of rows) app.insertAdjacentHTML("beforeend", `<div style="height:700px">${link(path)}</div>`);
    busy = rows.length === 0;
  };
  more();
  addEventListener("scroll", () => {
    if (innerHeight + scrollY >= document.documentElement.scrollHeight - 100) more();
  });
}

const path = location.pathname;
const rooms = { "/": home, "/lazy": lazy, "/shadow": shadow, "/scroll": scroll };
if (rooms[path]) rooms[path]();
else if (path.startsWith("/route/")) route(Number(path.slice(7)));
else article(path);
