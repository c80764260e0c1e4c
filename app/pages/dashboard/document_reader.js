// The documents of a topic: their titles, and a dialog that shows the text of one.

import { show } from "../shared/dialog.js";
import { button, make } from "../shared/elements.js";
import { parseHtml } from "../shared/html_parser.js";
import { paragraphs, verbatim } from "../shared/text.js";
import { showErrors } from "./components.js";

/** @import { DocumentOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

const MAX_TITLES = 2_000;
const MAX_LENGTH = 20_000;
const OPERATION = "GET /v1/studies/{study}/topics/{topic}/documents";

/** Shows documents. */
export class DocumentReader {
  /** @type {Map<string, {title: string, position: number}>} */
  #documents = new Map();

  /**
   * @param {ApiClient} client
   * @param {{study: string, topic: string}} path
   */
  constructor(client, path) {
    this.client = client;
    this.path = path;
  }

  async loadTitles() {
    const documents = await this.client.list(OPERATION, this.path, { texts: false }, MAX_TITLES);
    for (const [position, { id, title }] of documents.entries()) this.#documents.set(id, { title, position });
  }

  get ids() {
    return [...this.#documents.keys()];
  }

  /**
   * Make a button with the id of a document, which shows its text.
   * @param {string} id
   */
  chip(id) {
    const chip = button(id, () => showErrors(() => this.#show(id)), "chip");
    chip.dir = "auto";
    const title = this.#documents.get(id)?.title;
    if (title) chip.title = title;
    return chip;
  }

  /** @param {string} id */
  async #show(id) {
    const document = await this.#load(id);
    const label = { class: "reading", tabindex: "0", role: "region", "aria-label": "The document" };
    const body = make("div", label, ...contentOf(document));
    await show(document?.title || id, [make("p", { class: "soft", dir: "auto" }, id), body]);
  }

  /** @param {string} id */
  async #load(id) {
    const position = this.#documents.get(id)?.position ?? 0;
    const { items } = await this.client.get(OPERATION, this.path, { limit: 1, after: position - 1 });
    return items.find((document) => document.id === id);
  }
}

/** @param {DocumentOut | undefined} document */
function contentOf(document) {
  if (document?.text) return [verbatim(document.text.slice(0, MAX_LENGTH))];
  const text = document?.html ? textOf(document.html) : "";
  return paragraphs((text || "There is no text of this document here.").slice(0, MAX_LENGTH));
}

/**
 * Return the text of HTML, which itself is never shown.
 * @param {string} html
 */
function textOf(html) {
  const { body } = parseHtml(html);
  for (const element of body.querySelectorAll("script, style, template, noscript")) element.remove();
  return body.textContent?.trim() ?? "";
}
