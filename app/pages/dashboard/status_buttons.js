// The buttons that open, pause and close a study or a topic.

import { ask } from "../shared/dialog.js";
import { make } from "../shared/elements.js";
import { actionButton } from "./components.js";

/** @import { StudyOut } from "../shared/api_types.d.ts" */

/** @typedef {StudyOut["status"]} Status */

/** @type {Record<Status, [status: Status, label: string][]>} */
const TRANSITIONS = {
  open: [
    ["paused", "Pause"],
    ["closed", "Close"],
  ],
  paused: [
    ["open", "Start"],
    ["closed", "Close"],
  ],
  closed: [["open", "Open again"]],
};

/**
 * Make the buttons.
 * @param {Status} status
 * @param {(status: Status) => Promise<void>} setStatus
 */
export function statusButtons(status, setStatus) {
  return TRANSITIONS[status].map(([target, label]) =>
    actionButton(label, async () => {
      if (target !== "closed" || (await isConfirmed())) await setStatus(target);
    }),
  );
}

async function isConfirmed() {
  const text = "No questions are assigned any more, and no answers are accepted, not even to questions that are assigned already. It can be opened again.";
  const action = await ask("Close it?", [make("p", {}, text)], [
    { label: "Close it", value: "close" },
    { label: "Cancel", value: "", kind: "quiet" },
  ]);
  return action === "close";
}
