// Sends events to the server in order. What is not sent yet is kept in the browser, so that neither
// a reload nor a server that is away loses a mark. The server stores an event's key once.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  // annotator  whose events these are
  // told       called with (waiting, problem) whenever either changes
  // answered   called with (position, answer) after each event that was stored
  // refused    called with (position, message) where the server will never store an event
  constructor(annotator, { told, answered, refused }) {
    this.address = `/v1/annotation/${encodeURIComponent(annotator)}`;
    this.place = `faithkit-annotation:${annotator}`;
    this.told = told;
    this.answered = answered;
    this.refused = refused;
    this.waiting = JSON.parse(localStorage.getItem(this.place) || "[]");
    this.sending = null;
  }

  get size() {
    return this.waiting.length;
  }

  add(position, event) {
    this.waiting.push({ position, event: { key: newKey(), ...event } });
    this.keep();
    this.told(this.size, "");
    return this.send();
  }

  keep() {
    localStorage.setItem(this.place, JSON.stringify(this.waiting));
  }

  // Resolves when everything has been sent.
  send() {
    this.sending ??= this.sendAll().finally(() => { this.sending = null; });
    return this.sending;
  }

  async sendAll() {
    let wait = FIRST_WAIT;
    while (this.waiting.length) {
      const { position, event } = this.waiting[0];
      let response = null;
      try {
        response = await fetch(`${this.address}/${position}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(event),
        });
      } catch {
        // The server is away; the event waits.
      }
      if (response === null || response.status >= 500 || response.status === 429) {
        this.told(this.size, "The server does not answer.");
        await new Promise((resolve) => setTimeout(resolve, wait));
        wait = Math.min(2 * wait, LONGEST_WAIT);
        continue;
      }
      wait = FIRST_WAIT;
      const record = await response.json().catch(() => ({}));
      this.waiting.shift();
      this.keep();
      if (response.ok) {
        this.answered(position, record);
      } else {
        this.refused(position, record.error?.message || `The server answered ${response.status}.`);
      }
      this.told(this.size, "");
    }
  }
}
