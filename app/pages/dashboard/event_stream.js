// Events of a study or a topic: Server-Sent Events, read by fetch because EventSource cannot send the key.

const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 15_000;

/**
 * @typedef {object} StreamEvent
 * @property {string} kind
 * @property {{topic?: string}} data
 */

/** The service does not permit this key to follow the stream. */
class StreamRefused extends Error {}

/** Follows a stream, and connects again when the connection is lost. */
export class EventStream {
  /** Id of the latest event, if the stream numbers its events. */
  #latestId = "";

  /**
   * @param {string} key
   * @param {string} address
   * @param {(events: StreamEvent[]) => void} onEvents
   * @param {(isConnected: boolean) => void} onConnection
   */
  constructor(key, address, onEvents, onConnection) {
    this.key = key;
    this.address = address;
    this.onEvents = onEvents;
    this.onConnection = onConnection;
  }

  /** Follow the stream as long as the page is open. */
  async follow() {
    let delay = FIRST_DELAY;
    for (let isRepeated = false; ; isRepeated = true) {
      const onOpen = () => {
        delay = FIRST_DELAY;
        this.onConnection(true);
        // A stream without numbers does not repeat the events that were missed.
        if (isRepeated && !this.#latestId) this.onEvents([{ kind: "reconnected", data: {} }]);
      };
      try {
        await this.#read(onOpen);
      } catch (error) {
        if (error instanceof StreamRefused) return this.onConnection(false);
      }
      this.onConnection(false);
      await new Promise((resolve) => setTimeout(resolve, delay));
      delay = Math.min(2 * delay, LONGEST_DELAY);
    }
  }

  /** @param {() => void} onOpen */
  async #read(onOpen) {
    /** @type {Record<string, string>} */
    const headers = { Authorization: `Bearer ${this.key}`, Accept: "text/event-stream" };
    if (this.#latestId) headers["Last-Event-ID"] = this.#latestId;
    const response = await fetch(this.address, { headers, credentials: "omit", cache: "no-store" });
    const { status, ok, body } = response;
    if (status >= 400 && status < 500 && status !== 429) throw new StreamRefused();
    if (!ok || !body) throw new Error(`the service answered ${status}`);
    onOpen();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
      rest = blocks.pop() ?? "";
      const events = blocks.map((block) => this.#parse(block)).filter((event) => event !== null);
      if (events.length) this.onEvents(events);
    }
  }

  /**
   * Parse the lines of an event; comments are no events.
   * @param {string} block
   * @returns {StreamEvent | null}
   */
  #parse(block) {
    let kind = "message";
    const data = [];
    for (const line of block.split("\n")) {
      const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === "event") kind = value;
      else if (name === "data") data.push(value);
      else if (name === "id") this.#latestId = value;
    }
    return data.length ? { kind, data: JSON.parse(data.join("\n")) } : null;
  }
}
