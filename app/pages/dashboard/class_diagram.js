// A diagram of the ordered classes: boxes from best to worst, and beside them the open documents, in lanes that
// span the classes to which they may belong.

import { button, make } from "../shared/elements.js";
import { note } from "./components.js";
import { ExpandableList } from "./expandable_list.js";
import { counted } from "./formats.js";

/** @import { ClassesOut, LooseOut } from "../shared/api_types.d.ts" */

const MAX_BOXES = 40;
const MAX_CHIPS = 24;
const MAX_LANES = 12;

/** @typedef {(id: string) => HTMLElement} MakeChip makes the element of a document */
/** @typedef {Pick<ClassesOut, "boxes" | "loose">} Classes */

/**
 * Positions 1, 3, 5 … are classes; 0, 2, 4 … are the gaps around them.
 * @typedef {LooseOut & {label: string}} Lane
 */

/** The diagram. */
export class ClassDiagram {
  #list = new ExpandableList(MAX_BOXES, 2 * MAX_BOXES, "classes");

  /** @param {MakeChip} chip */
  constructor(chip) {
    this.chip = chip;
  }

  /** @param {Classes} classes */
  draw({ boxes, loose }) {
    if (!boxes.length) return unorderedDocuments(loose, this.chip);
    return this.#list.draw(boxes.length, (shown) => {
      const isComplete = shown >= boxes.length;
      const drawn = boxes.slice(0, shown);
      return grid(drawn, lanesOf(loose, 2 * drawn.length), this.chip, isComplete);
    });
  }
}

/**
 * @param {LooseOut[]} loose
 * @param {MakeChip} chip
 */
function unorderedDocuments(loose, chip) {
  const documents = loose.flatMap((group) => group.documents);
  const text = `No documents are ordered yet: ${counted(documents.length, "document")} may belong to any class.`;
  return make("div", {}, note(text), make("div", { class: "lane wide" }, ...chips(documents, chip)));
}

/**
 * Arrange boxes below each other, and lanes beside them.
 * @param {string[][]} boxes
 * @param {Lane[]} lanes
 * @param {MakeChip} chip
 * @param {boolean} isComplete whether no boxes follow
 */
function grid(boxes, lanes, chip, isComplete) {
  // A class is the best or the worst only if no open document may lie beyond it.
  const hasBest = !lanes.some((lane) => lane.first === 0);
  const hasWorst = isComplete && !lanes.some((lane) => lane.last === 2 * boxes.length);
  const classes = boxes.map((documents, index) => {
    const isWorst = hasWorst && index === boxes.length - 1;
    return box(documents, index, hasBest && index === 0 ? "best" : isWorst ? "worst" : "", chip);
  });
  const columns = columnsOf(lanes);
  const beside = lanes.map((lane, index) => laneElement(lane, columns[index] ?? 0, chip));
  const kind = lanes.length ? "classes" : "classes settled";
  const element = make("ol", { class: kind, "aria-label": "Classes, best first" }, ...classes, ...beside);
  element.style.setProperty("--lanes", String(Math.max(-1, ...columns) + 1));
  return element;
}

/**
 * @param {string[]} documents
 * @param {number} index
 * @param {string} mark best, worst or empty
 * @param {MakeChip} chip
 */
function box(documents, index, mark, chip) {
  const size = counted(documents.length, "document");
  const marks = mark ? [make("span", { class: "end-mark" }, mark)] : [];
  const head = make("div", { class: "box-head" }, make("strong", {}, String(index + 1)), make("span", {}, size), ...marks);
  const label = `Class ${index + 1}${mark && `, the ${mark}`}: ${size}`;
  const content = make("div", { class: "chips" }, ...chips(documents, chip));
  const element = make("li", { class: "box", "aria-label": label }, head, content);
  element.style.gridRow = `${2 * index + 2}`;
  return element;
}

/**
 * @param {Lane} lane
 * @param {number} column
 * @param {MakeChip} chip
 */
function laneElement({ documents, first, last, label }, column, chip) {
  const head = make("div", { class: "box-head" }, make("span", {}, label));
  const content = make("div", { class: "chips" }, ...chips(documents, chip));
  const element = make("li", { class: "lane", "aria-label": label }, head, content);
  element.style.gridRow = `${first + 1} / ${last + 2}`;
  element.style.gridColumn = `${column + 2}`;
  return element;
}

/**
 * Make lanes of open documents. The largest groups have their own lanes, the others share one.
 * @param {LooseOut[]} loose
 * @param {number} lastPosition that is drawn
 * @returns {Lane[]}
 */
function lanesOf(loose, lastPosition) {
  const visible = loose
    .filter((group) => group.first <= lastPosition)
    .map((group) => ({ ...group, last: Math.min(group.last, lastPosition) }))
    .sort((one, other) => other.documents.length - one.documents.length);
  const lanes = visible.slice(0, visible.length > MAX_LANES ? MAX_LANES - 1 : MAX_LANES);
  const rest = visible.slice(lanes.length);
  if (rest.length) {
    lanes.push({
      documents: rest.flatMap((group) => group.documents),
      first: Math.min(...rest.map((group) => group.first)),
      last: Math.max(...rest.map((group) => group.last)),
    });
  }
  lanes.sort((one, other) => one.first - other.first || one.last - other.last);
  return lanes.map((lane) => ({ ...lane, label: rangeLabel(lane.first, lane.last, lastPosition) }));
}

/**
 * Choose a column for each lane. Lanes that do not overlap share a column.
 * @param {Lane[]} lanes
 */
function columnsOf(lanes) {
  /** @type {number[]} the last position that is taken in each column */
  const ends = [];
  return lanes.map(({ first, last }) => {
    const free = ends.findIndex((end) => end < first);
    const column = free < 0 ? ends.length : free;
    ends[column] = last;
    return column;
  });
}

/**
 * Name the classes between two positions.
 * @param {number} first
 * @param {number} last
 * @param {number} lastPosition
 */
function rangeLabel(first, last, lastPosition) {
  if (first === 0 && last >= lastPosition) return "any class";
  const [from, to] = [Math.floor(first / 2) + 1, Math.ceil(last / 2)];
  if (first === last && first % 2) return `perhaps ${from}`;
  if (last === 0) return "above 1";
  if (first >= lastPosition) return `below ${lastPosition / 2}`;
  if (from > to) return `between ${to} and ${from}`;
  return from === to ? `${from} or next to it` : `${from} to ${to}`;
}

/**
 * @param {string[]} documents
 * @param {MakeChip} chip
 */
function chips(documents, chip) {
  const elements = documents.slice(0, MAX_CHIPS).map(chip);
  const rest = documents.slice(MAX_CHIPS);
  if (!rest.length) return elements;
  const more = button(`+ ${rest.length} more`, () => more.replaceWith(...rest.map(chip)), "chip more");
  return [...elements, more];
}
