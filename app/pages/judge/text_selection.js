// Text that is selected in a document, offered as the reason of an answer.

import { find } from "../shared/elements.js";

const MARGIN = 8;

/** Offers the selected text to a field of the answer form. */
export class TextSelection {
  /** @type {HTMLTextAreaElement | null} */
  #field = null;
  #text = "";

  constructor() {
    this.button = find("use");
    document.addEventListener("selectionchange", () => this.#update());
    // A click would clear the selection first.
    this.button.addEventListener("pointerdown", (event) => event.preventDefault());
    this.button.addEventListener("click", () => this.use());
    addEventListener("scroll", () => this.#update(), { capture: true, passive: true });
  }

  /**
   * Set the field that takes the selected text, if the design has one.
   * @param {HTMLTextAreaElement | null} field
   */
  setField(field) {
    this.#field = field;
    this.#update();
  }

  /** Copy the selected text into the field; return whether there was any. */
  use() {
    if (!this.#field || !this.#text) return false;
    this.#field.value = this.#text;
    document.getSelection()?.removeAllRanges();
    this.#field.focus();
    return true;
  }

  #update() {
    const range = this.#field ? selectedRange() : null;
    this.#text = range ? range.toString().replace(/\s+/g, " ").trim() : "";
    this.button.hidden = !this.#text;
    if (range && this.#text) this.#moveButton(range.getBoundingClientRect());
  }

  /** @param {DOMRect} place of the selected text */
  #moveButton({ left, bottom }) {
    const { offsetWidth: width, offsetHeight: height } = this.button;
    this.button.style.left = `${Math.min(Math.max(left, MARGIN), innerWidth - width - MARGIN)}px`;
    this.button.style.top = `${Math.min(bottom + MARGIN, innerHeight - height - MARGIN)}px`;
  }
}

/** Return the selected part of a document. A triple click selects beyond its end, which is cut off. */
function selectedRange() {
  const selection = document.getSelection();
  if (!selection?.rangeCount) return null;
  const range = selection.getRangeAt(0).cloneRange();
  const start = range.startContainer;
  const body = (start instanceof Element ? start : start.parentElement)?.closest(".body");
  if (!body) return null;
  if (!body.contains(range.endContainer)) range.setEnd(body, body.childNodes.length);
  return range;
}
