// Pairs as a matrix, documents by rank along both sides: judged, inferred, open.

import { draw, pairBar, picture } from "./charts.js";
import { make } from "../shared/elements.js";
import { count, counted } from "./formats.js";
import { note } from "./components.js";

const SIDE = 480;

/**
 * Draw the matrix.
 * @param {any} told
 * @param {any} progress
 */
export function drawMatrix(told, progress) {
  const { bins, judged, inferred, pairs } = told;
  if (bins.length < 2) return note("There are no pairs yet.");
  const cell = SIDE / bins.length;
  const gap = cell > 10 ? 1 : 0;
  const single = bins.every((/** @type {any} */ one) => one.documents === 1);
  /** @type {Record<string, string[]>} */
  const paths = { open: [], inferred: [], both: [], judged: [] };
  for (let row = 0; row < bins.length; row += 1) {
    for (let column = 0; column < bins.length; column += 1) {
      const all = pairs[row][column];
      if (!all) continue;
      const kind = kindOf(judged[row][column], inferred[row][column], all);
      paths[kind].push(square(column * cell, row * cell, cell - gap));
    }
  }
  // One path a kind: thousands of elements would make the page slow.
  const drawn = Object.entries(paths).map(([kind, found]) => draw("path", { d: found.join(""), class: kind }));
  const known = { judged: progress.judged_pairs, inferred: progress.inferred_pairs, open: progress.unknown_pairs };
  const label = `Pairs of documents, best first on both sides: ${count(known.judged)} judged, ${count(known.inferred)} inferred, ${count(known.open)} open`;
  const svg = picture(label, SIDE, SIDE, drawn);
  svg.classList.add("matrix");
  const about = make("p", { class: "note", "aria-live": "off" }, single ? "Point at a cell to see its pair." : `Each row stands for about ${counted(Math.round(progress.documents / bins.length), "document")}. Point at a cell to see its pairs.`);
  svg.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const box = svg.getBoundingClientRect();
    const [column, row] = [event.clientX - box.left, event.clientY - box.top].map((at) => Math.floor((at / box.width) * bins.length));
    if (bins[row] && bins[column]) about.textContent = wordsOf(told, row, column, single);
  });
  const legend = [["judged", "judged"], ["both", "some judged"], ["inferred", "inferred"], ["open", "open"]]
    .filter(([kind]) => paths[kind].length || (kind !== "both" && kind !== "open"))
    .map(([kind, text]) => make("li", {}, swatch(kind), text));
  return make("div", { class: "matrix-part" }, pairBar(known), make("p", {}, sumOf(known)), make("ul", { class: "legend" }, ...legend), svg, about);
}

/** @param {{judged: number, inferred: number, open: number}} known */
function sumOf({ judged, inferred, open }) {
  return `${count(judged)} judged + ${count(inferred)} inferred + ${count(open)} open = ${counted(judged + inferred + open, "pair")}.`;
}

/** @param {number} judged @param {number} inferred @param {number} all */
function kindOf(judged, inferred, all) {
  if (judged === all) return "judged";
  if (judged > 0) return "both";
  return inferred * 2 >= all ? "inferred" : "open";
}

/** @param {number} x @param {number} y @param {number} side */
function square(x, y, side) {
  const [left, top, wide] = [x, y, side].map((one) => Math.round(one * 100) / 100);
  return `M${left} ${top}h${wide}v${wide}h-${wide}z`;
}

/** @param {any} told @param {number} row @param {number} column @param {boolean} single */
function wordsOf(told, row, column, single) {
  const [one, other] = [told.bins[row], told.bins[column]];
  const [judged, inferred, all] = [told.judged[row][column], told.inferred[row][column], told.pairs[row][column]];
  if (single) {
    if (row === column) return one.first;
    return `${one.first} and ${other.first}: ${judged ? "judged" : inferred ? "inferred" : "open"}`;
  }
  const range = (/** @type {any} */ bin) => (bin.documents === 1 ? bin.first : `${bin.first} … ${bin.last}`);
  return `${range(one)} against ${range(other)}: ${count(judged)} judged, ${count(inferred)} inferred, ${count(all - judged - inferred)} open`;
}

/** @param {string} kind */
function swatch(kind) {
  const rect = draw("rect", { width: 12, height: 12, rx: 2, class: kind });
  return draw("svg", { viewBox: "0 0 12 12", class: "plot swatch", "aria-hidden": "true" }, rect);
}
