// The ranking of a topic as a table, with scores and their standard errors.

import { note, table } from "./components.js";
import { ExpandableList } from "./expandable_list.js";
import { decimal, percentage, ranks } from "./formats.js";
import { line, svg } from "./svg.js";

/** @import { RankedOut, RankingOut } from "../shared/api_types.d.ts" */

const FIRST_ROWS = 25;
const WIDTH = 240;
const HEIGHT = 20;

/** @typedef {RankedOut & {score: number}} Scored */

/** The table. */
export class RankingTable {
  #list = new ExpandableList(FIRST_ROWS, 4 * FIRST_ROWS, "documents");

  /** @param {(id: string) => Node} chip makes the element of a document */
  constructor(chip) {
    this.chip = chip;
  }

  /** @param {RankingOut} ranking */
  draw({ documents }) {
    const scored = documents.filter(isScored);
    if (!scored.length) return note("No document has a score yet.");
    const hasErrors = scored.some(({ uncertainty }) => uncertainty !== null);
    const hasCertainty = scored.some(({ certainty }) => certainty !== null);
    const headers = ["document", "state", "rank", "score", hasErrors ? "± 2 standard errors" : "chart"];
    if (hasCertainty) headers.push("certainty of its class");
    const xOf = axisOf(scored);
    const rowOf = (/** @type {RankedOut} */ ranked) => {
      const cells = this.#cells(ranked, xOf);
      return hasCertainty ? [...cells, percentage(ranked.certainty)] : cells;
    };
    return this.#list.draw(documents.length, (shown) => {
      const element = table("Ranking", headers, documents.slice(0, shown).map(rowOf));
      element.classList.add("ratings");
      return element;
    });
  }

  /**
   * @param {RankedOut} ranked
   * @param {(value: number) => number} xOf
   */
  #cells(ranked, xOf) {
    const chart = isScored(ranked) ? intervalChart(ranked, xOf) : "not judged";
    return [this.chip(ranked.document), ranked.status, ranks(ranked.ranks), decimal(ranked.score), chart];
  }
}

/**
 * @param {RankedOut} ranked
 * @returns {ranked is Scored}
 */
function isScored(ranked) {
  return ranked.score !== null;
}

/**
 * Return the function from scores to horizontal positions.
 * @param {Scored[]} scored
 */
function axisOf(scored) {
  let [low, high] = [Infinity, -Infinity];
  for (const { score, uncertainty } of scored) {
    low = Math.min(low, score - 2 * (uncertainty ?? 0));
    high = Math.max(high, score + 2 * (uncertainty ?? 0));
  }
  const range = high - low || 1;
  return (/** @type {number} */ value) => 6 + ((value - low) / range) * (WIDTH - 12);
}

/**
 * @param {Scored} ranked
 * @param {(value: number) => number} xOf
 */
function intervalChart({ score, uncertainty }, xOf) {
  const error = 2 * (uncertainty ?? 0);
  const range = error ? `, between ${decimal(score - error)} and ${decimal(score + error)}` : "";
  const middle = HEIGHT / 2;
  const tick = (/** @type {number} */ x) => line([x, middle - 4], [x, middle + 4], "thick");
  const [from, to] = [xOf(score - error), xOf(score + error)];
  const bar = error ? [line([from, middle], [to, middle], "thick"), tick(from), tick(to)] : [];
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot in-row", role: "img", "aria-label": `score ${decimal(score)}${range}` },
    line([0, middle], [WIDTH, middle], "grid"),
    ...bar,
    svg("circle", { cx: xOf(score), cy: middle, r: 4.5 }),
  );
}
