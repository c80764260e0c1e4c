// A worker's desk: shows one question after the other, and takes what the worker says to each.

import { Refusal, messageOf, tell } from "../shared/api_call.js";
import { find } from "../shared/elements.js";
import { Finishing } from "./session_completion.js";
import { lostText, verdictMessage } from "./message_texts.js";
import { askWhy, nothingLeft, notPassed, refused, understanding } from "./messages.js";
import { Outbox } from "./outbox.js";
import { Fields, withoutTies } from "./answer_form.js";
import { arrange, freshOf } from "./document_sides.js";
import { Stopwatch } from "./stopwatch.js";
import { Supply } from "./assignment_queue.js";

// After these there is nothing more to do.
const FINAL = new Set(["expired-token", "bad-token", "study-closed", "worker-blocked", "unauthorized"]);

/** The worker at work. */
export class Desk {
  /**
   * @param {import("./view.js").Screen} screen
   * @param {import("./text_selection.js").Selecting} selecting
   * @param {import("../shared/api_call.js").Session} session
   * @param {any} about what the service says of the session
   * @param {Promise<any> | null} first what it said when it was asked for questions, if it was
   */
  constructor(screen, selecting, session, about, first = null) {
    this.screen = screen;
    this.selecting = selecting;
    this.session = session;
    this.about = about;
    this.answered = about.answered;
    this.outbox = new Outbox(`nextpair ${about.study}`, () => this.#connection());
    this.supply = new Supply(session, this.outbox, (told) => this.#progress(told), first);
    this.watch = new Stopwatch();
    /** @type {any} what was answered last */
    this.last = null;
    /** @type {{topic: string, ids: string[]} | null} on screen before */
    this.before = null;
    this.busy = false;
    this.reading = false; // what a check came to
  }

  /** Send what an earlier page left, and show the first question. */
  async start() {
    const left = await this.outbox.resume();
    for (const one of left) if (one.status === "rejected") this.screen.announce(messageOf(one.reason));
    await this.advance();
  }

  /** Show the next question, or say why there is none. */
  async advance() {
    this.busy = false;
    if (this.reading) return;
    const ready = this.supply.take();
    if (ready) {
      this.#show(ready);
      this.supply.fill().catch((error) => this.#refused(error));
      return;
    }
    this.screen.waiting(true);
    this.#connection();
    try {
      // What was asked for while there was a question says nothing about now.
      await this.supply.asking;
      const told = this.supply.queue.length ? null : await this.supply.fill();
      if (this.supply.queue.length) await this.advance();
      else if (told && !this.reading) this.#nothing(told);
    } catch (error) {
      this.#refused(error);
    }
  }

  /** @param {any} assignment */
  #show(assignment) {
    const { parts, review_parts, ties } = this.about.design;
    this.fields = new Fields(withoutTies(assignment.kind === "review" ? review_parts : parts, ties));
    this.sides = arrange(assignment, this.before);
    const fresh = freshOf(assignment, this.before);
    this.screen.question(assignment, this.fields, this.sides, fresh);
    this.selecting.into(this.fields.reason);
    const shown = this.sides ? Object.values(this.sides) : [assignment.document];
    this.before = { topic: assignment.topic.id, ids: shown.map((one) => one.id) };
    this.watch.restart();
    find("undo").disabled = !this.last;
    this.screen.announce(fresh.size === 1 && this.sides ? "Next question: one document is new." : "Next question.");
  }

  /** Take the answer that is filled in. */
  async submit() {
    const assignment = this.supply.current;
    if (!assignment || !this.fields || this.busy) return;
    const { answer, missing } = this.fields.read();
    if (missing) {
      this.screen.wrong(`Please answer: ${missing.label}`);
      this.fields.focus(missing);
      return;
    }
    this.busy = true;
    const left = this.sides ? { left: this.sides.left.id } : {};
    const body = { answer, attempt: assignment.attempt, seconds: this.watch.seconds, ...left };
    const sent = this.#send(assignment, "judgment", body);
    this.last = assignment;
    // An answer that may be refused is waited for, but not while nothing gets through.
    if (this.fields.sure) sent.catch((error) => this.#comeBack(assignment, error));
    else if (!(await this.#isTaken(assignment, sent))) return;
    if (this.supply.current === assignment) await this.advance();
  }

  /** @param {any} assignment @param {Promise<any>} sent */
  async #isTaken(assignment, sent) {
    const stuck = this.outbox.settled().then(() => "stuck");
    try {
      if ((await Promise.race([sent, stuck])) === "stuck" && !this.outbox.ids.includes(assignment.id)) await sent;
      sent.catch((error) => this.#comeBack(assignment, error));
      return true;
    } catch (error) {
      this.busy = false;
      this.last = null;
      this.screen.wrong(messageOf(error));
      find("answer").focus();
      return false;
    }
  }

  /** @param {any} assignment @param {"judgment" | "skip"} what @param {any} body */
  async #send(assignment, what, body) {
    const told = await this.outbox.add({ id: assignment.id, token: assignment.token, what, body });
    if (what === "judgment") {
      this.answered += 1;
      this.#progress({ answered: this.answered, count: this.about.count });
    }
    if (told.verdict) this.#checked(told.verdict);
    return told;
  }

  /**
   * Show a question again whose answer was refused after the worker had gone on.
   * @param {any} assignment
   * @param {any} error
   */
  #comeBack(assignment, error) {
    if (!(error instanceof Refusal)) throw error;
    this.last = null;
    if (error.kind === "bad-answer") {
      if (this.supply.current) this.supply.putBack(this.supply.current);
      this.supply.putBack(assignment);
      this.supply.take();
      this.#show(assignment);
      this.screen.wrong(`Your answer to this question could not be taken: ${error.message}`);
    } else this.#refused(error);
  }

  /** Take the last answer back, and show its question again. */
  async undo() {
    const { last } = this;
    if (!last || this.busy) return;
    await this.outbox.settled();
    if (this.outbox.ids.includes(last.id)) {
      this.screen.wrong("You can take this back when the connection is back.");
      return;
    }
    const { answered } = this;
    try {
      const again = await tell(last, "undo", { attempt: last.attempt });
      this.last = null;
      // What is being asked for may have been counted before, or without this one.
      this.supply.undone += 1;
      this.answered = Math.max(0, answered - 1);
      this.#progress({ answered: this.answered, count: this.about.count });
      if (this.supply.current) this.supply.putBack(this.supply.current);
      this.supply.putBack(again);
      this.before = null;
      await this.advance();
      this.screen.announce("Your last answer was taken back. Here is its question again.");
    } catch (error) {
      this.screen.wrong(messageOf(error));
    }
  }

  /** Give the question back, with a reason. */
  async skip() {
    const assignment = this.supply.current;
    if (!assignment || this.busy) return;
    const reason = await askWhy(this.screen);
    if (reason === undefined || this.supply.current !== assignment) return;
    this.#send(assignment, "skip", { attempt: assignment.attempt, reason }).catch((error) => this.#refused(error));
    this.last = null;
    await this.advance();
  }

  // -- when there is no question ------------------------------------------------------------------

  /** @param {any} told */
  #nothing(told) {
    if (told.understanding) return this.#understand(told.understanding);
    const left = nothingLeft(told, this.last && (() => this.undo()));
    const notice = new Finishing(this.screen, this.session, this.about).offer(left, told.reason, told.answered);
    this.screen.message(notice);
    if (notice.again) setTimeout(() => this.advance(), notice.again * 1000);
  }

  /** @param {{topic: string, question: string, choices: string[]}} asked */
  #understand(asked) {
    const choose = async (/** @type {string} */ choice) => {
      try {
        const verdict = await this.session.understand(asked.topic, choice);
        if (verdict.passed) await this.advance();
        else this.#checked(verdict);
      } catch (error) {
        this.screen.banner(messageOf(error));
      }
    };
    this.screen.message(understanding(asked, choose));
  }

  /** @param {any} verdict */
  #checked(verdict) {
    const { title, ends } = verdictMessage(verdict);
    if (verdict.effect === "none") return this.screen.announce(title);
    if (ends) this.supply.clear();
    else if (this.supply.current) this.supply.putBack(this.supply.current);
    this.supply.current = null;
    this.last = null;
    this.reading = true;
    const goOn = () => {
      this.reading = false;
      this.advance();
    };
    this.screen.message(notPassed(verdict, goOn, this.about.hands_in));
  }

  /** @param {any} error */
  #refused(error) {
    if (!(error instanceof Refusal)) throw error;
    if (this.supply.current && !FINAL.has(error.kind)) return this.screen.wrong(error.message);
    this.supply.clear();
    this.screen.message(refused(error));
  }

  // -- around the question ------------------------------------------------------------------------
  /** @param {{answered: number, count: number | null, stale?: boolean, outdated?: boolean}} told */
  #progress({ answered, count, stale = false, outdated = false }) {
    if (!outdated) this.answered = Math.max(answered, stale || this.outbox.ids.length ? this.answered : 0);
    this.screen.progress(this.answered, count);
  }

  #connection() {
    const empty = !this.supply.current && !this.supply.queue.length;
    const lost = this.outbox.stuck || (this.supply.lost && empty);
    this.screen.banner(lost ? lostText(this.outbox.ids.length, empty) : null);
    if (!this.outbox.stuck) this.supply.wake();
  }
}
