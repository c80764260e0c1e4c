// Judging links. A link lets one person judge in a study for some hours, and can be renewed.

import { show } from "../shared/dialog.js";
import { button, make } from "../shared/elements.js";
import { announce, field, form, note } from "./components.js";
import { dateTime } from "./formats.js";

/** @import { SessionOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

const CREATE = "Make a link";

/**
 * Show the dialog that creates a link.
 * @param {ApiClient} client
 * @param {string} study
 * @param {{topic?: string, worker?: string}} [preset]
 */
export async function showJudgingLink(client, study, { topic, worker = "" } = {}) {
  const limits = { autocomplete: "off", dir: "auto", maxlength: 200 };
  const name = make("input", { type: "text", id: "link-worker", value: worker, ...limits });
  const maximum = make("input", { type: "number", min: 1, id: "link-count" });
  const result = make("div", { class: "made", "aria-live": "polite" });
  const fields = [
    field("Who judges", name, "Any name of the person. The same name is the same person, who continues where they stopped."),
    field("Questions at most", maximum, "Leave it empty for no limit. Earlier answers in this study count."),
  ];
  const { element, submit } = form(fields, CREATE, async () => {
    const judge = name.value.trim();
    if (!judge) throw new Error("Enter who judges: a link is for one person.");
    const body = { worker: judge, topic: topic ?? null, count: maximum.valueAsNumber || null, continues: true };
    const session = await client.send("POST /v1/studies/{study}/sessions", { study }, body);
    const { elements, copy } = linkElements(judge, session);
    result.replaceChildren(...elements);
    submit.textContent = "Renew the link";
    submit.className = "quiet";
    copy.focus();
  });
  name.addEventListener("input", () => {
    result.replaceChildren();
    submit.textContent = CREATE;
    submit.className = "primary";
  });
  const scope = topic === undefined ? [] : [note("Only questions of this topic are asked.")];
  await show("A link to judge", [...scope, element, result]);
}

/**
 * Show a link, with buttons that copy and open it.
 * @param {string} worker
 * @param {SessionOut} session
 */
function linkElements(worker, { url, expires_at }) {
  const address = new URL(url, location.origin).href;
  const field = make("input", { type: "text", readonly: true, value: address, id: "link", "aria-label": "The link" });
  field.addEventListener("focus", () => field.select());
  const copy = button("Copy the link", async () => {
    const isCopied = await copyText(field);
    copy.textContent = isCopied ? "Copied" : "Press Ctrl+C to copy";
    announce(isCopied ? "The link is copied." : "The link is selected: copy it with the keyboard.");
  });
  const open = make("a", { class: "button", href: address, target: "_blank", rel: "noopener" }, "Judge now");
  const expiry = make("time", { datetime: expires_at }, dateTime(expires_at));
  const text = ["It works until ", expiry, ", and a new one can be made at any time. It is only for "];
  const warning = ": whoever has it judges in their name.";
  const validity = make("p", { class: "note" }, ...text, make("bdi", {}, worker), warning);
  return { elements: [field, make("div", { class: "actions" }, copy, open), validity], copy };
}

/**
 * Copy the text of a field, also where the browser denies access to the clipboard.
 * @param {HTMLInputElement} field
 */
async function copyText(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
