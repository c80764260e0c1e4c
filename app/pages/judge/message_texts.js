// Texts of the judging page: why there is no question, the results of checks, the progress.

/** @import { FindingOut, VerdictOut } from "../shared/api_types.d.ts" */

/**
 * @typedef {object} MessageText
 * @property {string} title
 * @property {string[]} paragraphs
 * @property {number} [retrySeconds] after which the page requests a question again
 */

export const CAN_CLOSE = "You can close this page.";
export const NO_CONNECTION = "No connection. This page continues automatically when the connection is back.";

/** @type {MessageText} */
const UNKNOWN_REASON = { title: "One moment", paragraphs: ["Your next question is being selected."], retrySeconds: 1 };

/** @type {Record<string, MessageText>} why there is no question, by the reason that the service gives */
const REASONS = {
  done: { title: "All done", paragraphs: ["There is nothing left to judge here. Thank you for your work!", CAN_CLOSE] },
  seen: {
    title: "You have seen everything",
    paragraphs: [
      "You have answered every question that you can be asked. The remaining questions have to be judged by somebody else. Thank you!",
      CAN_CLOSE,
    ],
  },
  cap: {
    title: "That was the last one",
    paragraphs: ["You have answered the maximum number of questions for one person. Thank you!", CAN_CLOSE],
  },
  wait: {
    title: "One moment",
    paragraphs: [
      "Other people are answering questions right now, and your next question depends on their answers.",
      "This page continues automatically as soon as there is a question for you.",
    ],
    retrySeconds: 3,
  },
  paused: {
    title: "The study is paused",
    paragraphs: [
      "No questions are assigned at the moment. Your answers are stored.",
      "This page continues automatically when the study continues.",
    ],
    retrySeconds: 15,
  },
  stopped: {
    title: "No more questions for you here",
    paragraphs: [
      "You did not pass the checks of this study, so it ends here for you. Your answers are stored. This page decides nothing about your payment: please ask the owner of the study if you have questions.",
    ],
  },
  held: {
    title: "One moment",
    paragraphs: ["You have open questions that come first. They appear here in a moment."],
    retrySeconds: 1,
  },
  quiz: { title: "One moment", paragraphs: ["Your quiz is being evaluated."], retrySeconds: 1 },
};

/** @type {Record<string, MessageText>} why the page cannot continue, by the type of the problem document */
const PROBLEMS = {
  "expired-token": {
    title: "Your judging link has ended",
    paragraphs: [
      "Ask the person who gave you the link for a new one, or open the page again from the platform: you continue where you stopped.",
      "All answers that you sent are stored.",
    ],
  },
  "bad-token": {
    title: "This link does not work",
    paragraphs: [
      "It may have been cut off when it was copied. Open the original link again, or ask the person who gave it to you for a new one.",
    ],
  },
  "study-closed": {
    title: "The study is over",
    paragraphs: ["It does not accept answers any more. Thank you for your work!"],
  },
  "topic-closed": {
    title: "This topic is closed",
    paragraphs: ["It does not accept answers any more. Thank you for your work!"],
  },
  "worker-blocked": {
    title: "No more questions for you here",
    paragraphs: ["The owner of the study has ended your participation. Please ask them if you have questions."],
  },
};

/** @type {Record<string, string>} */
const CHECKS = {
  traps: "questions with known answers, answered correctly",
  order: "documents with known scores, in the correct order",
  repeats: "repeated questions, answered consistently",
  seconds: "questions with enough time for reading",
  moved: "questions with the slider moved",
  quiz: "quiz questions answered correctly",
};

/** @type {Record<string, string>} */
const SUBJECTS = { quiz: "quiz", understanding: "comprehension question", batch: "last batch of answers" };

/** @type {Record<VerdictOut["effect"], string>} */
const EFFECTS = {
  none: "You can continue.",
  ask_again: "These questions are asked once more. Please take your time: your new answers replace the old ones.",
  ignore: "The answers of this batch do not count. You can continue with other questions.",
  stop: "The study ends here for you. The answers that you gave are stored.",
  stop_and_ignore: "The study ends here for you, and the answers of this batch do not count.",
};

/**
 * Explain why there is no question.
 * @param {string | null} reason
 */
export function reasonText(reason) {
  return REASONS[reason ?? ""] ?? UNKNOWN_REASON;
}

/**
 * Explain why the page cannot continue.
 * @param {string} type of the problem document
 * @param {string} detail
 * @returns {MessageText}
 */
export function problemText(type, detail) {
  return PROBLEMS[type] ?? { title: "This does not work", paragraphs: [detail] };
}

/**
 * Explain what a check found and what follows: no worker is rejected without a reason.
 * @param {VerdictOut} verdict
 */
export function verdictText({ check, effect, passed, findings }) {
  const subject = SUBJECTS[check] ?? "work";
  const failure = effect === "none" ? "was too short to be checked" : "did not pass the check";
  return {
    title: passed ? `Your ${subject} passed the check` : `Your ${subject} ${failure}`,
    paragraphs: [EFFECTS[effect]],
    findings: findings.map(findingText),
    isFinal: effect.startsWith("stop"),
  };
}

/** @param {FindingOut} finding */
function findingText({ check, found, of, needed }) {
  return `${found} of ${of} ${CHECKS[check] ?? check}; required: ${needed}`;
}

/**
 * Tell the number of answers.
 * @param {number} answered
 * @param {number | null} count the maximum, if there is one
 */
export function progressText(answered, count) {
  return count === null ? `${answered} answered` : `${Math.min(answered, count)} of ${count} answered`;
}

/**
 * Tell that the connection is lost, and what happens to the answers.
 * @param {number} unconfirmed number of answers that are not confirmed yet
 * @param {boolean} blocked whether there is no question to continue with
 */
export function connectionText(unconfirmed, blocked) {
  if (!unconfirmed && blocked) return NO_CONNECTION;
  const kept = unconfirmed === 1 ? "Your last answer is kept" : `Your last ${unconfirmed} answers are kept`;
  const sending = unconfirmed ? `${kept} and sent when the connection is back.` : "";
  const next = blocked ? "This page then continues automatically." : "You can continue.";
  return ["No connection.", sending, next].filter(Boolean).join(" ");
}
