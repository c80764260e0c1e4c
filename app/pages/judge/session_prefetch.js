// Asks about the session, and for the first questions, while the other scripts are on their way.

(() => {
  const token = location.hash.slice(1);
  if (!token) return;
  /** @param {string} path @param {string} [body] */
  const ask = async (path, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const method = body ? "POST" : "GET";
    const response = await fetch(path, { method, headers, body, credentials: "omit", cache: "no-store" });
    return response.ok ? response.json() : null;
  };
  const isFresh = () => {
    try {
      return sessionStorage.length === 0;
    } catch {
      return true;
    }
  };
  // Answers that an earlier page left are sent before a question is asked for.
  const told = isFresh() ? ask("/v1/session/begin", '{"count": 2}') : ask("/v1/session").then((about) => ({ about, first: null }));
  // Whoever wants these asks again where they came to nothing.
  const early = (/** @type {"about" | "first"} */ part) => told.then((all) => all?.[part] || null).catch(() => null);
  /** @type {any} */ (globalThis).early = { about: early("about"), first: early("first") };
})();
