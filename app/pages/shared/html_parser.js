// The only place of the pages where text becomes markup: in a separate document, where no script runs.

/** @typedef {{createHTML: (text: string) => string}} HtmlPolicy */
/** @typedef {{createPolicy: (name: string, policy: HtmlPolicy) => HtmlPolicy}} TrustedTypes */

// The standard library of TypeScript does not declare Trusted Types. A TrustedHTML object is used as a string.
const { trustedTypes } = /** @type {{trustedTypes?: TrustedTypes}} */ (globalThis);
/** @type {HtmlPolicy} */
const unchanged = { createHTML: (text) => text };
const policy = trustedTypes?.createPolicy("nextpair", unchanged) ?? unchanged;

/**
 * Parse HTML into a separate document.
 * @param {string} html
 */
export function parseHtml(html) {
  return new DOMParser().parseFromString(policy.createHTML(html), "text/html");
}
