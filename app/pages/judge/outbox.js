// Answers that the service has not confirmed yet: stored until it does, and sent again after network errors.
//
// The service treats repeated answers to the same attempt as one, so sending twice is safe.

import { ServiceUnavailable } from "../shared/api_request.js";
import { sendJudgment, sendSkip } from "./session_api.js";

/** @import { JudgmentIn, JudgmentOut, SkipIn, Skipped } from "../shared/api_types.d.ts" */

const FIRST_DELAY = 500;
const LONGEST_DELAY = 10_000;

/**
 * The id and token are those of an assignment.
 * @typedef {{id: string, token: string, what: "judgment", body: JudgmentIn}} JudgmentItem
 * @typedef {{id: string, token: string, what: "skip", body: SkipIn}} SkipItem
 * @typedef {JudgmentItem | SkipItem} OutboxItem
 * @typedef {JudgmentOut | Skipped} Receipt
 */

/**
 * @typedef {object} Entry
 * @property {OutboxItem} item
 * @property {(receipt: Receipt) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** Sends items in their order, one at a time. */
export class Outbox {
  /** @type {Entry[]} */
  #entries = [];
  #sending = false;
  /** @type {Promise<boolean>} the latest attempt to send */
  #attempt = Promise.resolve(true);
  #retryNow = () => {};
  /** Whether the latest attempt failed because the service is unavailable. */
  stuck = false;
  /** Number of items that were ever added. */
  added = 0;

  /**
   * @param {string} storageKey where items are stored in the session storage, if the browser has one
   * @param {() => void} onChange called when the number of items or `stuck` changes
   */
  constructor(storageKey, onChange) {
    this.storageKey = storageKey;
    this.onChange = onChange;
    addEventListener("online", () => this.#retryNow());
  }

  /** The ids of assignments whose answers are not confirmed yet. */
  get ids() {
    return this.#entries.map(({ item }) => item.id);
  }

  /** Send the items that the previous page load left. */
  resume() {
    return Promise.allSettled(this.#storedItems().map((item) => this.add(item)));
  }

  /**
   * Send an item as soon as possible. The promise is rejected only if the service refuses the item.
   * @param {OutboxItem} item
   * @returns {Promise<Receipt>}
   */
  add(item) {
    this.added += 1;
    const confirmed = new Promise((resolve, reject) => this.#entries.push({ item, resolve, reject }));
    this.#store();
    this.onChange();
    this.#sendAll();
    return confirmed;
  }

  /** Wait until all items are sent, or until the service is unavailable. */
  async settled() {
    while (this.#sending && !this.stuck) await this.#attempt;
  }

  async #sendAll() {
    if (this.#sending) return;
    this.#sending = true;
    let delay = FIRST_DELAY;
    for (let entry = this.#entries[0]; entry; entry = this.#entries[0]) {
      this.#attempt = this.#send(entry);
      const sent = await this.#attempt;
      delay = sent ? FIRST_DELAY : Math.min(2 * delay, LONGEST_DELAY);
      if (!sent) await this.#pause(delay);
    }
    this.#sending = false;
  }

  /**
   * Send the first entry; return false if it has to be sent again.
   * @param {Entry} entry
   */
  async #send({ item, resolve, reject }) {
    let settle;
    try {
      const receipt = await (item.what === "judgment" ? sendJudgment(item, item.body) : sendSkip(item, item.body));
      settle = () => resolve(receipt);
    } catch (error) {
      if (error instanceof ServiceUnavailable) {
        this.stuck = true;
        this.onChange();
        return false;
      }
      settle = () => reject(error);
    }
    this.stuck = false;
    this.#entries.shift();
    this.#store();
    this.onChange();
    settle();
    return true;
  }

  /** @param {number} delay in milliseconds; shorter if the browser reports that it is online again */
  #pause(delay) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.#retryNow = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  // A browser may deny storage to a frame of another site. Items are then kept in memory only.

  #store() {
    try {
      const items = this.#entries.map(({ item }) => item);
      if (items.length) sessionStorage.setItem(this.storageKey, JSON.stringify(items));
      else sessionStorage.removeItem(this.storageKey);
    } catch {
      // Kept in memory.
    }
  }

  /** @returns {OutboxItem[]} */
  #storedItems() {
    try {
      return JSON.parse(sessionStorage.getItem(this.storageKey) || "[]");
    } catch {
      return [];
    }
  }
}
