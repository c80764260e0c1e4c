// Completes a session: the worker hands in, and returns to the platform in the way that it requires.

import { messageOf, RequestRefused, ServiceUnavailable } from "../shared/api_request.js";
import { button, make } from "../shared/elements.js";
import { CAN_CLOSE, NO_CONNECTION } from "./message_texts.js";
import { refusedRequest } from "./messages.js";

/** @import { FinishOut, SessionShown } from "../shared/api_types.d.ts" */
/** @import { IdleMessage } from "./messages.js" */
/** @import { SessionApi } from "./session_api.js" */
/** @import { JudgingView } from "./view.js" */

/** Reasons why there is no question, after which the session is over. */
const FINAL = new Set(["cap", "done", "seen", "stopped"]);
/** Reasons why there is no question, after which the worker may complete the session instead of waiting. */
const TEMPORARY = new Set(["wait", "paused"]);
const RETRY_DELAY = 2_000;

/** Completes a session that a platform started. */
export class SessionCompletion {
  /**
   * @param {JudgingView} view
   * @param {SessionApi} api
   * @param {SessionShown} session
   */
  constructor(view, api, session) {
    this.view = view;
    this.api = api;
    this.session = session;
  }

  /**
   * Add a button that completes the session to the message that there is no question.
   * @param {IdleMessage} message
   * @param {string | null} reason
   * @param {number} answered
   * @returns {IdleMessage}
   */
  addTo(message, reason, answered) {
    const isOver = FINAL.has(reason ?? "");
    const mayStop = TEMPORARY.has(reason ?? "") && answered > 0;
    if (!this.session.hands_in || !(isOver || mayStop)) return message;
    const label = isOver ? "Hand in" : "Hand in what you have";
    const handIn = button(label, () => this.complete(), isOver ? "primary" : "quiet");
    const body = message.body.filter((element) => element.textContent !== CAN_CLOSE);
    const advice = isOver ? "Hand in your work to finish." : "You do not have to wait: you can hand in your answers now.";
    return { ...message, body: [...body, make("p", {}, advice)], actions: [handIn, ...message.actions] };
  }

  /** Offer to repeat the return to the platform, which may have failed. */
  offerRepetition() {
    const advice = "You have finished here. If the platform does not know this yet, hand in again.";
    this.view.showMessage({
      title: "All done",
      body: [make("p", {}, advice)],
      actions: [button("Hand in", () => this.complete())],
    });
  }

  /** Record that the worker is done, and only then return to the platform. */
  async complete() {
    this.view.showMessage({ title: "One moment", body: [make("p", {}, "Your work is being handed in.")] });
    try {
      const completion = await this.api.complete();
      this.view.showBanner(null);
      this.#leave(completion);
    } catch (error) {
      if (error instanceof RequestRefused) return this.view.showMessage(refusedRequest(error));
      if (!(error instanceof ServiceUnavailable)) return this.view.showBanner(messageOf(error));
      this.view.showBanner(NO_CONNECTION);
      setTimeout(() => this.complete(), RETRY_DELAY);
    }
  }

  /** @param {FinishOut} completion */
  #leave({ kind, action, fields, url, code }) {
    if (kind === "form" && action !== null) return postForm(action, fields ?? {});
    if (kind === "redirect" && url !== null) return location.assign(url);
    const shownCode = make("p", { class: "code" }, make("code", { id: "code" }, code ?? ""));
    const body = kind === "code" ? [make("p", {}, "Copy this code to the platform:"), shownCode] : [];
    const thanks = make("p", {}, `Thank you for your work! ${CAN_CLOSE}`);
    return this.view.showMessage({ title: "All done", body: [...body, thanks] });
  }
}

/**
 * Submit a form as a person does: platforms accept no request of a script.
 * @param {string} action
 * @param {Record<string, string>} fields
 */
function postForm(action, fields) {
  const inputs = Object.entries(fields).map(([name, value]) => make("input", { type: "hidden", name, value }));
  const form = make("form", { method: "post", action, hidden: true }, ...inputs);
  document.body.append(form);
  // Not form.submit(): a field with the name "submit" would replace that method.
  HTMLFormElement.prototype.submit.call(form);
}
