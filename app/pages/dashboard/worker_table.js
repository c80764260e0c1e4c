// The workers of a study: what they did, how far they can be relied on, and what to do about it.

import { make } from "../shared/elements.js";
import { count, decimal, share } from "./formats.js";
import { judgingLink } from "./judging_link.js";
import { badge, doing, note, section, some, table } from "./components.js";
import { at } from "./api_client.js";
import { retractWorker } from "./retraction.js";

const STEP = 25;
const MOST = 2000;
const MEANING = {
  "dawid-skene": "the share of right answers to be expected",
  "bradley-terry": "1 by the scores, 0 at random, −1 reversed",
};

/** The workers' part of a study's page. */
export class Workers {
  /**
   * @param {import("./api_client.js").Owner} owner
   * @param {string} study
   * @param {() => Promise<void>} changed
   */
  constructor(owner, study, changed) {
    this.owner = owner;
    this.study = study;
    this.changed = changed;
    this.body = make("div", {}, note("Looking…"));
    this.element = section("Workers", this.body);
  }

  async look() {
    const rows = await this.owner.list(`${at(this.study)}/workers`, MOST);
    if (!rows.length) {
      this.body.replaceChildren(note("Nobody has asked for a question yet. Make a judging link for each person, yourself included, or let a platform call the service."));
      return;
    }
    if (!this.report) this.#show(rows);
    this.report = await this.owner.wait(`${at(this.study)}/report?points=0`);
    this.#show(rows);
  }

  /** @param {any[]} rows */
  #show(rows) {
    const known = new Map((this.report?.workers || []).map((/** @type {any} */ one) => [one.worker, one]));
    // Whom to look at first: the least reliable.
    rows.sort((one, other) => trust(known.get(one.id)) - trust(known.get(other.id)) || other.answered - one.answered);
    const heads = ["worker", "status", "answers", "retracted", "reliability", "known answers right", "circles", "seconds", ...(this.owner.manages ? ["what to do"] : [])];
    const draw = (/** @type {any[]} */ shown) => table("Workers", heads, shown.map((row) => this.#row(row, known.get(row.id))));
    this.body.replaceChildren(some(rows, STEP, draw, "workers"), note(this.#legend()));
  }

  #legend() {
    const means = MEANING[/** @type {keyof typeof MEANING} */ (this.report?.weighed_by)] || "the share of right answers to be expected";
    const reliability = this.report ? `Reliability: ${this.report.weighed_by ? means : "not told here, as too little is known"}. ` : "";
    return `${reliability}Known answers: traps and the quiz. Circles: of three documents compared with one another, how often no order explains the answers. Seconds: the median of an answer.`;
  }

  /** @param {any} row @param {any} known */
  #row(row, known) {
    const cells = [
      make("span", { dir: "auto" }, row.id),
      badge(row.status),
      count(row.answered),
      count(row.retracted),
      meter(known?.reliability),
      of(known?.gold_accuracy, known?.gold),
      of(known?.intransitivity, known?.triads),
      decimal(known?.median_seconds, 1),
    ];
    return this.owner.manages ? [...cells, make("div", { class: "row-actions" }, ...this.#actions(row))] : cells;
  }

  /** @param {any} row */
  #actions(row) {
    const active = row.status === "active";
    const path = `${at(this.study)}/workers/${encodeURIComponent(row.id)}`;
    const turn = doing(active ? "Block" : "Let in again", async () => {
      await this.owner.patch(path, { status: active ? "blocked" : "active" });
      await this.changed();
    });
    const retract = doing("Retract…", async () => {
      if (await retractWorker(this.owner, this.study, row.id)) await this.changed();
    });
    const link = doing("Link…", () => judgingLink(this.owner, this.study, { worker: row.id }));
    link.setAttribute("aria-label", `New link for ${row.id}`);
    turn.setAttribute("aria-label", `${turn.textContent} ${row.id}`);
    retract.setAttribute("aria-label", `Retract ${row.id}: see what would change`);
    return active ? [link, retract, turn] : [retract, turn];
  }
}

/** @param {any} known */
function trust(known) {
  return known?.reliability ?? 2;
}

/** @param {number | null | undefined} value */
export function meter(value) {
  if (value === null || value === undefined) return "–";
  const low = value < 0.6;
  const made = make("meter", { min: 0, max: 1, low: 0.6, optimum: 1, value: Math.max(0, value), "aria-hidden": "true" });
  return make("span", { class: low ? "trust low" : "trust" }, made, decimal(value));
}

/** @param {number | null | undefined} value @param {number | undefined} number */
function of(value, number) {
  if (value === null || value === undefined) return "–";
  return make("span", {}, share(value), make("small", {}, ` of ${count(number || 0)}`));
}
