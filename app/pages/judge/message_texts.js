// What a worker is told when there is no question, and when their work was checked.

/**
 * @typedef {object} Message
 * @property {string} title
 * @property {string[]} text
 * @property {number} [again] seconds until the page asks again by itself
 */

/** @type {Record<string, Message>} */
const REASONS = {
  done: { title: "All done", text: ["There is nothing left to judge here. Thank you for your work!", "You can close this page."] },
  seen: { title: "You have seen everything", text: ["You have been asked everything there is for you. What is still open has to be judged by somebody else. Thank you!", "You can close this page."] },
  cap: { title: "That was the last one", text: ["You have answered as many questions as there are for you. Thank you!", "You can close this page."] },
  wait: { title: "One moment", text: ["Other people hold questions right now, and what to ask you next depends on their answers.", "This page goes on by itself as soon as there is a question for you."], again: 3 },
  paused: { title: "The study is paused", text: ["No questions are handed out at the moment. Your answers are safe.", "This page goes on by itself when the study does."], again: 15 },
  stopped: { title: "No more questions for you here", text: ["The checks of this study were not passed, so it ends here for you. Your answers are kept, and nothing is decided about pay by this page: ask whoever runs the study if you have questions."] },
  held: { title: "One moment", text: ["Some questions are open for you that come first. They are shown here in a moment."], again: 1 },
  none: { title: "One moment", text: ["The next question is being looked for."], again: 1 },
  quiz: { title: "One moment", text: ["The quiz is being looked at."], again: 1 },
};

/** @type {Record<string, Message>} */
const PROBLEMS = {
  "expired-token": { title: "Your judging link has ended", text: ["Ask whoever gave it to you for a new one, or open the page again from where you came: you go on where you were.", "Every answer you sent is kept."] },
  "bad-token": { title: "This link does not work", text: ["It may have been cut off when it was copied. Open it again from where you have it, or ask whoever gave it to you for a new one."] },
  "study-closed": { title: "The study is over", text: ["It takes no more answers. Thank you for your work!"] },
  "topic-closed": { title: "This part is over", text: ["It takes no more answers. Thank you for your work!"] },
  "worker-blocked": { title: "No more questions for you here", text: ["Whoever runs this study has ended your part in it. Ask them if you have questions."] },
};

/** @type {Record<string, string>} */
const CHECKS = {
  traps: "questions with known answers, answered right",
  order: "documents with known scores, put in the right order",
  repeats: "questions asked twice, answered alike",
  seconds: "questions with enough time taken to read",
  moved: "questions with the slider moved",
  quiz: "quiz questions answered right",
};

/** @type {Record<string, string>} */
const EFFECTS = {
  none: "You can go on.",
  ask_again: "These questions are asked once more. Please take your time: your new answers count in place of the old ones.",
  ignore: "The answers of this round do not count, and others will be asked. You can go on with new questions.",
  stop: "So it ends here for you. The answers you gave are kept.",
  stop_and_ignore: "So it ends here for you, and the answers of this round do not count.",
};

/**
 * Say why there is no question.
 * @param {string | null} reason
 * @returns {Message}
 */
export function reasonMessage(reason) {
  return REASONS[reason || "none"] || REASONS.none;
}

/**
 * Say why the page cannot go on.
 * @param {string} kind
 * @param {string} detail
 * @returns {Message}
 */
export function problemMessage(kind, detail) {
  return PROBLEMS[kind] || { title: "This does not work", text: [detail] };
}

/**
 * Say what a check found and what follows: nobody is rejected in silence.
 * @param {any} verdict
 * @returns {{title: string, text: string[], findings: string[], ends: boolean}}
 */
export function verdictMessage(verdict) {
  const what = { quiz: "quiz", understanding: "question about the topic", batch: "last round of answers" };
  const name = what[/** @type {keyof typeof what} */ (verdict.check)] || "work";
  const tooLittle = verdict.effect === "none";
  const title = verdict.passed ? `Your ${name} was fine` : tooLittle ? `Your ${name} was too short to be checked` : `Your ${name} did not pass the check`;
  const findings = verdict.findings.map(
    (/** @type {any} */ one) => `${one.found} of ${one.of} ${CHECKS[one.check] || one.check}; needed: ${one.needed}`,
  );
  return { title, text: [EFFECTS[verdict.effect]], findings, ends: verdict.effect.startsWith("stop") };
}

/**
 * Say how far a worker is.
 * @param {number} answered
 * @param {number | null} count
 */
export function progressText(answered, count) {
  if (count !== null) return `${Math.min(answered, count)} of ${count} answered`;
  return answered === 1 ? "1 answered" : `${answered} answered`;
}

/** @param {number} waiting @param {boolean} empty whether there is nothing to go on with */
export function lostText(waiting, empty) {
  const kept = waiting === 1 ? "Your last answer is kept" : `Your last ${waiting} answers are kept`;
  const sent = waiting ? ` ${kept} and sent when it is back.` : "";
  return `No connection.${sent} ${empty ? "This page goes on by itself when it is back." : "You can go on."}`;
}
