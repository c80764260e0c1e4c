// Entry point of the judging page: identifies the worker by the session, and shows the instructions.

import { RequestRefused, ServiceUnavailable, messageOf } from "../shared/api_request.js";
import { button, find, make } from "../shared/elements.js";
import { JudgingController } from "./controller.js";
import { commandOf } from "./keyboard.js";
import { NO_CONNECTION } from "./message_texts.js";
import { pause, refusedRequest } from "./messages.js";
import { SessionApi } from "./session_api.js";
import { SessionCompletion } from "./session_completion.js";
import { TextSelection } from "./text_selection.js";
import { instructionElements, JudgingView } from "./view.js";

/** @import { SessionShown } from "../shared/api_types.d.ts" */
/** @import { AnswerForm } from "./answer_form.js" */
/** @import { Command } from "./keyboard.js" */
/** @import { SessionPrefetch } from "./session_api.js" */

const RETRY_DELAY = 1_000;
const view = new JudgingView();
const selection = new TextSelection();

/** @type {JudgingController | null} */
let controller = null;
/** @type {AnswerForm | null} the form of the preview's example */
let exampleForm = null;

function submit() {
  if (controller) controller.submit();
  else if (exampleForm) view.showError("This is only a preview: your answer would be sent now.");
}

find("answer").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
find("undo").addEventListener("click", () => controller?.undo());
find("skip").addEventListener("click", () => controller?.skip());
find("pause-button").addEventListener("click", () => controller && pause(view, controller.stopwatch));
document.addEventListener("keydown", (event) => {
  const form = controller ? controller.form : exampleForm;
  const command = commandOf(event);
  if (!command || find("question").hidden || !form) return;
  if (execute(command, form)) event.preventDefault();
});
addEventListener("beforeunload", (event) => {
  if (controller?.outbox.ids.length) event.preventDefault();
});

/**
 * Execute a keyboard command; return whether it had an effect.
 * @param {Command} command
 * @param {AnswerForm} form
 */
function execute(command, form) {
  if ("direction" in command) return form.chooseDirection(command.direction);
  if ("position" in command) return form.choose(command.position);
  if (command.action === "use") return selection.use();
  if (command.action === "submit") submit();
  else if (command.action === "undo") controller?.undo();
  else controller?.skip();
  return true;
}

function start() {
  const token = location.hash.slice(1);
  if (token) return startSession(new SessionApi(token));
  if (new URLSearchParams(location.search).has("preview")) return startPreview();
  const text = "This page opens with a personal judging link: the link that you were given, or the one on the platform where you work.";
  return view.showMessage({ title: "This page needs its own link", body: [make("p", {}, text)] });
}

async function startPreview() {
  const { showPreview } = await import("./preview.js");
  const study = decodeURIComponent(location.pathname.split("/")[2] ?? "");
  exampleForm = await showPreview(view, selection, study);
}

/** @param {SessionApi} api */
async function startSession(api) {
  const { sessionPrefetch } = /** @type {{sessionPrefetch?: SessionPrefetch}} */ (globalThis);
  const session = (await sessionPrefetch?.session) ?? (await api.get());
  view.showStudy(session.title || session.study);
  view.showProgress(session.answered, session.count);
  if (session.finished) return new SessionCompletion(view, api, session).offerRepetition();
  const created = new JudgingController(view, selection, api, session, sessionPrefetch?.assignments ?? null);
  const { instructions } = session.design;
  if (!instructions || session.answered) return begin(created, session);
  const actions = [button("Begin", () => begin(created, session))];
  return view.showMessage({ title: "Instructions", body: instructionElements(instructions), actions });
}

/**
 * @param {JudgingController} created
 * @param {SessionShown} session
 */
function begin(created, session) {
  controller = created;
  find("tools").hidden = false;
  find("instructions-button").addEventListener("click", () => {
    const body = instructionElements(session.design.instructions);
    view.ask("Instructions", body, [{ label: "Close", value: "close" }]);
  });
  controller.start();
}

/** Start, and repeat this until the service is available. */
async function startWithRetries() {
  try {
    await start();
    if (!exampleForm) view.showBanner(null);
  } catch (error) {
    if (error instanceof RequestRefused) return view.showMessage(refusedRequest(error));
    if (!(error instanceof ServiceUnavailable)) return view.showBanner(messageOf(error));
    view.showBanner(NO_CONNECTION);
    setTimeout(startWithRetries, RETRY_DELAY);
  }
}

addEventListener("hashchange", () => location.reload());
startWithRetries();
