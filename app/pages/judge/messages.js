// Messages that are shown in place of a question, and the dialogs of a worker.

import { button, make } from "../shared/elements.js";
import { problemText, reasonText, verdictText } from "./message_texts.js";

/** @import { RequestRefused } from "../shared/api_request.js" */
/** @import { Understanding, VerdictOut } from "../shared/api_types.d.ts" */
/** @import { Stopwatch } from "./stopwatch.js" */
/** @import { JudgingView } from "./view.js" */

/** @typedef {{title: string, body: Node[], actions: HTMLElement[]}} Message */
/** @typedef {Message & {retrySeconds: number | null}} IdleMessage */

/**
 * Explain why there is no question, with the latest check if it was not passed.
 * @param {{reason: string | null, verdict: VerdictOut | null}} state
 * @param {(() => void) | null} undo withdraws the last answer, if there is one
 * @returns {IdleMessage}
 */
export function noQuestion({ reason, verdict }, undo) {
  const { title, paragraphs, retrySeconds = null } = reasonText(reason);
  const body = textElements(paragraphs);
  if (verdict && verdict.effect !== "none") body.unshift(...verdictElements(verdict));
  const actions = undo && retrySeconds === null ? [button("Undo my last answer", undo, "quiet")] : [];
  return { title, body, actions, retrySeconds };
}

/**
 * Ask the comprehension question of a topic.
 * @param {Understanding} asked
 * @param {(choice: string) => void} choose
 * @returns {Message}
 */
export function comprehensionQuestion({ question, choices }, choose) {
  const actions = choices.map((choice) => button(choice, () => choose(choice), "quiet choice"));
  return { title: "Before you begin", body: [make("p", { dir: "auto" }, question)], actions };
}

/**
 * Explain a check that was not passed.
 * @param {VerdictOut} verdict
 * @param {() => void} resume
 * @param {boolean} completes whether the worker has to complete the session even if the work ends
 * @returns {Message}
 */
export function failedCheck(verdict, resume, completes) {
  const { title, isFinal } = verdictText(verdict);
  const actions = isFinal && !completes ? [] : [button("Continue", resume)];
  return { title, body: verdictElements(verdict), actions };
}

/**
 * Explain why the page cannot continue.
 * @param {RequestRefused} error
 * @returns {Message}
 */
export function refusedRequest(error) {
  const { title, paragraphs } = problemText(error.type, error.message);
  return { title, body: textElements(paragraphs), actions: [] };
}

/**
 * Ask why a question cannot be judged. Return undefined if the worker returns to it, or null without a reason.
 * @param {JudgingView} view
 * @returns {Promise<string | null | undefined>}
 */
export async function askSkipReason(view) {
  const reason = make("textarea", { id: "why", rows: 3, maxlength: 1000 });
  const body = [make("label", { for: "why" }, "Why can you not judge this?"), reason];
  const action = await view.ask("I cannot judge this", body, [
    { label: "Skip this question", value: "skip" },
    { label: "Go back", value: "", kind: "quiet" },
  ]);
  return action === "skip" ? reason.value.trim() || null : undefined;
}

/**
 * Hide the question and pause the stopwatch until the worker is back.
 * @param {JudgingView} view
 * @param {Stopwatch} stopwatch
 */
export async function pause(view, stopwatch) {
  stopwatch.pause();
  document.body.classList.add("paused");
  const body = [make("p", {}, "The timer is paused. Your question stays assigned to you.")];
  await view.ask("Paused", body, [{ label: "Continue", value: "continue" }]);
  document.body.classList.remove("paused");
  stopwatch.resume();
}

/** @param {VerdictOut} verdict */
function verdictElements(verdict) {
  const { paragraphs, findings } = verdictText(verdict);
  const list = findings.length ? [make("ul", {}, ...findings.map((finding) => make("li", {}, finding)))] : [];
  return [...list, ...textElements(paragraphs)];
}

/**
 * @param {string[]} paragraphs
 * @returns {HTMLElement[]}
 */
function textElements(paragraphs) {
  return paragraphs.map((text) => make("p", {}, text));
}
