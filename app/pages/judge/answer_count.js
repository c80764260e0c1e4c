// The number of answers of a session: counted by the page, and corrected by the responses of the service.

/** @import { SessionShown } from "../shared/api_types.d.ts" */
/** @import { SessionState } from "./assignment_queue.js" */
/** @import { JudgingView } from "./view.js" */

/** The number of answers, which the view shows. */
export class AnswerCount {
  /**
   * @param {JudgingView} view
   * @param {SessionShown} session
   */
  constructor(view, { answered, count }) {
    this.view = view;
    this.maximum = count;
    this.value = answered;
  }

  /** @param {number} value */
  set(value) {
    this.value = value;
    this.view.showProgress(value, this.maximum);
  }

  /**
   * Adopt the number of a response, unless it is unknown which answers it includes: those that are not confirmed yet
   * may be stored already, and those that were confirmed or withdrawn during the request may be missing.
   * @param {SessionState} state
   * @param {boolean} hasUnconfirmed
   */
  update({ answered, stale, outdated }, hasUnconfirmed) {
    if (!stale && !outdated && !hasUnconfirmed) this.set(answered);
  }
}
