// Messages in place of a question, as elements: made of words, and of what the service told.

import { button, make } from "../shared/elements.js";
import { problemMessage, reasonMessage, verdictMessage } from "./message_texts.js";

/** @typedef {{title: string, body: Node[], actions: HTMLElement[]}} Notice */

/**
 * Say why there is no question, with what came of the last check if it was not passed.
 * @param {any} told
 * @param {(() => void) | null} undo takes the last answer back, if there is one
 * @returns {Notice & {again: number}}
 */
export function nothingLeft(told, undo) {
  const { title, text, again = 0 } = reasonMessage(told.reason);
  const body = text.map((one) => make("p", {}, one));
  if (told.verdict && told.verdict.effect !== "none") body.unshift(...found(told.verdict));
  const actions = undo && !again ? [button("Take back my last answer", undo, "quiet")] : [];
  return { title, body, actions, again };
}

/**
 * Ask a topic's understanding question.
 * @param {{question: string, choices: string[]}} asked
 * @param {(choice: string) => void} choose
 * @returns {Notice}
 */
export function understanding(asked, choose) {
  const actions = asked.choices.map((choice) => button(choice, () => choose(choice), "quiet choice"));
  return { title: "Before you begin", body: [make("p", { dir: "auto" }, asked.question)], actions };
}

/**
 * Say what a check came to.
 * @param {any} verdict
 * @param {() => void} goOn
 * @param {boolean} handsIn whether there is something to do even where the work ends
 * @returns {Notice}
 */
export function notPassed(verdict, goOn, handsIn = false) {
  const { title, ends } = verdictMessage(verdict);
  return { title, body: found(verdict), actions: ends && !handsIn ? [] : [button("Go on", goOn)] };
}

/**
 * Say why the page cannot go on.
 * @param {import("../shared/api_call.js").Refusal} error
 * @returns {Notice}
 */
export function refused(error) {
  const { title, text } = problemMessage(error.kind, error.message);
  return { title, body: text.map((one) => make("p", {}, one)), actions: [] };
}

/**
 * Ask why a question cannot be judged.
 * @param {import("./view.js").Screen} screen
 * @returns {Promise<string | null | undefined>} undefined if the worker would rather judge it
 */
export async function askWhy(screen) {
  const why = make("textarea", { id: "why", rows: 3, maxlength: 1000 });
  const body = [make("label", { for: "why" }, "Why can you not judge this?"), why];
  const said = await screen.ask("I cannot judge this", body, [
    { label: "Skip this question", value: "skip" },
    { label: "Go back", value: "", kind: "quiet" },
  ]);
  return said === "skip" ? why.value.trim() || null : undefined;
}

/**
 * Stop the clock and hide the question until the worker is back.
 * @param {import("./view.js").Screen} screen
 * @param {import("./stopwatch.js").Stopwatch} watch
 */
export async function pause(screen, watch) {
  watch.pause();
  document.body.classList.add("paused");
  const body = [make("p", {}, "The clock stands still. Your question is kept for you.")];
  await screen.ask("Paused", body, [{ label: "Go on", value: "on" }]);
  document.body.classList.remove("paused");
  watch.resume();
}

/** @param {any} verdict */
function found(verdict) {
  const { text, findings } = verdictMessage(verdict);
  const list = findings.map((one) => make("li", {}, one));
  return [...(list.length ? [make("ul", {}, ...list)] : []), ...text.map((one) => make("p", {}, one))];
}
