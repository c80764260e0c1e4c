// The list of all studies: their progress, pace, cost and what remains.

import { ask } from "../shared/dialog.js";
import { make } from "../shared/elements.js";
import { pagePath } from "./api_client.js";
import { sparkline } from "./charts.js";
import { actionButton, badge, descriptionItems, progressBar, setLocation } from "./components.js";
import { ago, count, counted, interval, percentage } from "./formats.js";
import { completion, endReasons, remainingCost, remainingTime, spending, totalProgress } from "./progress.js";
import { studyForm } from "./study_form.js";

/** @import { PaceOut, StudyOut, StudyProgressOut } from "../shared/api_types.d.ts" */
/** @import { ApiClient } from "./api_client.js" */

const MAX_STUDIES = 500;
const FIRST_CARDS = 20;
const UPDATE_INTERVAL = 15_000;

/**
 * Show the list.
 * @param {ApiClient} client
 * @param {HTMLElement} main
 */
export async function showStudies(client, main) {
  setLocation("Studies", []);
  const studies = await client.list("GET /v1/studies", {}, {}, MAX_STUDIES);
  studies.sort((one, other) => other.created_at.localeCompare(one.created_at));
  const create = actionButton("New study", () => showStudyForm(client), "primary");
  const head = make("div", { class: "head" }, make("h1", {}, "Studies"), ...(client.canManage ? [create] : []));
  if (!studies.length) {
    main.replaceChildren(head, emptyMessage(client.canManage));
    return;
  }
  const list = make("div", { class: "cards" });
  const more = make("div", { class: "actions" });
  main.replaceChildren(head, list, more);
  const showNext = () => {
    const shown = list.childElementCount;
    const cards = studies.slice(shown, shown + FIRST_CARDS).map((study) => new StudyCard(client, study));
    list.append(...cards.map((card) => card.element));
    const rest = studies.length - list.childElementCount;
    more.replaceChildren(...(rest > 0 ? [actionButton(`Show more (${rest} left)`, showNext)] : []));
    for (const card of cards) card.watch();
  };
  showNext();
}

/** @param {boolean} canManage */
function emptyMessage(canManage) {
  const text = canManage
    ? "A study is a set of topics that are judged under the same settings. Create one from files: topics, runs, documents."
    : "There are no studies yet. They can be created with an admin key.";
  return make("div", { class: "message" }, make("h2", {}, "No studies yet"), make("p", {}, text));
}

/** @param {ApiClient} client */
async function showStudyForm(client) {
  await ask("New study", [studyForm(client)], [{ label: "Cancel", value: "", kind: "quiet" }]);
}

/** A study in the list. Its figures are shown when they are loaded. */
class StudyCard {
  #figures = make("dl", { class: "figures" });
  #progress = make("div", { class: "track" }, make("span", { class: "soft" }, "Loading…"));
  #pace = make("div", { class: "pace" });

  /**
   * @param {ApiClient} client
   * @param {StudyOut} study
   */
  constructor(client, study) {
    this.client = client;
    this.path = { study: study.id };
    const link = make("a", { href: pagePath(study.id), dir: "auto" }, study.title || study.id);
    const selector = study.design === "preference" ? ` · ${study.selector}` : "";
    const description = make("p", { class: "soft" }, `${study.id} · ${study.design}${selector}`);
    const head = make("div", { class: "card-head" }, make("h2", {}, link), badge(study.status));
    const content = [head, description, this.#progress, this.#figures, this.#pace];
    this.element = make("article", { class: "card" }, ...content);
  }

  /** Update the card now, and regularly while the page is visible. */
  async watch() {
    for (;;) {
      // An error is not shown: the next update may succeed.
      if (!document.hidden) await this.#update().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, UPDATE_INTERVAL));
    }
  }

  async #update() {
    const pace = await this.client.get("GET /v1/studies/{study}/pace", this.path);
    this.#draw(pace, null);
    const progress = await this.client.get("GET /v1/studies/{study}/progress", this.path);
    this.#draw(pace, progress);
  }

  /**
   * @param {PaceOut} pace
   * @param {StudyProgressOut | null} progress
   */
  #draw(pace, progress) {
    const topics = count(pace.topics);
    const items = descriptionItems([
      ["topics", progress ? `${count(progress.finished)} of ${topics} finished` : topics],
      ["answers", pace.judgments ? `${count(pace.judgments)}, last ${ago(pace.latest_at)}` : "none yet"],
      ["last hour", `${counted(pace.last_hour, "answer")} by ${counted(pace.workers, "worker")}`],
      ["spent", spending(pace).amount ?? "no price is set"],
      ["left", progress ? remainingText(progress, pace) : "…"],
    ]);
    this.#figures.replaceChildren(...items);
    this.#pace.replaceChildren(sparkline(pace.hours), make("span", { class: "soft" }, "last 24 hours"));
    if (progress) this.#drawProgress(progress);
  }

  /** @param {StudyProgressOut} progress */
  #drawProgress({ topics, forecast }) {
    const { share, details } = completion(totalProgress(topics, forecast));
    const label = topics.length ? details : "no topics yet";
    const elements = [make("span", {}, percentage(share)), make("span", { class: "soft" }, label)];
    this.#progress.replaceChildren(progressBar(share, label), ...elements);
  }
}

/**
 * Tell how many answers remain, their cost and their time.
 * @param {StudyProgressOut} progress
 * @param {PaceOut} pace
 */
function remainingText({ topics, finished, ended, forecast }, pace) {
  if (!topics.length) return "no topics yet";
  if (finished === topics.length) return `nothing: ${endReasons(ended)}`;
  if (!forecast) return "unknown";
  const range = interval(forecast);
  const time = remainingTime(forecast, pace);
  return [
    `about ${counted(Math.round(forecast.expected), "answer")}`,
    range && `(${range})`,
    remainingCost(forecast, pace),
    time && `· ${time}`,
  ].filter(Boolean).join(" ");
}
