// Highlights the terms of the topic in the documents.

import { make } from "../shared/elements.js";

const STOP_WORDS = new Set(
  ("a about an and are as at be been by can could did do does for from had has have how i if in is it its" +
    " me my no not of on or our should so some than that the their them then there these they this to" +
    " was we were what when where which who why will with would you your").split(" "),
);
const MAX_TERMS = 40;

/**
 * Make the pattern that matches the terms of a text, or return null if it has none but stop words.
 * @param {string} text
 */
export function termPattern(text) {
  const words = text.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const terms = [...new Set(words)].filter((word) => word.length > 1 && !STOP_WORDS.has(word));
  if (!terms.length) return null;
  const longestFirst = terms.slice(0, MAX_TERMS).sort((first, second) => second.length - first.length);
  // Terms consist of letters and digits only, so they need no escapes.
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "giu");
}

/**
 * Highlight the matches of a pattern in all text under a node.
 * @param {Node} root
 * @param {RegExp | null} pattern
 */
export function highlight(root, pattern) {
  if (!pattern) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts) highlightText(text, pattern);
}

/**
 * @param {Text} text
 * @param {RegExp} pattern
 */
function highlightText(text, pattern) {
  const pieces = [];
  let end = 0;
  for (const match of text.data.matchAll(pattern)) {
    pieces.push(text.data.slice(end, match.index), make("mark", {}, match[0]));
    end = match.index + match[0].length;
  }
  if (pieces.length) text.replaceWith(...pieces, text.data.slice(end));
}
