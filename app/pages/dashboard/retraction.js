// Taking back all that a worker answered: first what that would change, then doing it.

import { ask, make } from "../shared/elements.js";
import { count, counted } from "./formats.js";
import { note, say, table } from "./components.js";
import { at } from "./api_client.js";

const MOST_MOVED = 8;

/**
 * Show what retracting a worker would change, and do it if the owner then says so.
 * @param {import("./api_client.js").Owner} owner
 * @param {string} study
 * @param {string} worker
 * @returns {Promise<boolean>} whether it was done
 */
export async function retractWorker(owner, study, worker) {
  const path = `${at(study)}/retractions`;
  const effect = await owner.post(path, { worker, dry_run: true });
  if (!effect.judgments) {
    await ask(`Nothing of ${worker} counts`, [make("p", {}, "All their answers are retracted already, or there are none.")], [{ label: "Close", value: "", kind: "quiet" }]);
    return false;
  }
  const reason = make("input", { type: "text", id: "retract-reason", maxlength: 1000 });
  const block = make("input", { type: "checkbox", id: "retract-block", checked: true });
  const body = [
    make("p", {}, `${counted(effect.judgments, "answer")} would no longer count, as if they had never been given. They stay in the log, marked. This cannot be undone.`),
    change(effect),
    ...moves(effect),
    make("div", { class: "field" }, make("label", { for: "retract-reason" }, "Why (kept in the log)"), reason),
    make("label", { class: "check", for: "retract-block" }, block, "Give this worker no more questions"),
  ];
  const said = await ask(`What retracting ${worker} would change`, body, [
    { label: `Retract ${counted(effect.judgments, "answer")}`, value: "do", kind: "danger" },
    { label: "Cancel", value: "", kind: "quiet" },
  ]);
  if (said !== "do") return false;
  if (block.checked) await owner.patch(`${at(study)}/workers/${encodeURIComponent(worker)}`, { status: "blocked" });
  const done = await owner.post(path, { worker, reason: reason.value });
  say(`${counted(done.judgments, "answer")} of ${worker} retracted.`);
  return true;
}

/** @param {any} effect */
function change(effect) {
  const heads = ["topic", "answers", "pairs known", "classes", "settled", "conflicts"];
  const rows = effect.topics.map((/** @type {any} */ one) => [
    one.topic,
    ...["judgments", "known_pairs", "classes", "settled", "conflicts"].map((name) => arrow(one.before[name], one.after[name])),
  ]);
  return table("What would change", heads, rows);
}

/** @param {number} before @param {number} after */
function arrow(before, after) {
  if (before === after) return count(before);
  return make("span", { class: "moved" }, `${count(before)} → ${count(after)}`);
}

/** @param {any} effect */
function moves(effect) {
  const all = effect.topics.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.moved_documents, 0);
  if (!all) return [note("No document's status or possible ranks would change.")];
  const rows = effect.topics.flatMap((/** @type {any} */ one) =>
    one.moved.map((/** @type {any} */ moved) => [
      moved.document,
      one.topic,
      `${ranks(moved.before)}, ${moved.status_before}`,
      `${ranks(moved.after)}, ${moved.status_after}`,
      make("ul", { class: "reasons" }, ...moved.because.map((/** @type {any} */ reason) => make("li", {}, reason.text))),
    ]),
  );
  const told = `${counted(all, "document")} would have another status or other possible ranks${all > MOST_MOVED ? `, ${MOST_MOVED} of them here` : ""}:`;
  return [make("p", {}, told), table("Documents that move", ["document", "topic", "rank before", "rank after", "because"], rows.slice(0, MOST_MOVED))];
}

/** @param {[number, number]} between */
function ranks([best, worst]) {
  return best === worst ? count(best) : `${count(best)}–${count(worst)}`;
}
