// Components of all pages of the dashboard: sections, tiles, tables, forms, buttons, breadcrumbs.

import { messageOf } from "../shared/api_request.js";
import { button, find, make } from "../shared/elements.js";

/**
 * Make a section of a page.
 * @param {string} title
 * @param {...(Node | string)} content
 */
export function section(title, ...content) {
  const id = idOf("s", title);
  return make("section", { class: "part-of-page", "aria-labelledby": id }, make("h2", { id }, title), ...content);
}

/**
 * @param {string} prefix
 * @param {string} label
 */
function idOf(prefix, label) {
  return `${prefix}-${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
}

/** @typedef {[value: string, label: string, details?: string]} Tile */

/**
 * Make tiles with the main figures.
 * @param {Tile[]} content
 */
export function tiles(content) {
  const elements = content.map(([value, label, details]) => {
    const more = details ? [make("small", {}, details)] : [];
    return make("div", {}, make("strong", {}, value), make("span", {}, label), ...more);
  });
  return make("div", { class: "tiles" }, ...elements);
}

/** @typedef {(Node | string)[]} Cells */

/**
 * Make a table with its own scroll bar. The first cell of a row is its header.
 * @param {string} label
 * @param {string[]} headers
 * @param {Cells[]} rows
 */
export function table(label, headers, rows) {
  const head = make("tr", {}, ...headers.map((name) => make("th", { scope: "col" }, name)));
  const body = rows.map(([header = "", ...cells]) => {
    const row = cells.map((cell) => make("td", {}, cell));
    return make("tr", {}, make("th", { scope: "row" }, header), ...row);
  });
  const content = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  // A scrollable element needs a name and must be reachable by keyboard.
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${label}, table` }, content);
}

/**
 * Make a list of names and values.
 * @param {[name: string, value: string][]} entries
 */
export function descriptionItems(entries) {
  return entries.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", { dir: "auto" }, value)));
}

/** @param {string} text */
export function note(text) {
  return make("p", { class: "note" }, text);
}

/** @param {string} status of a study, a topic or a worker */
export function badge(status) {
  return make("span", { class: `status ${status}` }, status);
}

/**
 * Make a progress bar.
 * @param {number} share from 0 to 1
 * @param {string} label
 */
export function progressBar(share, label) {
  return make("progress", { max: 1, value: share, "aria-label": label });
}

/**
 * Make a form field with its label.
 * @param {string} label
 * @param {HTMLElement} input
 * @param {string} [hint]
 */
export function field(label, input, hint) {
  input.id ||= idOf("f", label);
  const hintId = `${input.id}-hint`;
  if (hint) input.setAttribute("aria-describedby", hintId);
  const hints = hint ? [make("small", { id: hintId }, hint)] : [];
  return make("div", { class: "field" }, make("label", { for: input.id }, label), input, ...hints);
}

/**
 * Make form fields side by side.
 * @param {...HTMLElement} fields
 */
export function fieldRow(...fields) {
  return make("div", { class: "beside" }, ...fields);
}

/**
 * Make a checkbox with its label.
 * @param {string} id
 * @param {string} label
 * @param {boolean} [checked]
 */
export function checkbox(id, label, checked = false) {
  const input = make("input", { type: "checkbox", id, checked });
  return { input, element: make("label", { class: "check", for: id }, input, label) };
}

/**
 * Make a select box.
 * @param {string | undefined} id
 * @param {[value: string, label: string][]} options
 * @param {string} [selected]
 */
export function select(id, options, selected) {
  return make("select", { id }, ...optionElements(options, selected));
}

/**
 * Make the options of a select box.
 * @param {[value: string, label: string][]} options
 * @param {string} [selected]
 */
export function optionElements(options, selected) {
  return options.map(([value, label]) => make("option", { value, selected: value === selected }, label));
}

/**
 * Make a form whose submission may fail.
 * @param {Node[]} fields
 * @param {string} label of the submit button
 * @param {(submit: HTMLButtonElement) => Promise<void>} action
 */
export function form(fields, label, action) {
  const error = make("p", { class: "wrong", role: "alert", hidden: true });
  const submit = make("button", { type: "submit", class: "primary" }, label);
  const actions = make("div", { class: "actions" }, submit);
  const element = make("form", { class: "fields", novalidate: true }, ...fields, error, actions);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    error.hidden = true;
    submit.disabled = true;
    try {
      await action(submit);
    } catch (failure) {
      error.textContent = messageOf(failure);
      error.hidden = false;
    }
    submit.disabled = false;
  });
  return { element, submit };
}

/**
 * Make a button whose action may fail. It is disabled while the action runs.
 * @param {string} label
 * @param {() => void | Promise<void>} action
 * @param {string} [kind]
 */
export function actionButton(label, action, kind = "quiet") {
  const onClick = async () => {
    element.disabled = true;
    await showErrors(action);
    element.disabled = false;
  };
  const element = button(label, onClick, kind);
  return element;
}

/**
 * Run an action, and show its error in the banner if it fails.
 * @param {() => void | Promise<void>} action
 */
export async function showErrors(action) {
  const banner = find("banner");
  banner.hidden = true;
  try {
    await action();
  } catch (error) {
    banner.textContent = messageOf(error);
    banner.hidden = false;
  }
}

/** @param {string} text for screen readers */
export function announce(text) {
  find("live").textContent = text;
}

/** @typedef {[label: string, address: string]} Crumb */

/**
 * Set the title of the page and its breadcrumbs.
 * @param {string} title
 * @param {Crumb[]} crumbs
 */
export function setLocation(title, crumbs) {
  document.title = `${title} – nextpair`;
  const trail = find("trail");
  const links = crumbs.map(([label, address]) => make("a", { href: address, dir: "auto" }, label));
  trail.replaceChildren(...[...trail.children].slice(0, 1), ...links);
}
