// Files into a study: what is in them is checked first, and shown before anything is stored.

import { make } from "../shared/elements.js";
import { counted } from "./formats.js";
import { field, form, note, say } from "./components.js";
import { at } from "./api_client.js";

/** The fields for files, and what they say. */
export class Files {
  constructor() {
    this.topics = make("input", { type: "file", id: "file-topics" });
    this.runs = make("input", { type: "file", multiple: true, id: "file-runs" });
    this.documents = make("input", { type: "file", multiple: true, id: "file-documents" });
    this.depth = make("input", { type: "number", min: 1, value: 100, id: "file-depth" });
    this.topic = make("input", { type: "text", id: "file-topic", autocomplete: "off" });
    const help = make("a", { href: "/help/files", target: "_blank", rel: "noopener" }, "Which fields files have, with examples to copy");
    this.fields = [
      make("p", { class: "note" }, help),
      field("Documents", this.documents, "JSON Lines (id, topic, title, text …) or a CSV table; plain or gzip."),
      field("Topics", this.topics, "TREC topics, if you have them: titles, descriptions, narratives."),
      field("Runs", this.runs, "TREC runs: what they rank highest is judged."),
      make(
        "div",
        { class: "beside" },
        field("Depth of the runs", this.depth),
        field("Topic of documents that name none", this.topic),
      ),
    ];
  }

  get chosen() {
    return [this.topics, this.runs, this.documents].some((input) => input.files.length > 0);
  }

  /** @param {boolean} dryRun */
  form(dryRun) {
    const made = new FormData();
    const kinds = { topics: this.topics, runs: this.runs, documents: this.documents };
    for (const [kind, input] of Object.entries(kinds)) {
      for (const file of input.files) made.append(kind, file, file.name);
    }
    if (this.runs.files.length) made.append("depth", this.depth.value);
    if (this.topic.value.trim()) made.append("topic", this.topic.value.trim());
    made.append("dry_run", String(dryRun));
    return made;
  }

  /** Say which files are chosen, and how they are to be read. */
  get fingerprint() {
    return JSON.stringify([...this.form(false)].map(([name, value]) => [name, typeof value === "string" ? value : [value.name, value.size]]));
  }

  clear() {
    for (const input of [this.topics, this.runs, this.documents, this.topic]) input.value = "";
  }
}

/**
 * Say what was in the files.
 * @param {any} told
 */
export function found(told) {
  const documents = told.topics.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.documents, 0);
  const fresh = told.topics.filter((/** @type {any} */ one) => one.new).length;
  const text = `${counted(told.topics.length, "topic")} with ${counted(documents, "document")}, ${fresh} of them new.`;
  const warnings = told.warnings.map((/** @type {string} */ one) => make("li", { dir: "auto" }, one));
  return make("div", { class: "found" }, make("p", {}, text), ...(warnings.length ? [make("ul", {}, ...warnings)] : []));
}

/**
 * Make the form that adds files to a study that is there.
 * @param {import("./api_client.js").Owner} owner
 * @param {string} study
 * @param {() => Promise<void>} added
 */
export function addFiles(owner, study, added) {
  const files = new Files();
  const told = make("div", { "aria-live": "polite" });
  const path = `${at(study)}/imports`;
  let checked = "";
  const made = form([...files.fields, told], "Check the files", async () => {
    const send = /** @type {HTMLButtonElement} */ (made.querySelector("button[type=submit]"));
    if (checked !== files.fingerprint) {
      const answer = await owner.upload(path, files.form(true));
      told.replaceChildren(found(answer), note("Nothing is stored yet."));
      checked = files.fingerprint;
      send.textContent = "Add them to the study";
      return;
    }
    const answer = await owner.upload(path, files.form(false));
    told.replaceChildren(found(answer), note("They are in the study now."));
    say("The files are in the study now.");
    checked = "";
    files.clear();
    send.textContent = "Check the files";
    await added();
  });
  made.addEventListener("change", () => {
    checked = "";
    /** @type {HTMLButtonElement} */ (made.querySelector("button[type=submit]")).textContent = "Check the files";
  });
  return made;
}
