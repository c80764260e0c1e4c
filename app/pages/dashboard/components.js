// The pieces that all pages of the dashboard are made of: sections, tiles, tables, fields, states.

import { messageOf } from "../shared/api_call.js";
import { button, find, make } from "../shared/elements.js";

/**
 * Make a part of a page.
 * @param {string} title
 * @param {...(Node | string)} content
 * @returns {HTMLElement}
 */
export function section(title, ...content) {
  const id = `s-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return make("section", { class: "part-of-page", "aria-labelledby": id }, make("h2", { id }, title), ...content);
}

/**
 * Make figures that are read first.
 * @param {[string, string, string?][]} shown figure, what it is, and what more there is to say
 */
export function tiles(shown) {
  const made = shown.map(([figure, what, more]) =>
    make("div", {}, make("strong", {}, figure), make("span", {}, what), ...(more ? [make("small", {}, more)] : [])),
  );
  return make("div", { class: "tiles" }, ...made);
}

/**
 * Make a table that scrolls by itself; the first cell of a row is its name.
 * @param {string} label
 * @param {string[]} heads
 * @param {(Node | string)[][]} rows
 */
export function table(label, heads, rows) {
  const head = make("tr", {}, ...heads.map((name) => make("th", { scope: "col" }, name)));
  const body = rows.map(([name, ...cells]) =>
    make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell))),
  );
  const whole = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  // What scrolls must be reachable by keyboard, and have a name.
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${label}, table` }, whole);
}

/** @param {string} text */
export function note(text) {
  return make("p", { class: "note" }, text);
}

/** @param {string} status open, paused or closed; active, blocked or stopped */
export function badge(status) {
  return make("span", { class: `status ${status}` }, status);
}

/**
 * Make a bar that is filled as far as something has come.
 * @param {number} done
 * @param {number} all
 * @param {string} label
 */
export function bar(done, all, label) {
  return make("progress", { max: Math.max(all, 1), value: done, "aria-label": label });
}

/**
 * Make a labelled field of a form.
 * @param {string} label
 * @param {HTMLElement} input
 * @param {string} [hint]
 */
export function field(label, input, hint) {
  const id = input.id || `f-${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  const told = hint ? [make("small", { id: `${id}-hint` }, hint)] : [];
  return make("div", { class: "field" }, make("label", { for: id }, label), input, ...told);
}

/**
 * Make a choice.
 * @param {[string, string][]} options value and label
 * @param {string} [chosen]
 * @returns {HTMLSelectElement}
 */
export function choice(options, chosen) {
  const made = options.map(([value, label]) => make("option", { value, selected: value === chosen }, label));
  return make("select", {}, ...made);
}

/**
 * Make a form whose button does something that may go wrong.
 * @param {Node[]} fields
 * @param {string} label of the button
 * @param {() => Promise<void>} act
 * @returns {HTMLFormElement}
 */
export function form(fields, label, act) {
  const wrong = make("p", { class: "wrong", role: "alert", hidden: true });
  const send = make("button", { type: "submit", class: "primary" }, label);
  const made = make("form", { class: "fields", novalidate: true }, ...fields, wrong, make("div", { class: "actions" }, send));
  made.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    wrong.hidden = true;
    send.disabled = true;
    try {
      await act();
    } catch (error) {
      wrong.textContent = messageOf(error);
      wrong.hidden = false;
    }
    send.disabled = false;
  });
  return made;
}

/**
 * Make a button that does something that may go wrong.
 * @param {string} label
 * @param {() => Promise<void>} act
 * @param {string} [kind]
 */
export function doing(label, act, kind = "quiet") {
  const made = button(
    label,
    async () => {
      made.disabled = true;
      await trying(act);
      made.disabled = false;
    },
    kind,
  );
  return made;
}

/**
 * Do something, and say so above the page if it goes wrong.
 * @param {() => Promise<void>} act
 */
export async function trying(act) {
  const banner = find("banner");
  banner.hidden = true;
  try {
    await act();
  } catch (error) {
    banner.textContent = messageOf(error);
    banner.hidden = false;
  }
}

/** @param {string} text said to a screen reader */
export function say(text) {
  find("live").textContent = text;
}

/**
 * Say where this page is.
 * @param {string} title of the page
 * @param {[string, string][]} trail label and address of what it is part of
 */
export function place(title, trail) {
  document.title = `${title} – nextpair`;
  const links = trail.map(([label, address]) => make("a", { href: address, dir: "auto" }, label));
  const [brand] = find("trail").children;
  find("trail").replaceChildren(brand, ...links);
}

/**
 * Show the first of many things, and more of them when asked for.
 * @template Thing
 * @param {Thing[]} things
 * @param {number} step
 * @param {(some: Thing[]) => Node} draw
 * @param {string} noun
 */
export function some(things, step, draw, noun) {
  const holder = make("div", { class: "some" });
  let shown = step;
  const update = () => {
    const rest = things.length - shown;
    const more = button(`Show more (${rest} ${noun} left)`, () => {
      shown += 4 * step;
      update();
    }, "quiet");
    holder.replaceChildren(draw(things.slice(0, shown)), ...(rest > 0 ? [more] : []));
  };
  update();
  return holder;
}
