// The one place of the dashboard where text becomes markup: in a document apart, where nothing runs.

/** @type {{createHTML: (text: string) => any}} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("nextpair", {
  createHTML: (/** @type {string} */ text) => text,
}) || { createHTML: (text) => text };

/**
 * Read HTML.
 * @param {string} html
 * @returns {Document}
 */
export function parse(html) {
  return new DOMParser().parseFromString(policy.createHTML(html), "text/html");
}
