// The questions to come: one more than is on screen, asked for when the last answer is known.

import { Lost } from "../shared/api_call.js";

const AHEAD = 2;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/** Keeps questions ready, and never asks for one that the page has. */
export class Supply {
  /**
   * @param {import("../shared/api_call.js").Session} session
   * @param {import("./outbox.js").Outbox} outbox
   * @param {(told: any) => void} told what the service said with new questions
   * @param {Promise<any> | null} first what it said already, if it was asked
   */
  constructor(session, outbox, told, first = null) {
    this.session = session;
    this.outbox = outbox;
    this.told = told;
    /** @type {any[]} */
    this.queue = [];
    /** @type {any} on screen */
    this.current = null;
    /** @type {Promise<any> | null} */
    this.asking = null;
    this.lost = false;
    this.undone = 0; // answers taken back
    this.first = first;
    /** Ask again now: the network seems to be back. */
    this.wake = () => {};
    addEventListener("online", () => this.wake());
  }

  /** Return the next question that is ready, if one is. */
  take() {
    this.current = this.queue.shift() || null;
    return this.current;
  }

  /**
   * Put a question before those to come.
   * @param {any} assignment
   */
  putBack(assignment) {
    this.queue = [assignment, ...this.queue.filter((one) => one.id !== assignment.id)];
  }

  /** Forget everything that is to come. */
  clear() {
    this.queue = [];
    this.current = null;
  }

  /**
   * Ask for as many as are missing; what the service said, once it was reached.
   * @returns {Promise<any>}
   */
  fill() {
    this.asking ||= this.#fill().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  async #fill() {
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      // The service chooses better when it knows the last answer.
      await this.outbox.settled();
      const has = this.queue.length + (this.current ? 1 : 0);
      if (has >= AHEAD) return null;
      try {
        const early = await this.first;
        this.first = null;
        const given = this.outbox.given - this.outbox.ids.length;
        const { undone } = this;
        const told = early || (await this.session.next(AHEAD - has, this.#held()));
        this.#keep(told.assignments);
        // What was answered meanwhile is not in what the service has counted.
        this.told({ ...told, stale: this.outbox.given > given, outdated: this.undone > undone });
        this.#found(true);
        return told;
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        this.#found(false);
        await this.#pause(wait);
      }
    }
  }

  /** @param {boolean} through whether the service could be reached */
  #found(through) {
    if (this.lost !== through) return;
    this.lost = !through;
    this.outbox.changed();
  }

  /** @param {number} wait milliseconds, less if something else got through */
  #pause(wait) {
    return new Promise((resolve) => {
      setTimeout(resolve, wait);
      this.wake = () => resolve(undefined);
    });
  }

  #held() {
    const ready = this.queue.map((one) => one.id);
    const shown = this.current ? [this.current.id] : [];
    return [...new Set([...shown, ...ready, ...this.outbox.ids])];
  }

  /** @param {any[]} assignments */
  #keep(assignments) {
    const held = new Set(this.#held());
    this.queue.push(...assignments.filter((one) => !held.has(one.id)));
  }
}
