// HTML elements. They are made by calls and never from markup: text of documents and workers stays text.

/**
 * Find an element of the page, which must exist.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind] class of the element
 * @returns {Kind}
 */
export function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof (kind ?? HTMLElement))) throw new Error(`the page has no #${id}`);
  return /** @type {Kind} */ (element);
}

/**
 * Make an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [attributes] those that are false, null or undefined are left out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * Make a button.
 * @param {string} label
 * @param {() => void} onClick
 * @param {string} [kind] a class: primary, quiet or danger
 */
export function button(label, onClick, kind = "primary") {
  const element = make("button", { type: "button", class: kind }, label);
  element.addEventListener("click", onClick);
  return element;
}

/**
 * Make a link to another site, or return null if the address is not http or https.
 * @param {string} address
 * @param {string} label
 */
export function externalLink(address, label) {
  if (!/^https?:\/\//i.test(address)) return null;
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, label);
}
