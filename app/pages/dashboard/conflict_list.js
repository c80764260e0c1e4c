// Why: the chain of judgments behind what is known, and the judgments that contradict it.

import { make } from "../shared/elements.js";
import { counted, share } from "./formats.js";
import { doing, field, form, note } from "./components.js";

const STEP = 10;
/** @type {Record<string, string>} */
const VERBS = { better: "is better than", worse: "is worse than", tie: "is as good as" };

/**
 * Say one finding in words.
 * @param {any} finding
 * @param {(id: string) => Node} name
 */
function sentence(finding, name) {
  const numbers = finding.judgments.map((/** @type {number} */ one) => `#${one}`).join(", ");
  const told = numbers ? make("small", {}, ` judgment${finding.judgments.length === 1 ? "" : "s"} ${numbers}`) : "";
  return make("span", { class: "finding" }, name(finding.first), ` ${VERBS[finding.outcome]} `, name(finding.second), told);
}

/**
 * Draw a chain of findings from which something follows.
 * @param {any[]} chain
 * @param {(id: string) => Node} name
 */
function chainOf(chain, name) {
  return make("ol", { class: "chain" }, ...chain.map((one) => make("li", {}, sentence(one, name))));
}

/** The conflicts of a topic, a few at a time. */
export class Conflicts {
  /**
   * @param {import("./api_client.js").Owner} owner
   * @param {string} path of the topic
   * @param {(id: string) => Node} name
   */
  constructor(owner, path, name) {
    this.owner = owner;
    this.path = path;
    this.name = name;
    this.element = make("div", {}, note("Looking…"));
  }

  async look() {
    const page = await this.owner.get(`${this.path}/conflicts?limit=${STEP}`);
    if (!page.items.length) {
      this.element.replaceChildren(note("No answer contradicts what is known."));
      return;
    }
    this.list = make("ul", { class: "conflicts" });
    this.more = make("div", { class: "actions" });
    this.element.replaceChildren(this.list, this.more);
    this.#add(page);
  }

  /** @param {any} page */
  #add(page) {
    this.list.append(...page.items.map((/** @type {any} */ one) => this.#item(one)));
    const next = async () => this.#add(await this.owner.get(`${this.path}/conflicts?limit=${STEP}&after=${page.next}`));
    this.more.replaceChildren(...(page.next ? [doing("Show more", next)] : []));
  }

  /** @param {any} conflict */
  #item(conflict) {
    const { finding, known, because, reopened } = conflict;
    const said = make("p", {}, "Someone said: ", sentence(finding, this.name), ".");
    const other = { first: finding.first, second: finding.second, outcome: known, judgments: [] };
    const stands = make("p", {}, "What is known: ", sentence(other, this.name), reopened ? `; ${reopened} is asked anew.` : ".");
    const why = because.length
      ? make("details", {}, make("summary", {}, `Why: ${counted(because.length, "step")}`), chainOf(because, this.name))
      : note("No single chain of judgments says so: all answers weighed together do.");
    return make("li", {}, said, stands, why);
  }
}

/**
 * Make the form that asks why two documents compare as they do.
 * @param {import("./api_client.js").Owner} owner
 * @param {string} path
 * @param {string[]} ids
 * @param {(id: string) => Node} name
 */
export function explaining(owner, path, ids, name) {
  const list = make("datalist", { id: "why-documents" }, ...ids.slice(0, 2000).map((id) => make("option", { value: id })));
  const first = make("input", { type: "text", id: "why-first", list: "why-documents", autocomplete: "off" });
  const second = make("input", { type: "text", id: "why-second", list: "why-documents", autocomplete: "off" });
  const told = make("div", { "aria-live": "polite" });
  const fields = [make("div", { class: "beside" }, field("One document", first), field("Another", second)), list, told];
  return form(fields, "Explain", async () => {
    const query = new URLSearchParams({ first: first.value, second: second.value });
    const answer = await owner.get(`${path}/explain?${query}`);
    if (!answer.relation) {
      const likely = `The chance that ${answer.first} is the better one is ${share(answer.chance)}, a tie counting half.`;
      told.replaceChildren(note(`It is not known yet how these two compare. ${likely}`));
      return;
    }
    const found = { first: answer.first, second: answer.second, outcome: answer.relation, judgments: [] };
    const chain = answer.because.length ? [make("p", {}, "because"), chainOf(answer.because, name)] : [note("All answers weighed together say so; no single chain of judgments does.")];
    told.replaceChildren(make("p", {}, sentence(found, name)), ...chain);
  });
}
