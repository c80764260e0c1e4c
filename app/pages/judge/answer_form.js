// The parts of a design as fields to fill in, and what was filled in as an answer.

import { make } from "../shared/elements.js";

/**
 * @typedef {object} Part
 * @property {"choice" | "slider" | "number" | "text" | "excerpt"} kind
 * @property {string} name
 * @property {string} label
 * @property {string[]} choices
 * @property {string[]} labels
 * @property {number | null} least
 * @property {number | null} most
 * @property {number | null} start
 * @property {boolean} optional
 * @property {string | null} moved
 */

const TIES = ["equal", "equally_good", "equally_bad"];
const ARROWS = new Map([["left", "←"], ["right", "→"], ["equally_good", "↓"], ["equal", "↓"]]);

/**
 * Leave out what a study without ties does not take.
 * @param {Part[]} parts
 * @param {boolean} ties
 * @returns {Part[]}
 */
export function withoutTies(parts, ties) {
  if (ties) return parts;
  return parts.map((part) => {
    if (!isPreference(part)) return part;
    const kept = part.choices.map((choice, at) => ({ choice, label: part.labels[at] }));
    const left = kept.filter((one) => !TIES.includes(one.choice));
    return { ...part, choices: left.map((one) => one.choice), labels: left.map((one) => one.label) };
  });
}

/** @param {Part} part */
export function isPreference(part) {
  return part.kind === "choice" && part.choices.includes("left") && part.name === "preference";
}

/** The fields of one question. */
export class Fields {
  /** @param {Part[]} parts */
  constructor(parts) {
    this.parts = parts;
    this.first = parts.find((part) => part.kind === "choice") || null;
    this.elements = parts.map((part) => MAKERS[part.kind](part, part === this.first));
  }

  /** Whether every answer to them is one the service takes. */
  get sure() {
    return this.parts.every((part) => part.kind === "choice");
  }

  /** @returns {HTMLTextAreaElement | null} where a reason from the document goes */
  get reason() {
    const at = this.parts.findIndex((part) => part.kind === "excerpt" || part.kind === "text");
    return at < 0 ? null : this.elements[at].querySelector("textarea");
  }

  /**
   * Choose in the first choice, by its place.
   * @param {number} place
   */
  choose(place) {
    const at = this.parts.indexOf(/** @type {Part} */ (this.first));
    const input = at < 0 ? null : this.elements[at].querySelectorAll("input")[place];
    if (!input) return false;
    input.checked = true;
    input.focus();
    return true;
  }

  /**
   * Choose by an arrow: to the sides their documents, down one tie after the other.
   * @param {"left" | "right" | "down"} way
   */
  chooseWay(way) {
    if (!this.first || !isPreference(this.first)) return false;
    const { choices } = this.first;
    if (way !== "down") return this.choose(choices.indexOf(way));
    const ties = choices.filter((choice) => TIES.includes(choice));
    const now = ties.indexOf(this.#value(this.first));
    return ties.length > 0 && this.choose(choices.indexOf(ties[(now + 1) % ties.length]));
  }

  /**
   * Read what was filled in.
   * @returns {{answer: Record<string, unknown>, missing: Part | null}}
   */
  read() {
    /** @type {Record<string, unknown>} */
    const answer = {};
    let missing = null;
    for (const part of this.parts) {
      const value = this.#value(part);
      if (value !== "") answer[part.name] = part.kind === "slider" || part.kind === "number" ? Number(value) : value;
      else if (!part.optional) missing ||= part;
      if (part.moved) answer[part.moved] = this.#element(part).dataset.moved === "yes";
    }
    return { answer, missing };
  }

  /** @param {Part} part */
  focus(part) {
    /** @type {HTMLElement | null} */ (this.#element(part).querySelector("input, textarea"))?.focus();
  }

  /** @param {Part} part @returns {HTMLElement} */
  #element(part) {
    return this.elements[this.parts.indexOf(part)];
  }

  /** @param {Part} part @returns {string} */
  #value(part) {
    const element = this.#element(part);
    if (part.kind === "choice") return element.querySelector("input:checked")?.getAttribute("value") || "";
    const field = /** @type {HTMLInputElement} */ (element.querySelector("input, textarea"));
    return field.value.trim();
  }
}

/** @type {Record<string, (part: Part, first: boolean) => any>} */
const MAKERS = { choice, slider, number, text, excerpt };

/** @param {Part} part @param {boolean} first its choices have keys */
function choice(part, first) {
  const options = part.choices.map((value, at) => {
    const input = make("input", { type: "radio", name: part.name, value });
    const arrow = isPreference(part) ? ARROWS.get(value) : null;
    const keys = first ? [...(arrow ? [make("kbd", {}, arrow)] : []), make("kbd", {}, String(at + 1))] : [];
    return make("label", { class: "option" }, input, make("span", { dir: "auto" }, part.labels[at] || value), ...keys);
  });
  const count = Math.min(options.length, 4);
  return make(
    "fieldset",
    { class: "part choice", "data-count": count },
    make("legend", {}, part.label),
    make("div", { class: "options" }, ...options),
  );
}

/** @param {Part} part @param {any} field @param {...any} more */
function labelled(part, field, ...more) {
  const label = make("label", { for: field.id, dir: "auto" }, part.label);
  return make("div", { class: `part ${part.kind}` }, label, field, ...more);
}

/** @param {Part} part */
function slider(part) {
  const start = part.start ?? part.least ?? 0;
  const field = make("input", {
    type: "range", id: `part-${part.name}`, min: part.least ?? 0, max: part.most ?? 100, step: 1, value: start,
  });
  const value = make("output", { for: field.id }, String(start));
  const made = labelled(part, field, value);
  field.addEventListener("input", () => {
    value.textContent = field.value;
    made.dataset.moved = "yes";
  });
  return made;
}

/** @param {Part} part */
function number(part) {
  return labelled(part, make("input", {
    type: "number", id: `part-${part.name}`, min: part.least, max: part.most, step: "any", inputmode: "decimal",
  }));
}

/** @param {Part} part */
function text(part) {
  return labelled(part, make("textarea", { id: `part-${part.name}`, rows: 2, dir: "auto" }));
}

/** @param {Part} part */
function excerpt(part) {
  const made = text(part);
  const field = made.querySelector("textarea");
  for (const phrase of part.choices) {
    const fill = make("button", { type: "button", class: "quiet", dir: "auto" }, `“${phrase}”`);
    fill.addEventListener("click", () => {
      field.value = phrase;
      field.focus();
    });
    made.append(fill);
  }
  return made;
}
