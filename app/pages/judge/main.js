// The judging page: finds out who is here, and lets them begin.

import { Refusal, Session } from "../shared/api_call.js";
import { Desk } from "./controller.js";
import { button, find, make } from "../shared/elements.js";
import { Finishing } from "./session_completion.js";
import { meaningOf } from "./keyboard.js";
import { pause, refused } from "./messages.js";
import { Screen } from "./view.js";
import { Selecting } from "./text_selection.js";

const RETRY = 1_000;
const study = decodeURIComponent(location.pathname.split("/")[2] || "");
const screen = new Screen();
const selecting = new Selecting();

/** What the keys and buttons act on. */
const seat = {
  /** @type {Desk | null} */
  desk: null,
  /** @type {import("./answer_form.js").Fields | null} */
  example: null,

  get fields() {
    return this.desk?.fields || this.example;
  },

  submit() {
    if (this.desk) this.desk.submit();
    else if (this.example) screen.wrong("This is only a preview: your answer would be sent now.");
  },
};

find("answer").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  seat.submit();
});
find("undo").addEventListener("click", () => seat.desk?.undo());
find("skip").addEventListener("click", () => seat.desk?.skip());
find("pause-button").addEventListener("click", () => seat.desk && pause(screen, seat.desk.watch));
document.addEventListener("keydown", (event) => {
  const meaning = meaningOf(event);
  if (!meaning || find("question").hidden || !seat.fields) return;
  if (act(meaning)) event.preventDefault();
});
addEventListener("beforeunload", (event) => {
  if (seat.desk?.outbox.ids.length) event.preventDefault();
});

/** @param {NonNullable<ReturnType<typeof meaningOf>>} meaning */
function act(meaning) {
  if ("way" in meaning) return seat.fields?.chooseWay(meaning.way);
  if ("place" in meaning) return seat.fields?.choose(meaning.place);
  if (meaning.act === "use") return selecting.use();
  if (meaning.act === "submit") seat.submit();
  else if (meaning.act === "undo") seat.desk?.undo();
  else seat.desk?.skip();
  return true;
}

async function start() {
  const token = location.hash.slice(1);
  if (token) return sit(new Session(token));
  if (new URLSearchParams(location.search).has("preview")) {
    const { preview } = await import("./preview.js");
    seat.example = await preview(screen, selecting, study);
    return;
  }
  const text = "This page is opened by a judging link that is only yours: by the one that you were given, or from the platform you work on.";
  screen.message({ title: "This page needs its own link", body: [make("p", {}, text)] });
}

/** @param {Session} session */
async function sit(session) {
  const { early } = /** @type {any} */ (globalThis);
  const about = (await early?.about) || (await session.look());
  screen.study(about.title || about.study);
  screen.progress(about.answered, about.count);
  if (about.finished) return new Finishing(screen, session, about).again();
  const instructions = () => screen.instructions(about.design.instructions);
  const desk = new Desk(screen, selecting, session, about, early?.first);
  const begin = () => {
    seat.desk = desk;
    find("tools").hidden = false;
    find("instructions-button").addEventListener("click", () =>
      screen.ask("Instructions", instructions(), [{ label: "Close", value: "close" }]),
    );
    desk.start();
  };
  if (!about.design.instructions || about.answered) return begin();
  const actions = [button("Begin", begin)];
  screen.message({ title: "Instructions", body: instructions(), actions });
}

/** Start, as often as it takes to reach the service. */
async function reach() {
  try {
    await start();
    screen.banner(seat.example ? "This is a preview: nothing you do here is stored." : null);
  } catch (error) {
    if (error instanceof Refusal) {
      screen.message(refused(error));
      return;
    }
    screen.banner("No connection. This page goes on by itself when it is back.");
    setTimeout(reach, RETRY);
  }
}

addEventListener("hashchange", () => location.reload());
reach();
