// The preview: the instructions and an example with invented documents. It requests no assignment and stores nothing.

import { request } from "../shared/api_request.js";
import { button, find } from "../shared/elements.js";
import { AnswerForm, withoutTies } from "./answer_form.js";
import { instructionElements } from "./view.js";

/** @import { DesignOut } from "../shared/api_types.d.ts" */
/** @import { TextSelection } from "./text_selection.js" */
/** @import { JudgingView } from "./view.js" */

const PREVIEW_BANNER = "This is a preview: nothing you do here is stored.";

const TOPIC = {
  id: "example",
  title: "How do I brew better coffee at home?",
  description: "This is an invented example. The topics of your questions are different.",
  narrative: "A good answer says what to do, and why it makes the coffee better.",
};
const LEFT = {
  id: "one",
  title: "Weigh your coffee",
  text: "Use scales: sixty grams of coffee for a litre of water. Grind it right before you brew, as coarse as sea salt, and let the water cool for half a minute after it has boiled.",
  html: null,
  url: null,
};
const RIGHT = {
  id: "two",
  title: "My favourite cups",
  text: "I have collected cups for years. The blue one comes from a market in Lisbon. Coffee is nicer in a cup that you like, and at home there is always time for one.",
  html: null,
  url: null,
};

/**
 * Show the instructions and then the example; return its answer form.
 * @param {JudgingView} view
 * @param {TextSelection} selection
 * @param {string} study
 * @returns {Promise<AnswerForm>}
 */
export async function showPreview(view, selection, study) {
  const { title, study: name, design } = await request("GET /judge/{study}/preview", { token: null, path: { study } });
  view.showStudy(title || name);
  view.showBanner(null);
  if (!design.instructions) return showExample(view, selection, design);
  return new Promise((resolve) => {
    const actions = [button("See an example", () => resolve(showExample(view, selection, design)))];
    view.showMessage({ title: "Instructions", body: instructionElements(design.instructions), actions });
  });
}

/**
 * @param {JudgingView} view
 * @param {TextSelection} selection
 * @param {DesignOut} design
 */
function showExample(view, selection, design) {
  const form = new AnswerForm(withoutTies(design.parts, design.ties));
  const sides = design.shape === "pair" ? { left: LEFT, right: RIGHT } : null;
  const question = { id: "example", attempt: 1, topic: TOPIC, document: sides ? null : LEFT, reviewed: null };
  view.showBanner(PREVIEW_BANNER);
  view.showQuestion(question, form, sides, new Set());
  selection.setField(form.reason);
  for (const id of ["undo", "skip"]) find(id, HTMLButtonElement).disabled = true;
  return form;
}
