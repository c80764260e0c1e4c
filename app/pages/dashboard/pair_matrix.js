// The pairs of a topic as a matrix, with documents by rank on both sides: judged, inferred or open.

import { make } from "../shared/elements.js";
import { pairBar } from "./charts.js";
import { note } from "./components.js";
import { count, counted } from "./formats.js";
import { drawing, svg } from "./svg.js";

/** @import { BinOut, MatrixOut, ProgressOut } from "../shared/api_types.d.ts" */

const SIZE = 480;
/** @typedef {"judged" | "both" | "inferred" | "open"} Kind */
/** @type {[Kind, string][]} */
const LEGEND = [["judged", "judged"], ["both", "some judged"], ["inferred", "inferred"], ["open", "open"]];

/**
 * @typedef {object} Cell
 * @property {BinOut} row
 * @property {BinOut} column
 * @property {number} judged
 * @property {number} inferred
 * @property {number} pairs
 */

/**
 * Draw the matrix.
 * @param {MatrixOut} matrix
 * @param {ProgressOut} progress
 */
export function pairMatrix(matrix, progress) {
  const { bins } = matrix;
  if (bins.length < 2) return note("There are no pairs yet.");
  const paths = pathsOf(matrix);
  const totals = { judged: progress.judged_pairs, inferred: progress.inferred_pairs, open: progress.unknown_pairs };
  const { judged, inferred, open } = totals;
  const label = `Pairs of documents, best first on both sides: ${count(judged)} judged, ${count(inferred)} inferred, ${count(open)} open`;
  // One path for each kind: an element for each cell would make the page slow.
  const svgPaths = LEGEND.map(([kind]) => svg("path", { d: paths[kind].join(""), class: kind }));
  const chart = drawing(label, SIZE, SIZE, svgPaths);
  chart.classList.add("matrix");
  const legend = LEGEND.filter(([kind]) => paths[kind].length || kind === "judged" || kind === "inferred").map(
    ([kind, text]) => make("li", {}, swatch(kind), text),
  );
  const sum = `${count(judged)} judged + ${count(inferred)} inferred + ${count(open)} open = ${counted(judged + inferred + open, "pair")}.`;
  return make(
    "div",
    { class: "matrix-part" },
    pairBar(totals),
    make("p", {}, sum),
    make("ul", { class: "legend" }, ...legend),
    chart,
    cellDescription(chart, matrix, progress.documents),
  );
}

/** @param {MatrixOut} matrix */
function pathsOf(matrix) {
  const size = SIZE / matrix.bins.length;
  const gap = size > 10 ? 1 : 0;
  /** @type {Record<Kind, string[]>} */
  const paths = { judged: [], both: [], inferred: [], open: [] };
  for (const row of matrix.bins.keys()) {
    for (const column of matrix.bins.keys()) {
      const cell = cellAt(matrix, row, column);
      if (cell?.pairs) paths[kindOf(cell)].push(square(column * size, row * size, size - gap));
    }
  }
  return paths;
}

/**
 * @param {MatrixOut} matrix
 * @param {number} row
 * @param {number} column
 * @returns {Cell | null} null outside the matrix
 */
function cellAt({ bins, judged, inferred, pairs }, row, column) {
  const [rowBin, columnBin] = [bins[row], bins[column]];
  if (!rowBin || !columnBin) return null;
  return {
    row: rowBin,
    column: columnBin,
    judged: judged[row]?.[column] ?? 0,
    inferred: inferred[row]?.[column] ?? 0,
    pairs: pairs[row]?.[column] ?? 0,
  };
}

/**
 * @param {Cell} cell
 * @returns {Kind}
 */
function kindOf({ judged, inferred, pairs }) {
  if (judged === pairs) return "judged";
  if (judged > 0) return "both";
  return inferred * 2 >= pairs ? "inferred" : "open";
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function square(x, y, size) {
  const [left, top, width] = [x, y, size].map((value) => Math.round(value * 100) / 100);
  return `M${left} ${top}h${width}v${width}h-${width}z`;
}

/**
 * Make the text that describes the cell under the pointer.
 * @param {SVGSVGElement} chart
 * @param {MatrixOut} matrix
 * @param {number} documents
 */
function cellDescription(chart, matrix, documents) {
  const { bins } = matrix;
  const isSingle = bins.every((bin) => bin.documents === 1);
  const scale = `Each row stands for about ${counted(Math.round(documents / bins.length), "document")}. `;
  const advice = isSingle ? "Point at a cell to see its pair." : `${scale}Point at a cell to see its pairs.`;
  const element = make("p", { class: "note", "aria-live": "off" }, advice);
  chart.addEventListener("pointermove", (event) => {
    const { left, top, width } = chart.getBoundingClientRect();
    const indexOf = (/** @type {number} */ offset) => Math.floor((offset / width) * bins.length);
    const cell = cellAt(matrix, indexOf(event.clientY - top), indexOf(event.clientX - left));
    if (cell) element.textContent = isSingle ? pairText(cell) : blockText(cell);
  });
  return element;
}

/** @param {Cell} cell of two documents */
function pairText({ row, column, judged, inferred }) {
  if (row === column) return row.first;
  return `${row.first} and ${column.first}: ${judged ? "judged" : inferred ? "inferred" : "open"}`;
}

/** @param {Cell} cell of several documents */
function blockText({ row, column, judged, inferred, pairs }) {
  const open = pairs - judged - inferred;
  const numbers = `${count(judged)} judged, ${count(inferred)} inferred, ${count(open)} open`;
  return `${binText(row)} against ${binText(column)}: ${numbers}`;
}

/** @param {BinOut} bin */
function binText({ documents, first, last }) {
  return documents === 1 ? first : `${first} … ${last}`;
}

/** @param {Kind} kind */
function swatch(kind) {
  const square = svg("rect", { width: 12, height: 12, rx: 2, class: kind });
  return svg("svg", { viewBox: "0 0 12 12", class: "plot swatch", "aria-hidden": "true" }, square);
}
