// Answers on their way: kept until the service has them, sent again when it could not be reached.
//
// The service takes the same answer to the same attempt as one, so sending twice doubles nothing.

import { Lost, tell } from "../shared/api_call.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/**
 * @typedef {object} Item
 * @property {string} id of the assignment
 * @property {string} token
 * @property {"judgment" | "skip"} what
 * @property {any} body
 */

/** Sends one item after the other, in their order. */
export class Outbox {
  /**
   * @param {string} name under which items outlive the page, where a browser lets them
   * @param {() => void} changed told when the number of items, or whether they get through, changes
   */
  constructor(name, changed) {
    this.name = name;
    this.changed = changed;
    /** @type {{item: Item, resolve: (told: any) => void, reject: (error: unknown) => void}[]} */
    this.waiting = [];
    this.stuck = false;
    this.sending = false;
    /** How many items were ever to be sent. */
    this.given = 0;
    this.wake = () => {};
    addEventListener("online", () => this.wake());
  }

  /** The ids of assignments whose answers are not there yet. */
  get ids() {
    return this.waiting.map((one) => one.item.id);
  }

  /**
   * Take what was left by the page before this one.
   * @returns {Promise<PromiseSettledResult<any>[]>}
   */
  resume() {
    return Promise.allSettled(this.#stored().map((item) => this.add(item)));
  }

  /**
   * Send an item as soon as that is possible; rejects only if the service refuses it.
   * @param {Item} item
   * @returns {Promise<any>}
   */
  add(item) {
    this.given += 1;
    const done = new Promise((resolve, reject) => this.waiting.push({ item, resolve, reject }));
    this.#store();
    this.changed();
    this.#send();
    return done;
  }

  /** Wait until nothing is on its way, or nothing gets through. */
  async settled() {
    while (this.sending && !this.stuck) await this.round;
  }

  async #send() {
    if (this.sending) return;
    this.sending = true;
    let wait = FIRST_WAIT;
    while (this.waiting.length) {
      this.round = this.#sendFirst();
      const through = await this.round;
      wait = through ? FIRST_WAIT : Math.min(2 * wait, LONGEST_WAIT);
      if (!through) await this.#pause(wait);
    }
    this.sending = false;
  }

  /** Send the first item; false if it has to be sent again. */
  async #sendFirst() {
    const { item, resolve, reject } = this.waiting[0];
    let settle;
    try {
      const told = await tell(item, item.what, item.body);
      settle = () => resolve(told);
    } catch (error) {
      if (error instanceof Lost) {
        this.stuck = true;
        this.changed();
        return false;
      }
      settle = () => reject(error);
    }
    this.stuck = false;
    this.waiting.shift();
    this.#store();
    this.changed();
    settle();
    return true;
  }

  /** @param {number} wait milliseconds, less if the network says that it is back */
  #pause(wait) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  // In a frame of another site a browser may allow no storage at all: then memory has to do.

  #store() {
    try {
      const items = this.waiting.map((one) => one.item);
      if (items.length) sessionStorage.setItem(this.name, JSON.stringify(items));
      else sessionStorage.removeItem(this.name);
    } catch {
      // Kept in memory.
    }
  }

  /** @returns {Item[]} */
  #stored() {
    try {
      return JSON.parse(sessionStorage.getItem(this.name) || "[]");
    } catch {
      return [];
    }
  }
}
