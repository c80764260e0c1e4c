// Requests to the API. An operation is named by its method and path, as in the OpenAPI document.

/** @import { Operations } from "./api_types.d.ts" */

const TIMEOUT = 20_000;
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504, 507]);

/** The service or the network is unavailable: the same request can be sent again. */
export class ServiceUnavailable extends Error {}

/** The service refused a request, and would refuse it again. */
export class RequestRefused extends Error {
  /**
   * @param {number} status
   * @param {{type?: string, detail?: string}} problem the problem document
   */
  constructor(status, problem) {
    super(problem.detail || `the service answered ${status}`);
    this.status = status;
    this.type = (problem.type || "").replace("urn:nextpair:", "");
  }
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Fill in the address of an operation.
 * @template {keyof Operations} Name
 * @param {Name} operation
 * @param {Operations[Name]["path"]} path
 * @param {Operations[Name]["query"]} [query] parameters that are null or undefined are left out
 */
export function addressOf(operation, path, query) {
  const values = /** @type {Record<string, string>} */ (path);
  const template = operation.slice(operation.indexOf(" ") + 1);
  const address = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ""));
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const search = String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
  return search ? `${address}?${search}` : address;
}

/**
 * @template {keyof Operations} Name
 * @typedef {object} RequestOptions
 * @property {string | null} token
 * @property {Operations[Name]["path"]} path
 * @property {Operations[Name]["query"]} [query]
 * @property {Operations[Name]["body"]} [body]
 * @property {number} [timeout] in milliseconds
 */

/**
 * Send a request and return the body of the response.
 * @template {keyof Operations} Name
 * @param {Name} operation
 * @param {RequestOptions<Name>} options
 * @returns {Promise<Operations[Name]["answer"]>}
 */
export async function request(operation, { token, path, query, body, timeout = TIMEOUT }) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  let content;
  try {
    response = await fetch(addressOf(operation, path, query), {
      method: operation.slice(0, operation.indexOf(" ")),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(timeout),
    });
    content = await response.json();
  } catch (error) {
    throw new ServiceUnavailable(String(error));
  }
  if (response.ok) return content;
  if (TEMPORARY.has(response.status)) throw new ServiceUnavailable(content.detail);
  throw new RequestRefused(response.status, content);
}
