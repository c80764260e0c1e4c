// The import of files into a study. Files are checked, and the result is shown, before anything is stored.

import { make } from "../shared/elements.js";
import { announce, field, fieldRow, form, note } from "./components.js";
import { counted } from "./formats.js";

/** @import { ImportOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

/** The fields of a form that select files. */
export class FileFields {
  #topics = make("input", { type: "file", id: "file-topics" });
  #runs = make("input", { type: "file", multiple: true, id: "file-runs" });
  #documents = make("input", { type: "file", multiple: true, id: "file-documents" });
  #depth = make("input", { type: "number", min: 1, value: 100, id: "file-depth" });
  #topic = make("input", { type: "text", id: "file-topic", autocomplete: "off" });
  /** The selection that the service has checked. */
  #checked = "";

  constructor() {
    const help = make("a", { href: "/help/files", target: "_blank", rel: "noopener" }, "Fields of the files, with examples to copy");
    this.elements = [
      make("p", { class: "note" }, help),
      field("Documents", this.#documents, "JSON Lines (id, topic, title, text …) or a CSV table; plain or gzip."),
      field("Topics", this.#topics, "TREC topics, if you have them: titles, descriptions, narratives."),
      field("Runs", this.#runs, "TREC runs: their highest-ranked documents are judged."),
      fieldRow(field("Depth of the runs", this.#depth), field("Topic of documents that name none", this.#topic)),
    ];
  }

  get #inputs() {
    return { topics: this.#topics, runs: this.#runs, documents: this.#documents };
  }

  get areEmpty() {
    return Object.values(this.#inputs).every((input) => !input.files?.length);
  }

  get areChecked() {
    return this.#checked === this.#fingerprint;
  }

  /**
   * Let the service check the files. Nothing is stored.
   * @param {ApiClient} client
   * @param {string} study
   */
  async check(client, study) {
    const result = await this.#upload(client, study, true);
    this.#checked = this.#fingerprint;
    return result;
  }

  /**
   * Store the files in the study.
   * @param {ApiClient} client
   * @param {string} study
   */
  store(client, study) {
    return this.#upload(client, study, false);
  }

  clear() {
    this.#checked = "";
    for (const input of [...Object.values(this.#inputs), this.#topic]) input.value = "";
  }

  /**
   * @param {ApiClient} client
   * @param {string} study
   * @param {boolean} dryRun
   */
  #upload(client, study, dryRun) {
    return client.upload("POST /v1/studies/{study}/imports", { study }, this.#form(dryRun));
  }

  /** @param {boolean} dryRun */
  #form(dryRun) {
    const data = new FormData();
    for (const [kind, input] of Object.entries(this.#inputs)) {
      for (const file of input.files ?? []) data.append(kind, file, file.name);
    }
    if (this.#runs.files?.length) data.append("depth", this.#depth.value);
    if (this.#topic.value.trim()) data.append("topic", this.#topic.value.trim());
    data.append("dry_run", String(dryRun));
    return data;
  }

  /** The selected files and how they are read. */
  get #fingerprint() {
    const entries = [...this.#form(false)];
    return JSON.stringify(
      entries.map(([name, value]) => [name, value instanceof File ? [value.name, value.size, value.lastModified] : value]),
    );
  }
}

/**
 * Show what the service found in the files.
 * @param {ImportOut} result
 */
export function importResult({ topics, warnings }) {
  const documents = topics.reduce((sum, topic) => sum + topic.documents, 0);
  const added = topics.filter((topic) => topic.new).length;
  const text = `${counted(topics.length, "topic")} with ${counted(documents, "document")}, ${added} of them new.`;
  const items = warnings.map((warning) => make("li", { dir: "auto" }, warning));
  return make("div", { class: "found" }, make("p", {}, text), ...(items.length ? [make("ul", {}, ...items)] : []));
}

/**
 * Make the form that adds files to an existing study.
 * @param {ApiClient} client
 * @param {string} study
 * @param {() => Promise<void>} onStored
 */
export function importForm(client, study, onStored) {
  const files = new FileFields();
  const result = make("div", { "aria-live": "polite" });
  const checkLabel = "Check the files";
  const { element, submit } = form([...files.elements, result], checkLabel, async () => {
    if (!files.areChecked) {
      result.replaceChildren(importResult(await files.check(client, study)), note("Nothing is stored yet."));
      submit.textContent = "Add them to the study";
      return;
    }
    result.replaceChildren(importResult(await files.store(client, study)), note("The files are stored in the study."));
    announce("The files are stored in the study.");
    files.clear();
    submit.textContent = checkLabel;
    await onStored();
  });
  element.addEventListener("change", () => {
    if (!files.areChecked) submit.textContent = checkLabel;
  });
  return element;
}
