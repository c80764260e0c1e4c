// One topic: its classes as a picture, ratings, pairs, conflicts and why, moving as answers come.

import { drawClasses } from "./class_diagram.js";
import { Conflicts, explaining } from "./conflict_list.js";
import { ask, button, make, paragraphs, verbatim } from "../shared/elements.js";
import { count, decimal, endings, pairsTold, range, share, way } from "./formats.js";
import { badge, choice, doing, field, note, place, section, table, tiles, trying } from "./components.js";
import { judgingLink } from "./judging_link.js";
import { exporting, statusButtons } from "./study_settings.js";
import { parse } from "../shared/html_parser.js";
import { drawMatrix } from "./pair_matrix.js";
import { at, pageOf } from "./api_client.js";
import { drawRatings } from "./ranking_table.js";
import { calmly, Stream } from "./event_stream.js";
import { meter } from "./worker_table.js";

const PAUSE = 1_500;
const TITLES = 2_000;
const SHOWN = 20_000;
const RATINGS = ["bradley-terry", "elo", "elo-variance", "win-share", "order"];

/** The page. */
export class TopicPage {
  /**
   * @param {import("./api_client.js").Owner} owner
   * @param {HTMLElement} main
   * @param {string} study
   * @param {string} name
   * @param {(through: boolean) => void} state
   */
  constructor(owner, main, study, name, state) {
    this.owner = owner;
    this.main = main;
    this.study = study;
    this.name = name;
    this.state = state;
    this.path = at(study, name);
    /** @type {Map<string, {title: string, position: number}>} */
    this.documents = new Map();
    this.head = make("div", { class: "head" });
    this.figures = make("div", {});
    this.classes = make("div", {}, note("Drawing…"));
    this.ratings = make("div", {}, note("Drawing…"));
    this.matrix = make("div", {}, note("Drawing…"));
    this.workers = make("div", {});
    this.chip = (/** @type {string} */ id) => this.#chip(id);
    this.conflicts = new Conflicts(owner, this.path, this.chip);
  }

  async show() {
    const [about, design, topic] = await Promise.all([this.owner.get(at(this.study)), this.owner.get(`${at(this.study)}/design`), this.owner.get(this.path)]);
    this.pairs = design.shape === "pair";
    place(topic.title || topic.id, [
      [about.title || about.id, pageOf(this.study)],
      [topic.title || topic.id, pageOf(this.study, this.name)],
    ]);
    const titles = await this.owner.list(`${this.path}/documents?texts=false`, TITLES);
    titles.forEach((one, position) => this.documents.set(one.id, { title: one.title, position }));
    this.main.replaceChildren(this.head, ...this.#about(topic), this.figures, ...this.#parts());
    await this.look();
    const soon = calmly(() => trying(() => this.look()), PAUSE);
    new Stream(this.owner, `${this.path}/events?after=${topic.position}`, soon, this.state).listen();
  }

  #parts() {
    const others = RATINGS.map((name) => /** @type {[string, string]} */ ([name, name]));
    const rating = choice([["", "the reported order"], ...others], "");
    rating.id = "rating";
    rating.addEventListener("change", () => trying(() => this.#ratings()));
    this.rating = rating;
    const ratings = section("Ranking", ...(this.pairs ? [field("Ranked by", rating)] : []), this.ratings);
    const last = [section("Workers on this topic", this.workers), exporting(this.owner, this.study, this.name)];
    if (!this.pairs) return [section("Classes", this.classes), ratings, last[1]];
    const why = section("Why?", note("Every preference that was inferred follows from judgments of people."), explaining(this.owner, this.path, [...this.documents.keys()], this.chip));
    return [section("Classes", this.classes), ratings, section("Pairs", this.matrix), section("Conflicts", this.conflicts.element), why, ...last];
  }

  /** @param {any} topic */
  #about(topic) {
    const text = [topic.description, topic.narrative].filter(Boolean).join("\n\n");
    return text ? [make("details", { class: "about" }, make("summary", {}, "What the topic is about"), ...paragraphs(text))] : [];
  }

  /** Look at everything anew. */
  async look() {
    const [topic, progress] = await Promise.all([this.owner.get(this.path), this.owner.get(`${this.path}/progress`)]);
    this.#head(topic);
    this.#figures(progress);
    const parts = [this.#ratings()];
    if (this.pairs) parts.push(this.#classes(), this.#matrix(progress), this.#workers(), this.conflicts.look());
    await Promise.all(parts);
  }

  /** @param {any} topic */
  #head(topic) {
    const actions = [
      ...statusButtons(this.owner, this.path, topic.status, () => this.look()),
      ...(this.owner.manages ? [doing("Judging link…", () => judgingLink(this.owner, this.study, { topic: this.name }))] : []),
      make("a", { class: "button quiet", href: `${pageOf(this.study)}/report?topic=${encodeURIComponent(this.name)}` }, "Report"),
    ];
    const title = make("h1", { dir: "auto" }, topic.title || topic.id);
    this.head.replaceChildren(title, badge(topic.status), make("div", { class: "actions" }, ...actions));
  }

  /** @param {any} told */
  #figures(told) {
    const done = way(told);
    const left = told.finished ? "0" : told.forecast ? `≈ ${count(told.forecast.expected)}` : "some";
    const shown = /** @type {[string, string, string?][]} */ ([
      [count(told.judgments), told.judgments === 1 ? "answer counts" : "answers count", told.open ? `${count(told.open)} in workers' hands` : ""],
      [share(done.share), done.of, done.words],
      [left, "answers left", told.finished ? endings({ [told.ended]: 1 }) : range(told.forecast)],
    ]);
    if (this.pairs) {
      shown.push(pairsTold(told));
      shown.push([count(told.conflicts), told.conflicts === 1 ? "conflict" : "conflicts", "answers against what is known"]);
    }
    this.figures.replaceChildren(tiles(shown));
  }

  async #classes() {
    const told = await this.owner.get(`${this.path}/classes`);
    const open = told.boxes.length && told.loose.length;
    const legend = open ? [note("Best first. What is dashed is open: it reaches over all classes it may belong to, and the gaps between them.")] : [];
    this.classes.replaceChildren(...legend, drawClasses(told, this.chip));
  }

  async #ratings() {
    const query = this.rating?.value ? `?rating=${encodeURIComponent(this.rating.value)}` : "";
    const told = await this.owner.get(`${this.path}/ranking${query}`);
    this.ratings.replaceChildren(drawRatings(told, this.chip));
    if (!this.pairs) this.classes.replaceChildren(drawClasses(this.#byScore(told), this.chip));
  }

  /** Make boxes of single documents: those with the same score are of one class. @param {any} told */
  #byScore(told) {
    const unsaid = told.documents.filter((/** @type {any} */ one) => one.score === null).map((/** @type {any} */ one) => one.document);
    const loose = unsaid.length ? [{ documents: unsaid, first: 0, last: 2 * told.classes.length }] : [];
    return { boxes: told.classes, loose };
  }

  /** @param {any} progress */
  async #matrix(progress) {
    this.matrix.replaceChildren(drawMatrix(await this.owner.get(`${this.path}/matrix`), progress));
  }

  async #workers() {
    const { workers } = await this.owner.get(`${this.path}/reliability`);
    if (!workers.length) {
      this.workers.replaceChildren(note("This selector does not weigh workers by how they answer one topic; the study's page has more."));
      return;
    }
    const rows = workers.slice(0, 50).map((/** @type {any} */ one) => [one.worker, count(one.answers), meter(one.right), decimal(one.information)]);
    this.workers.replaceChildren(table("Workers on this topic", ["worker", "answers", "right answers expected", "what an answer tells (0 to 1)"], rows), note("Least reliable first."));
  }

  /** @param {string} id @returns {HTMLElement} */
  #chip(id) {
    const known = this.documents.get(id);
    const made = button(id, () => trying(() => this.#read(id)), "chip");
    made.dir = "auto";
    if (known?.title) made.title = known.title;
    return made;
  }

  /** Show what a document says, as plain text. @param {string} id */
  async #read(id) {
    const known = this.documents.get(id);
    const after = known ? known.position - 1 : -1;
    const page = await this.owner.get(`${this.path}/documents?limit=1&after=${after}`);
    const [found] = page.items.filter((/** @type {any} */ one) => one.id === id);
    const text = found?.text ? [verbatim(found.text.slice(0, SHOWN))] : paragraphs((plain(found?.html || "") || "There is no text of this document here.").slice(0, SHOWN));
    const body = make("div", { class: "reading", tabindex: "0", role: "region", "aria-label": "The document" }, ...text);
    await ask(found?.title || id, [make("p", { class: "soft", dir: "auto" }, id), body], [{ label: "Close", value: "", kind: "quiet" }]);
  }
}

/** Return the words of HTML, which is read and never shown. @param {string} html */
function plain(html) {
  const parsed = parse(html);
  for (const one of parsed.querySelectorAll("script, style, template, noscript")) one.remove();
  return parsed.body.textContent?.trim() || "";
}
