// The settings of a study, and the form that changes those that can be changed.

import { make } from "../shared/elements.js";
import { descriptionItems, field, fieldRow, form, note, section, showErrors } from "./components.js";
import { ago, day } from "./formats.js";
import { JUDGES, judgesDescription } from "./judges_setting.js";

/** @import { StudyOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

/** @type {(keyof StudyOut["quality"])[]} */
const CHECKS = ["quiz", "traps", "repeats", "audits", "seconds_per_document", "moved_pass"];

/**
 * Make the section.
 * @param {ApiClient} client
 * @param {StudyOut} study
 * @param {boolean} isPairwise whether two documents are compared
 * @param {() => Promise<void>} onChange
 */
export function settingsSection(client, study, isPairwise, onChange) {
  const { label } = JUDGES[study.judges];
  const judges = note(`Judged by ${label}. ${judgesDescription(study.judges, isPairwise ? study.selector : null)}`);
  const options = isPairwise ? optionsText(study.options_in_force) : "";
  const effective = options ? [note(`Options of ${study.selector} in effect: ${options}.`)] : [];
  const list = make("dl", { class: "figures" }, ...descriptionItems(settingsOf(study)));
  const change = client.canManage ? [settingsForm(client, study, onChange)] : [];
  return section("Settings", judges, ...effective, list, ...change);
}

/**
 * @param {StudyOut} study
 * @returns {[string, string][]}
 */
function settingsOf(study) {
  return [
    ["design", withOptions(study.design, study.design_options)],
    ["selector", withOptions(study.selector, study.options)],
    ["judges", JUDGES[study.judges].label],
    ["votes", String(study.votes)],
    ["ties", study.ties ? "allowed" : "not allowed"],
    ["on conflict", study.on_conflict],
    ["seed", String(study.seed)],
    ["created", `${day(study.created_at)}, ${ago(study.created_at)}`],
    ["checks", checksText(study.quality)],
  ];
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} options
 */
function withOptions(name, options) {
  const text = optionsText(options);
  return text ? `${name} (${text})` : name;
}

/** @param {Record<string, unknown>} options */
function optionsText(options) {
  return Object.entries(options).map(([name, value]) => `${name} ${value}`).join(", ");
}

/** @param {StudyOut["quality"]} quality */
function checksText(quality) {
  const checks = CHECKS.filter((name) => quality[name]).map((name) => `${name.replaceAll("_", " ")} ${quality[name]}`);
  return checks.length ? `${checks.join(", ")}; on failure ${quality.on_failure}` : "none";
}

/**
 * @param {ApiClient} client
 * @param {StudyOut} study
 * @param {() => Promise<void>} onChange
 */
function settingsForm(client, study, onChange) {
  const title = make("input", { type: "text", value: study.title, id: "set-title" });
  const instructions = make("textarea", { rows: 4, id: "set-instructions" }, study.instructions);
  const price = make("input", { type: "number", min: 0, step: "any", value: study.price, id: "set-price" });
  const currency = make("input", { type: "text", maxlength: 3, value: study.currency, id: "set-currency" });
  const lease = make("input", { type: "number", min: 1, value: study.lease_seconds, id: "set-lease" });
  const maximum = make("input", { type: "number", min: 1, value: study.judgments_per_worker, id: "set-most" });
  const fields = [
    field("Title", title),
    field("Instructions", instructions),
    fieldRow(field("Price of an answer", price), field("Currency", currency)),
    fieldRow(field("Seconds until a question is assigned to another worker", lease), field("Answers per worker at most", maximum)),
  ];
  const { element } = form(fields, "Save", async () => {
    const body = {
      title: title.value,
      instructions: instructions.value,
      price: price.value ? price.valueAsNumber : null,
      currency: currency.value.trim().toUpperCase(),
      lease_seconds: lease.valueAsNumber,
      judgments_per_worker: maximum.value ? maximum.valueAsNumber : null,
    };
    await client.send("PATCH /v1/studies/{study}", { study: study.id }, body);
    await showErrors(onChange);
  });
  return make("details", {}, make("summary", {}, "Change the settings"), element);
}
