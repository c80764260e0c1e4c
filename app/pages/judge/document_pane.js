// A pane that shows one document, as far as it is scrolled to.

import { make } from "../shared/elements.js";
import { chunksOf } from "./document_chunks.js";
import { highlight } from "./term_highlighter.js";

/** @import { DocumentShown } from "../shared/api_types.d.ts" */

const PRELOAD_MARGIN = "600px";

/** A pane for one document at a time. */
export class DocumentPane {
  /** Topic and document that are shown. */
  #key = "";
  /** @type {IntersectionObserver | null} */
  #observer = null;

  /** @param {"Left" | "Right" | "Document"} label */
  constructor(label) {
    this.label = label;
    this.badge = make("span", { class: "badge", hidden: true }, "new");
    this.title = make("h2", { dir: "auto" });
    this.body = make("div", { class: "body", tabindex: "0", role: "region", dir: "auto" });
    const head = make("header", {}, make("span", { class: "side" }, label), this.title, this.badge);
    this.element = make("article", { class: "pane" }, head, this.body);
  }

  /**
   * Show a document. One that is shown already keeps its scroll position.
   * @param {DocumentShown} content
   * @param {string} topic
   * @param {RegExp | null} terms to be highlighted
   */
  show(content, topic, terms) {
    const key = `${topic} ${content.id}`;
    if (this.#key === key) return;
    this.#key = key;
    const label = this.label === "Document" ? this.label : `${this.label} document`;
    this.title.textContent = content.title;
    this.title.hidden = !content.title;
    this.body.setAttribute("aria-label", content.title ? `${label}: ${content.title}` : label);
    this.body.replaceChildren();
    this.body.scrollTop = 0;
    this.#fill(chunksOf(content), terms);
  }

  /** @param {boolean} isNew whether the document is new beside one that stayed */
  markNew(isNew) {
    this.badge.hidden = !isNew;
    this.element.classList.toggle("fresh", isNew);
  }

  /**
   * Append the first chunk, and each further chunk when the end of the pane is nearly scrolled to.
   * @param {Generator<Node[], void>} chunks
   * @param {RegExp | null} terms
   */
  #fill(chunks, terms) {
    this.#observer?.disconnect();
    const append = () => {
      const { value } = chunks.next();
      if (!value) return false;
      const chunk = make("div", { class: "chunk" }, ...value);
      highlight(chunk, terms);
      this.body.append(chunk);
      return true;
    };
    if (!append()) this.body.append(make("p", { class: "empty" }, "This document is empty."));
    const end = make("div", { class: "end", "aria-hidden": "true" });
    this.body.append(end);
    const onIntersect = (/** @type {IntersectionObserverEntry[]} */ entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      end.remove();
      if (!append()) {
        observer.disconnect();
        return;
      }
      this.body.append(end);
      // Observed anew, so that an end that is still in view is reported at once.
      observer.unobserve(end);
      observer.observe(end);
    };
    const observer = new IntersectionObserver(onIntersect, { root: this.body, rootMargin: PRELOAD_MARGIN });
    observer.observe(end);
    this.#observer = observer;
  }
}
