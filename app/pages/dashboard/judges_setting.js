// The setting `judges` of a study in words: who answers, and therefore how many answers are requested.

/** @import { StudyOut } from "../shared/api_types.d.ts" */

/** @typedef {StudyOut["judges"]} Judges */

/** @type {Record<Judges, {label: string, description: string}>} */
export const JUDGES = {
  one: {
    label: "one careful person",
    description: "Every answer is assumed to be correct. No pair is asked twice, and the study ends when all other relations follow.",
  },
  few: {
    label: "a few careful people",
    description: "About 1 answer in 20 is expected to be wrong. Doubtful pairs are asked again, of another person.",
  },
  crowd: {
    label: "a crowd",
    description: "Some people make many errors or do not try: the answers show how reliable each person is. Doubtful pairs are asked again, of another person.",
  },
};

/** Selectors that estimate the reliability of workers. */
const WORKER_MODELS = new Set(["placement", "information-gain"]);

/**
 * Describe what a study expects of its judges.
 * @param {Judges} judges
 * @param {string | null} selector null if one document is shown at a time
 */
export function judgesDescription(judges, selector) {
  const usesModel = selector !== null && WORKER_MODELS.has(selector);
  if (judges === "one" && selector === null) return "One answer to each question is enough.";
  if (judges === "one" && selector === "information-gain") {
    return "No pair is asked twice. The study ends when the order is certain enough, or when every pair was asked.";
  }
  if (judges === "one" || usesModel) return JUDGES[judges].description;
  return "Every question is asked of as many people as the study has workers per question.";
}
