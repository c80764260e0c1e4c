// The page of a study: live figures, its topics, its workers, downloads and settings.

import { addressOf } from "../shared/api_request.js";
import { make } from "../shared/elements.js";
import { pagePath, reportPath } from "./api_client.js";
import { hourlyChart } from "./charts.js";
import {
  actionButton, badge, note, progressBar, section, setLocation, showErrors, table, tiles,
} from "./components.js";
import { EventStream } from "./event_stream.js";
import { ExpandableList } from "./expandable_list.js";
import { exportSection } from "./export_form.js";
import { importForm } from "./file_import.js";
import { count, counted, interval, percentage } from "./formats.js";
import { showJudgingLink } from "./judging_link.js";
import {
  answerTile, completion, completionTile, endReasons, pairTile, remainingTile, spending, topicProgress, totalProgress,
} from "./progress.js";
import { statusButtons } from "./status_buttons.js";
import { settingsSection } from "./study_settings.js";
import { throttled } from "./throttle.js";
import { WorkerTable } from "./worker_table.js";

/** @import { ForecastOut, PaceOut, ProgressOut, StudyOut, TopicOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */
/** @import { Tile } from "./components.js" */
/** @import { StreamEvent } from "./event_stream.js" */

const FIRST_ROWS = 50;
/** With so many topics or fewer, all topics are loaded after an answer: then the forecast of the study is new, too. */
const FEW_TOPICS = 20;
const MAX_CHANGED = 5;
const PAUSE = 1_500;
const WORKERS_PAUSE = 10_000;
const HEADERS = ["topic", "progress", "answers", "pairs judged + inferred + open", "conflicts", "left", "status"];

/** The page. */
export class StudyPage {
  /** @type {TopicOut[] | null} */
  #topics = null;
  /** @type {Map<string, ProgressOut>} */
  #progress = new Map();
  /** @type {ForecastOut | null} */
  #forecast = null;
  /** @type {PaceOut | null} */
  #pace = null;
  /** @type {Set<string>} ids of topics with new events */
  #changed = new Set();
  #isPairwise = true;
  #head = make("div", { class: "head" });
  #figures = make("div");
  #chart = make("div");
  #topicList = make("div", {}, note("Loading…"));
  #topicRows = new ExpandableList(FIRST_ROWS, 4 * FIRST_ROWS, "topics");
  #settings = make("div");

  /**
   * @param {ApiClient} client
   * @param {HTMLElement} main
   * @param {string} study
   * @param {(isConnected: boolean) => void} onConnection
   */
  constructor(client, main, study, onConnection) {
    this.client = client;
    this.main = main;
    this.path = { study };
    this.onConnection = onConnection;
    this.workers = new WorkerTable(client, study, () => this.update());
  }

  async show() {
    const { client, path } = this;
    const design = await client.get("GET /v1/studies/{study}/design", path);
    this.#isPairwise = design.shape === "pair";
    const imports = importForm(client, path.study, () => this.update());
    const adding = make("details", {}, make("summary", {}, "Add topics and documents from files"), imports);
    this.main.replaceChildren(
      this.#head,
      this.#figures,
      section("Answers per hour", this.#chart),
      section("Topics", this.#topicList, ...(client.canManage ? [adding] : [])),
      this.workers.element,
      exportSection(client, path.study),
      this.#settings,
    );
    const updateFigures = throttled(() => showErrors(() => this.#updateChanged()), PAUSE);
    const updateWorkers = throttled(() => showErrors(() => this.workers.update()), WORKERS_PAUSE);
    const onEvents = (/** @type {StreamEvent[]} */ events) => {
      for (const { data } of events) this.#changed.add(data.topic ?? "");
      updateFigures();
      updateWorkers();
    };
    // Requested one after the other: after a restart, each of these makes the service read all topics.
    await this.update();
    const address = addressOf("GET /v1/studies/{study}/events", path);
    new EventStream(client.key, address, onEvents, this.onConnection).follow();
    updateFigures();
  }

  /** Load everything again. */
  async update() {
    this.#drawStudy(await this.client.get("GET /v1/studies/{study}", this.path));
    await Promise.all([this.#updatePace(), this.#updateTopics()]);
    await this.workers.update();
  }

  /** Load what has changed. */
  async #updateChanged() {
    const changed = [...this.#changed];
    this.#changed.clear();
    const areKnown = changed.every((topic) => this.#progress.has(topic));
    if (!areKnown || changed.length > MAX_CHANGED || (this.#topics ?? []).length <= FEW_TOPICS) {
      await Promise.all([this.#updatePace(), this.#updateTopics()]);
      return;
    }
    const operation = "GET /v1/studies/{study}/topics/{topic}/progress";
    const all = await Promise.all(changed.map((topic) => this.client.get(operation, { ...this.path, topic })));
    for (const progress of all) this.#progress.set(progress.topic, progress);
    await this.#updatePace();
    this.#drawTopics();
  }

  async #updatePace() {
    this.#pace = await this.client.get("GET /v1/studies/{study}/pace", this.path);
    this.#chart.replaceChildren(hourlyChart(this.#pace.hours, this.#chart.clientWidth || undefined));
    this.#drawFigures();
  }

  async #updateTopics() {
    this.#topics = await this.client.list("GET /v1/studies/{study}/topics", this.path);
    if (!this.#progress.size) this.#drawTopics();
    const { forecast, topics } = await this.client.get("GET /v1/studies/{study}/progress", this.path);
    this.#forecast = forecast;
    this.#progress = new Map(topics.map((progress) => [progress.topic, progress]));
    this.#drawTopics();
  }

  /** @param {StudyOut} study */
  #drawStudy(study) {
    const { client, path } = this;
    const heading = study.title || study.id;
    setLocation(heading, [[heading, pagePath(study.id)]]);
    const onChange = () => this.update();
    const link = () => showJudgingLink(client, study.id);
    const manage = [
      ...statusButtons(study.status, async (status) => {
        await client.send("PATCH /v1/studies/{study}", path, { status });
        await onChange();
      }),
      actionButton("Judging link…", link, "primary"),
    ];
    const report = make("a", { class: "button quiet", href: reportPath(study.id) }, "Report");
    const actions = make("div", { class: "actions" }, ...(client.canManage ? manage : []), report);
    this.#head.replaceChildren(make("h1", { dir: "auto" }, heading), badge(study.status), actions);
    // Settings that are being edited must not be replaced.
    if (this.#settings.contains(document.activeElement)) return;
    this.#settings.replaceChildren(settingsSection(client, study, this.#isPairwise, onChange));
  }

  #drawTopics() {
    this.#drawFigures();
    const topics = this.#topics ?? [];
    if (!topics.length) {
      this.#topicList.replaceChildren(note("No topics yet. Add some from files below, or with nextpair import."));
      return;
    }
    const rows = topics.map((topic) => this.#row(topic));
    const draw = (/** @type {number} */ shown) => table("Topics", HEADERS, rows.slice(0, shown));
    this.#topicList.replaceChildren(this.#topicRows.draw(rows.length, draw));
  }

  /** @param {TopicOut} topic */
  #row({ id, title, status }) {
    const link = make("a", { href: pagePath(this.path.study, id), dir: "auto" }, title || id);
    const name = make("span", {}, link, ...(title ? [make("small", { dir: "auto" }, id)] : []));
    const progress = this.#progress.get(id);
    if (!progress) return [name, "…", "", "", "", "", badge(status)];
    const { share, details } = completion(topicProgress(progress));
    const [pairs, , total] = pairTile(progress);
    return [
      name,
      make("span", { class: "with-bar" }, progressBar(share, details), percentage(share)),
      count(progress.judgments),
      this.#isPairwise ? withDetails(pairs, total) : "–",
      count(progress.conflicts),
      remaining(progress),
      badge(status),
    ];
  }

  #drawFigures() {
    const pace = this.#pace;
    if (!pace) return;
    const topics = [...this.#progress.values()];
    const total = totalProgress(topics, this.#forecast);
    const { amount, basis } = spending(pace);
    /** @type {Tile[]} */
    const content = [
      answerTile(pace),
      [count(pace.last_hour), "in the last hour", `by ${counted(pace.workers, "worker")}`],
      topics.length ? completionTile(total) : ["–", "complete", "no topics yet"],
      topics.length ? remainingTile(total, pace) : ["–", "answers left", "no topics yet"],
      [amount ?? "–", "spent", basis],
    ];
    if (this.#isPairwise && topics.length) content.push(pairTile(total));
    const warnings = (pace.paid?.warnings ?? []).map((warning) => make("p", { class: "wrong" }, warning));
    this.#figures.replaceChildren(tiles(content), ...warnings);
  }
}

/** @param {ProgressOut} progress of a topic */
function remaining({ finished, ended, forecast }) {
  if (finished) return withDetails("nothing", ended ? endReasons({ [ended]: 1 }) : "");
  return forecast ? withDetails(`≈ ${count(forecast.expected)}`, interval(forecast)) : "unknown";
}

/**
 * @param {string} text
 * @param {string} details
 */
function withDetails(text, details) {
  return make("span", {}, text, ...(details ? [make("small", {}, details)] : []));
}
