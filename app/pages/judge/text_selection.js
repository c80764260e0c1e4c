// Text selected in a document, offered as the reason of an answer.

import { find } from "../shared/elements.js";

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
    const range = this.field ? selected() : null;
    this.text = range ? range.toString().replace(/\s+/g, " ").trim() : "";
    this.button.hidden = !this.text;
    if (!range || !this.text) return;
    const place = range.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.button;
    const left = Math.min(Math.max(place.left, BELOW), innerWidth - width - BELOW);
    this.button.style.left = `${left}px`;
    this.button.style.top = `${Math.min(place.bottom + BELOW, innerHeight - height - BELOW)}px`;
  }
}

/** @returns {Range | null} what is selected of a document, which three clicks take beyond its end */
function selected() {
  const selection = document.getSelection();
  if (!selection?.rangeCount) return null;
  const range = selection.getRangeAt(0).cloneRange();
  const start = range.startContainer;
  const body = (start instanceof Element ? start : start.parentElement)?.closest(".body");
  if (!body) return null;
  if (!body.contains(range.endContainer)) range.setEnd(body, body.childNodes.length);
  return range;
}
