// The form that creates a study: its name, design, selector, price and files.

import { make } from "../shared/elements.js";
import { pagePath } from "./api_client.js";
import { field, fieldRow, form, note, optionElements, select, showErrors } from "./components.js";
import { FileFields, importResult } from "./file_import.js";
import { JUDGES, judgesDescription } from "./judges_setting.js";

/** @import { DesignSummary, SelectorSummary } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */
/** @import { Judges } from "./judges_setting.js" */

/** Shown until the service has sent its designs and selectors. */
const DEFAULT_DESIGN = "preference";
const DEFAULT_SELECTOR = "placement";

/** The settings of the new study. */
class StudyFields {
  name = make("input", { type: "text", id: "new-name", autocomplete: "off", required: true });
  title = make("input", { type: "text", id: "new-title", autocomplete: "off" });
  instructions = make("textarea", { rows: 3, id: "new-instructions" });
  design = select("new-design", [[DEFAULT_DESIGN, DEFAULT_DESIGN]]);
  selector = select("new-selector", [["", "the default"]]);
  judges = select("new-judges", Object.entries(JUDGES).map(([value, { label }]) => [value, label]), "crowd");
  votes = make("input", { type: "number", min: 1, max: 99, value: 1, id: "new-votes" });
  price = make("input", { type: "number", min: 0, step: "any", id: "new-price" });
  currency = make("input", { type: "text", maxlength: 3, value: "USD", id: "new-currency", autocomplete: "off" });
  /** Describes the chosen design and selector. */
  description = make("p", { class: "note" });

  constructor() {
    this.judgesField = field("Who judges", this.judges, this.#judgesDescription);
    this.judges.addEventListener("change", () => this.#updateHint());
    this.elements = [
      field("Name", this.name, "In addresses and files: in any script, without a slash. It cannot be changed later."),
      field("Title", this.title, "Shown to workers above the page."),
      field("Instructions", this.instructions, "Shown to workers before they begin."),
      this.judgesField,
      fieldRow(field("Design of the questions", this.design), field("Selector of the next pair", this.selector)),
      this.description,
      fieldRow(field("Workers per question", this.votes), field("Price of an answer", this.price), field("Currency", this.currency)),
    ];
  }

  get #judgesDescription() {
    const selector = this.selector.disabled ? null : this.selector.value || DEFAULT_SELECTOR;
    return judgesDescription(/** @type {Judges} */ (this.judges.value), selector);
  }

  #updateHint() {
    const hint = this.judgesField.querySelector("small");
    if (hint) hint.textContent = this.#judgesDescription;
  }

  /**
   * Offer the designs and selectors of the service.
   * @param {DesignSummary[]} designs
   * @param {SelectorSummary[]} selectors
   */
  setChoices(designs, selectors) {
    const main = selectors.find((selector) => selector.default)?.selector;
    this.design.replaceChildren(...optionElements(designs.map(({ design }) => [design, design]), DEFAULT_DESIGN));
    this.selector.replaceChildren(...optionElements(selectors.map(({ selector }) => [selector, selector]), main));
    const update = () => {
      const design = designs.find(({ design: name }) => name === this.design.value);
      const selector = selectors.find(({ selector: name }) => name === this.selector.value);
      this.selector.disabled = design?.shape !== "pair";
      this.#updateHint();
      const descriptions = [design?.description, this.selector.disabled ? "" : selector?.description];
      this.description.textContent = descriptions.filter(Boolean).join(" ");
    };
    this.design.addEventListener("change", update);
    this.selector.addEventListener("change", update);
    update();
  }

  /** The request that creates the study. */
  get body() {
    const id = this.name.value.trim();
    if (!id) throw new Error("The study needs a name.");
    return {
      id,
      title: this.title.value.trim(),
      instructions: this.instructions.value,
      design: this.design.value,
      // Without a choice the service uses its default.
      selector: (!this.selector.disabled && this.selector.value) || undefined,
      judges: /** @type {Judges} */ (this.judges.value),
      votes: this.votes.valueAsNumber || 1,
      price: this.price.value ? this.price.valueAsNumber : undefined,
      currency: this.currency.value.trim().toUpperCase(),
    };
  }
}

/**
 * Make the form.
 * @param {ApiClient} client
 */
export function studyForm(client) {
  const settings = new StudyFields();
  const files = new FileFields();
  showErrors(() => loadChoices(client, settings));
  const fileFields = make("fieldset", {}, make("legend", {}, "Files (they can be added later)"), ...files.elements);
  const result = make("div", { "aria-live": "polite" });
  const { element } = form([...settings.elements, fileFields, result], "Create the study", async (submit) => {
    const { body } = settings;
    // The same request again succeeds, so the form can be sent again after an error in a file.
    await client.send("POST /v1/studies", {}, body);
    if (!files.areEmpty && !files.areChecked) {
      const checked = await files.check(client, body.id);
      if (checked.not_shown.length) {
        result.replaceChildren(importResult(checked), note("The study is created. Its files are not stored yet."));
        submit.textContent = "Add the files to the study";
        return;
      }
    }
    if (!files.areEmpty) await files.store(client, body.id);
    location.assign(pagePath(body.id));
  });
  return element;
}

/**
 * @param {ApiClient} client
 * @param {StudyFields} settings
 */
async function loadChoices(client, settings) {
  const [designs, selectors] = await Promise.all([
    client.get("GET /v1/designs", {}),
    client.get("GET /v1/selectors", {}),
  ]);
  settings.setChoices(designs.items, selectors.items);
}
