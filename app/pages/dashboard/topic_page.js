// The page of a topic: its classes, ranking, pairs, conflicts, explanations and workers, updated by events.

import { addressOf } from "../shared/api_request.js";
import { make } from "../shared/elements.js";
import { paragraphs } from "../shared/text.js";
import { pagePath, reportPath } from "./api_client.js";
import { ClassDiagram } from "./class_diagram.js";
import { actionButton, badge, field, note, section, select, setLocation, showErrors, table, tiles } from "./components.js";
import { ConflictList } from "./conflict_list.js";
import { DocumentReader } from "./document_reader.js";
import { EventStream } from "./event_stream.js";
import { explanationForm } from "./explanation_form.js";
import { exportSection } from "./export_form.js";
import { count, decimal, plural } from "./formats.js";
import { showJudgingLink } from "./judging_link.js";
import { pairMatrix } from "./pair_matrix.js";
import { completionTile, pairTile, remainingTile, topicProgress } from "./progress.js";
import { RankingTable } from "./ranking_table.js";
import { statusButtons } from "./status_buttons.js";
import { throttled } from "./throttle.js";
import { reliabilityMeter } from "./worker_table.js";

/** @import { ProgressOut, RankingOut, TopicOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */
/** @import { Tile } from "./components.js" */

const PAUSE = 1_500;
const MAX_WORKERS = 50;
const RATINGS = ["bradley-terry", "elo", "elo-variance", "win-share", "order"];
const WORKER_HEADERS = ["worker", "answers", "expected accuracy", "information per answer (0 to 1)"];

/** The page. */
export class TopicPage {
  #isPairwise = true;
  #head = make("div", { class: "head" });
  #figures = make("div");
  #classes = make("div", {}, note("Loading…"));
  #ranking = make("div", {}, note("Loading…"));
  #matrix = make("div", {}, note("Loading…"));
  #workers = make("div");
  #rating = select("rating", [["", "the reported order"], ...RATINGS.map((name) => /** @type {[string, string]} */ ([name, name]))]);

  /**
   * @param {ApiClient} client
   * @param {HTMLElement} main
   * @param {string} study
   * @param {string} topic
   * @param {(isConnected: boolean) => void} onConnection
   */
  constructor(client, main, study, topic, onConnection) {
    this.client = client;
    this.main = main;
    this.path = { study, topic };
    this.onConnection = onConnection;
    this.reader = new DocumentReader(client, this.path);
    this.chip = (/** @type {string} */ id) => this.reader.chip(id);
    this.diagram = new ClassDiagram(this.chip);
    this.table = new RankingTable(this.chip);
    this.conflicts = new ConflictList(client, this.path, this.chip);
    this.#rating.addEventListener("change", () => showErrors(() => this.#updateRanking()));
  }

  async show() {
    const { client, path } = this;
    const [study, design, topic] = await Promise.all([
      client.get("GET /v1/studies/{study}", path),
      client.get("GET /v1/studies/{study}/design", path),
      client.get("GET /v1/studies/{study}/topics/{topic}", path),
    ]);
    this.#isPairwise = design.shape === "pair";
    const heading = topic.title || topic.id;
    setLocation(heading, [
      [study.title || study.id, pagePath(path.study)],
      [heading, pagePath(path.study, path.topic)],
    ]);
    await this.reader.loadTitles();
    this.main.replaceChildren(this.#head, ...description(topic), this.#figures, ...this.#sections());
    await this.update();
    const updateSoon = throttled(() => showErrors(() => this.update()), PAUSE);
    const address = addressOf("GET /v1/studies/{study}/topics/{topic}/events", path, { after: topic.position });
    new EventStream(client.key, address, updateSoon, this.onConnection).follow();
  }

  #sections() {
    const { client, path, chip } = this;
    const rating = this.#isPairwise ? [field("Ranked by", this.#rating)] : [];
    const common = [section("Classes", this.#classes), section("Ranking", ...rating, this.#ranking)];
    const download = exportSection(client, path.study, path.topic);
    if (!this.#isPairwise) return [...common, download];
    const text = "Every inferred preference follows from judgments of workers.";
    const explanation = explanationForm(client, path, this.reader.ids, chip);
    return [
      ...common,
      section("Pairs", this.#matrix),
      section("Conflicts", this.conflicts.element),
      section("Explanation", note(text), explanation),
      section("Workers on this topic", this.#workers),
      download,
    ];
  }

  /** Load everything again. */
  async update() {
    const [topic, progress] = await Promise.all([
      this.client.get("GET /v1/studies/{study}/topics/{topic}", this.path),
      this.client.get("GET /v1/studies/{study}/topics/{topic}/progress", this.path),
    ]);
    this.#drawHead(topic);
    this.#drawFigures(progress);
    const updates = [this.#updateRanking()];
    if (this.#isPairwise) {
      updates.push(this.#updateClasses(), this.#updateMatrix(progress), this.#updateWorkers(), this.conflicts.update());
    }
    await Promise.all(updates);
  }

  /** @param {TopicOut} topic */
  #drawHead({ id, title, status }) {
    const { client, path } = this;
    const link = () => showJudgingLink(client, path.study, { topic: path.topic });
    const manage = [
      ...statusButtons(status, async (changed) => {
        await client.send("PATCH /v1/studies/{study}/topics/{topic}", path, { status: changed });
        await this.update();
      }),
      actionButton("Judging link…", link),
    ];
    const report = make("a", { class: "button quiet", href: reportPath(path.study, path.topic) }, "Report");
    const actions = make("div", { class: "actions" }, ...(client.canManage ? manage : []), report);
    this.#head.replaceChildren(make("h1", { dir: "auto" }, title || id), badge(status), actions);
  }

  /** @param {ProgressOut} progress */
  #drawFigures(progress) {
    const { judgments, open, conflicts } = progress;
    /** @type {Tile[]} */
    const content = [
      [count(judgments), plural(judgments, "answer"), open ? `${count(open)} assigned, not answered yet` : ""],
      completionTile(topicProgress(progress)),
      remainingTile(topicProgress(progress), null),
    ];
    if (this.#isPairwise) {
      const details = "answers that contradict accepted relations";
      content.push(pairTile(progress), [count(conflicts), plural(conflicts, "conflict"), details]);
    }
    this.#figures.replaceChildren(tiles(content));
  }

  async #updateClasses() {
    const classes = await this.client.get("GET /v1/studies/{study}/topics/{topic}/classes", this.path);
    const hasLanes = classes.boxes.length && classes.loose.length;
    const text = "Best first. A dashed box holds open documents: it spans all classes to which they may belong, and the gaps between these.";
    this.#classes.replaceChildren(...(hasLanes ? [note(text)] : []), this.diagram.draw(classes));
  }

  async #updateRanking() {
    const rating = this.#rating.value || undefined;
    const ranking = await this.client.get("GET /v1/studies/{study}/topics/{topic}/ranking", this.path, { rating });
    this.#ranking.replaceChildren(this.table.draw(ranking));
    if (!this.#isPairwise) this.#classes.replaceChildren(this.diagram.draw(classesByScore(ranking)));
  }

  /** @param {ProgressOut} progress */
  async #updateMatrix(progress) {
    const matrix = await this.client.get("GET /v1/studies/{study}/topics/{topic}/matrix", this.path);
    this.#matrix.replaceChildren(pairMatrix(matrix, progress));
  }

  async #updateWorkers() {
    const { workers } = await this.client.get("GET /v1/studies/{study}/topics/{topic}/reliability", this.path);
    if (!workers.length) {
      const text = "This selector does not estimate the reliability of workers for a single topic. The page of the study shows it for all topics.";
      this.#workers.replaceChildren(note(text));
      return;
    }
    const rows = workers.slice(0, MAX_WORKERS).map(({ worker, answers, right, information }) => [
      worker,
      count(answers),
      reliabilityMeter(right),
      decimal(information),
    ]);
    this.#workers.replaceChildren(table("Workers on this topic", WORKER_HEADERS, rows), note("Least reliable first."));
  }
}

/** @param {TopicOut} topic */
function description({ description: text, narrative }) {
  const content = paragraphs([text, narrative].filter(Boolean).join("\n\n"));
  return content.length ? [make("details", { class: "about" }, make("summary", {}, "Description of the topic"), ...content)] : [];
}

/**
 * Make classes of single documents: documents with the same score have the same class.
 * @param {RankingOut} ranking
 */
function classesByScore({ documents, classes }) {
  const unscored = documents.filter(({ score }) => score === null).map(({ document }) => document);
  const loose = unscored.length ? [{ documents: unscored, first: 0, last: 2 * classes.length }] : [];
  return { boxes: classes, loose };
}
