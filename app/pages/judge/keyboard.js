// Keys and what they do, except where a person is writing or moving something.

const WRITING = "textarea, select, input:not([type=radio]), [contenteditable]";
const ACTING = "button, a, summary";

/**
 * Say what a key means at this moment, or null if it is not for us.
 * @param {KeyboardEvent} event
 * @returns {{act: "submit" | "undo" | "skip" | "use"} | {way: "left" | "right" | "down"} | {place: number} | null}
 */
export function meaningOf(event) {
  const target = /** @type {Element} */ (event.target);
  if (event.altKey || event.isComposing || document.querySelector("dialog[open]")) return null;
  if (event.key === "Enter") {
    const writes = target.matches("textarea") && !(event.ctrlKey || event.metaKey);
    return writes || target.matches(ACTING) ? null : { act: "submit" };
  }
  if (event.ctrlKey || event.metaKey || target.matches(WRITING)) return null;
  return letter(event.key) || arrow(event.key, target) || digit(event.key);
}

/** @param {string} key */
function letter(key) {
  if (key === "u") return { act: /** @type {const} */ ("undo") };
  if (key === "s") return { act: /** @type {const} */ ("skip") };
  if (key === "r") return { act: /** @type {const} */ ("use") };
  return null;
}

/** @param {string} key @param {Element} target */
function arrow(key, target) {
  // Within a document, up and down scroll it.
  if (key === "ArrowDown" && target.closest(".body")) return null;
  // Within other choices than the preference, arrows go from one to the next.
  if (target.matches("input[type=radio]:not([name=preference])")) return null;
  const ways = /** @type {const} */ ({ ArrowLeft: "left", ArrowRight: "right", ArrowDown: "down" });
  const way = ways[/** @type {keyof typeof ways} */ (key)];
  return way ? { way } : null;
}

/** @param {string} key */
function digit(key) {
  return /^[1-9]$/.test(key) ? { place: Number(key) - 1 } : null;
}
