// The conflicts of a topic: answers that contradict the accepted relations, with explanations.

import { make } from "../shared/elements.js";
import { actionButton, note } from "./components.js";
import { counted } from "./formats.js";
import { chainText, relationText } from "./relation_text.js";

/** @import { ConflictOut, Page } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */
/** @import { MakeChip } from "./relation_text.js" */

const PAGE_LENGTH = 10;

/** The list, which grows by a page at a time. */
export class ConflictList {
  #list = make("ul", { class: "conflicts" });
  #more = make("div", { class: "actions" });
  element = make("div", {}, note("Loading…"));

  /**
   * @param {ApiClient} client
   * @param {{study: string, topic: string}} path
   * @param {MakeChip} chip
   */
  constructor(client, path, chip) {
    this.client = client;
    this.path = path;
    this.chip = chip;
  }

  /** Load the first page again. */
  async update() {
    const page = await this.#request();
    if (!page.items.length) {
      this.element.replaceChildren(note("No answer contradicts the accepted relations."));
      return;
    }
    this.#list = make("ul", { class: "conflicts" });
    this.element.replaceChildren(this.#list, this.#more);
    this.#append(page);
  }

  /** @param {number} [after] */
  #request(after) {
    return this.client.get("GET /v1/studies/{study}/topics/{topic}/conflicts", this.path, { limit: PAGE_LENGTH, after });
  }

  /** @param {Page<ConflictOut>} page */
  #append({ items, next }) {
    this.#list.append(...items.map((conflict) => this.#item(conflict)));
    const showNext = async () => this.#append(await this.#request(Number(next)));
    this.#more.replaceChildren(...(next === null ? [] : [actionButton("Show more", showNext)]));
  }

  /** @param {ConflictOut} conflict */
  #item({ finding, known, because, reopened }) {
    const answer = make("p", {}, "A worker answered: ", relationText(finding, this.chip), ".");
    const accepted = relationText({ first: finding.first, second: finding.second, outcome: known }, this.chip);
    const consequence = reopened ? `; ${reopened} is compared again.` : ".";
    const explanation = because.length
      ? make("details", {}, make("summary", {}, `Explanation: ${counted(because.length, "step")}`), chainText(because, this.chip))
      : note("No single chain of judgments implies this: it follows from all answers together.");
    return make("li", {}, answer, make("p", {}, "Accepted relation: ", accepted, consequence), explanation);
  }
}
