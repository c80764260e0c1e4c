// Elements made by calls, never from text: what people wrote only ever becomes text.

/**
 * Find an element of the page, which must be there.
 * @param {string} id
 * @returns {any}
 */
export function find(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Make an element.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] false and null are left out
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/**
 * Make a button.
 * @param {string} label
 * @param {() => void} act
 * @param {string} [kind] primary or quiet
 * @returns {HTMLButtonElement}
 */
export function button(label, act, kind = "primary") {
  const made = make("button", { type: "button", class: kind }, label);
  made.addEventListener("click", act);
  return made;
}

/**
 * Make a paragraph of each block of lines.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function paragraphs(text) {
  return unwrapped(text)
    .split(/\n\s*\n/)
    .filter((block) => block.trim())
    .map((block) => make("p", { class: "prose", dir: "auto" }, block.replace(/^\s*\n|\s+$/g, "")));
}

/**
 * Show text exactly as it is, with its white space; lines that are too long are wrapped.
 * @param {string} text
 * @param {boolean} [aligned] whether its columns and indents mean something, as those of code
 * @returns {HTMLElement}
 */
export function verbatim(text, aligned = isAligned(text)) {
  return make("div", { class: aligned ? "verbatim aligned" : "verbatim", dir: "auto" }, text.replace(/\r\n?/g, "\n"));
}

/**
 * Say whether a text is laid out by white space: every fourth line is indented, or more.
 * @param {string} text
 */
export function isAligned(text) {
  const lines = text.slice(0, 20_000).split("\n").filter((line) => line.trim());
  const indented = lines.filter((line) => /^(\t| {2})/.test(line)).length;
  return indented >= 2 && indented * 4 >= lines.length;
}

/**
 * Join lines that were broken because they were full; short lines were broken for a reason, and
 * all lines of a text that indents some.
 * @param {string} text
 */
export function unwrapped(text) {
  if (/^[ \t]+\S/m.test(text)) return text;
  return text.replace(/([^\n]{50,})\n(?=[^\s\-*•\d])/g, "$1 ");
}

/**
 * Make a link that leaves the page alone, or nothing if the address is not one of the web.
 * @param {string} address
 * @param {string} label
 * @returns {HTMLAnchorElement | null}
 */
export function outside(address, label) {
  if (!/^https?:\/\//i.test(address)) return null;
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, label);
}

/**
 * Ask something in the page's dialog; null if it is closed without an answer.
 * @param {string} title
 * @param {Node[]} body
 * @param {{label: string, value: string, kind?: string}[]} actions
 * @param {HTMLElement} [home] what gets the focus where nothing had it
 * @returns {Promise<string | null>}
 */
export function ask(title, body, actions, home = find("main")) {
  const dialog = find("dialog");
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  find("dialog-title").textContent = title;
  find("dialog-body").replaceChildren(...body);
  const buttons = actions.map(({ label, value, kind }) => button(label, () => dialog.close(value), kind));
  find("dialog-actions").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => {
      (before?.isConnected && before !== document.body ? before : home).focus();
      resolve(dialog.returnValue || null);
    };
    dialog.addEventListener("close", closed, { once: true });
  });
}
