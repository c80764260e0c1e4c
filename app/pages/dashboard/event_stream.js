// News as they come: Server-Sent Events read by fetch, because EventSource could not carry the key.

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 15_000;

/**
 * @typedef {object} News
 * @property {string} kind
 * @property {any} data
 */

/** Follows one stream, and comes back to it when it breaks. */
export class Stream {
  /**
   * @param {import("./api_client.js").Owner} owner
   * @param {string} path
   * @param {(news: News[]) => void} told
   * @param {(through: boolean) => void} state says whether the stream is there
   */
  constructor(owner, path, told, state) {
    this.owner = owner;
    this.path = path;
    this.told = told;
    this.state = state;
    this.last = "";
    this.over = new AbortController();
  }

  /** Listen for as long as the page is open. */
  async listen() {
    for (let wait = FIRST_WAIT, again = false; !this.over.signal.aborted; again = true) {
      try {
        const through = () => {
          wait = FIRST_WAIT;
          this.state(true);
          // What happened in between is told only where the stream counts its events.
          if (again && !this.last) this.told([{ kind: "again", data: {} }]);
        };
        await this.#read(through);
      } catch (error) {
        if (this.over.signal.aborted) return;
        if (error instanceof Refused) return this.state(false);
      }
      this.state(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(2 * wait, LONGEST_WAIT);
    }
  }

  stop() {
    this.over.abort();
  }

  /** @param {() => void} through */
  async #read(through) {
    /** @type {Record<string, string>} */
    const headers = { Authorization: `Bearer ${this.owner.key}`, Accept: "text/event-stream" };
    if (this.last) headers["Last-Event-ID"] = this.last;
    const { signal } = this.over;
    const response = await fetch(this.path, { headers, signal, credentials: "omit", cache: "no-store" });
    if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new Refused();
    if (!response.ok || !response.body) throw new Error("no stream");
    through();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
      rest = blocks.pop() || "";
      const news = blocks.map((block) => this.#event(block)).filter((one) => one !== null);
      if (news.length) this.told(news);
    }
  }

  /** @param {string} block @returns {News | null} */
  #event(block) {
    let kind = "message";
    const data = [];
    for (const line of block.split("\n")) {
      const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line) || [];
      if (name === "event") kind = value;
      else if (name === "data") data.push(value);
      else if (name === "id") this.last = value;
    }
    return data.length ? { kind, data: JSON.parse(data.join("\n")) } : null;
  }
}

/** The service does not let this key listen: coming back would not help. */
class Refused extends Error {}

/**
 * Gather what is called for often, and do it once in a while.
 * @param {() => Promise<void>} act
 * @param {number} pause milliseconds between two times
 * @returns {() => void}
 */
export function calmly(act, pause) {
  let waiting = false;
  let busy = false;
  const run = async () => {
    waiting = false;
    busy = true;
    try {
      await act();
    } finally {
      setTimeout(() => {
        busy = false;
        if (waiting) run();
      }, pause);
    }
  };
  return () => {
    if (waiting) return;
    waiting = true;
    if (!busy) setTimeout(run, 0);
  };
}
