// A document cut into chunks of elements: text as it is, HTML rebuilt from what the service has sanitised.

import { externalLink, make } from "../shared/elements.js";
import { parseHtml } from "../shared/html_parser.js";
import { isAligned, verbatim } from "../shared/text.js";

/** @import { DocumentShown } from "../shared/api_types.d.ts" */

const CHUNK_LENGTH = 4_000;

// The service has sanitised the HTML already; this is a second allow-list. Other elements are replaced by their text.
const TAGS = new Set(
  ("ABBR ARTICLE ASIDE B BDI BDO BLOCKQUOTE BR CAPTION CENTER CITE CODE COL COLGROUP DD DEL DETAILS DFN DIV" +
    " DL DT EM FIGCAPTION FIGURE FOOTER H1 H2 H3 H4 H5 H6 HEADER HR I INS KBD LI MAIN MARK NAV OL P PRE" +
    " Q RP RT RUBY S SAMP SECTION SMALL SPAN STRIKE STRONG SUB SUMMARY SUP TABLE TBODY TD TFOOT TH THEAD" +
    " TIME TR TT U UL VAR WBR").split(" "),
);
// The landmarks and headings of a document must not look like those of the page.
const REPLACED_TAGS = new Map(
  Object.entries({ MAIN: "DIV", NAV: "DIV", HEADER: "DIV", FOOTER: "DIV", ASIDE: "DIV", H1: "H3", H2: "H4" }),
);
const ATTRIBUTES = ["dir", "lang", "colspan", "rowspan", "scope", "start", "reversed", "span", "value", "datetime"];

/**
 * Cut a document into chunks.
 * @param {DocumentShown} document
 * @returns {Generator<Node[], void>}
 */
export function* chunksOf({ text, html, url }) {
  if (text) yield* textChunks(text);
  else if (html) yield* htmlChunks(html);
  const link = url ? externalLink(url, "Open the document in a new tab") : null;
  if (link && !text) yield [make("p", {}, link)];
}

/**
 * @param {string} content
 * @returns {Generator<Node[], void>}
 */
function* textChunks(content) {
  const text = content.replace(/\r\n?/g, "\n");
  const aligned = isAligned(text);
  for (let from = 0; from < text.length; ) {
    const to = chunkEnd(text, from);
    yield [verbatim(text.slice(from, to), aligned)];
    from = to;
  }
}

/**
 * Return where a chunk of text ends: after a line if possible, otherwise after a word.
 * @param {string} text
 * @param {number} from
 */
function chunkEnd(text, from) {
  const to = from + CHUNK_LENGTH;
  if (to >= text.length) return text.length;
  const lineBreak = text.lastIndexOf("\n", to);
  const space = lineBreak > from ? lineBreak : text.lastIndexOf(" ", to);
  return space > from ? space + 1 : to;
}

/**
 * @param {string} html
 * @returns {Generator<Node[], void>}
 */
function* htmlChunks(html) {
  /** @type {Node} */
  let root = parseHtml(html).body;
  while (root.childNodes.length === 1 && root.firstChild?.nodeName === "DIV") root = root.firstChild;
  /** @type {Node[]} */
  let chunk = [];
  let length = 0;
  for (const node of [...root.childNodes]) {
    chunk.push(...rebuilt(node));
    length += node.textContent?.length ?? 0;
    if (length >= CHUNK_LENGTH) {
      yield chunk;
      chunk = [];
      length = 0;
    }
  }
  if (chunk.length) yield chunk;
}

/**
 * Rebuild a node from allowed elements and attributes.
 * @param {Node} node
 * @returns {Node[]}
 */
function rebuilt(node) {
  if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.textContent ?? "")];
  if (node.nodeType !== Node.ELEMENT_NODE) return [];
  const element = /** @type {Element} */ (node);
  const name = element.nodeName.toUpperCase();
  if (name === "IMG") return image(element);
  const children = [...element.childNodes].flatMap(rebuilt);
  if (name === "A") return link(element, children);
  if (!TAGS.has(name)) return children;
  const copy = document.createElement(REPLACED_TAGS.get(name) ?? name);
  copy.append(...children);
  for (const attribute of ATTRIBUTES) {
    const value = element.getAttribute(attribute);
    if (value !== null) copy.setAttribute(attribute, value);
  }
  return [copy];
}

/**
 * @param {Element} element
 * @param {Node[]} children
 */
function link(element, children) {
  const copy = externalLink(element.getAttribute("href") ?? "", "");
  if (!copy) return children;
  copy.append(...children);
  return [copy];
}

/** @param {Element} element an image that the service has not removed */
function image(element) {
  const src = element.getAttribute("src") ?? "";
  if (!/^https?:\/\//i.test(src)) return [];
  const alt = element.getAttribute("alt") ?? "";
  return [make("img", { src, alt, loading: "lazy", referrerpolicy: "no-referrer" })];
}
