// Requests the session and the first assignments while the modules are still loading. Not a module itself.

(() => {
  /** @typedef {import("../shared/api_types.d.ts").SessionBegunOut} SessionBegunOut */
  const token = location.hash.slice(1);
  if (!token) return;

  /**
   * @param {string} operation
   * @param {string} [body]
   */
  const request = async (operation, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const [method, path = ""] = operation.split(" ");
    const response = await fetch(path, { method, headers, body, credentials: "omit", cache: "no-store" });
    return response.ok ? response.json() : null;
  };

  const hasStoredAnswers = () => {
    try {
      return sessionStorage.length > 0;
    } catch {
      return false;
    }
  };

  /** @type {() => Promise<SessionBegunOut | null>} */
  const begin = async () => {
    if (!hasStoredAnswers()) return request("POST /v1/session/begin", '{"count": 2}');
    // Stored answers must be sent before assignments are requested.
    const session = await request("GET /v1/session");
    return session && { about: session, first: null };
  };

  // Whoever uses these repeats the request where it failed.
  const begun = begin().catch(() => null);
  const prefetch = {
    session: begun.then((answer) => answer?.about ?? null),
    assignments: begun.then((answer) => answer?.first ?? null),
  };
  Object.assign(globalThis, { sessionPrefetch: prefetch });
})();
