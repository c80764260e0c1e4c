// The time that a worker spends on a question, without pauses and without time when the page is hidden.

/** Measures the time in which the page is visible. */
export class Stopwatch {
  /** Milliseconds until the stopwatch was last paused. */
  #elapsed = 0;
  /** @type {number | null} when it was last started; null while it is paused */
  #startedAt = performance.now();

  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.pause();
      else this.resume();
    });
  }

  restart() {
    this.#elapsed = 0;
    this.#startedAt = performance.now();
  }

  pause() {
    this.#elapsed = this.seconds * 1000;
    this.#startedAt = null;
  }

  resume() {
    this.#startedAt ??= performance.now();
  }

  /** The measured time in seconds. */
  get seconds() {
    const running = this.#startedAt === null ? 0 : performance.now() - this.#startedAt;
    return Math.round(this.#elapsed + running) / 1000;
  }
}
