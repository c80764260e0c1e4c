// The controller of the judging page: shows one assignment after the other and submits the answers.

import { messageOf, RequestRefused } from "../shared/api_request.js";
import { find } from "../shared/elements.js";
import { AnswerCount } from "./answer_count.js";
import { AnswerForm, withoutTies } from "./answer_form.js";
import { AssignmentQueue } from "./assignment_queue.js";
import { arrangeSides, newDocument } from "./document_sides.js";
import { connectionText, verdictText } from "./message_texts.js";
import { askSkipReason, comprehensionQuestion, failedCheck, noQuestion, refusedRequest } from "./messages.js";
import { Outbox } from "./outbox.js";
import { sendUndo } from "./session_api.js";
import { SessionCompletion } from "./session_completion.js";
import { Stopwatch } from "./stopwatch.js";

/** @import { AssignmentOut, JudgmentIn, SessionNextOut, SessionShown, Understanding, VerdictOut } from "../shared/api_types.d.ts" */
/** @import { SessionState } from "./assignment_queue.js" */
/** @import { Shown, Sides } from "./document_sides.js" */
/** @import { OutboxItem, Receipt } from "./outbox.js" */
/** @import { SessionApi } from "./session_api.js" */
/** @import { TextSelection } from "./text_selection.js" */
/** @import { JudgingView } from "./view.js" */

/** Problems after which no answer of this session is accepted. */
const FINAL_PROBLEMS = new Set(["expired-token", "bad-token", "study-closed", "worker-blocked", "unauthorized"]);

/** The controller of a session. */
export class JudgingController {
  /** @type {AssignmentOut | null} the assignment that was answered last, if its answer can be withdrawn */
  #undoable = null;
  /** @type {Shown | null} */
  #onScreen = null;
  /** @type {Sides | null} */
  #sides = null;
  /** Whether an answer is being submitted that the service may refuse. */
  #submitting = false;
  /** Whether the result of a check is on screen. */
  #showsVerdict = false;
  /** @type {AnswerForm | null} */
  form = null;
  stopwatch = new Stopwatch();

  /**
   * @param {JudgingView} view
   * @param {TextSelection} selection
   * @param {SessionApi} api
   * @param {SessionShown} session
   * @param {Promise<SessionNextOut | null> | null} prefetched the first assignments, if they were requested early
   */
  constructor(view, selection, api, session, prefetched = null) {
    this.view = view;
    this.selection = selection;
    this.api = api;
    this.session = session;
    this.count = new AnswerCount(view, session);
    this.outbox = new Outbox(`nextpair ${session.study}`, () => this.#updateConnection());
    this.queue = new AssignmentQueue(api, this.outbox, (state) => this.#updateCount(state), prefetched);
  }

  /** Send the answers that the previous page load left, and show the first question. */
  async start() {
    const results = await this.outbox.resume();
    for (const result of results) if (result.status === "rejected") this.view.announce(messageOf(result.reason));
    await this.advance();
  }

  /** Show the next question, or explain why there is none. */
  async advance() {
    this.#submitting = false;
    if (this.#showsVerdict) return;
    const assignment = this.queue.take();
    if (assignment) {
      this.#show(assignment);
      this.queue.fill().catch((error) => this.#handleError(error));
      return;
    }
    this.view.showBusy(true);
    this.#updateConnection();
    try {
      // The result of a request that was made while a question was on screen is out of date.
      await this.queue.pending;
      const state = this.queue.waiting.length ? null : await this.queue.fill();
      if (this.queue.waiting.length) await this.advance();
      else if (state && !this.#showsVerdict) this.#showIdle(state);
    } catch (error) {
      this.#handleError(error);
    }
  }

  /** @param {AssignmentOut} assignment */
  #show(assignment) {
    const { parts, review_parts, ties } = this.session.design;
    this.form = new AnswerForm(withoutTies(assignment.kind === "review" ? review_parts : parts, ties));
    this.#sides = arrangeSides(assignment, this.#onScreen);
    const unseen = newDocument(assignment, this.#onScreen);
    this.view.showQuestion(assignment, this.form, this.#sides, unseen);
    this.selection.setField(this.form.reason);
    const documents = this.#sides ? [this.#sides.left, this.#sides.right] : [assignment.document];
    this.#onScreen = { topic: assignment.topic.id, ids: documents.flatMap((one) => (one ? [one.id] : [])) };
    this.stopwatch.restart();
    find("undo", HTMLButtonElement).disabled = !this.#undoable;
    this.view.announce(unseen.size ? "Next question: one document is new." : "Next question.");
  }

  /** Submit the answer that is filled in. */
  async submit() {
    const assignment = this.queue.current;
    if (!assignment || !this.form || this.#submitting) return;
    const { answer, missing } = this.form.read();
    if (missing) {
      this.view.showError(`Please answer: ${missing.part.label}`);
      missing.focus();
      return;
    }
    this.#submitting = true;
    const left = this.#sides ? { left: this.#sides.left.id } : {};
    // The parts of the design determine which of the declared shapes the answer has.
    const declared = /** @type {JudgmentIn["answer"]} */ (answer);
    const body = { answer: declared, attempt: assignment.attempt, seconds: this.stopwatch.seconds, ...left };
    const { id, token } = assignment;
    const sent = this.#send({ id, token, what: "judgment", body });
    this.#undoable = assignment;
    // An answer that the service may refuse is waited for, unless the service is unavailable.
    if (this.form.alwaysValid) sent.catch((error) => this.#returnTo(assignment, error));
    else if (!(await this.#isAccepted(assignment, sent))) return;
    if (this.queue.current === assignment) await this.advance();
  }

  /**
   * @param {AssignmentOut} assignment
   * @param {Promise<Receipt>} sent
   */
  async #isAccepted(assignment, sent) {
    const settled = this.outbox.settled();
    try {
      await Promise.race([sent, settled]);
      if (!this.outbox.ids.includes(assignment.id)) await sent;
      sent.catch((error) => this.#returnTo(assignment, error));
      return true;
    } catch (error) {
      this.#submitting = false;
      this.#undoable = null;
      this.view.showError(messageOf(error));
      find("answer").focus();
      return false;
    }
  }

  /** @param {OutboxItem} item */
  async #send(item) {
    const receipt = await this.outbox.add(item);
    if (item.what === "judgment") this.count.set(this.count.value + 1);
    if ("verdict" in receipt && receipt.verdict) this.#handleVerdict(receipt.verdict);
    return receipt;
  }

  /**
   * Show a question again whose answer was refused after the worker had continued.
   * @param {AssignmentOut} assignment
   * @param {unknown} error
   */
  #returnTo(assignment, error) {
    this.#undoable = null;
    if (!(error instanceof RequestRefused) || error.type !== "bad-answer") return this.#handleError(error);
    this.queue.putBackCurrent();
    this.queue.putBack(assignment);
    this.queue.take();
    this.#show(assignment);
    return this.view.showError(`Your answer to this question was not accepted: ${error.message}`);
  }

  /** Withdraw the last answer, and show its question again. */
  async undo() {
    const assignment = this.#undoable;
    if (!assignment || this.#submitting) return;
    await this.outbox.settled();
    if (this.outbox.ids.includes(assignment.id)) {
      this.view.showError("You can undo this answer when the connection is back.");
      return;
    }
    const answered = this.count.value;
    try {
      const reopened = await sendUndo(assignment, assignment.attempt);
      this.#undoable = null;
      // A request that is being made may or may not have counted the withdrawn answer.
      this.queue.undone += 1;
      this.count.set(Math.max(0, answered - 1));
      this.queue.putBackCurrent();
      this.queue.putBack(reopened);
      this.#onScreen = null;
      await this.advance();
      this.view.announce("Your last answer was withdrawn. This is its question.");
    } catch (error) {
      this.view.showError(messageOf(error));
    }
  }

  /** Return the assignment with a reason. */
  async skip() {
    const assignment = this.queue.current;
    if (!assignment || this.#submitting) return;
    const reason = await askSkipReason(this.view);
    if (reason === undefined || this.queue.current !== assignment) return;
    const { id, token, attempt } = assignment;
    this.#send({ id, token, what: "skip", body: { attempt, reason } }).catch((error) => this.#handleError(error));
    this.#undoable = null;
    await this.advance();
  }

  /** @param {SessionState} state */
  #showIdle(state) {
    if (state.understanding) return this.#askComprehension(state.understanding);
    const undo = this.#undoable ? () => this.undo() : null;
    const completion = new SessionCompletion(this.view, this.api, this.session);
    const message = completion.addTo(noQuestion(state, undo), state.reason, state.answered);
    this.view.showMessage(message);
    if (message.retrySeconds !== null) setTimeout(() => this.advance(), message.retrySeconds * 1000);
  }

  /** @param {Understanding} asked */
  #askComprehension(asked) {
    const choose = async (/** @type {string} */ choice) => {
      try {
        const verdict = await this.api.answerComprehension(asked.topic, choice);
        if (verdict.passed) await this.advance();
        else this.#handleVerdict(verdict);
      } catch (error) {
        this.view.showBanner(messageOf(error));
      }
    };
    this.view.showMessage(comprehensionQuestion(asked, choose));
  }

  /** @param {VerdictOut} verdict */
  #handleVerdict(verdict) {
    const { title, isFinal } = verdictText(verdict);
    if (verdict.effect === "none") return this.view.announce(title);
    if (isFinal) this.queue.clear();
    else this.queue.putBackCurrent();
    this.queue.current = null;
    this.#undoable = null;
    this.#showsVerdict = true;
    const resume = () => {
      this.#showsVerdict = false;
      this.advance();
    };
    return this.view.showMessage(failedCheck(verdict, resume, this.session.hands_in));
  }

  /** @param {unknown} error */
  #handleError(error) {
    if (!(error instanceof RequestRefused)) throw error;
    if (this.queue.current && !FINAL_PROBLEMS.has(error.type)) return this.view.showError(error.message);
    this.queue.clear();
    return this.view.showMessage(refusedRequest(error));
  }

  /** @param {SessionState} state */
  #updateCount(state) {
    this.count.update(state, this.outbox.ids.length > 0);
  }

  #updateConnection() {
    const blocked = !this.queue.current && !this.queue.waiting.length;
    const lost = this.outbox.stuck || (this.queue.unavailable && blocked);
    this.view.showBanner(lost ? connectionText(this.outbox.ids.length, blocked) : null);
    if (!this.outbox.stuck) this.queue.retryNow();
  }
}
