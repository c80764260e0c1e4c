// Charts: answers per hour, and pairs by how they are known.

import { clockTime, count } from "./formats.js";
import { drawing, line, svg, text } from "./svg.js";

/** @import { HourOut } from "../shared/api_types.d.ts" */

const DEFAULT_WIDTH = 720;

/**
 * Draw the number of answers in each hour.
 * @param {HourOut[]} hours
 * @param {number} [width] in pixels; the text is then as large as other text
 */
export function hourlyChart(hours, width = DEFAULT_WIDTH) {
  const [left, bottom, height] = [44, 130, 160];
  const most = Math.max(...hours.map(({ judgments }) => judgments));
  const top = axisEnd(Math.max(most, 1));
  const step = (width - left - 8) / hours.length;
  const yOf = (/** @type {number} */ value) => bottom - (value / top) * (bottom - 14);
  const grid = [0, top / 2, top].flatMap((value) => [
    line([left, yOf(value)], [width - 8, yOf(value)], "grid"),
    text(left - 8, yOf(value) + 4, count(value), "end"),
  ]);
  const bars = hours.map(({ begins_at, judgments }, index) => {
    const title = svg("title", {}, `${clockTime(begins_at)}: ${count(judgments)}`);
    const [x, y] = [left + index * step + 1.5, yOf(judgments)];
    const size = { width: Math.max(1, step - 3), height: Math.max(0, bottom - y) };
    return svg("rect", { x, y, ...size, rx: 2, class: "column" }, title);
  });
  const interval = Math.ceil((hours.length * 60) / width);
  const times = hours.flatMap(({ begins_at }, index) =>
    index % interval === 0 ? [text(left + index * step, height - 8, clockTime(begins_at))] : [],
  );
  const total = hours.reduce((sum, { judgments }) => sum + judgments, 0);
  const label = `Answers per hour over the last ${hours.length} hours: ${count(total)} in total, at most ${count(most)} in an hour`;
  return drawing(label, width, height, [...grid, ...bars, ...times]);
}

/**
 * Draw the number of answers in each hour without text, as high as a line.
 * @param {HourOut[]} hours
 */
export function sparkline(hours) {
  const [width, height] = [120, 28];
  const most = Math.max(...hours.map(({ judgments }) => judgments), 1);
  const step = width / hours.length;
  const bars = hours.map(({ judgments }, index) => {
    const bar = judgments ? Math.max(2, (judgments / most) * height) : 1;
    const kind = judgments ? "column" : "none";
    return svg("rect", { x: index * step, y: height - bar, width: step - 1, height: bar, class: kind });
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "spark", "aria-hidden": "true" }, ...bars);
}

/**
 * Draw the shares of pairs that are judged, inferred and open.
 * @param {{judged: number, inferred: number, open: number}} pairs
 */
export function pairBar(pairs) {
  const total = Math.max(pairs.judged + pairs.inferred + pairs.open, 1);
  let x = 0;
  const parts = Object.entries(pairs).map(([kind, number]) => {
    const width = (number / total) * DEFAULT_WIDTH;
    const part = svg("rect", { x, y: 0, width, height: 14, class: kind });
    x += width;
    return part;
  });
  const label = `${count(pairs.judged)} pairs judged, ${count(pairs.inferred)} inferred, ${count(pairs.open)} open`;
  const bar = drawing(label, DEFAULT_WIDTH, 14, parts);
  bar.setAttribute("preserveAspectRatio", "none");
  bar.classList.add("stripe");
  return bar;
}

/**
 * Return an even round number that is not less than a value.
 * @param {number} value
 */
function axisEnd(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const next = [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((end) => end >= value) ?? value;
  return Math.max(2, Math.ceil(next / 2) * 2);
}
