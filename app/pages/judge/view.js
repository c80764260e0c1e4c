// The view of the judging page: a question or a message, the progress, a banner, a dialog.

import { ask } from "../shared/dialog.js";
import { find, make } from "../shared/elements.js";
import { paragraphs, unwrapped } from "../shared/text.js";
import { isPreference } from "./answer_form.js";
import { DocumentPane } from "./document_pane.js";
import { progressText } from "./message_texts.js";
import { termPattern } from "./term_highlighter.js";

/** @import { AssignmentOut, TopicBrief } from "../shared/api_types.d.ts" */
/** @import { DialogAction } from "../shared/dialog.js" */
/** @import { AnswerForm } from "./answer_form.js" */
/** @import { Sides } from "./document_sides.js" */

/** @typedef {Pick<AssignmentOut, "id" | "attempt" | "topic" | "document" | "reviewed">} Question */

/** The page. */
export class JudgingView {
  #panes = { left: new DocumentPane("Left"), right: new DocumentPane("Right"), single: new DocumentPane("Document") };
  #topic = "";

  /** @param {string} title */
  showStudy(title) {
    find("study").textContent = title;
    document.title = title ? `${title} – judging` : "Judging";
  }

  /**
   * @param {number} answered
   * @param {number | null} count
   */
  showProgress(answered, count) {
    find("progress").hidden = false;
    find("progress-text").textContent = progressText(answered, count);
    const bar = find("progress-bar", HTMLProgressElement);
    bar.hidden = count === null;
    if (count === null) return;
    bar.max = count;
    bar.value = Math.min(answered, count);
  }

  /** @param {string | null} text */
  showBanner(text) {
    const banner = find("banner");
    if (banner.textContent !== (text ?? "")) banner.textContent = text;
    banner.hidden = !text;
  }

  /** @param {boolean} busy whether the question on screen is answered and there is no next one yet */
  showBusy(busy) {
    find("question").setAttribute("aria-busy", String(busy));
  }

  /** @param {string} text for screen readers */
  announce(text) {
    find("live").textContent = text;
  }

  /** @param {string | null} text what is wrong with the answer */
  showError(text) {
    find("wrong").textContent = text;
    find("wrong").hidden = !text;
  }

  /**
   * Show a message in place of a question.
   * @param {{title: string, body: Node[], actions?: HTMLElement[]}} message
   */
  showMessage({ title, body, actions = [] }) {
    find("question").hidden = true;
    find("pause-button").hidden = true;
    find("message-title").textContent = title;
    find("message-body").replaceChildren(...body);
    find("message-actions").replaceChildren(...actions);
    find("message").hidden = false;
    // The Enter key then presses the main button, if there is one.
    const main = actions.find((action) => action.classList.contains("primary"));
    (main ?? find("message-title")).focus();
  }

  /**
   * Show a question.
   * @param {Question} question
   * @param {AnswerForm} form
   * @param {Sides | null} sides
   * @param {Set<string>} unseen ids of documents that are new on screen
   */
  showQuestion({ id, attempt, topic, document, reviewed }, form, sides, unseen) {
    this.#showTopic(topic);
    this.#showDocuments(topic, sides, document, unseen);
    this.#showReviewed(reviewed);
    find("parts").replaceChildren(...form.elements);
    find("hint").textContent = keyboardHint(form);
    this.showError(null);
    find("message").hidden = true;
    find("pause-button").hidden = false;
    find("question").dataset.assignment = `${id} ${attempt}`;
    find("question").hidden = false;
    this.showBusy(false);
    find("answer").focus({ preventScroll: true });
  }

  /** @param {TopicBrief} topic */
  #showTopic({ id, title, description, narrative }) {
    if (this.#topic === id) return;
    this.#topic = id;
    find("topic-title").textContent = title || id;
    find("topic-description").textContent = unwrapped(description);
    find("topic-description").hidden = !description;
    find("topic-narrative").textContent = unwrapped(narrative);
    const details = find("topic-more", HTMLDetailsElement);
    details.hidden = !narrative;
    details.open = false;
  }

  /**
   * @param {TopicBrief} topic
   * @param {Sides | null} sides
   * @param {AssignmentOut["document"]} single
   * @param {Set<string>} unseen
   */
  #showDocuments({ id, title }, sides, single, unseen) {
    const { left, right, single: pane } = this.#panes;
    const pair = sides ? [{ pane: left, content: sides.left }, { pane: right, content: sides.right }] : [];
    const shown = single && !sides ? [{ pane, content: single }] : pair;
    const terms = termPattern(title);
    const elements = shown.map(({ pane, content }) => {
      pane.show(content, id, terms);
      pane.markNew(unseen.has(content.id));
      return pane.element;
    });
    const documents = find("documents");
    documents.classList.toggle("single", elements.length === 1);
    // A pane that is inserted again loses its scroll position.
    if (elements.some((element) => element.parentNode !== documents)) documents.replaceChildren(...elements);
  }

  /** @param {Record<string, unknown> | null} answer of the worker before */
  #showReviewed(answer) {
    const container = find("reviewed");
    container.hidden = !answer;
    if (!answer) return;
    const list = Object.entries(answer).flatMap(([name, value]) => [
      make("dt", {}, name),
      make("dd", { dir: "auto" }, String(value)),
    ]);
    container.replaceChildren(make("h2", {}, "The answer of another worker"), make("dl", {}, ...list));
  }

  /**
   * Show the dialog and return the value of the chosen action, or null if it is dismissed.
   * @param {string} title
   * @param {Node[]} body
   * @param {DialogAction[]} actions
   */
  ask(title, body, actions) {
    return ask(title, body, actions, find("answer"));
  }
}

/**
 * Show the instructions of a study as elements.
 * @param {string} text
 */
export function instructionElements(text) {
  return text ? paragraphs(text) : [make("p", {}, "There are no instructions for this study.")];
}

/** @param {AnswerForm} form */
function keyboardHint({ keyed }) {
  if (!keyed) return "Keys: Enter submits.";
  const { length } = keyed.part.choices;
  const arrows = isPreference(keyed.part) ? `← →${length > 2 ? " ↓" : ""} or ` : "";
  return `Keys: ${arrows}1–${length} to choose, Enter to submit`;
}
