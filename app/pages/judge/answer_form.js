// The answer form: a field for each part of a design, and the answer that was filled in.

import { make } from "../shared/elements.js";

/** @import { Part } from "../shared/api_types.d.ts" */
/** @import { Direction } from "./keyboard.js" */

const TIES = ["equal", "equally_good", "equally_bad"];
const ARROWS = new Map([["left", "←"], ["right", "→"], ["equally_good", "↓"], ["equal", "↓"]]);

/**
 * Remove the choices that a study without ties does not accept.
 * @param {Part[]} parts
 * @param {boolean} ties
 */
export function withoutTies(parts, ties) {
  if (ties) return parts;
  return parts.map((part) => {
    if (!isPreference(part)) return part;
    const accepted = [...part.choices.keys()].filter((index) => !TIES.includes(part.choices[index] ?? ""));
    return { ...part, choices: pick(part.choices, accepted), labels: pick(part.labels, accepted) };
  });
}

/**
 * @param {string[]} values
 * @param {number[]} indices
 */
function pick(values, indices) {
  return indices.map((index) => values[index] ?? "");
}

/** @param {Part} part */
export function isPreference(part) {
  return part.kind === "choice" && part.choices.includes("left") && part.name === "preference";
}

/** A part of the design and the element with its field. */
class Field {
  /**
   * @param {Part} part
   * @param {boolean} hasKeys whether digits choose among its choices
   */
  constructor(part, hasKeys) {
    this.part = part;
    this.element = elementOf(part, hasKeys);
  }

  /** The input of a part that is not a choice, or the choices themselves. */
  get inputs() {
    return this.element.querySelectorAll("input");
  }

  get textarea() {
    return this.element.querySelector("textarea");
  }

  /** What was filled in or chosen; empty if nothing was. */
  get value() {
    if (this.part.kind === "choice") return [...this.inputs].find((input) => input.checked)?.value ?? "";
    return (this.textarea ?? this.inputs[0])?.value.trim() ?? "";
  }

  get moved() {
    return this.element.dataset.moved === "yes";
  }

  focus() {
    (this.textarea ?? this.inputs[0])?.focus();
  }
}

/** The fields of one question. */
export class AnswerForm {
  /** @param {Part[]} parts */
  constructor(parts) {
    const keyed = parts.find((part) => part.kind === "choice");
    this.fields = parts.map((part) => new Field(part, part === keyed));
    /** The field whose choices have keys. */
    this.keyed = this.fields.find(({ part }) => part === keyed) ?? null;
  }

  get elements() {
    return this.fields.map((field) => field.element);
  }

  /** Whether the service accepts every complete answer. */
  get alwaysValid() {
    return this.fields.every(({ part }) => part.kind === "choice");
  }

  /** The text field of the reason, if the design has one. */
  get reason() {
    return this.fields.find(({ part }) => part.kind === "excerpt" || part.kind === "text")?.textarea ?? null;
  }

  /**
   * Choose by position in the field whose choices have keys; return whether there is such a choice.
   * @param {number} position
   */
  choose(position) {
    const input = this.keyed?.inputs[position];
    if (!input) return false;
    input.checked = true;
    input.focus();
    return true;
  }

  /**
   * Choose by an arrow key: the document on that side, or with the down arrow one tie after the other.
   * @param {Direction} direction
   */
  chooseDirection(direction) {
    if (!this.keyed || !isPreference(this.keyed.part)) return false;
    const { choices } = this.keyed.part;
    if (direction !== "down") return this.choose(choices.indexOf(direction));
    const ties = choices.filter((choice) => TIES.includes(choice));
    const next = ties[(ties.indexOf(this.keyed.value) + 1) % ties.length];
    return next !== undefined && this.choose(choices.indexOf(next));
  }

  /** Return the answer, and the first field that has to be filled in first. */
  read() {
    /** @type {Record<string, unknown>} */
    const answer = {};
    /** @type {Field | null} */
    let missing = null;
    for (const field of this.fields) {
      const { part, value } = field;
      if (value !== "") answer[part.name] = part.kind === "slider" || part.kind === "number" ? Number(value) : value;
      else if (!part.optional) missing ??= field;
      if (part.moved) answer[part.moved] = field.moved;
    }
    return { answer, missing };
  }
}

/**
 * @param {Part} part
 * @param {boolean} hasKeys
 * @returns {HTMLElement}
 */
function elementOf(part, hasKeys) {
  switch (part.kind) {
    case "choice":
      return choice(part, hasKeys);
    case "slider":
      return slider(part);
    case "number":
      return number(part);
    case "text":
      return labelled(part, textarea(part));
    case "excerpt":
      return excerpt(part);
    default:
      throw new Error(`the page has no field for a part of the kind ${part.kind}`);
  }
}

/**
 * @param {Part} part
 * @param {boolean} hasKeys
 */
function choice(part, hasKeys) {
  const options = part.choices.map((value, index) => {
    const input = make("input", { type: "radio", name: part.name, value });
    const arrow = isPreference(part) ? ARROWS.get(value) : undefined;
    const keys = hasKeys ? [arrow, String(index + 1)].filter((key) => key !== undefined) : [];
    const label = make("span", { dir: "auto" }, part.labels[index] || value);
    return make("label", { class: "option" }, input, label, ...keys.map((key) => make("kbd", {}, key)));
  });
  return make(
    "fieldset",
    { class: "part choice", "data-count": Math.min(options.length, 4) },
    make("legend", {}, part.label),
    make("div", { class: "options" }, ...options),
  );
}

/**
 * @param {Part} part
 * @param {HTMLElement} field
 * @param {...HTMLElement} more
 */
function labelled(part, field, ...more) {
  const label = make("label", { for: field.id, dir: "auto" }, part.label);
  return make("div", { class: `part ${part.kind}` }, label, field, ...more);
}

/** @param {Part} part */
function slider(part) {
  const value = part.start ?? part.least ?? 0;
  const range = { min: part.least ?? 0, max: part.most ?? 100, step: 1, value };
  const field = make("input", { type: "range", id: `part-${part.name}`, ...range });
  const output = make("output", { for: field.id }, String(value));
  const element = labelled(part, field, output);
  field.addEventListener("input", () => {
    output.textContent = field.value;
    element.dataset.moved = "yes";
  });
  return element;
}

/** @param {Part} part */
function number(part) {
  const range = { min: part.least, max: part.most, step: "any" };
  return labelled(part, make("input", { type: "number", id: `part-${part.name}`, inputmode: "decimal", ...range }));
}

/** @param {Part} part */
function textarea(part) {
  return make("textarea", { id: `part-${part.name}`, rows: 2, dir: "auto" });
}

/** @param {Part} part whose choices are phrases that stand for "no excerpt" */
function excerpt(part) {
  const field = textarea(part);
  const phrases = part.choices.map((phrase) => {
    const insert = make("button", { type: "button", class: "quiet", dir: "auto" }, `“${phrase}”`);
    insert.addEventListener("click", () => {
      field.value = phrase;
      field.focus();
    });
    return insert;
  });
  return labelled(part, field, ...phrases);
}
