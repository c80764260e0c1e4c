// The form that explains the relation of two documents by a chain of judgments.

import { make } from "../shared/elements.js";
import { field, fieldRow, form, note } from "./components.js";
import { percentage } from "./formats.js";
import { chainText, relationText } from "./relation_text.js";

/** @import { ExplanationOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */
/** @import { MakeChip } from "./relation_text.js" */

const MAX_SUGGESTIONS = 2000;

/**
 * Make the form.
 * @param {ApiClient} client
 * @param {{study: string, topic: string}} path
 * @param {string[]} ids of the documents
 * @param {MakeChip} chip
 */
export function explanationForm(client, path, ids, chip) {
  const suggestions = ids.slice(0, MAX_SUGGESTIONS).map((id) => make("option", { value: id }));
  const list = make("datalist", { id: "why-documents" }, ...suggestions);
  const input = (/** @type {string} */ id) => make("input", { type: "text", id, list: list.id, autocomplete: "off" });
  const [first, second] = [input("why-first"), input("why-second")];
  const result = make("div", { "aria-live": "polite" });
  const fields = [fieldRow(field("First document", first), field("Second document", second)), list, result];
  return form(fields, "Explain", async () => {
    const query = { first: first.value, second: second.value };
    const explanation = await client.get("GET /v1/studies/{study}/topics/{topic}/explain", path, query);
    result.replaceChildren(...explanationElements(explanation, chip));
  }).element;
}

/**
 * @param {ExplanationOut} explanation
 * @param {MakeChip} chip
 */
function explanationElements({ first, second, relation, chance, because }, chip) {
  if (!relation) {
    const estimate = `The probability that ${first} is better is ${percentage(chance)}; a tie counts half.`;
    return [note(`The relation of these documents is not known yet. ${estimate}`)];
  }
  const statement = make("p", {}, relationText({ first, second, outcome: relation }, chip));
  if (because.length) return [statement, make("p", {}, "because"), chainText(because, chip)];
  return [statement, note("This follows from all answers together; no single chain of judgments implies it.")];
}
