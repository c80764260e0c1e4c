// Documents in panes of their own: text as text, HTML rebuilt from what the service has made safe.

import { isAligned, make, outside, verbatim } from "../shared/elements.js";
import { mark } from "./term_highlighter.js";

const CHUNK = 4_000;
const AHEAD = "600px";

// The service has sanitised; this is the second lock. Whatever is not here is shown as its text.
const TAGS = new Set(
  ("ABBR ARTICLE ASIDE B BDI BDO BLOCKQUOTE BR CAPTION CENTER CITE CODE COL COLGROUP DD DEL DETAILS DFN DIV" +
    " DL DT EM FIGCAPTION FIGURE FOOTER H1 H2 H3 H4 H5 H6 HEADER HR I INS KBD LI MAIN MARK NAV OL P PRE" +
    " Q RP RT RUBY S SAMP SECTION SMALL SPAN STRIKE STRONG SUB SUMMARY SUP TABLE TBODY TD TFOOT TH THEAD" +
    " TIME TR TT U UL VAR WBR").split(" "),
);
// Landmarks and headings of a document are not those of the page.
const PLAIN = new Map(
  Object.entries({ MAIN: "DIV", NAV: "DIV", HEADER: "DIV", FOOTER: "DIV", ASIDE: "DIV", H1: "H3", H2: "H4" }),
);
const ATTRIBUTES = ["dir", "lang", "colspan", "rowspan", "scope", "start", "reversed", "span", "value", "datetime"];

/** @type {{createHTML: (text: string) => any}} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("nextpair", {
  createHTML: (/** @type {string} */ text) => text,
}) || { createHTML: (text) => text };

/** One document, shown as far as it is scrolled to. */
export class Pane {
  /** @param {string} label Left, Right or Document */
  constructor(label) {
    this.label = label;
    this.shown = "";
    this.badge = make("span", { class: "badge", hidden: true }, "new");
    this.title = make("h2", { dir: "auto" });
    this.body = make("div", { class: "body", tabindex: "0", role: "region", dir: "auto" });
    const head = make("header", {}, make("span", { class: "side" }, label), this.title, this.badge);
    this.element = make("article", { class: "pane" }, head, this.body);
    /** @type {IntersectionObserver | null} */
    this.watcher = null;
  }

  /**
   * Show a document; one that is there already stays as it was left.
   * @param {any} shown the document
   * @param {string} topic
   * @param {RegExp | null} terms
   */
  show(shown, topic, terms) {
    const key = `${topic} ${shown.id}`;
    if (this.shown === key) return;
    this.shown = key;
    const label = this.label === "Document" ? this.label : `${this.label} document`;
    this.title.textContent = shown.title;
    this.title.hidden = !shown.title;
    this.body.setAttribute("aria-label", shown.title ? `${label}: ${shown.title}` : label);
    this.body.replaceChildren();
    this.body.scrollTop = 0;
    this.#fill(blocksOf(shown), terms);
  }

  /** @param {boolean} fresh */
  markNew(fresh) {
    this.badge.hidden = !fresh;
    this.element.classList.toggle("fresh", fresh);
  }

  /**
   * Show the first chunk, and each other when it is nearly scrolled to.
   * @param {Iterator<Node[]>} chunks
   * @param {RegExp | null} terms
   */
  #fill(chunks, terms) {
    this.watcher?.disconnect();
    const more = () => {
      const { value, done } = chunks.next();
      if (done) return false;
      const chunk = make("div", { class: "chunk" }, ...value);
      mark(chunk, terms);
      this.body.append(chunk);
      return true;
    };
    if (!more()) this.body.append(make("p", { class: "empty" }, "This document is empty."));
    const end = make("div", { class: "end", "aria-hidden": "true" });
    this.body.append(end);
    const watcher = new IntersectionObserver(
      (seen) => {
        if (!seen.some((one) => one.isIntersecting)) return;
        end.remove();
        if (!more()) return watcher.disconnect();
        this.body.append(end);
        // Seen again at once if it is still in view.
        watcher.unobserve(end);
        watcher.observe(end);
      },
      { root: this.body, rootMargin: AHEAD },
    );
    watcher.observe(end);
    this.watcher = watcher;
  }
}

/**
 * Cut a document into chunks of nodes.
 * @param {any} shown
 * @returns {Generator<Node[]>}
 */
function* blocksOf(shown) {
  if (shown.text) yield* textBlocks(shown.text);
  else if (shown.html) yield* htmlBlocks(shown.html);
  const link = shown.url && outside(shown.url, "Open the document in a new tab");
  if (link && !shown.text) yield [make("p", {}, link)];
}

/** @param {string} given */
function* textBlocks(given) {
  const text = given.replace(/\r\n?/g, "\n");
  const aligned = isAligned(text);
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + CHUNK, text.length);
    if (to < text.length) {
      const space = text.lastIndexOf("\n", to) > from ? text.lastIndexOf("\n", to) : text.lastIndexOf(" ", to);
      if (space > from) to = space + 1;
    }
    yield [verbatim(text.slice(from, to), aligned)];
    from = to;
  }
}

/** @param {string} html */
function* htmlBlocks(html) {
  const parsed = new DOMParser().parseFromString(policy.createHTML(html), "text/html");
  let root = /** @type {Node} */ (parsed.body);
  while (root.childNodes.length === 1 && root.firstChild?.nodeName === "DIV") root = root.firstChild;
  let chunk = [];
  let size = 0;
  for (const node of [...root.childNodes]) {
    chunk.push(...rebuild(node));
    size += node.textContent?.length || 0;
    if (size >= CHUNK) {
      yield chunk;
      chunk = [];
      size = 0;
    }
  }
  if (chunk.length) yield chunk;
}

/**
 * Make a node anew, of allowed elements and attributes only.
 * @param {Node} node
 * @returns {Node[]}
 */
function rebuild(node) {
  if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.textContent || "")];
  if (!(node.nodeType === Node.ELEMENT_NODE)) return [];
  const element = /** @type {Element} */ (node);
  const children = [...element.childNodes].flatMap(rebuild);
  const name = element.nodeName.toUpperCase();
  if (name === "A") {
    const link = outside(element.getAttribute("href") || "", "");
    if (!link) return children;
    link.append(...children);
    return [link];
  }
  if (name === "IMG") return picture(element);
  if (!TAGS.has(name)) return children;
  const made = make(PLAIN.get(name) || name, {}, ...children);
  for (const attribute of ATTRIBUTES) {
    const value = element.getAttribute(attribute);
    if (value !== null) made.setAttribute(attribute, value);
  }
  return [made];
}

/** @param {Element} element an image that the service let through */
function picture(element) {
  const source = element.getAttribute("src") || "";
  if (!/^https?:\/\//i.test(source)) return [];
  const alt = element.getAttribute("alt") || "";
  return [make("img", { src: source, alt, loading: "lazy", referrerpolicy: "no-referrer" })];
}
