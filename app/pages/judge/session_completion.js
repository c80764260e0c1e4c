// Handing in: what a worker did here goes back to the platform that sent them, the way it wants it.

import { Refusal } from "../shared/api_call.js";
import { button, make } from "../shared/elements.js";
import { refused } from "./messages.js";

/** Here a session is over. */
const OVER = new Set(["cap", "done", "seen", "stopped"]);
/** Here one may end it, rather than wait. */
const EARLY = new Set(["wait", "paused"]);
const RETRY = 2_000;

/** Ends a session that a platform waits for. */
export class Finishing {
  /**
   * @param {import("./view.js").Screen} screen
   * @param {import("../shared/api_call.js").Session} session
   * @param {{hands_in: boolean, finished: boolean}} about
   */
  constructor(screen, session, about) {
    this.screen = screen;
    this.session = session;
    this.about = about;
  }

  /**
   * Add to a message that there is no question how to hand in.
   * @param {import("./messages.js").Notice & {again: number}} notice
   * @param {string | null} reason
   * @param {number} answered
   */
  offer(notice, reason, answered) {
    const over = OVER.has(reason || "");
    if (!this.about.hands_in || !(over || (EARLY.has(reason || "") && answered))) return notice;
    const act = button(over ? "Hand in" : "Hand in what you have", () => this.handIn(), over ? "primary" : "quiet");
    const close = "You can close this page.";
    const body = notice.body.filter((one) => one.textContent !== close);
    const last = over ? "Hand in your work to finish." : "You need not wait: you can hand in what you have done.";
    return { ...notice, body: [...body, make("p", {}, last)], actions: [act, ...notice.actions] };
  }

  /** Show that all was done before: the way back may have failed. */
  again() {
    const actions = [button("Hand in", () => this.handIn())];
    const body = [make("p", {}, "You have finished here. If the platform does not know it yet, hand in again.")];
    this.screen.message({ title: "All done", body, actions });
  }

  /** Let the service keep that the worker is done, and only then leave. */
  async handIn() {
    this.screen.message({ title: "One moment", body: [make("p", {}, "Your work is being handed in.")], actions: [] });
    try {
      const told = await this.session.finish();
      this.screen.banner(null);
      this.#leave(told);
    } catch (error) {
      if (error instanceof Refusal) return this.screen.message(refused(error));
      this.screen.banner("No connection. This page goes on by itself when it is back.");
      setTimeout(() => this.handIn(), RETRY);
    }
  }

  /** @param {any} told */
  #leave(told) {
    if (told.kind === "form") return post(told.action, told.fields);
    if (told.kind === "redirect") return location.assign(told.url);
    const code = make("p", { class: "code" }, make("code", { id: "code" }, told.code || ""));
    const body = told.kind === "code" ? [make("p", {}, "Copy this code to where you came from:"), code] : [];
    const thanks = make("p", {}, "Thank you for your work! You can close this page.");
    this.screen.message({ title: "All done", body: [...body, thanks], actions: [] });
  }
}

/**
 * Post a form as a person would: platforms take nothing that a script sends.
 * @param {string} action
 * @param {Record<string, string>} fields
 */
function post(action, fields) {
  const inputs = Object.entries(fields).map(([name, value]) => make("input", { type: "hidden", name, value }));
  const form = make("form", { method: "post", action, hidden: true }, ...inputs);
  document.body.append(form);
  // Not form.submit(): a field of that name would stand in its place.
  HTMLFormElement.prototype.submit.call(form);
}
