// The ordered classes as a picture: boxes from best to worst, documents inside, open ones beside the
// boxes they may belong to.

import { button, make } from "../shared/elements.js";
import { counted } from "./formats.js";
import { note } from "./components.js";

const MOST_BOXES = 40;
const MOST_CHIPS = 24;
const MOST_LANES = 12;

/**
 * @typedef {object} Loose
 * @property {string[]} documents
 * @property {number} first
 * @property {number} last
 */

/**
 * Draw the picture.
 * @param {{boxes: string[][], loose: Loose[]}} told
 * @param {(id: string) => HTMLElement} chip makes a document
 */
export function drawClasses(told, chip) {
  const { boxes } = told;
  const open = told.loose.reduce((sum, one) => sum + one.documents.length, 0);
  if (!boxes.length) {
    return make("div", {}, note(`Nothing is ordered yet: ${counted(open, "document")} could belong anywhere.`), make("div", { class: "lane wide" }, ...chips(told.loose.flatMap((one) => one.documents), chip)));
  }
  const holder = make("div", { class: "some" });
  let upto = MOST_BOXES;
  const update = () => {
    const rest = boxes.length - upto;
    const more = button(`Show more (${rest} classes left)`, () => {
      upto += 2 * MOST_BOXES;
      update();
    }, "quiet");
    holder.replaceChildren(grid(boxes.slice(0, upto), lanesOf(told.loose, 2 * Math.min(upto, boxes.length)), chip, rest <= 0), ...(rest > 0 ? [more] : []));
  };
  update();
  return holder;
}

/**
 * Lay boxes below each other, and beside them what is open.
 * @param {string[][]} boxes
 * @param {Lane[]} lanes
 * @param {(id: string) => HTMLElement} chip
 * @param {boolean} whole whether no boxes follow
 */
function grid(boxes, lanes, chip, whole) {
  // A class is the best or the worst only if no open document may belong beyond it.
  const best = !lanes.some((lane) => lane.first === 0);
  const worst = whole && !lanes.some((lane) => lane.last === 2 * boxes.length);
  const shown = boxes.map((documents, place) => {
    const ends = best && place === 0 ? "best" : worst && place === boxes.length - 1 ? "worst" : "";
    const head = make("div", { class: "box-head" }, make("strong", {}, String(place + 1)), make("span", {}, counted(documents.length, "document")), ...(ends ? [make("span", { class: "end-mark" }, ends)] : []));
    const made = make("li", { class: "box", "aria-label": `Class ${place + 1}${ends && `, the ${ends}`}: ${counted(documents.length, "document")}` }, head, make("div", { class: "chips" }, ...chips(documents, chip)));
    made.style.gridRow = `${2 * place + 2}`;
    return made;
  });
  const columns = packed(lanes);
  const beside = lanes.map((lane, place) => {
    const made = make("li", { class: "lane", "aria-label": lane.words }, make("div", { class: "box-head" }, make("span", {}, lane.words)), make("div", { class: "chips" }, ...chips(lane.documents, chip)));
    made.style.gridRow = `${lane.first + 1} / ${lane.last + 2}`;
    made.style.gridColumn = `${columns[place] + 2}`;
    return made;
  });
  const made = make("ol", { class: lanes.length ? "classes" : "classes settled", "aria-label": "Classes, best first" }, ...shown, ...beside);
  made.style.setProperty("--lanes", String(Math.max(-1, ...columns) + 1));
  return made;
}

/**
 * @typedef {object} Lane
 * @property {string[]} documents
 * @property {number} first
 * @property {number} last
 * @property {string} words
 */

/**
 * Make lanes of what is open: the largest groups have their own, the others share one.
 * @param {Loose[]} loose
 * @param {number} most the last place that is drawn
 * @returns {Lane[]}
 */
function lanesOf(loose, most) {
  const seen = loose.filter((one) => one.first <= most).map((one) => ({ ...one, last: Math.min(one.last, most) }));
  const largest = [...seen].sort((one, other) => other.documents.length - one.documents.length);
  const own = largest.slice(0, seen.length > MOST_LANES ? MOST_LANES - 1 : MOST_LANES);
  const rest = largest.slice(own.length);
  if (rest.length) {
    own.push({
      documents: rest.flatMap((one) => one.documents),
      first: Math.min(...rest.map((one) => one.first)),
      last: Math.max(...rest.map((one) => one.last)),
    });
  }
  own.sort((one, other) => one.first - other.first || one.last - other.last);
  return own.map((one) => ({ ...one, words: whereabouts(one.first, one.last, most) }));
}

/**
 * Choose a column for each lane: those that do not meet share one.
 * @param {Lane[]} lanes
 */
function packed(lanes) {
  /** @type {number[]} the last place that is taken in each column */
  const ends = [];
  return lanes.map(({ first, last }) => {
    const free = ends.findIndex((end) => end < first);
    const column = free < 0 ? ends.length : free;
    ends[column] = last;
    return column;
  });
}

/**
 * Say between which classes something may belong.
 * @param {number} first
 * @param {number} last
 * @param {number} most
 */
function whereabouts(first, last, most) {
  if (first === 0 && last >= most) return "anywhere";
  const [from, to] = [Math.floor(first / 2) + 1, Math.ceil(last / 2)];
  if (first === last && first % 2) return `perhaps ${from}`;
  if (last === 0) return "above 1";
  if (first >= most) return `below ${most / 2}`;
  if (from > to) return `between ${to} and ${from}`;
  return from === to ? `${from} or near it` : `${from} to ${to}`;
}

/** @param {string[]} documents @param {(id: string) => HTMLElement} chip */
function chips(documents, chip) {
  const made = documents.slice(0, MOST_CHIPS).map(chip);
  const rest = documents.slice(MOST_CHIPS);
  if (!rest.length) return made;
  const more = button(`+ ${rest.length} more`, () => more.replaceWith(...rest.map(chip)), "chip more");
  return [...made, more];
}
