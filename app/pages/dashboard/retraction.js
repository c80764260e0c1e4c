// The retraction of all answers of a worker. It shows what would change before anything is changed.

import { ask, show } from "../shared/dialog.js";
import { make } from "../shared/elements.js";
import { announce, checkbox, field, note, table } from "./components.js";
import { count, counted, ranks } from "./formats.js";

/** @import { EffectOut, MovedOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

const MAX_DOCUMENTS = 8;

/**
 * Show what a retraction would change, and retract if the owner confirms; return whether answers were retracted.
 * @param {ApiClient} client
 * @param {string} study
 * @param {string} worker
 */
export async function retractWorker(client, study, worker) {
  const operation = "POST /v1/studies/{study}/retractions";
  const effect = await client.send(operation, { study }, { worker, dry_run: true });
  if (!effect.judgments) {
    const text = "All their answers are retracted already, or there are none.";
    await show(`No answers of ${worker} count`, [make("p", {}, text)]);
    return false;
  }
  const answers = counted(effect.judgments, "answer");
  const reason = make("input", { type: "text", id: "retract-reason", maxlength: 1000 });
  const block = checkbox("retract-block", "Give this worker no more questions", true);
  const consequence = `${answers} would no longer count, as if they had never been given. They stay in the log, marked as retracted. This cannot be undone.`;
  const body = [
    make("p", {}, consequence),
    effectTable(effect.topics),
    ...documentElements(effect.topics),
    field("Reason (kept in the log)", reason),
    block.element,
  ];
  const action = await ask(`What retracting ${worker} would change`, body, [
    { label: `Retract ${answers}`, value: "retract", kind: "danger" },
    { label: "Cancel", value: "", kind: "quiet" },
  ]);
  if (action !== "retract") return false;
  if (block.input.checked) {
    await client.send("PATCH /v1/studies/{study}/workers/{worker}", { study, worker }, { status: "blocked" });
  }
  const { judgments } = await client.send(operation, { study }, { worker, reason: reason.value });
  announce(`${counted(judgments, "answer")} of ${worker} retracted.`);
  return true;
}

/** @param {EffectOut[]} topics */
function effectTable(topics) {
  const headers = ["topic", "answers", "known pairs", "classes", "settled", "conflicts"];
  const rows = topics.map(({ topic, before, after }) => [
    topic,
    changeText(before.judgments, after.judgments),
    changeText(before.known_pairs, after.known_pairs),
    changeText(before.classes, after.classes),
    changeText(before.settled, after.settled),
    changeText(before.conflicts, after.conflicts),
  ]);
  return table("What would change", headers, rows);
}

/**
 * @param {number} before
 * @param {number} after
 */
function changeText(before, after) {
  if (before === after) return count(before);
  return make("span", { class: "moved" }, `${count(before)} → ${count(after)}`);
}

/** @param {EffectOut[]} topics */
function documentElements(topics) {
  const total = topics.reduce((sum, { moved_documents }) => sum + moved_documents, 0);
  if (!total) return [note("No document would have another status or other possible ranks.")];
  const headers = ["document", "topic", "rank before", "rank after", "because"];
  const rows = topics.flatMap(({ topic, moved }) => moved.map((document) => documentRow(topic, document)));
  const selection = total > MAX_DOCUMENTS ? `, ${MAX_DOCUMENTS} of them are listed` : "";
  const text = `${counted(total, "document")} would have another status or other possible ranks${selection}:`;
  return [make("p", {}, text), table("Documents that would change", headers, rows.slice(0, MAX_DOCUMENTS))];
}

/**
 * @param {string} topic
 * @param {MovedOut} moved
 */
function documentRow(topic, { document, before, after, status_before, status_after, because }) {
  const reasons = because.map(({ text }) => make("li", {}, text));
  return [
    document,
    topic,
    `${ranks(before)}, ${status_before}`,
    `${ranks(after)}, ${status_after}`,
    make("ul", { class: "reasons" }, ...reasons),
  ];
}
