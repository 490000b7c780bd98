// One way to the server: the token goes with every request in a header, and is nowhere else.

const KEPT = "thresher-token";

/** Takes the token out of the address, where nobody else may find it. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return;
  localStorage.setItem(KEPT, given);
  history.replaceState(null, "", location.pathname + location.search);
}

/** What the server says went wrong: what happened, what is safe, what to do. */
export class Problem extends Error {
  constructor(document) {
    super(document.detail);
    Object.assign(this, document);
  }
}

const headers = (more) => ({
  Authorization: `Bearer ${localStorage.getItem(KEPT) ?? ""}`,
  ...more,
});
const LOST = {
  status: 0,
  title: "The server does not answer",
  detail: "It was ended, or this machine sleeps.",
  safe: "Crawls are processes of their own and go on.",
  next: "Run 'thresher serve' again and open the address it prints.",
};

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(`/api/v1${path}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(LOST);
  }
  if (answer.ok) return answer;
  throw new Problem(
    await answer
      .json()
      .catch(() => ({ ...LOST, status: answer.status, title: `Status ${answer.status}` })),
  );
}

export const get = async (path, signal) => (await ask(path, { headers: headers(), signal })).json();

export const post = (path, body) => change("POST", path, body);
export const put = (path, body) => change("PUT", path, body);

async function change(method, path, body) {
  const options = {
    method,
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body),
  };
  return (await ask(path, options)).json();
}

/** Downloads a file: a link could not send the token. */
export async function download(path, name) {
  const file = URL.createObjectURL(await (await ask(path, { headers: headers() })).blob());
  const link = Object.assign(document.createElement("a"), { href: file, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(file), 10_000);
}

export const query = (values) => {
  const given = Object.entries(values).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined && value !== false,
  );
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Follow the events of one crawl or of all until stopped; goes on where a connection was cut. */
export function follow(crawl, told, lost) {
  const ending = new AbortController();
  let last = "",
    tries = 0;
  (async () => {
    while (!ending.signal.aborted) {
      try {
        const answer = await ask(`/events${query({ crawl })}`, {
          headers: headers(last ? { "Last-Event-ID": last } : {}),
          signal: ending.signal,
        });
        if (tries) lost(null);
        tries = 0;
        for await (const event of events(answer.body)) {
          last = event.id || last;
          told(event.name, event.body);
        }
      } catch (error) {
        if (ending.signal.aborted) return;
        if (
          error instanceof Problem &&
          error.status >= 400 &&
          error.status < 500 &&
          error.status !== 429
        )
          return lost(error, 0);
      }
      if (ending.signal.aborted) return;
      tries += 1;
      const pause = Math.min(8, tries);
      lost(new Problem(LOST), pause);
      await wait(1000 * pause);
    }
  })();
  return () => ending.abort();
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      if (fields.data) yield { name: fields.event, id: fields.id, body: JSON.parse(fields.data) };
    }
  }
}
