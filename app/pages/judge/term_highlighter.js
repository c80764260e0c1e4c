// The words of the topic, marked where documents have them.

import { make } from "../shared/elements.js";

const COMMON = new Set(
  ("a about an and are as at be been by can could did do does for from had has have how i if in is it its" +
    " me my no not of on or our should so some than that the their them then there these they this to" +
    " was we were what when where which who why will with would you your").split(" "),
);
const MOST_TERMS = 40;

/**
 * Make the pattern that finds a topic's words, or null if it has none worth finding.
 * @param {string} text
 * @returns {RegExp | null}
 */
export function termsOf(text) {
  const words = text.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  const terms = [...new Set(words)].filter((word) => word.length > 1 && !COMMON.has(word));
  if (!terms.length) return null;
  const longestFirst = terms.slice(0, MOST_TERMS).sort((one, other) => other.length - one.length);
  // Only letters and digits come this far, so nothing in a term means more to the pattern.
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "giu");
}

/**
 * Mark a pattern in all text under a node.
 * @param {Node} root
 * @param {RegExp | null} pattern
 */
export function mark(root, pattern) {
  if (!pattern) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts) markText(text, pattern);
}

/** @param {Text} text @param {RegExp} pattern */
function markText(text, pattern) {
  const pieces = [];
  let end = 0;
  for (const found of text.data.matchAll(pattern)) {
    pieces.push(text.data.slice(end, found.index), make("mark", {}, found[0]));
    end = found.index + found[0].length;
  }
  if (pieces.length) text.replaceWith(...pieces, text.data.slice(end));
}
