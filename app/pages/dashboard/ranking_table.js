// Ratings with their error bars: a row for each document, best first.

import { draw, line } from "./charts.js";
import { make } from "../shared/elements.js";
import { decimal, share } from "./formats.js";
import { note, some, table } from "./components.js";

const STEP = 25;
/** @type {Record<string, string>} */
const STATES = { settled: "settled", open: "open", unjudged: "not judged" };
const WIDE = 240;
const HIGH = 20;

/**
 * Draw the ranking of a topic.
 * @param {any} told
 * @param {(id: string) => Node} name makes a document
 */
export function drawRatings(told, name) {
  const scored = told.documents.filter((/** @type {any} */ one) => one.score !== null);
  if (!scored.length) return note("No document has a score yet.");
  const has = { errors: scored.some((/** @type {any} */ one) => one.uncertainty !== null), certainty: scored.some((/** @type {any} */ one) => one.certainty !== null) };
  const axis = axisOf(scored);
  const heads = ["document", "state", "rank", "score", has.errors ? "± 2 standard errors" : "drawn", ...(has.certainty ? ["how sure of its class"] : [])];
  const row = (/** @type {any} */ one) => [
    name(one.document),
    STATES[one.status],
    one.ranks[0] === one.ranks[1] ? String(one.ranks[0]) : `${one.ranks[0]}–${one.ranks[1]}`,
    one.score === null ? "–" : decimal(one.score),
    interval(one, axis),
    ...(has.certainty ? [one.certainty === null ? "–" : share(one.certainty)] : []),
  ];
  const rows = (/** @type {any[]} */ shown) => {
    const made = table("Ranking", heads, shown.map(row));
    made.classList.add("ratings");
    return made;
  };
  return make("div", {}, some(told.documents, STEP, rows, "documents"));
}

/** @param {any[]} scored */
function axisOf(scored) {
  const ends = scored.flatMap((one) => [one.score - 2 * (one.uncertainty || 0), one.score + 2 * (one.uncertainty || 0)]);
  const [low, high] = [ends.reduce((a, b) => Math.min(a, b)), ends.reduce((a, b) => Math.max(a, b))];
  const wide = high - low || 1;
  return (/** @type {number} */ value) => 6 + ((value - low) / wide) * (WIDE - 12);
}

/** @param {any} one @param {(value: number) => number} axis */
function interval(one, axis) {
  if (one.score === null) return "nobody has judged it";
  const error = 2 * (one.uncertainty || 0);
  const words = `score ${decimal(one.score)}${error ? `, between ${decimal(one.score - error)} and ${decimal(one.score + error)}` : ""}`;
  const middle = HIGH / 2;
  const parts = [line(0, middle, WIDE, middle, "grid")];
  if (error) {
    const [from, to] = [axis(one.score - error), axis(one.score + error)];
    parts.push(line(from, middle, to, middle, "thick"), line(from, middle - 4, from, middle + 4, "thick"), line(to, middle - 4, to, middle + 4, "thick"));
  }
  parts.push(draw("circle", { cx: axis(one.score), cy: middle, r: 4.5 }));
  return draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "plot in-row", role: "img", "aria-label": words }, ...parts);
}
