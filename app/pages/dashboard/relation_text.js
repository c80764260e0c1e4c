// Relations between two documents as text, and the chains of judgments from which they follow.

import { make } from "../shared/elements.js";
import { plural } from "./formats.js";

/** @import { ReasonOut } from "../shared/api_types.d.ts" */

/** @typedef {(id: string) => Node} MakeChip makes the element of a document */
/** @typedef {Omit<ReasonOut, "judgments"> & {judgments?: number[]}} Relation */

const VERBS = { better: "is better than", worse: "is worse than", tie: "is as good as" };

/**
 * Write a relation, with the numbers of its judgments.
 * @param {Relation} relation
 * @param {MakeChip} chip
 */
export function relationText({ first, second, outcome, judgments = [] }, chip) {
  const numbers = judgments.map((number) => `#${number}`).join(", ");
  const source = numbers ? [make("small", {}, ` ${plural(judgments.length, "judgment")} ${numbers}`)] : [];
  return make("span", { class: "finding" }, chip(first), ` ${VERBS[outcome]} `, chip(second), ...source);
}

/**
 * Write the chain of relations from which a relation follows.
 * @param {ReasonOut[]} chain
 * @param {MakeChip} chip
 */
export function chainText(chain, chip) {
  return make("ol", { class: "chain" }, ...chain.map((relation) => make("li", {}, relationText(relation, chip))));
}
