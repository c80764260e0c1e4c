// How long a worker looked at a question: not while the page was paused or out of sight.

/** Counts the seconds in which the page is seen. */
export class Stopwatch {
  constructor() {
    this.restart();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.pause();
      else this.resume();
    });
  }

  /** Begin anew. */
  restart() {
    /** @type {number} milliseconds */
    this.counted = 0;
    /** @type {number | null} */
    this.since = performance.now();
  }

  /** Stand still. */
  pause() {
    this.counted = this.seconds * 1000;
    this.since = null;
  }

  /** Go on, if it stood still. */
  resume() {
    this.since ??= performance.now();
  }

  /** What was counted so far, in seconds. @returns {number} */
  get seconds() {
    const now = this.since === null ? 0 : performance.now() - this.since;
    return Math.round(this.counted + now) / 1000;
  }
}
