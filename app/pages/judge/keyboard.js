// The keyboard commands of the judging page. They are off where a person types or operates another control.

const TEXT_INPUTS = "textarea, select, input:not([type=radio]), [contenteditable]";
const CONTROLS = "button, a, summary";

/** @typedef {"left" | "right" | "down"} Direction */
/** @typedef {{action: "submit" | "undo" | "skip" | "use"} | {direction: Direction} | {position: number}} Command */

/**
 * Return the command of a key, or null if the key is not for the page.
 * @param {KeyboardEvent} event
 * @returns {Command | null}
 */
export function commandOf(event) {
  const target = /** @type {Element} */ (event.target);
  if (event.altKey || event.isComposing || document.querySelector("dialog[open]")) return null;
  if (event.key === "Enter") {
    const breaksLine = target.matches("textarea") && !(event.ctrlKey || event.metaKey);
    return breaksLine || target.matches(CONTROLS) ? null : { action: "submit" };
  }
  if (event.ctrlKey || event.metaKey || target.matches(TEXT_INPUTS)) return null;
  return letterCommand(event.key) ?? arrowCommand(event.key, target) ?? digitCommand(event.key);
}

/**
 * @param {string} key
 * @returns {Command | null}
 */
function letterCommand(key) {
  if (key === "u") return { action: "undo" };
  if (key === "s") return { action: "skip" };
  if (key === "r") return { action: "use" };
  return null;
}

/** @type {Record<string, Direction>} */
const DIRECTIONS = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "down" };

/**
 * @param {string} key
 * @param {Element} target
 * @returns {Command | null}
 */
function arrowCommand(key, target) {
  // In a document, the down arrow scrolls.
  if (key === "ArrowDown" && target.closest(".body")) return null;
  // In choices other than the preference, arrows move from one choice to the next.
  if (target.matches("input[type=radio]:not([name=preference])")) return null;
  const direction = DIRECTIONS[key];
  return direction ? { direction } : null;
}

/**
 * @param {string} key
 * @returns {Command | null}
 */
function digitCommand(key) {
  return /^[1-9]$/.test(key) ? { position: Number(key) - 1 } : null;
}
