// The side on which each document of a pair is shown: a document that was on screen before keeps its side.

/** @import { AssignmentOut, DocumentShown } from "../shared/api_types.d.ts" */

/** @typedef {{left: DocumentShown, right: DocumentShown}} Sides */
/** @typedef {{topic: string, ids: string[]}} Shown the documents on screen, from left to right */
/** @typedef {Pick<AssignmentOut, "topic" | "left" | "right">} Pair */

/**
 * Choose the sides of a pair, or return null if the assignment has a single document.
 * @param {Pair} assignment
 * @param {Shown | null} previous
 * @returns {Sides | null}
 */
export function arrangeSides({ topic, left, right }, previous) {
  if (!left || !right) return null;
  const ids = previous?.topic === topic.id ? previous.ids : [];
  const swapped = ids.length === 2 && (left.id === ids[1] || right.id === ids[0]);
  return swapped ? { left: right, right: left } : { left, right };
}

/**
 * Return the id of the document that is new beside one that stayed, if that is the case.
 * @param {Pair} assignment
 * @param {Shown | null} previous
 * @returns {Set<string>}
 */
export function newDocument({ topic, left, right }, previous) {
  if (!left || !right || previous?.topic !== topic.id) return new Set();
  const unseen = [left.id, right.id].filter((id) => !previous.ids.includes(id));
  return new Set(unseen.length === 1 ? unseen : []);
}
