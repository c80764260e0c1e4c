// Plain text as elements, with its paragraphs or with its exact white space.

import { make } from "./elements.js";

const SAMPLE = 20_000;

/**
 * Make a paragraph of each block of lines.
 * @param {string} text
 */
export function paragraphs(text) {
  return unwrapped(text)
    .split(/\n\s*\n/)
    .filter((block) => block.trim())
    .map((block) => make("p", { class: "prose", dir: "auto" }, block.replace(/^\s*\n|\s+$/g, "")));
}

/**
 * Show text with its exact white space. Lines that are too long are wrapped.
 * @param {string} text
 * @param {boolean} [aligned] whether to use a fixed-width font
 */
export function verbatim(text, aligned = isAligned(text)) {
  const kind = aligned ? "verbatim aligned" : "verbatim";
  return make("div", { class: kind, dir: "auto" }, text.replace(/\r\n?/g, "\n"));
}

/**
 * Say whether white space is part of a text's layout, as in code: a quarter of its lines are indented.
 * @param {string} text
 */
export function isAligned(text) {
  const lines = text.slice(0, SAMPLE).split("\n").filter((line) => line.trim());
  const indented = lines.filter((line) => /^(\t| {2})/.test(line)).length;
  return indented >= 2 && indented * 4 >= lines.length;
}

/**
 * Join lines that were wrapped at a fixed width. Short lines keep their breaks, and so does a text with indents.
 * @param {string} text
 */
export function unwrapped(text) {
  if (/^[ \t]+\S/m.test(text)) return text;
  return text.replace(/([^\n]{50,})\n(?=[^\s\-*•\d])/g, "$1 ");
}
