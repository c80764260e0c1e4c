// Charts as SVG, drawn by calls: the same shapes and styles as those of the reports.

import { clock, count } from "./formats.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDE = 720;

/**
 * Make a piece of a picture.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function draw(tag, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Put pieces together as a picture, with a description for those who cannot see it.
 * @param {string} label
 * @param {number} wide
 * @param {number} high
 * @param {Node[]} pieces
 */
export function picture(label, wide, high, pieces) {
  return draw("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label, class: "plot" }, ...pieces);
}

/** @param {number} x @param {number} y @param {string} text @param {string} [anchor] */
export function words(x, y, text, anchor = "start") {
  return draw("text", { x, y, "text-anchor": anchor }, text);
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} kind */
export function line(x1, y1, x2, y2, kind) {
  return draw("line", { x1, y1, x2, y2, class: kind });
}

/**
 * Draw how many answers came each hour.
 * @param {{begins_at: string, judgments: number}[]} hours
 * @param {number} [wide] in pixels: letters then are as large as all others
 */
export function hourly(hours, wide = WIDE) {
  const [left, bottom, high] = [44, 130, 160];
  const most = niceTop(Math.max(...hours.map((one) => one.judgments), 1));
  const step = (wide - left - 8) / hours.length;
  const up = (/** @type {number} */ value) => bottom - (value / most) * (bottom - 14);
  const grid = [0, most / 2, most].flatMap((value) => [
    line(left, up(value), wide - 8, up(value), "grid"),
    words(left - 8, up(value) + 4, count(value), "end"),
  ]);
  const bars = hours.map((one, place) => {
    const title = draw("title", {}, `${clock(one.begins_at)}: ${count(one.judgments)}`);
    const y = up(one.judgments);
    const [x, width] = [left + place * step + 1.5, Math.max(1, step - 3)];
    return draw("rect", { x, y, width, height: Math.max(0, bottom - y), rx: 2, class: "column" }, title);
  });
  const every = Math.ceil((hours.length * 60) / wide);
  const times = hours
    .map((one, place) => [one, place])
    .filter((_, place) => place % every === 0)
    .map(([one, place]) => words(left + /** @type {number} */ (place) * step, high - 8, clock(/** @type {any} */ (one).begins_at)));
  const all = hours.reduce((sum, one) => sum + one.judgments, 0);
  const label = `Answers per hour over the last ${hours.length} hours, ${count(all)} in all, ${count(Math.max(...hours.map((one) => one.judgments)))} at most`;
  return picture(label, wide, high, [...grid, ...bars, ...times]);
}

/**
 * Draw the same without words, as small as a line.
 * @param {{judgments: number}[]} hours
 */
export function spark(hours) {
  const [wide, high] = [120, 28];
  const most = Math.max(...hours.map((one) => one.judgments), 1);
  const step = wide / hours.length;
  const bars = hours.map((one, place) => {
    const height = one.judgments ? Math.max(2, (one.judgments / most) * high) : 1;
    return draw("rect", { x: place * step, y: high - height, width: step - 1, height, class: one.judgments ? "column" : "none" });
  });
  const svg = draw("svg", { viewBox: `0 0 ${wide} ${high}`, class: "spark", "aria-hidden": "true" }, ...bars);
  return svg;
}

/**
 * Draw pairs as one line: judged, inferred, open.
 * @param {{judged: number, inferred: number, open: number}} pairs
 */
export function pairBar({ judged, inferred, open }) {
  const all = Math.max(judged + inferred + open, 1);
  let x = 0;
  const pieces = [["judged", judged], ["inferred", inferred], ["open", open]].map(([kind, number]) => {
    const width = (Number(number) / all) * WIDE;
    const made = draw("rect", { x, y: 0, width, height: 14, class: kind });
    x += width;
    return made;
  });
  const label = `${count(judged)} pairs judged, ${count(inferred)} inferred, ${count(open)} open`;
  const svg = picture(label, WIDE, 14, pieces);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.classList.add("stripe");
  return svg;
}

/**
 * Return a round number that is no smaller, and whose half is whole.
 * @param {number} value
 */
export function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const top = [1, 2, 4, 6, 8, 10].map((one) => one * power).find((one) => one >= value) || value;
  return Math.max(2, Math.ceil(top / 2) * 2);
}
