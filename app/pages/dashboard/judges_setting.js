// Who judges a study, in words: what is expected of answers, and so how much is asked.

/** @type {Record<string, {label: string, words: string}>} */
export const JUDGES = {
  one: { label: "one careful person", words: "Every answer is taken for true. No pair is asked twice, and the study ends when the rest follows." },
  few: { label: "a few careful people", words: "About 1 answer in 20 is expected to be wrong. What is doubtful is asked again, of somebody else." },
  crowd: { label: "a crowd", words: "Some people err often, or do not try: the answers show who can be relied on. What is doubtful is asked again, of somebody else." },
};

/** What a selector other than these does with answers of several people. */
const WEIGHING = new Set(["placement", "information-gain"]);

/**
 * Say what a choice of judges means.
 * @param {string} judges
 * @param {string | null} selector null where one document is shown at a time
 */
export function expectation(judges, selector) {
  if (judges === "one" && selector !== "information-gain") return selector === null ? "One answer to each question is enough." : JUDGES.one.words;
  if (judges === "one") return "No pair is asked twice. The study ends when the order is as sure as it should be, or every pair was asked.";
  if (selector !== null && WEIGHING.has(selector)) return JUDGES[judges].words;
  return "Every question is asked of as many people as the study has workers per question.";
}
