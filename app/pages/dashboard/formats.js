// Numbers, amounts of money and times as text.

/** @import { ForecastOut } from "../shared/api_types.d.ts" */

const LANGUAGE = "en";
const MISSING = "–";
const integers = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const clockTimes = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit", hour12: false });
const days = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium" });

/** @param {number} value */
export function count(value) {
  return integers.format(value);
}

/**
 * @param {number} value
 * @param {string} noun
 */
export function counted(value, noun) {
  return `${count(value)} ${plural(value, noun)}`;
}

/**
 * @param {number} value
 * @param {string} noun
 */
export function plural(value, noun) {
  return value === 1 ? noun : `${noun}s`;
}

/** @param {number | null} value from 0 to 1 */
export function percentage(value) {
  return value === null ? MISSING : `${integers.format(100 * value)} %`;
}

/**
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function decimal(value, digits = 2) {
  return value === null || value === undefined ? MISSING : value.toFixed(digits);
}

/**
 * @param {number} value
 * @param {string} currency
 */
export function money(value, currency) {
  try {
    return new Intl.NumberFormat(LANGUAGE, { style: "currency", currency }).format(value);
  } catch {
    return `${value.toFixed(2)} ${currency}`;
  }
}

/**
 * Return the interval of a forecast; it is empty without a forecast, or if both ends are the same.
 * @param {ForecastOut | null} forecast
 */
export function interval(forecast) {
  if (!forecast) return "";
  const [low, high] = [Math.round(forecast.low), Math.round(forecast.high)];
  return low === high ? "" : `${count(low)} to ${count(high)}`;
}

/**
 * Return ranks, which are one number or a range.
 * @param {[best: number, worst: number]} range
 */
export function ranks([best, worst]) {
  return best === worst ? count(best) : `${count(best)}–${count(worst)}`;
}

/**
 * @param {string | null} time
 * @param {number} [now]
 */
export function ago(time, now = Date.now()) {
  if (!time) return "never";
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${counted(Math.floor(seconds / 60), "minute")} ago`;
  if (seconds < 86_400) return `${counted(Math.floor(seconds / 3600), "hour")} ago`;
  return `${counted(Math.floor(seconds / 86_400), "day")} ago`;
}

/** @param {string} time */
export function clockTime(time) {
  return clockTimes.format(new Date(time));
}

/** @param {string} time */
export function day(time) {
  return days.format(new Date(time));
}

/** @param {string} time shown as the reader's browser is set to write it */
export function dateTime(time) {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" }).format(new Date(time));
}

/**
 * Return how long a number of answers takes, or an empty text if that is unknown.
 * @param {number} answers
 * @param {number} answersPerHour
 */
export function duration(answers, answersPerHour) {
  if (!answersPerHour || !answers) return "";
  const hours = answers / answersPerHour;
  if (hours < 1) return `about ${counted(Math.max(1, Math.round(60 * hours)), "minute")}`;
  if (hours < 48) return `about ${counted(Math.round(hours), "hour")}`;
  return `about ${counted(Math.round(hours / 24), "day")}`;
}
