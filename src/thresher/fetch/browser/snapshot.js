// A page as its reader sees it, as plain HTML: shadow roots are part of it, scripts and styles are not.
// Lives in a world of its own, which the scripts of the page cannot reach.
globalThis.reader = {
  changed: performance.now(),

  // Begins to note when the page changes.
  watch() {
    const note = () => {
      this.changed = performance.now();
    };
    new MutationObserver(note).observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  },

  // Seconds since the page changed, and whether it shows as good as nothing.
  rest() {
    const shown = document.body ? document.body.innerText.length : 0;
    const hosts =
      shown < 200 && [...document.querySelectorAll("*")].some((each) => each.shadowRoot);
    return [(performance.now() - this.changed) / 1000, shown < 200 && !hosts];
  },

  // Scrolls everything that scrolls to its end, and says whether anything moved.
  scroll() {
    const root = document.scrollingElement || document.documentElement;
    const before = root ? root.scrollTop : 0;
    let moved = false;
    if (root) window.scrollTo(0, root.scrollHeight);
    for (const each of document.querySelectorAll("main, section, div, ul, ol, table")) {
      if (each.scrollHeight <= each.clientHeight + 50 || each.clientHeight < 100) continue;
      const place = each.scrollTop;
      each.scrollTop = each.scrollHeight;
      moved = moved || each.scrollTop !== place;
    }
    return moved || (root ? root.scrollTop !== before : false);
  },

  document(most) {
    const left_out = new Set([
      "script",
      "style",
      "template",
      "noscript",
      "iframe",
      "object",
      "embed",
    ]);
    const empty = new Set(
      "area base br col embed hr img input link meta param source track wbr".split(" "),
    );
    const escaped = (text) =>
      text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    const out = ["<!doctype html>"];
    let length = 0;
    const put = (text) => {
      out.push(text);
      length += text.length;
    };
    const inside = (node) => {
      if (node.shadowRoot) return node.shadowRoot.childNodes;
      if (node.localName === "slot" && node.assignedNodes().length) return node.assignedNodes();
      return node.childNodes;
    };
    const open = (node) => {
      let tag = "<" + node.localName;
      for (const each of node.attributes)
        if (/^[a-z][a-z0-9-]*$/.test(each.name) && !each.name.startsWith("on"))
          tag += ` ${each.name}="${escaped(each.value).replace(/"/g, "&quot;")}"`;
      put(tag + ">");
    };
    const waiting = [document.documentElement];
    while (waiting.length && length < most) {
      const node = waiting.pop();
      if (typeof node === "string") put(node);
      else if (node.nodeType === 3) put(escaped(node.data));
      else if (
        node.nodeType === 1 &&
        !left_out.has(node.localName) &&
        /^[a-z][a-z0-9-]*$/.test(node.localName)
      ) {
        open(node);
        if (empty.has(node.localName)) continue;
        waiting.push(`</${node.localName}>`);
        const children = inside(node);
        for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at]);
      }
    }
    for (const rest of waiting.reverse()) if (typeof rest === "string") out.push(rest);
    return out.join("").toWellFormed();
  },
};
reader.watch();
