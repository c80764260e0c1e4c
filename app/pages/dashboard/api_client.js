// Requests that the dashboard sends, with a key that is stored as long as the tab is open.

import { addressOf, request, RequestRefused, ServiceUnavailable } from "../shared/api_request.js";

/** @import { KeyOut, Operations, Page } from "../shared/api_types.d.ts" */

/**
 * @typedef {keyof Operations} Operation
 * @typedef {Extract<Operation, `GET ${string}`>} GetOperation
 * @typedef {{[Name in Operation]: Operations[Name]["answer"] extends Page<unknown> ? Name : never}[Operation]} ListOperation
 */
/**
 * @template {ListOperation} Name
 * @typedef {Operations[Name]["answer"] extends Page<infer Item> ? Item : never} ItemOf
 */

const STORAGE_KEY = "nextpair-key";
// Minutes: after a restart the service may have to read large topics first.
const TIMEOUT = 600_000;
const PAGE_LENGTH = 1000;

/** Return the key of this tab, if there is one. */
export function storedKey() {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

/** @param {string | null} key null deletes the stored key */
export function storeKey(key) {
  try {
    if (key) sessionStorage.setItem(STORAGE_KEY, key);
    else sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // A browser without storage asks for the key on every page.
  }
}

/** The requests of a key. */
export class ApiClient {
  /** @type {KeyOut["scope"]} */
  scope = "read";

  /** @param {string} key */
  constructor(key) {
    this.key = key;
  }

  /** Whether the key may change anything. */
  get canManage() {
    return this.scope === "admin";
  }

  /**
   * @template {GetOperation} Name
   * @param {Name} operation
   * @param {Operations[Name]["path"]} path
   * @param {Operations[Name]["query"]} [query]
   */
  get(operation, path, query) {
    return request(operation, { token: this.key, path, query, timeout: TIMEOUT });
  }

  /**
   * Request a change.
   * @template {Exclude<Operation, GetOperation>} Name
   * @param {Name} operation
   * @param {Operations[Name]["path"]} path
   * @param {Operations[Name]["body"]} body
   */
  send(operation, path, body) {
    return request(operation, { token: this.key, path, body, timeout: TIMEOUT });
  }

  /**
   * Request the pages of a list, one after the other.
   * @template {ListOperation & GetOperation} Name
   * @param {Name} operation
   * @param {Operations[Name]["path"]} path
   * @param {Operations[Name]["query"]} [query]
   * @param {number} [limit] number of items after which no further page is requested
   * @returns {Promise<ItemOf<Name>[]>}
   */
  async list(operation, path, query, limit = Infinity) {
    /** @type {ItemOf<Name>[]} */
    const items = [];
    /** @type {string | null} */
    let after = null;
    do {
      const position = { limit: Math.min(PAGE_LENGTH, limit - items.length), ...(after === null ? {} : { after }) };
      const parameters = /** @type {Operations[Name]["query"]} */ ({ ...query, ...position });
      const page = /** @type {Page<ItemOf<Name>>} */ (await this.get(operation, path, parameters));
      items.push(...page.items);
      after = page.next;
    } while (after !== null && items.length < limit);
    return items;
  }

  /**
   * Send a form with files.
   * @template {Operation} Name
   * @param {Name} operation
   * @param {Operations[Name]["path"]} path
   * @param {FormData} form
   * @returns {Promise<Operations[Name]["answer"]>}
   */
  async upload(operation, path, form) {
    const response = await this.#fetch(addressOf(operation, path), { method: "POST", body: form });
    return response.json();
  }

  /**
   * @template {GetOperation} Name
   * @param {Name} operation
   * @param {Operations[Name]["path"]} path
   * @param {Operations[Name]["query"]} [query]
   */
  async text(operation, path, query) {
    const response = await this.#fetch(addressOf(operation, path, query));
    return response.text();
  }

  /**
   * Save a response as a file. A link would not do, because it cannot carry the key.
   * @template {GetOperation} Name
   * @param {string} fileName
   * @param {Name} operation
   * @param {Operations[Name]["path"]} path
   * @param {Operations[Name]["query"]} [query]
   */
  async download(fileName, operation, path, query) {
    const response = await this.#fetch(addressOf(operation, path, query));
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = address;
    link.download = fileName;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    return response.headers;
  }

  /**
   * @param {string} address
   * @param {RequestInit} [options]
   */
  async #fetch(address, options = {}) {
    const headers = { Authorization: `Bearer ${this.key}` };
    const signal = AbortSignal.timeout(TIMEOUT);
    let response;
    try {
      response = await fetch(address, { ...options, headers, signal, credentials: "omit", cache: "no-store" });
    } catch (error) {
      throw new ServiceUnavailable(String(error));
    }
    if (response.ok) return response;
    throw new RequestRefused(response.status, await response.json().catch(() => ({})));
  }
}

/**
 * Return the address of the page of a study or a topic.
 * @param {string} study
 * @param {string} [topic]
 */
export function pagePath(study, topic) {
  const path = `/studies/${encodeURIComponent(study)}`;
  return topic === undefined ? path : `${path}/topics/${encodeURIComponent(topic)}`;
}

/**
 * Return the address of the page of a report.
 * @param {string} study
 * @param {string | null} [topic]
 */
export function reportPath(study, topic) {
  return `${pagePath(study)}/report${topic ? `?topic=${encodeURIComponent(topic)}` : ""}`;
}
