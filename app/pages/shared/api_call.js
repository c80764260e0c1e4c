// Calls to the service: a worker's page makes them with its session, or with the token of one assignment.

/** The network, or the service for a moment, is not there: the same can be sent again. */
export class Lost extends Error {}

/** The service understood, and said no: sending the same again would not help. */
export class Refusal extends Error {
  /** @param {number} status @param {{type?: string, detail?: string}} problem */
  constructor(status, problem) {
    super(problem.detail || `the service answered ${status}`);
    this.status = status;
    this.kind = (problem.type || "").replace("urn:nextpair:", "");
  }
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

const PATIENCE = 20_000;
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 507]);

/**
 * Make a call.
 * @param {string} method
 * @param {string} path
 * @param {string | null} bearer
 * @param {unknown} [body]
 * @param {number} [patience] milliseconds
 * @returns {Promise<any>}
 */
export async function call(method, path, bearer, body, patience = PATIENCE) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response, told;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(patience),
    });
    told = await response.json();
  } catch (error) {
    throw new Lost(String(error));
  }
  if (response.ok) return told;
  if (PASSING.has(response.status)) throw new Lost(told.detail);
  throw new Refusal(response.status, told);
}

/** What a session opens. */
export class Session {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /** Say what the worker is asked, and how far they are. */
  look() {
    return call("GET", "/v1/session", this.token);
  }

  /** @param {number} count @param {string[]} held */
  next(count, held) {
    return call("POST", "/v1/session/next", this.token, { count, held });
  }

  /** Hand in, and learn how to go back to the platform. */
  finish() {
    return call("POST", "/v1/session/finish", this.token, {});
  }

  /** @param {string} topic @param {string} choice */
  understand(topic, choice) {
    return call("POST", "/v1/session/understanding", this.token, { topic, choice });
  }
}

/**
 * Send what a worker did with an assignment: judgment, skip or undo.
 * @param {{id: string, token: string}} assignment
 * @param {"judgment" | "skip" | "undo"} what
 * @param {unknown} body
 */
export function tell(assignment, what, body) {
  return call("POST", `/v1/assignments/${assignment.id}/${what}`, assignment.token, body);
}
