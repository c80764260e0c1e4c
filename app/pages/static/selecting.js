// Text selected in a document, offered as the reason of an answer.

import { find } from "./elements.js";

const BELOW = 8;

/** Offers what is selected to a field. */
export class Selecting {
  constructor() {
    this.button = find("use");
    /** @type {HTMLTextAreaElement | null} */
    this.field = null;
    this.text = "";
    document.addEventListener("selectionchange", () => this.#look());
    // The selection would be gone before the click.
    this.button.addEventListener("pointerdown", (/** @type {Event} */ event) => event.preventDefault());
    this.button.addEventListener("click", () => this.use());
    addEventListener("scroll", () => this.#look(), { capture: true, passive: true });
  }

  /** @param {HTMLTextAreaElement | null} field where a reason goes, if the question wants one */
  into(field) {
    this.field = field;
    this.#look();
  }

  /** Take what is selected as the reason. */
  use() {
    if (!this.field || !this.text) return false;
    this.field.value = this.text;
    document.getSelection()?.removeAllRanges();
    this.field.focus();
    return true;
  }

  #look() {
    const selection = document.getSelection();
    const inside = selection?.anchorNode?.parentElement?.closest(".body");
    const whole = inside && selection?.focusNode && inside.contains(selection.focusNode);
    this.text = this.field && whole ? selection.toString().replace(/\s+/g, " ").trim() : "";
    this.button.hidden = !this.text;
    if (!this.text || !selection) return;
    const place = selection.getRangeAt(0).getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.button;
    const left = Math.min(Math.max(place.left, BELOW), innerWidth - width - BELOW);
    this.button.style.left = `${left}px`;
    this.button.style.top = `${Math.min(place.bottom + BELOW, innerHeight - height - BELOW)}px`;
  }
}
