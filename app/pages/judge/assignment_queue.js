// Assignments to come: one more than the one on screen, requested after the latest answer is confirmed.

import { ServiceUnavailable } from "../shared/api_request.js";

/** @import { AssignmentOut, SessionNextOut } from "../shared/api_types.d.ts" */
/** @import { Outbox } from "./outbox.js" */
/** @import { SessionApi } from "./session_api.js" */

const CAPACITY = 2;
const FIRST_DELAY = 500;
const LONGEST_DELAY = 10_000;

/**
 * The state of a session when assignments were requested. `stale`: answers were confirmed since then.
 * `outdated`: an answer was withdrawn since then.
 * @typedef {SessionNextOut & {stale: boolean, outdated: boolean}} SessionState
 */

/** Keeps assignments ready, and never requests one that the page has already. */
export class AssignmentQueue {
  /** @type {AssignmentOut[]} */
  waiting = [];
  /** @type {AssignmentOut | null} on screen */
  current = null;
  /** @type {Promise<SessionState | null> | null} the request that is being made */
  pending = null;
  /** Whether the latest request failed because the service is unavailable. */
  unavailable = false;
  /** Number of answers that were withdrawn. */
  undone = 0;
  /** Retry a failed request at once. */
  retryNow = () => {};

  /**
   * @param {SessionApi} api
   * @param {Outbox} outbox
   * @param {(state: SessionState) => void} onState
   * @param {Promise<SessionNextOut | null> | null} prefetched the response to the first request, if it was made early
   */
  constructor(api, outbox, onState, prefetched = null) {
    this.api = api;
    this.outbox = outbox;
    this.onState = onState;
    this.prefetched = prefetched;
    addEventListener("online", () => this.retryNow());
  }

  /** Make the next waiting assignment, if there is one, the current one. */
  take() {
    this.current = this.waiting.shift() ?? null;
    return this.current;
  }

  /**
   * Put an assignment in front of those that wait.
   * @param {AssignmentOut} assignment
   */
  putBack(assignment) {
    this.waiting = [assignment, ...this.waiting.filter(({ id }) => id !== assignment.id)];
  }

  /** Put the current assignment, if there is one, in front of those that wait. */
  putBackCurrent() {
    if (this.current) this.putBack(this.current);
  }

  /** Forget all assignments. */
  clear() {
    this.waiting = [];
    this.current = null;
  }

  /** Request as many assignments as are missing; return null if none are. */
  fill() {
    this.pending ||= this.#fill().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  async #fill() {
    for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      // The selector chooses better when it has the latest answer.
      await this.outbox.settled();
      const missing = CAPACITY - this.waiting.length - (this.current ? 1 : 0);
      if (missing <= 0) return null;
      try {
        return await this.#request(missing);
      } catch (error) {
        if (!(error instanceof ServiceUnavailable)) throw error;
        this.#setUnavailable(true);
        await this.#pause(delay);
      }
    }
  }

  /**
   * @param {number} count
   * @returns {Promise<SessionState>}
   */
  async #request(count) {
    const prefetched = await this.prefetched;
    this.prefetched = null;
    const confirmed = this.outbox.added - this.outbox.ids.length;
    const { undone } = this;
    const response = prefetched ?? (await this.api.nextAssignments(count, this.#heldIds()));
    this.#enqueue(response.assignments);
    // Answers that were given during the request are not in its counts.
    const state = { ...response, stale: this.outbox.added > confirmed, outdated: this.undone > undone };
    this.onState(state);
    this.#setUnavailable(false);
    return state;
  }

  /** @param {boolean} unavailable */
  #setUnavailable(unavailable) {
    if (this.unavailable === unavailable) return;
    this.unavailable = unavailable;
    this.outbox.onChange();
  }

  /** @param {number} delay in milliseconds; shorter if another request succeeds */
  #pause(delay) {
    return new Promise((resolve) => {
      setTimeout(resolve, delay);
      this.retryNow = () => resolve(undefined);
    });
  }

  #heldIds() {
    const queued = this.waiting.map(({ id }) => id);
    const shown = this.current ? [this.current.id] : [];
    return [...new Set([...shown, ...queued, ...this.outbox.ids])];
  }

  /** @param {AssignmentOut[]} assignments */
  #enqueue(assignments) {
    const held = new Set(this.#heldIds());
    this.waiting.push(...assignments.filter(({ id }) => !held.has(id)));
  }
}
