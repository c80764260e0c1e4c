// Numbers in words: counts, shares, money, times, and what is to be expected.

const LANGUAGE = "en";
const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });

/** @param {number} number */
export function count(number) {
  return whole.format(number);
}

/** @param {number} number @param {string} noun */
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number | null} value from 0 to 1 */
export function share(value) {
  return value === null ? "–" : `${whole.format(100 * value)} %`;
}

/** @param {number | null | undefined} value @param {number} digits */
export function decimal(value, digits = 2) {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}

/**
 * Say what was spent: what a platform was really paid, or what answers cost by their price.
 * @param {any} pace @returns {[string, string]} the amount, and how it is reckoned
 */
export function spent(pace) {
  const { paid } = pace;
  if (paid) {
    return [money(paid.spent, paid.currency), `at ${paid.platform}, ${money(paid.reserved, paid.currency)} reserved`];
  }
  if (pace.spent === null) return ["–", "set a price to see it"];
  return [money(pace.spent, pace.currency), `${money(pace.price, pace.currency)} an answer`];
}

/** @param {number} value @param {string} currency */
export function money(value, currency) {
  try {
    return new Intl.NumberFormat(LANGUAGE, { style: "currency", currency }).format(value);
  } catch {
    return `${value.toFixed(2)} ${currency}`;
  }
}

/**
 * Say how much is left: the number to be expected, and between what it lies.
 * @param {{expected: number, low: number, high: number} | null} forecast
 */
export function range(forecast) {
  if (!forecast) return "";
  const [low, high] = [Math.round(forecast.low), Math.round(forecast.high)];
  return low === high ? "" : `${count(low)} to ${count(high)}`;
}

/** @param {string | null} moment @param {number} [now] */
export function ago(moment, now = Date.now()) {
  if (!moment) return "never";
  const seconds = Math.max(0, (now - Date.parse(moment)) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${counted(Math.floor(seconds / 60), "minute")} ago`;
  if (seconds < 86_400) return `${counted(Math.floor(seconds / 3600), "hour")} ago`;
  return `${counted(Math.floor(seconds / 86_400), "day")} ago`;
}

/** @param {string} moment */
export function clock(moment) {
  return new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit", hour12: false }).format(new Date(moment));
}

/** @param {string} moment */
export function day(moment) {
  return new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium" }).format(new Date(moment));
}

/** @param {string} at @returns {string} day and time, as the reader writes them */
export function moment(at) {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" }).format(new Date(at));
}

/**
 * Say how long something takes at a pace.
 * @param {number} left
 * @param {number} hourly
 */
export function duration(left, hourly) {
  if (!hourly || !left) return "";
  const hours = left / hourly;
  if (hours < 1) return `about ${counted(Math.max(1, Math.round(60 * hours)), "minute")}`;
  if (hours < 48) return `about ${counted(Math.round(hours), "hour")}`;
  return `about ${counted(Math.round(hours / 24), "day")}`;
}

/** @type {Record<string, string>} why nothing is left to ask of a topic */
const ENDINGS = {
  known: "every document is settled",
  plan: "everything planned is answered",
  budget: "stopped by the budget",
  exhausted: "every pair was asked",
};

/**
 * Say why nothing is left to ask, of one topic or of several.
 * @param {Record<string, number>} ended how many topics ended why
 */
export function endings(ended) {
  const several = Object.values(ended).reduce((all, one) => all + one, 0) > 1;
  return Object.entries(ended)
    .map(([end, topics]) => `${ENDINGS[end]}${several ? ` in ${counted(topics, "topic")}` : ""}`)
    .join(", ");
}

/**
 * Say how far something has come: by the answers it takes where that can be told, by settled documents where not.
 * What a budget stopped is as far as its settled documents, for the others are not known.
 * @param {{judgments: number, forecast: {expected: number} | null, finished: boolean, ended: string | Record<string, number> | null, settled: number, documents: number}} told
 * @returns {{share: number, of: string, words: string}}
 */
export function way(told) {
  const settled = `${count(told.settled)} of ${counted(told.documents, "document")} settled`;
  const bySettled = { share: told.documents ? told.settled / told.documents : 0, of: "of documents settled", words: settled };
  if (told.finished) {
    const ended = typeof told.ended === "string" ? { [told.ended]: 1 } : told.ended || {};
    const reached = Object.keys(ended).every((end) => end === "known" || end === "plan");
    return reached ? { share: 1, of: "of the way", words: endings(ended) } : { ...bySettled, words: `${endings(ended)}: ${settled}` };
  }
  if (!told.forecast) return bySettled;
  const all = told.judgments + told.forecast.expected;
  return { share: all ? told.judgments / all : 0, of: "of the way", words: `${count(told.judgments)} of about ${counted(Math.round(all), "answer")}` };
}

/**
 * Say how many pairs were judged, follow from those, and are open; they add up to all.
 * @param {{judged_pairs: number, inferred_pairs: number, unknown_pairs: number}} told
 * @returns {[string, string, string]}
 */
export function pairsTold(told) {
  const parts = [told.judged_pairs, told.inferred_pairs, told.unknown_pairs];
  const all = parts.reduce((sum, one) => sum + one, 0);
  return [parts.map(count).join(" + "), "pairs judged + inferred + open", `= ${counted(all, "pair")}`];
}

/**
 * Put the progress of topics together.
 * @param {any[]} told
 * @param {any} forecast of all of them
 */
export function together(told, forecast) {
  const sum = (/** @type {string} */ name) => told.reduce((all, one) => all + one[name], 0);
  const finished = told.length > 0 && told.every((one) => one.finished);
  /** @type {Record<string, number>} */
  const ended = {};
  for (const one of told) if (one.ended) ended[one.ended] = (ended[one.ended] || 0) + 1;
  const pairs = { judged_pairs: sum("judged_pairs"), inferred_pairs: sum("inferred_pairs"), unknown_pairs: sum("unknown_pairs") };
  return { judgments: sum("judgments"), settled: sum("settled"), documents: sum("documents"), ...pairs, forecast, finished, ended };
}
