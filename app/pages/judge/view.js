// What is on screen: a question or a message, the progress, a banner, a dialog.

import { ask, find, make, paragraphs, unwrapped } from "../shared/elements.js";
import { termsOf } from "./term_highlighter.js";
import { progressText } from "./message_texts.js";
import { Pane } from "./document_pane.js";
import { isPreference } from "./answer_form.js";

/** The page. */
export class Screen {
  constructor() {
    this.panes = { left: new Pane("Left"), right: new Pane("Right"), document: new Pane("Document") };
    this.topic = "";
  }

  /** @param {string} title */
  study(title) {
    find("study").textContent = title;
    document.title = title ? `${title} – judging` : "Judging";
  }

  /** @param {number} answered @param {number | null} count */
  progress(answered, count) {
    find("progress").hidden = false;
    find("progress-text").textContent = progressText(answered, count);
    const bar = find("progress-bar");
    bar.hidden = count === null;
    if (count !== null) {
      bar.max = count;
      bar.value = Math.min(answered, count);
    }
  }

  /** @param {string | null} text */
  banner(text) {
    const banner = find("banner");
    if (banner.textContent !== (text || "")) banner.textContent = text || "";
    banner.hidden = !text;
  }

  /** @param {boolean} waits whether the question on screen is answered, and none is there to follow */
  waiting(waits) {
    find("question").setAttribute("aria-busy", String(waits));
  }

  /** @param {string} text to those who cannot see the page change */
  announce(text) {
    find("live").textContent = text;
  }

  /** @param {string | null} text what is wrong with the answer */
  wrong(text) {
    find("wrong").textContent = text || "";
    find("wrong").hidden = !text;
  }

  /**
   * Show a message in place of a question.
   * @param {{title: string, body: Node[], actions?: HTMLElement[]}} message
   */
  message({ title, body, actions = [] }) {
    find("question").hidden = true;
    find("pause-button").hidden = true;
    find("message-title").textContent = title;
    find("message-body").replaceChildren(...body);
    find("message-actions").replaceChildren(...actions);
    find("message").hidden = false;
    // Enter goes on where there is something to go on with.
    const next = actions.find((one) => one.classList.contains("primary"));
    (next || find("message-title")).focus();
  }

  /**
   * Show a question.
   * @param {any} assignment
   * @param {import("./answer_form.js").Fields} fields
   * @param {{left: any, right: any} | null} sides
   * @param {Set<string>} fresh ids of the documents that were not there before
   */
  question(assignment, fields, sides, fresh) {
    this.#topic(assignment.topic);
    const shown = sides ? { left: sides.left, right: sides.right } : { document: assignment.document };
    const terms = termsOf(assignment.topic.title);
    const panes = Object.entries(shown).map(([side, one]) => {
      const pane = this.panes[/** @type {keyof Screen["panes"]} */ (side)];
      pane.show(one, assignment.topic.id, terms);
      pane.markNew(fresh.has(one.id));
      return pane.element;
    });
    const documents = find("documents");
    documents.classList.toggle("single", panes.length === 1);
    // Put in again, a pane would lose how far it was scrolled.
    if (panes.some((pane) => pane.parentNode !== documents)) documents.replaceChildren(...panes);
    this.#reviewed(assignment.reviewed);
    find("parts").replaceChildren(...fields.elements);
    find("hint").textContent = hintOf(fields);
    this.wrong(null);
    find("message").hidden = true;
    find("pause-button").hidden = false;
    find("question").dataset.assignment = `${assignment.id} ${assignment.attempt}`;
    find("question").hidden = false;
    this.waiting(false);
    find("answer").focus({ preventScroll: true });
  }

  /** @param {any} topic */
  #topic(topic) {
    if (this.topic === topic.id) return;
    this.topic = topic.id;
    find("topic-title").textContent = topic.title || topic.id;
    find("topic-description").textContent = unwrapped(topic.description);
    find("topic-description").hidden = !topic.description;
    find("topic-narrative").textContent = unwrapped(topic.narrative);
    find("topic-more").hidden = !topic.narrative;
    find("topic-more").open = false;
  }

  /** @param {Record<string, unknown> | null} answer of the worker before */
  #reviewed(answer) {
    const place = find("reviewed");
    place.hidden = !answer;
    if (!answer) return;
    const said = Object.entries(answer).flatMap(([name, value]) => [
      make("dt", {}, name),
      make("dd", { dir: "auto" }, String(value)),
    ]);
    place.replaceChildren(make("h2", {}, "Someone answered this before you"), make("dl", {}, ...said));
  }

  /**
   * Ask something in a dialog; null if it is closed without an answer.
   * @param {string} title
   * @param {Node[]} body
   * @param {{label: string, value: string, kind?: string}[]} actions
   * @returns {Promise<string | null>}
   */
  ask(title, body, actions) {
    return ask(title, body, actions, find("answer"));
  }

  /** @param {string} text */
  instructions(text) {
    return text ? paragraphs(text) : [make("p", {}, "There are no instructions for this study.")];
  }
}

/** @param {import("./answer_form.js").Fields} fields */
function hintOf(fields) {
  if (!fields.first) return "Keys: Enter submits.";
  const { length } = fields.first.choices;
  const arrows = isPreference(fields.first) ? `← →${length > 2 ? " ↓" : ""} or ` : "";
  return `Keys: ${arrows}1–${length} to choose, Enter to submit`;
}
