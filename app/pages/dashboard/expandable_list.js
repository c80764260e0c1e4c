// Lists and tables that show their first items, and more on request.

import { button, make } from "../shared/elements.js";

/** A list that shows its first items, with a button that shows more. It stays as long when it is drawn again. */
export class ExpandableList {
  /**
   * @param {number} first number of items at first
   * @param {number} further number of items that the button adds
   * @param {string} noun
   */
  constructor(first, further, noun) {
    this.shown = first;
    this.further = further;
    this.noun = noun;
  }

  /**
   * Draw the list.
   * @param {number} total number of items
   * @param {(shown: number) => Node} drawItems draws so many items
   */
  draw(total, drawItems) {
    const container = make("div", { class: "some" });
    const update = () => {
      const rest = total - this.shown;
      const more = button(`Show more (${rest} ${this.noun} left)`, () => this.#expand(update), "quiet");
      container.replaceChildren(drawItems(this.shown), ...(rest > 0 ? [more] : []));
    };
    update();
    return container;
  }

  /** @param {() => void} update */
  #expand(update) {
    this.shown += this.further;
    update();
  }
}
