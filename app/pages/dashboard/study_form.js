// A new study: its name, what workers are asked, what decides about questions, its price, its files.

import { JUDGES, expectation } from "./judges_setting.js";
import { make } from "../shared/elements.js";
import { Files, found } from "./file_import.js";
import { choice, field, form, note } from "./components.js";
import { at, pageOf } from "./api_client.js";

/** What decides until the service has said what it knows. */
const MAIN = "placement";

/**
 * Make the form.
 * @param {import("./api_client.js").Owner} owner
 */
export function newStudy(owner) {
  const inputs = {
    name: make("input", { type: "text", id: "new-name", autocomplete: "off", required: true }),
    title: make("input", { type: "text", id: "new-title", autocomplete: "off" }),
    instructions: make("textarea", { rows: 3, id: "new-instructions" }),
    design: choice([["preference", "preference"]]),
    selector: choice([["", "the default"]]),
    judges: choice(Object.entries(JUDGES).map(([value, { label }]) => /** @type {[string, string]} */ ([value, label])), "crowd"),
    votes: make("input", { type: "number", min: 1, max: 99, value: 1, id: "new-votes" }),
    price: make("input", { type: "number", min: 0, step: "any", id: "new-price" }),
    currency: make("input", { type: "text", maxlength: 3, value: "USD", id: "new-currency", autocomplete: "off" }),
  };
  inputs.design.id = "new-design";
  inputs.selector.id = "new-selector";
  inputs.judges.id = "new-judges";
  const judges = field("Who judges", inputs.judges, expectation(inputs.judges.value, MAIN));
  const files = new Files();
  const about = make("p", { class: "note" });
  fill(owner, inputs, about, judges);
  const fields = [
    field("Name", inputs.name, "In addresses and files: in any script, without a slash. It cannot be changed later."),
    field("Title", inputs.title, "What workers see above the page."),
    field("Instructions", inputs.instructions, "What workers read before they begin."),
    judges,
    make("div", { class: "beside" }, field("What workers are asked", inputs.design), field("Which pair is next", inputs.selector)),
    about,
    make(
      "div",
      { class: "beside" },
      field("Workers per question", inputs.votes),
      field("Price of an answer", inputs.price),
      field("Currency", inputs.currency),
    ),
    make("fieldset", {}, make("legend", {}, "Files (they can be added later)"), ...files.fields),
  ];
  const told = make("div", { "aria-live": "polite" });
  let checked = "";
  const made = form([...fields, told], "Create the study", async () => {
    const study = await create(owner, inputs);
    if (files.chosen && checked !== files.fingerprint) {
      const answer = await owner.upload(`${at(study)}/imports`, files.form(true));
      checked = files.fingerprint;
      if (answer.not_shown.length) {
        told.replaceChildren(found(answer), note("The study is there. Of its files nothing is stored yet."));
        const send = /** @type {HTMLButtonElement} */ (made.querySelector("button[type=submit]"));
        send.textContent = "Add the files to the study";
        return;
      }
    }
    // The same again is a success, so after a mistake in the files all of it can simply be sent again.
    if (files.chosen) await owner.upload(`${at(study)}/imports`, files.form(false));
    location.assign(pageOf(study));
  });
  return made;
}

/**
 * Fill in what the service knows: designs and selectors.
 * @param {import("./api_client.js").Owner} owner
 * @param {any} inputs
 * @param {HTMLElement} about
 * @param {HTMLElement} judges who judges, with a hint
 */
async function fill(owner, inputs, about, judges) {
  const hint = /** @type {HTMLElement} */ (judges.querySelector("small"));
  const expect = () => {
    hint.textContent = expectation(inputs.judges.value, inputs.selector.disabled ? null : inputs.selector.value || MAIN);
  };
  inputs.judges.addEventListener("change", expect);
  const [designs, selectors] = await Promise.all([owner.get("/v1/designs"), owner.get("/v1/selectors")]);
  const options = (/** @type {any[]} */ items, /** @type {string} */ key, /** @type {string} */ chosen) =>
    items.map((one) => make("option", { value: one[key], selected: one[key] === chosen }, one[key]));
  const main = selectors.items.find((/** @type {any} */ one) => one.default).selector;
  inputs.design.replaceChildren(...options(designs.items, "design", "preference"));
  inputs.selector.replaceChildren(...options(selectors.items, "selector", main));
  const tell = () => {
    const design = designs.items.find((/** @type {any} */ one) => one.design === inputs.design.value);
    const selector = selectors.items.find((/** @type {any} */ one) => one.selector === inputs.selector.value);
    inputs.selector.disabled = design.shape !== "pair";
    expect();
    about.textContent = inputs.selector.disabled ? design.description : `${design.description} ${selector.description}`;
  };
  inputs.design.addEventListener("change", tell);
  inputs.selector.addEventListener("change", tell);
  tell();
}

/**
 * Create the study; the same again is a success.
 * @param {import("./api_client.js").Owner} owner
 * @param {any} inputs
 */
async function create(owner, inputs) {
  const name = inputs.name.value.trim();
  if (!name) throw new Error("The study needs a name.");
  /** @type {Record<string, unknown>} */
  const body = { id: name, title: inputs.title.value.trim(), instructions: inputs.instructions.value, design: inputs.design.value };
  // Until the service has told its selectors there is none to choose: it takes its default.
  if (!inputs.selector.disabled && inputs.selector.value) body.selector = inputs.selector.value;
  body.judges = inputs.judges.value;
  body.votes = inputs.votes.valueAsNumber || 1;
  if (inputs.price.value) body.price = inputs.price.valueAsNumber;
  body.currency = inputs.currency.value.trim().toUpperCase();
  await owner.post("/v1/studies", body);
  return name;
}
