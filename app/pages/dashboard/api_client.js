// The calls that the owner of a study makes, with a key that is kept as long as the tab is open.

import { call, Lost, Refusal } from "../shared/api_call.js";

const KEPT = "nextpair-key";
const LONG = 600_000;

/** Return the key of this tab, if there is one. */
export function keptKey() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** @param {string | null} key to be kept, or null to forget it */
export function keepKey(key) {
  try {
    if (key) sessionStorage.setItem(KEPT, key);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // A browser that keeps nothing asks for the key on every page.
  }
}

/** The holder of a key. */
export class Owner {
  /** @param {string} key */
  constructor(key) {
    this.key = key;
    this.scope = "";
  }

  /** Whether the key may change things. */
  get manages() {
    return this.scope === "admin";
  }

  /** @param {string} path @returns {Promise<any>} */
  get(path) {
    return call("GET", path, this.key);
  }

  /** Ask for what takes long. @param {string} path @returns {Promise<any>} */
  wait(path) {
    return call("GET", path, this.key, undefined, LONG);
  }

  /** @param {string} path @param {unknown} body @returns {Promise<any>} */
  post(path, body) {
    return call("POST", path, this.key, body, LONG);
  }

  /** @param {string} path @param {unknown} body @returns {Promise<any>} */
  patch(path, body) {
    return call("PATCH", path, this.key, body);
  }

  /**
   * Fetch all pages of a list, up to a number of things.
   * @param {string} path
   * @param {number} most
   * @returns {Promise<any[]>}
   */
  async list(path, most = Infinity) {
    const found = [];
    for (let after = ""; ; ) {
      const limit = Math.min(1000, most - found.length);
      const query = `limit=${limit}${after && `&after=${encodeURIComponent(after)}`}`;
      const page = await this.get(`${path}${path.includes("?") ? "&" : "?"}${query}`);
      found.push(...page.items);
      if (!page.next || found.length >= most) return found;
      after = page.next;
    }
  }

  /**
   * Send a form with files.
   * @param {string} path
   * @param {FormData} form
   * @returns {Promise<any>}
   */
  async upload(path, form) {
    return (await this.#fetch(path, { method: "POST", body: form })).json();
  }

  /** @param {string} path */
  async text(path) {
    return (await this.#fetch(path)).text();
  }

  /**
   * Let the browser save a file; a link could not carry the key.
   * @param {string} path
   * @param {string} name
   */
  async download(path, name) {
    const response = await this.#fetch(path);
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    return response.headers;
  }

  /**
   * @param {string} path
   * @param {RequestInit} [more]
   * @returns {Promise<Response>}
   */
  async #fetch(path, more = {}) {
    const headers = { Authorization: `Bearer ${this.key}` };
    let response;
    try {
      response = await fetch(path, { ...more, headers, credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(LONG) });
    } catch (error) {
      throw new Lost(String(error));
    }
    if (response.ok) return response;
    throw new Refusal(response.status, await response.json().catch(() => ({})));
  }
}

/**
 * The address of something in the service.
 * @param {string} study
 * @param {string} [topic]
 */
export function at(study, topic) {
  const path = `/v1/studies/${encodeURIComponent(study)}`;
  return topic === undefined ? path : `${path}/topics/${encodeURIComponent(topic)}`;
}

/**
 * The address of a page about it.
 * @param {string} study
 * @param {string} [topic]
 */
export function pageOf(study, topic) {
  return at(study, topic).slice("/v1".length);
}
