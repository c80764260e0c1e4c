// What an owner does with a study: start, pause, close, download results, change it.

import { JUDGES, expectation } from "./judges_setting.js";
import { ask, make } from "../shared/elements.js";
import { ago, count, day } from "./formats.js";
import { choice, doing, field, form, note, section, trying } from "./components.js";
import { at } from "./api_client.js";

const ACTIONS = {
  open: [
    ["paused", "Pause"],
    ["closed", "Close"],
  ],
  paused: [
    ["open", "Start"],
    ["closed", "Close"],
  ],
  closed: [["open", "Open again"]],
};

/**
 * Make the buttons that open, pause and close a study or a topic.
 * @param {import("./api_client.js").Owner} owner
 * @param {string} path
 * @param {string} status
 * @param {() => Promise<void>} changed
 */
export function statusButtons(owner, path, status, changed) {
  if (!owner.manages) return [];
  return ACTIONS[/** @type {keyof typeof ACTIONS} */ (status)].map(([to, label]) =>
    doing(label, async () => {
      if (to === "closed" && !(await sure())) return;
      await owner.patch(path, { status: to });
      await changed();
    }),
  );
}

async function sure() {
  const text = "No questions are handed out any more, and no answers are taken, not even to questions that are in workers' hands. It can be opened again.";
  const said = await ask("Close it?", [make("p", {}, text)], [
    { label: "Close it", value: "close" },
    { label: "Cancel", value: "", kind: "quiet" },
  ]);
  return said === "close";
}

const CHECKS = ["quiz", "traps", "repeats", "audits", "seconds_per_document", "moved_pass"];
const FORMATS = [
  ["qrels", "qrels: a grade for each document"],
  ["qrels-real", "qrels with scores in place of grades"],
  ["run", "run: ranks and scores"],
  ["pairs", "pairs: which of two is better"],
  ["csv", "all judgments as a table (CSV)"],
  ["jsonl", "all judgments as JSON Lines"],
];

/**
 * Make the part of a page that downloads results.
 * @param {import("./api_client.js").Owner} owner
 * @param {string} study
 * @param {string} [topic]
 */
export function exporting(owner, study, topic) {
  const format = choice(/** @type {[string, string][]} */ (FORMATS));
  format.id = "export-format";
  const pseudonyms = make("input", { type: "checkbox", id: "export-pseudonyms" });
  const hide = make("label", { class: "check", for: "export-pseudonyms" }, pseudonyms, "Workers by pseudonyms");
  const unjudged = make("input", { type: "checkbox", id: "export-unjudged" });
  const every = make("label", { class: "check", for: "export-unjudged" }, unjudged, "Include documents nobody has judged, as the lowest");
  const said = make("div", { "aria-live": "polite" });
  const update = () => {
    hide.hidden = !["csv", "jsonl"].includes(format.value);
    every.hidden = !["qrels", "qrels-real", "run"].includes(format.value);
    said.replaceChildren();
  };
  format.addEventListener("change", update);
  update();
  const fields = [field("As", format), hide, every, said];
  const body = form(fields, "Download", async () => {
    const query = new URLSearchParams();
    if (topic) query.set("topic", topic);
    if (!hide.hidden && pseudonyms.checked) query.set("pseudonyms", "true");
    const included = !every.hidden && unjudged.checked;
    if (included) query.set("unjudged", "true");
    const name = `${topic ? `${study}-${topic}` : study}.${format.value}`;
    const headers = await owner.download(`${at(study)}/export/${format.value}?${query}`, name);
    const missing = Number(headers.get("Nextpair-Unjudged") || 0);
    const which = missing === 1 ? "1 document that nobody has judged is" : `${count(missing)} documents that nobody has judged are`;
    said.replaceChildren(...(missing ? [note(`${which} ${included ? "in the file, with the lowest grade" : "not in the file"}.`)] : []));
  });
  return section("Download results", body);
}

/**
 * Show a study's settings, and let them be changed as far as they can be.
 * @param {import("./api_client.js").Owner} owner
 * @param {any} study
 * @param {boolean} pairs whether two documents are compared
 * @param {() => Promise<void>} changed
 */
export function settings(owner, study, pairs, changed) {
  const told = Object.entries({
    design: described(study.design, study.design_options),
    selector: described(study.selector, study.options),
    judges: JUDGES[study.judges].label,
    votes: study.votes,
    ties: study.ties ? "allowed" : "not allowed",
    "on conflict": study.on_conflict,
    seed: study.seed,
    created: `${day(study.created_at)}, ${ago(study.created_at)}`,
    ...checks(study.quality),
  }).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", { dir: "auto" }, String(value))));
  const list = make("dl", { class: "figures" }, ...told);
  const expected = Object.entries(study.options_in_force).map(([key, value]) => `${key} ${value}`);
  const words = note(`Judged by ${JUDGES[study.judges].label}. ${expectation(study.judges, pairs ? study.selector : null)}`);
  const options = pairs && expected.length ? [note(`Options of ${study.selector} in force: ${expected.join(", ")}.`)] : [];
  return section("Settings", words, ...options, list, ...(owner.manages ? [changing(owner, study, changed)] : []));
}

/** @param {string} name @param {Record<string, unknown>} options */
function described(name, options) {
  const told = Object.entries(options).map(([key, value]) => `${key} ${value}`);
  return told.length ? `${name} (${told.join(", ")})` : name;
}

/** @param {Record<string, unknown>} quality */
function checks(quality) {
  const told = CHECKS.filter((name) => quality[name]).map((name) => `${name.replaceAll("_", " ")} ${quality[name]}`);
  return { checks: told.length ? `${told.join(", ")}; on failure ${quality.on_failure}` : "none" };
}

/**
 * @param {import("./api_client.js").Owner} owner
 * @param {any} study
 * @param {() => Promise<void>} changed
 */
function changing(owner, study, changed) {
  const title = make("input", { type: "text", value: study.title, id: "set-title" });
  const instructions = make("textarea", { rows: 4, id: "set-instructions" }, study.instructions);
  const price = make("input", { type: "number", min: 0, step: "any", value: study.price ?? "", id: "set-price" });
  const currency = make("input", { type: "text", maxlength: 3, value: study.currency, id: "set-currency" });
  const lease = make("input", { type: "number", min: 1, value: study.lease_seconds, id: "set-lease" });
  const most = make("input", { type: "number", min: 1, value: study.judgments_per_worker ?? "", id: "set-most" });
  const fields = [
    field("Title", title),
    field("Instructions", instructions),
    make("div", { class: "beside" }, field("Price of an answer", price), field("Currency", currency)),
    make("div", { class: "beside" }, field("Seconds a question is one worker's", lease), field("Answers per worker at most", most)),
  ];
  const body = form(fields, "Save", async () => {
    await owner.patch(at(study.id), {
      title: title.value,
      instructions: instructions.value,
      price: price.value ? price.valueAsNumber : null,
      currency: currency.value.trim().toUpperCase(),
      lease_seconds: lease.valueAsNumber,
      judgments_per_worker: most.value ? most.valueAsNumber : null,
    });
    await trying(changed);
  });
  return make("details", {}, make("summary", {}, "Change the settings"), body);
}
