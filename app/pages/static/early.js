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
  const about = ask("/v1/session").catch(() => null);
  const first = about.then((told) => {
    // Instructions are read first, and answers that an earlier page left are sent first.
    const begins = told && !told.finished && isFresh() && (!told.design.instructions || told.answered);
    return begins ? ask("/v1/session/next", '{"count": 2}').catch(() => null) : null;
  });
  // Whoever wants these asks again where they came to nothing.
  /** @type {any} */ (globalThis).early = { about, first };
})();
