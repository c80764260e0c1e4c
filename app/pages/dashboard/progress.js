// The progress of topics and studies, and what remains, in words.

import { ago, count, counted, duration, interval, money, percentage, plural } from "./formats.js";

/** @import { ForecastOut, PaceOut, ProgressOut } from "../shared/api_types.d.ts" */
/** @import { Tile } from "./components.js" */

/** @typedef {NonNullable<ProgressOut["ended"]>} End */
/** @typedef {Record<string, number>} EndCounts number of topics by why they have ended */
/** @typedef {Pick<ProgressOut, "judged_pairs" | "inferred_pairs" | "unknown_pairs">} PairCounts */
/**
 * @typedef {object} Progress
 * @property {number} judgments
 * @property {number} settled
 * @property {number} documents
 * @property {boolean} finished
 * @property {EndCounts} ends
 * @property {ForecastOut | null} forecast
 */

/** @type {Record<End, string>} why a topic has no more questions */
const ENDS = {
  known: "every document is settled",
  plan: "everything planned is answered",
  budget: "stopped by the budget",
  exhausted: "every pair was asked",
};

/**
 * Explain why there are no more questions.
 * @param {EndCounts} ends
 */
export function endReasons(ends) {
  const topics = Object.values(ends).reduce((sum, number) => sum + number, 0);
  const reasonOf = (/** @type {string} */ end) => ENDS[/** @type {End} */ (end)];
  return Object.entries(ends)
    .map(([end, number]) => (topics > 1 ? `${reasonOf(end)} in ${counted(number, "topic")}` : reasonOf(end)))
    .join(", ");
}

/**
 * Return the progress of one topic.
 * @param {ProgressOut} topic
 * @returns {Progress}
 */
export function topicProgress({ ended, ...rest }) {
  return { ...rest, ends: ended ? { [ended]: 1 } : {} };
}

/**
 * Add up the progress of topics.
 * @param {ProgressOut[]} topics
 * @param {ForecastOut | null} forecast of all topics
 * @returns {Progress & PairCounts}
 */
export function totalProgress(topics, forecast) {
  const sum = (/** @type {(topic: ProgressOut) => number} */ of) => topics.reduce((total, topic) => total + of(topic), 0);
  /** @type {EndCounts} */
  const ends = {};
  for (const { ended } of topics) if (ended) ends[ended] = (ends[ended] ?? 0) + 1;
  return {
    judgments: sum((topic) => topic.judgments),
    settled: sum((topic) => topic.settled),
    documents: sum((topic) => topic.documents),
    judged_pairs: sum((topic) => topic.judged_pairs),
    inferred_pairs: sum((topic) => topic.inferred_pairs),
    unknown_pairs: sum((topic) => topic.unknown_pairs),
    finished: topics.length > 0 && topics.every((topic) => topic.finished),
    ends,
    forecast,
  };
}

/**
 * Return the completed share: of the forecast answers if there is a forecast, otherwise of the documents.
 * A topic that was stopped by its budget is not complete, because other documents are not settled.
 * @param {Progress} progress
 * @returns {{share: number, label: string, details: string}}
 */
export function completion({ judgments, settled, documents, finished, ends, forecast }) {
  const details = `${count(settled)} of ${counted(documents, "document")} settled`;
  const ofDocuments = { share: documents ? settled / documents : 0, label: "of documents settled", details };
  if (finished) {
    const isComplete = Object.keys(ends).every((end) => end === "known" || end === "plan");
    const reasons = endReasons(ends);
    return isComplete ? { share: 1, label: "complete", details: reasons } : { ...ofDocuments, details: `${reasons}: ${details}` };
  }
  if (!forecast) return ofDocuments;
  const total = judgments + forecast.expected;
  const ofAnswers = `${count(judgments)} of about ${counted(Math.round(total), "answer")}`;
  return { share: total ? judgments / total : 0, label: "complete", details: ofAnswers };
}

/**
 * Return a tile with the completed share.
 * @param {Progress} progress
 * @returns {Tile}
 */
export function completionTile(progress) {
  const { share, label, details } = completion(progress);
  return [percentage(share), label, details];
}

/**
 * Return a tile with the numbers of judged, inferred and open pairs, and their sum.
 * @param {PairCounts} pairs
 * @returns {[value: string, label: string, details: string]}
 */
export function pairTile({ judged_pairs, inferred_pairs, unknown_pairs }) {
  const parts = [judged_pairs, inferred_pairs, unknown_pairs];
  const total = parts.reduce((sum, part) => sum + part, 0);
  return [parts.map(count).join(" + "), "pairs judged + inferred + open", `= ${counted(total, "pair")}`];
}

/**
 * Return a tile with the number of answers.
 * @param {PaceOut} pace
 * @returns {Tile}
 */
export function answerTile({ judgments, latest_at }) {
  return [count(judgments), plural(judgments, "answer"), judgments ? `last ${ago(latest_at)}` : "none yet"];
}

/**
 * Return the spent amount and how it is computed: from the payments of a platform, or from the price of an answer.
 * @param {PaceOut} pace
 * @returns {{amount: string | null, basis: string}}
 */
export function spending({ paid, spent, price, currency }) {
  if (paid) {
    const basis = `at ${paid.platform}, ${money(paid.reserved, paid.currency)} reserved`;
    return { amount: money(paid.spent, paid.currency), basis };
  }
  if (spent === null || price === null) return { amount: null, basis: "no price is set" };
  return { amount: money(spent, currency), basis: `${money(price, currency)} per answer` };
}

/**
 * Return what the forecast answers cost, if a price is set.
 * @param {ForecastOut} forecast
 * @param {PaceOut} pace
 */
export function remainingCost({ expected }, { price, currency }) {
  return price === null ? "" : `≈ ${money(price * expected, currency)}`;
}

/**
 * Return how long the forecast answers take.
 * @param {ForecastOut} forecast
 * @param {PaceOut} pace
 */
export function remainingTime({ expected }, { last_hour }) {
  const time = duration(expected, last_hour);
  return time && `${time} at this pace`;
}

/**
 * Return a tile with the number of answers that remain.
 * @param {Progress} progress
 * @param {PaceOut | null} pace of the study, which adds cost and time
 * @returns {Tile}
 */
export function remainingTile({ finished, ends, forecast }, pace) {
  const label = "answers left";
  if (finished) return ["0", label, endReasons(ends)];
  if (!forecast) return ["unknown", label, "this selector has no forecast"];
  const details = [interval(forecast)];
  if (pace) details.push(remainingCost(forecast, pace), remainingTime(forecast, pace));
  return [`≈ ${count(forecast.expected)}`, label, details.filter(Boolean).join(" · ")];
}
