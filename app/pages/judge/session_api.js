// Requests that the judging page sends: with the token of its session, or with the token of one assignment.

import { request } from "../shared/api_request.js";

/** @import { JudgmentIn, SessionNextOut, SessionShown, SkipIn } from "../shared/api_types.d.ts" */

/** @typedef {{session: Promise<SessionShown | null>, assignments: Promise<SessionNextOut | null>}} SessionPrefetch */

/** The requests of a session. */
export class SessionApi {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /** Get the session: its study, its design, and how many answers it has. */
  get() {
    return request("GET /v1/session", { token: this.token, path: {} });
  }

  /**
   * Request assignments.
   * @param {number} count
   * @param {string[]} held ids of assignments that the page has already
   */
  nextAssignments(count, held) {
    return request("POST /v1/session/next", { token: this.token, path: {}, body: { count, held } });
  }

  /** Complete the session, and learn how to return to the platform. */
  complete() {
    return request("POST /v1/session/finish", { token: this.token, path: {} });
  }

  /**
   * Answer the comprehension question of a topic.
   * @param {string} topic
   * @param {string} choice
   */
  answerComprehension(topic, choice) {
    return request("POST /v1/session/understanding", { token: this.token, path: {}, body: { topic, choice } });
  }
}

/** @typedef {{id: string, token: string}} AssignmentKey */

/**
 * @param {AssignmentKey} assignment
 * @param {JudgmentIn} body
 */
export function sendJudgment({ id, token }, body) {
  return request("POST /v1/assignments/{assignment}/judgment", { token, path: { assignment: id }, body });
}

/**
 * @param {AssignmentKey} assignment
 * @param {SkipIn} body
 */
export function sendSkip({ id, token }, body) {
  return request("POST /v1/assignments/{assignment}/skip", { token, path: { assignment: id }, body });
}

/**
 * Withdraw the answer to an assignment; the response is the same assignment with its next attempt.
 * @param {AssignmentKey} assignment
 * @param {number} attempt
 */
export function sendUndo({ id, token }, attempt) {
  return request("POST /v1/assignments/{assignment}/undo", { token, path: { assignment: id }, body: { attempt } });
}
