// All studies: how far each has come, how fast it goes, what it costs and how much is left.

import { ask, make } from "../shared/elements.js";
import { ago, count, counted, duration, endings, money, range, share, spent, together, way } from "./formats.js";
import { spark } from "./charts.js";
import { badge, bar, doing, place } from "./components.js";
import { newStudy } from "./study_form.js";
import { at, pageOf } from "./api_client.js";

const MOST = 500;
const STEP = 20;
const AGAIN = 15_000;

/**
 * Show the list.
 * @param {import("./api_client.js").Owner} owner
 * @param {HTMLElement} main
 */
export async function showStudies(owner, main) {
  place("Studies", []);
  const studies = await owner.list("/v1/studies", MOST);
  studies.sort((one, other) => other.created_at.localeCompare(one.created_at));
  const add = doing("New study", () => create(owner), "primary");
  const head = make("div", { class: "head" }, make("h1", {}, "Studies"), ...(owner.manages ? [add] : []));
  if (!studies.length) {
    main.replaceChildren(head, empty(owner));
    return;
  }
  const list = make("div", { class: "cards" });
  const more = make("div", { class: "actions" });
  main.replaceChildren(head, list, more);
  let shown = 0;
  const next = async () => {
    const cards = studies.slice(shown, shown + STEP).map((study) => new Card(owner, study));
    shown += cards.length;
    list.append(...cards.map((card) => card.element));
    more.replaceChildren(...(shown < studies.length ? [doing(`Show more (${studies.length - shown} left)`, next)] : []));
    for (const card of cards) card.watch();
  };
  await next();
}

/** @param {import("./api_client.js").Owner} owner */
function empty(owner) {
  const words = owner.manages
    ? "A study is a set of topics judged under the same settings. Create one from files: topics, runs, documents."
    : "There is nothing to look at yet: whoever holds an admin key can create a study.";
  return make("div", { class: "message" }, make("h2", {}, "No studies yet"), make("p", {}, words));
}

/** @param {import("./api_client.js").Owner} owner */
async function create(owner) {
  const made = newStudy(owner);
  await ask("New study", [made], [{ label: "Cancel", value: "", kind: "quiet" }]);
}

/** One study of the list, whose figures come when they are known. */
class Card {
  /** @param {import("./api_client.js").Owner} owner @param {any} study */
  constructor(owner, study) {
    this.owner = owner;
    this.study = study;
    this.figures = make("dl", { class: "figures" });
    this.track = make("div", { class: "track" }, make("span", { class: "soft" }, "Counting…"));
    this.pace = make("div", { class: "pace" });
    const link = make("a", { href: pageOf(study.id), dir: "auto" }, study.title || study.id);
    const name = make("p", { class: "soft" }, `${study.id} · ${study.design}${study.design === "preference" ? ` · ${study.selector}` : ""}`);
    const head = make("div", { class: "card-head" }, make("h2", {}, link), badge(study.status));
    this.element = make("article", { class: "card" }, head, name, this.track, this.figures, this.pace);
  }

  /** Look now, and again while the page is seen. */
  async watch() {
    for (;;) {
      if (!document.hidden) await this.look().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  async look() {
    const path = at(this.study.id);
    const pace = await this.owner.get(`${path}/pace`);
    this.#figures(pace, null);
    const progress = await this.owner.wait(`${path}/progress`);
    this.#figures(pace, progress);
  }

  /** @param {any} pace @param {any} progress */
  #figures(pace, progress) {
    const rows = [
      ["topics", progress ? `${count(progress.finished)} of ${count(pace.topics)} finished` : count(pace.topics)],
      ["answers", pace.judgments ? `${count(pace.judgments)}, last ${ago(pace.latest_at)}` : "none yet"],
      ["last hour", `${counted(pace.last_hour, "answer")} by ${counted(pace.workers, "worker")}`],
      ["spent", spent(pace)[0] === "–" ? "no price set" : spent(pace)[0]],
      ["left", progress ? left(progress, pace) : "…"],
    ];
    this.figures.replaceChildren(...rows.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
    this.pace.replaceChildren(spark(pace.hours), make("span", { class: "soft" }, "last 24 hours"));
    if (progress) this.#track(progress);
  }

  /** @param {any} progress */
  #track(progress) {
    const { share: done, words } = way(together(progress.topics, progress.forecast));
    const label = progress.topics.length ? words : "no topics yet";
    this.track.replaceChildren(bar(done, 1, label), make("span", {}, share(done)), make("span", { class: "soft" }, label));
  }
}

/**
 * Say how much is left to be judged, in answers, money and time.
 * @param {any} progress
 * @param {any} pace
 */
export function left(progress, pace) {
  if (!progress.topics.length) return "no topics yet";
  if (progress.finished === progress.topics.length) return `nothing: ${endings(progress.ended)}`;
  const { forecast } = progress;
  if (!forecast) return "cannot be told";
  const parts = [`about ${counted(Math.round(forecast.expected), "answer")}`];
  if (range(forecast)) parts.push(`(${range(forecast)})`);
  if (pace.price !== null) parts.push(`≈ ${money(pace.price * forecast.expected, pace.currency)}`);
  const time = duration(forecast.expected, pace.last_hour);
  if (time) parts.push(`· ${time} at this pace`);
  return parts.join(" ");
}
