// Judging links: each lets one person judge in a study, for some hours, and can be renewed.

import { ask, button, make } from "../shared/elements.js";
import { moment } from "./formats.js";
import { field, form, note, say } from "./components.js";
import { at } from "./api_client.js";

/**
 * Hand out a link that opens the judging page for one person.
 * @param {import("./api_client.js").Owner} owner
 * @param {string} study
 * @param {{topic?: string, worker?: string}} [wish]
 */
export async function judgingLink(owner, study, wish = {}) {
  const worker = make("input", { type: "text", id: "link-worker", autocomplete: "off", dir: "auto", maxlength: 200, value: wish.worker ?? "" });
  const most = make("input", { type: "number", min: 1, id: "link-count" });
  const made = make("div", { class: "made", "aria-live": "polite" });
  const fields = [
    field("Who judges", worker, "Any name you know the person by. The same name again is the same person, who goes on where they were."),
    field("Questions at most", most, "Leave it empty for no limit. What they have answered in this study before counts."),
  ];
  const body = form(fields, "Make a link", async () => {
    const name = worker.value.trim();
    if (!name) throw new Error("Say who judges: a link is for one person.");
    const asked = { worker: name, topic: wish.topic ?? null, count: most.valueAsNumber || null, continues: true };
    const session = await owner.post(`${at(study)}/sessions`, asked);
    made.replaceChildren(...shown(name, session));
    const send = /** @type {HTMLButtonElement} */ (body.querySelector("button[type=submit]"));
    send.textContent = "Renew the link";
    send.className = "quiet";
    made.querySelector("button")?.focus();
  });
  worker.addEventListener("input", () => {
    made.replaceChildren();
    const send = /** @type {HTMLButtonElement} */ (body.querySelector("button[type=submit]"));
    send.textContent = "Make a link";
    send.className = "primary";
  });
  const about = wish.topic === undefined ? [] : [note("It asks about this topic alone.")];
  await ask("A link to judge", [...about, body, made], [{ label: "Close", value: "", kind: "quiet" }]);
}

/**
 * Show a link with what can be done with it.
 * @param {string} name
 * @param {{url: string, expires_at: string}} session
 * @returns {HTMLElement[]}
 */
function shown(name, session) {
  const address = new URL(session.url, location.origin).href;
  const box = make("input", { type: "text", readonly: true, value: address, id: "link", "aria-label": "The link" });
  box.addEventListener("focus", () => box.select());
  const copy = button("Copy the link", async () => {
    const done = await copied(box);
    copy.textContent = done ? "Copied" : "Press Ctrl+C to copy";
    say(done ? "The link is copied." : "The link is selected: copy it with the keyboard.");
  });
  const open = make("a", { class: "button", href: address, target: "_blank", rel: "noopener" }, "Judge now");
  const ends = make("time", { datetime: session.expires_at }, moment(session.expires_at));
  const until = make("p", { class: "note" }, "It works until ", ends, ", and a new one can be made at any time. It is for ", make("bdi", {}, name), " alone: whoever has it judges in their name.");
  return [box, make("div", { class: "actions" }, copy, open), until];
}

/**
 * Copy what is in a field, also where the browser gives no access to the clipboard.
 * @param {HTMLInputElement} box
 */
async function copied(box) {
  try {
    await navigator.clipboard.writeText(box.value);
    return true;
  } catch {
    box.focus();
    box.select();
    return document.execCommand("copy");
  }
}
