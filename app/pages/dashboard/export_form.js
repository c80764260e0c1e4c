// The section of a page that downloads results.

import { make } from "../shared/elements.js";
import { checkbox, field, form, note, section, select } from "./components.js";
import { counted } from "./formats.js";

/** @import { Operations } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

/** @typedef {Operations["GET /v1/studies/{study}/export/{format}"]["path"]["format"]} Format */

/** @type {[Format, string][]} */
const FORMATS = [
  ["qrels", "qrels: a grade for each document"],
  ["qrels-real", "qrels with scores instead of grades"],
  ["run", "run: ranks and scores"],
  ["pairs", "pairs: which of two documents is better"],
  ["csv", "all judgments as a table (CSV)"],
  ["jsonl", "all judgments as JSON Lines"],
];
const WITH_WORKERS = ["csv", "jsonl"];
const WITH_DOCUMENTS = ["qrels", "qrels-real", "run"];

/**
 * Make the section.
 * @param {ApiClient} client
 * @param {string} study
 * @param {string} [topic]
 */
export function exportSection(client, study, topic) {
  const format = select("export-format", FORMATS);
  const pseudonyms = checkbox("export-pseudonyms", "Replace names of workers by pseudonyms");
  const unjudged = checkbox("export-unjudged", "Include unjudged documents, with the lowest grade");
  const result = make("div", { "aria-live": "polite" });
  const update = () => {
    pseudonyms.element.hidden = !WITH_WORKERS.includes(format.value);
    unjudged.element.hidden = !WITH_DOCUMENTS.includes(format.value);
    result.replaceChildren();
  };
  format.addEventListener("change", update);
  update();
  const fields = [field("As", format), pseudonyms.element, unjudged.element, result];
  const { element } = form(fields, "Download", async () => {
    const chosen = /** @type {Format} */ (format.value);
    const includesUnjudged = !unjudged.element.hidden && unjudged.input.checked;
    const query = {
      topic,
      pseudonyms: (!pseudonyms.element.hidden && pseudonyms.input.checked) || undefined,
      unjudged: includesUnjudged || undefined,
    };
    const fileName = `${topic ? `${study}-${topic}` : study}.${chosen}`;
    const operation = "GET /v1/studies/{study}/export/{format}";
    const headers = await client.download(fileName, operation, { study, format: chosen }, query);
    const missing = Number(headers.get("Nextpair-Unjudged") ?? 0);
    result.replaceChildren(...(missing ? [note(unjudgedText(missing, includesUnjudged))] : []));
  });
  return section("Download results", element);
}

/**
 * @param {number} documents
 * @param {boolean} areIncluded
 */
function unjudgedText(documents, areIncluded) {
  const verb = documents === 1 ? "is" : "are";
  const place = areIncluded ? "in the file, with the lowest grade" : "not in the file";
  return `${counted(documents, "unjudged document")} ${verb} ${place}.`;
}
