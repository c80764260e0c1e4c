// One study: figures that move as answers come, its topics, its workers, and what can be done.

import { hourly } from "./charts.js";
import { make } from "../shared/elements.js";
import { ago, count, counted, duration, endings, money, pairsTold, range, share, spent, together, way } from "./formats.js";
import { addFiles } from "./file_import.js";
import { badge, bar, doing, note, place, section, some, table, tiles, trying } from "./components.js";
import { judgingLink } from "./judging_link.js";
import { exporting, settings, statusButtons } from "./study_settings.js";
import { at, pageOf } from "./api_client.js";
import { calmly, Stream } from "./event_stream.js";
import { Workers } from "./worker_table.js";

const STEP = 50;
const FEW = 20;
const PAUSE = 1_500;
const WORKERS_PAUSE = 10_000;

/** The page. */
export class StudyPage {
  /**
   * @param {import("./api_client.js").Owner} owner
   * @param {HTMLElement} main
   * @param {string} name
   * @param {(through: boolean) => void} state
   */
  constructor(owner, main, name, state) {
    this.owner = owner;
    this.main = main;
    this.name = name;
    this.state = state;
    this.path = at(name);
    /** @type {Map<string, any>} */
    this.progress = new Map();
    /** @type {Set<string>} topics that have moved */
    this.moved = new Set();
    this.head = make("div", { class: "head" });
    this.figures = make("div", {});
    this.chart = make("div", {});
    this.list = make("div", {}, note("Counting…"));
    this.settings = make("div", {});
    this.workers = new Workers(owner, name, () => this.look());
  }

  async show() {
    const [study, design] = await Promise.all([this.owner.get(this.path), this.owner.get(`${this.path}/design`)]);
    this.study = study;
    this.pairs = design.shape === "pair";
    const adding = make("details", {}, make("summary", {}, "Add topics and documents from files"), addFiles(this.owner, this.name, () => this.look()));
    this.main.replaceChildren(
      this.head,
      this.figures,
      section("Answers per hour", this.chart),
      section("Topics", this.list, ...(this.owner.manages ? [adding] : [])),
      this.workers.element,
      exporting(this.owner, this.name),
      this.settings,
    );
    this.#head();
    const soon = calmly(() => trying(() => this.#follow()), PAUSE);
    const workers = calmly(() => trying(() => this.workers.look()), WORKERS_PAUSE);
    const told = (/** @type {import("./event_stream.js").News[]} */ news) => {
      for (const one of news) this.moved.add(one.data.topic || "");
      soon();
      workers();
    };
    // One after the other: after a restart each of these makes the service read all topics again.
    await this.look();
    new Stream(this.owner, `${this.path}/events`, told, this.state).listen();
    soon();
  }

  /** Look at everything anew. */
  async look() {
    this.study = await this.owner.get(this.path);
    this.#head();
    await Promise.all([this.#pace(), this.#topics()]);
    await this.workers.look();
  }

  /** Look at what has moved. */
  async #follow() {
    const moved = [...this.moved];
    this.moved.clear();
    const known = moved.every((topic) => this.progress.has(topic));
    // Of few topics all are looked at: then what is left of the whole study is told anew, too.
    if (!known || moved.length > 5 || (this.topics || []).length <= FEW) return void (await Promise.all([this.#pace(), this.#topics()]));
    const found = await Promise.all(moved.map((topic) => this.owner.get(`${at(this.name, topic)}/progress`)));
    for (const one of found) this.progress.set(one.topic, one);
    await this.#pace();
    this.#list();
  }

  #head() {
    const { study } = this;
    place(study.title || study.id, [[study.title || study.id, pageOf(study.id)]]);
    const changed = () => this.look();
    const report = make("a", { class: "button quiet", href: `${pageOf(study.id)}/report` }, "Report");
    const actions = [
      ...statusButtons(this.owner, this.path, study.status, changed),
      ...(this.owner.manages ? [doing("Judging link…", () => judgingLink(this.owner, study.id), "primary")] : []),
      report,
    ];
    const title = make("h1", { dir: "auto" }, study.title || study.id);
    this.head.replaceChildren(title, badge(study.status), make("div", { class: "actions" }, ...actions));
    // What is being written there must not be lost because an answer came.
    if (!this.settings.contains(document.activeElement)) this.settings.replaceChildren(settings(this.owner, study, this.pairs, changed));
  }

  async #pace() {
    this.pace = await this.owner.get(`${this.path}/pace`);
    this.chart.replaceChildren(hourly(this.pace.hours, this.chart.clientWidth || undefined));
    this.#figures();
  }

  async #topics() {
    this.topics = await this.owner.list(`${this.path}/topics`);
    if (!this.progress.size) this.#list();
    const told = await this.owner.wait(`${this.path}/progress`);
    this.forecast = told.forecast;
    this.progress = new Map(told.topics.map((/** @type {any} */ one) => [one.topic, one]));
    this.#list();
  }

  #list() {
    this.#figures();
    if (!this.topics?.length) {
      this.list.replaceChildren(note("No topics yet. Add some from files below, or with nextpair import."));
      return;
    }
    const heads = ["topic", "progress", "answers", "pairs judged + inferred + open", "conflicts", "left", "status"];
    const draw = (/** @type {any[]} */ shown) => table("Topics", heads, shown.map((topic) => this.#row(topic)));
    this.list.replaceChildren(some(this.topics, STEP, draw, "topics"));
  }

  /** @param {any} topic */
  #row(topic) {
    const told = this.progress.get(topic.id);
    const link = make("a", { href: pageOf(this.name, topic.id), dir: "auto" }, topic.title || topic.id);
    const name = make("span", {}, link, ...(topic.title ? [make("small", { dir: "auto" }, topic.id)] : []));
    if (!told) return [name, "…", "", "", "", "", badge(topic.status)];
    const [pairs, , all] = pairsTold(told);
    const done = way(told);
    return [
      name,
      make("span", { class: "with-bar" }, bar(done.share, 1, done.words), share(done.share)),
      count(told.judgments),
      this.pairs ? make("span", {}, pairs, make("small", {}, all)) : "–",
      count(told.conflicts),
      told.finished ? make("span", {}, "nothing", make("small", {}, endings({ [told.ended]: 1 }))) : leftOf(told.forecast),
      badge(topic.status),
    ];
  }

  #figures() {
    const { pace } = this;
    if (!pace) return;
    const told = [...this.progress.values()];
    const all = together(told, this.forecast);
    const done = way(all);
    const shown = /** @type {[string, string, string?][]} */ ([
      [count(pace.judgments), pace.judgments === 1 ? "answer" : "answers", pace.judgments ? `last ${ago(pace.latest_at)}` : "none yet"],
      [count(pace.last_hour), "in the last hour", `by ${counted(pace.workers, "worker")}`],
      [told.length ? share(done.share) : "–", done.of, told.length ? done.words : "no topics yet"],
      this.#left(told),
      [spent(pace)[0], "spent", spent(pace)[1]],
    ]);
    if (this.pairs && told.length) shown.push(pairsTold(all));
    const warnings = pace.paid ? pace.paid.warnings : [];
    this.figures.replaceChildren(tiles(shown), ...warnings.map((/** @type {string} */ one) => make("p", { class: "wrong" }, one)));
  }

  /** @param {any[]} told @returns {[string, string, string?]} */
  #left(told) {
    const { pace, forecast } = this;
    if (!told.length) return ["–", "left to ask", "no topics yet"];
    if (told.every((one) => one.finished)) return ["0", "left to ask", endings(together(told, null).ended)];
    if (!forecast) return ["some", "left to ask", "this selector cannot tell how many"];
    const more = [
      range(forecast),
      pace.price === null ? "" : `≈ ${money(pace.price * forecast.expected, pace.currency)}`,
      duration(forecast.expected, pace.last_hour),
    ];
    return [`≈ ${count(forecast.expected)}`, "answers left", more.filter(Boolean).join(" · ")];
  }
}

/** @param {any} forecast */
function leftOf(forecast) {
  if (!forecast) return "some";
  const between = range(forecast);
  return make("span", {}, `≈ ${count(forecast.expected)}`, ...(between ? [make("small", {}, between)] : []));
}
