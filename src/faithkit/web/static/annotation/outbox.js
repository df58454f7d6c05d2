// Sends events to the server in order. What is not sent yet is kept in the browser, so that neither
// a reload nor a server that is away loses a mark. The server stores an event's key once.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
// An event of this kind will never be stored: it does not fit, or is too large.
const NEVER_STORED = [413, 422];

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Where the routes of an annotator are; the server refuses what is meant for another store.
export function addressOf(store, annotator, path) {
  return `/v1/annotation/${encodeURIComponent(annotator)}${path}?store=${encodeURIComponent(store)}`;
}

// The server wants its token, and leads back here.
export function logIn() {
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.hash)}`);
}

// The status of a request and the JSON that it is answered with; status 0 while the server is away.
export async function ask(address, request = {}) {
  try {
    const response = await fetch(address, request);
    return { status: response.status, record: await response.json() };
  } catch {
    return { status: 0, record: { error: { message: "The server does not answer." } } };
  }
}

export class Outbox {
  // store      the identity of the store that the events are for
  // annotator  whose events these are
  // told       called with (waiting, problem) whenever either changes
  // answered   called with (position, answer) after each event that was stored
  // refused    called with (position, message) where the server will never store an event
  constructor(store, annotator, { told, answered, refused }) {
    this.store = store;
    this.annotator = annotator;
    this.prefix = `faithkit-annotation:${store}:${encodeURIComponent(annotator)}:`;
    this.told = told;
    this.answered = answered;
    this.refused = refused;
    this.waiting = this.kept();
    this.latest = this.waiting.at(-1)?.at || 0;
    this.sending = null;
  }

  get size() {
    return this.waiting.length;
  }

  // What any page of this annotator has kept, in the order in which it was done. Each event has a
  // place of its own in the browser, so that two pages do not overwrite each other's.
  kept() {
    return Object.keys(localStorage).filter((name) => name.startsWith(this.prefix))
      .map((name) => JSON.parse(localStorage.getItem(name))).filter(Boolean)
      .sort((one, other) => one.at - other.at);
  }

  add(position, event) {
    this.latest = Math.max(Date.now(), this.latest + 1);
    const added = { position, at: this.latest, event: { key: newKey(), ...event } };
    this.waiting.push(added);
    localStorage.setItem(this.prefix + added.event.key, JSON.stringify(added));
    this.told(this.size, "");
    return this.send();
  }

  // Resolves when everything has been sent, or the server wants its token.
  send() {
    this.sending ??= this.sendAll().finally(() => { this.sending = null; });
    return this.sending;
  }

  async sendAll() {
    let wait = FIRST_WAIT;
    while (this.waiting.length) {
      const { position, event } = this.waiting[0];
      const { status, record } = await this.post(position, event);
      if (status === 401) {
        this.told(this.size, "The server wants its token.");
        logIn();
        return;
      }
      if (status !== 200 && !NEVER_STORED.includes(status)) {
        this.told(this.size, record.error.message);
        await new Promise((resolve) => setTimeout(resolve, wait));
        wait = Math.min(2 * wait, LONGEST_WAIT);
        continue;
      }
      wait = FIRST_WAIT;
      this.waiting.shift();
      localStorage.removeItem(this.prefix + event.key);
      if (status === 200) this.answered(position, record);
      else this.refused(position, record.error.message);
      this.told(this.size, "");
    }
  }

  post(position, event) {
    return ask(addressOf(this.store, this.annotator, `/${position}`), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(event),
    });
  }
}
