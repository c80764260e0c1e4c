// The workers of a study: their answers, their reliability, and the actions on them.

import { make } from "../shared/elements.js";
import { actionButton, badge, note, section, table } from "./components.js";
import { ExpandableList } from "./expandable_list.js";
import { count, decimal, percentage } from "./formats.js";
import { showJudgingLink } from "./judging_link.js";
import { retractWorker } from "./retraction.js";

/** @import { ReportOut, WorkerOut, WorkerReportOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

const FIRST_ROWS = 25;
const MAX_WORKERS = 2000;
const LOW_RELIABILITY = 0.6;
const HEADERS = ["worker", "status", "answers", "retracted", "reliability", "gold accuracy", "intransitive triples", "seconds"];
const LEGEND =
  "Gold accuracy: the share of questions with known answers (traps, quiz) that were answered correctly." +
  " Intransitive triples: the share of triples of documents, each compared with both others, whose answers fit no order." +
  " Seconds: the median time of an answer.";
/** @type {Record<string, string>} by the method of the estimate */
const RELIABILITY = {
  "dawid-skene": "the expected share of correct answers",
  "bradley-terry": "1 if answers follow the scores, 0 if they are random, −1 if they are reversed",
};

/** The section of a study's page. */
export class WorkerTable {
  #content = make("div", {}, note("Loading…"));
  #list = new ExpandableList(FIRST_ROWS, 4 * FIRST_ROWS, "workers");
  /** @type {ReportOut | null} */
  #report = null;

  /**
   * @param {ApiClient} client
   * @param {string} study
   * @param {() => Promise<void>} onChange
   */
  constructor(client, study, onChange) {
    this.client = client;
    this.study = study;
    this.onChange = onChange;
    this.element = section("Workers", this.#content);
  }

  async update() {
    const { client, study } = this;
    const workers = await client.list("GET /v1/studies/{study}/workers", { study }, {}, MAX_WORKERS);
    if (!workers.length) {
      const text = "No worker has requested a question yet. Make a judging link for each person, or let a platform call the service.";
      this.#content.replaceChildren(note(text));
      return;
    }
    if (!this.#report) this.#draw(workers);
    this.#report = await client.get("GET /v1/studies/{study}/report", { study }, { points: 0 });
    this.#draw(workers);
  }

  /** @param {WorkerOut[]} workers */
  #draw(workers) {
    const reports = new Map(this.#report?.workers.map((report) => [report.worker, report]));
    const reliability = (/** @type {WorkerOut} */ { id }) => reports.get(id)?.reliability ?? Infinity;
    const leastReliableFirst = [...workers].sort((one, other) => {
      const [first, second] = [reliability(one), reliability(other)];
      return first === second ? other.answered - one.answered : first - second;
    });
    const rows = leastReliableFirst.map((worker) => this.#row(worker, reports.get(worker.id)));
    const headers = this.client.canManage ? [...HEADERS, "actions"] : HEADERS;
    const list = this.#list.draw(rows.length, (shown) => table("Workers", headers, rows.slice(0, shown)));
    this.#content.replaceChildren(list, note(`${this.#reliabilityText()}${LEGEND}`));
  }

  #reliabilityText() {
    if (!this.#report) return "";
    const method = this.#report.weighed_by;
    if (!method) return "Reliability: not estimated, because there are too few answers. ";
    return `Reliability: ${RELIABILITY[method] ?? RELIABILITY["dawid-skene"]}. `;
  }

  /**
   * @param {WorkerOut} worker
   * @param {WorkerReportOut | undefined} report
   */
  #row(worker, report) {
    const cells = [
      make("span", { dir: "auto" }, worker.id),
      badge(worker.status),
      count(worker.answered),
      count(worker.retracted),
      reliabilityMeter(report?.reliability ?? null),
      shareOf(report?.gold_accuracy ?? null, report?.gold ?? 0),
      shareOf(report?.intransitivity ?? null, report?.triads ?? 0),
      decimal(report?.median_seconds, 1),
    ];
    return this.client.canManage ? [...cells, make("div", { class: "row-actions" }, ...this.#actions(worker))] : cells;
  }

  /** @param {WorkerOut} worker */
  #actions({ id, status }) {
    const { client, study } = this;
    const isActive = status === "active";
    const link = actionButton("Link…", () => showJudgingLink(client, study, { worker: id }));
    const retract = actionButton("Retract…", async () => {
      if (await retractWorker(client, study, id)) await this.onChange();
    });
    const label = isActive ? "Block" : "Unblock";
    const block = actionButton(label, async () => {
      const change = { status: isActive ? /** @type {const} */ ("blocked") : /** @type {const} */ ("active") };
      await client.send("PATCH /v1/studies/{study}/workers/{worker}", { study, worker: id }, change);
      await this.onChange();
    });
    link.setAttribute("aria-label", `New link for ${id}`);
    retract.setAttribute("aria-label", `Retract ${id}: see what would change`);
    block.setAttribute("aria-label", `${label} ${id}`);
    return isActive ? [link, retract, block] : [retract, block];
  }
}

/** @param {number | null} value */
export function reliabilityMeter(value) {
  if (value === null) return "–";
  const range = { min: 0, max: 1, low: LOW_RELIABILITY, optimum: 1, value: Math.max(0, value) };
  const meter = make("meter", { ...range, "aria-hidden": "true" });
  return make("span", { class: value < LOW_RELIABILITY ? "trust low" : "trust" }, meter, decimal(value));
}

/**
 * @param {number | null} share
 * @param {number} total
 */
function shareOf(share, total) {
  return share === null ? "–" : make("span", {}, percentage(share), make("small", {}, ` of ${count(total)}`));
}
