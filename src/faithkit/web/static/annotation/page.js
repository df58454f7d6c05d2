// The work page: the item that is shown, the keys, and what becomes an event.

import { Keys } from "./keys.js";
import { addressOf, ask, logIn, newKey, Outbox } from "./outbox.js";
import { applicable, applies, element, missing, Questions } from "./questions.js";
import { MarkedText, plain, visible } from "./text.js";

const IDLE_SECONDS = 60;
const COMMENT_WAIT = 500;
const byId = (id) => document.getElementById(id);
const work = byId("work");
const { annotator, store } = work.dataset;

class Page {
  async start() {
    this.outbox = new Outbox(store, annotator, {
      told: (waiting, problem) => this.showStatus(waiting, problem),
      answered: (position, record) => this.adopt(position, record),
      refused: (position, message) => this.refused(position, message),
    });
    await this.outbox.send();
    Object.assign(this, await this.get(""));
    this.texts = { source: new MarkedText(byId("source"), () => this.moved("source")) };
    this.questions = new Questions(byId("questions"), this.task, this);
    this.loading = false;
    this.seconds = 0;
    this.lastInput = Date.now();
    this.listen();
    const wanted = Number(location.hash.slice(1));
    const index = this.items.findIndex((item) => item.position === wanted);
    await this.open(index >= 0 ? index : this.firstOpen(0));
  }

  async get(path) {
    const { status, record } = await ask(addressOf(store, annotator, path));
    if (status === 401) logIn();
    if (status !== 200) throw new Error(record.error.message);
    return record;
  }

  firstOpen(from) {
    const after = this.items.findIndex((item, index) => index >= from && item.state === "open");
    const any = this.items.findIndex((item) => item.state === "open");
    return after >= 0 ? after : any;
  }

  // --- showing an item -------------------------------------------------------------------------

  async open(index) {
    this.showProgress();
    if (index < 0 || !this.items.length) return this.finished();
    this.leave();
    const { position } = this.items[index];
    const item = await this.load(position);
    if (!item) return this.setLoading(!this.item);
    this.index = index;
    this.item = item;
    this.answer = this.item.answer;
    this.severities = new Map(this.task.questions.map((question) => [
      question.name, question.severities[0]?.value || "",
    ]));
    this.active = null;
    history.replaceState(null, "", `#${position}`);
    byId("comment").value = this.answer.comment;
    this.showTexts();
    this.showNotice("");
    this.render();
    this.showProgress();
    this.outbox.add(position, { action: "seen", value: this.item.premarks.length > 0 });
    this.focusFirst();
  }

  // An item; null where the server gives none, which the page says. Until it is here nothing can be
  // answered: what is shown is the item before.
  async load(position) {
    this.setLoading(true);
    try {
      return await this.get(`/${position}`);
    } catch (error) {
      this.showNotice(error.message);
      return null;
    } finally {
      this.setLoading(false);
    }
  }

  setLoading(loading) {
    this.loading = work.inert = loading;
  }

  finished() {
    if (!this.items.length) return this.showNothing();
    this.showNotice("Everything is finished. Thank you.");
    if (this.index === undefined) this.open(0);
  }

  showNothing() {
    const adjudicates = "adjudicator" in work.dataset;
    this.showNotice(adjudicates ? "No item that two people have finished has different answers." : "There is nothing to do here.");
    for (const part of work.querySelectorAll(".source, form, .comment-label, #comment, .actions")) part.hidden = true;
    this.showStatus(this.outbox.size, "");
  }

  showTexts() {
    for (const side of ["summary", "summary-2"]) this.texts[side]?.end();
    const sides = ["summary", "summary-2"].slice(0, this.item.summaries.length);
    const order = this.item.swapped ? [1, 0] : [0, 1];
    const sections = sides.map((side, place) => {
      const title = sides.length > 1 ? `Summary ${"AB"[place]}` : "Summary";
      const box = element("div", { id: side, className: "text", tabIndex: 0, role: "group", dir: "auto" });
      box.setAttribute("aria-labelledby", `${side}-title`);
      const text = new MarkedText(box, () => this.moved(side));
      text.show(this.item.summaries[order[place]], this.item.words.summary && !place ? this.item.words.summary : []);
      this.texts[side] = text;
      return element("section", {}, element("h2", { id: `${side}-title` }, title), box);
    });
    byId("summaries").replaceChildren(...this.fields(), ...sections);
    this.texts.source.show(this.item.source, this.item.words.source || []);
  }

  // The fields of the row that the task shows; numbers in three places.
  fields() {
    const rows = Object.entries(this.item.shown).map(([name, value]) => element("div", {},
      element("dt", {}, name),
      element("dd", {}, ...visible(String(typeof value === "number" ? Math.round(value * 1000) / 1000 : value)))));
    return rows.length ? [element("dl", { className: "shown" }, ...rows)] : [];
  }

  render() {
    const given = applicable(this.task, this.answer, (removed) => this.leftOf(removed));
    this.given = given;
    for (const side of ["summary", "source"]) this.texts[side].update(this.layers(side), this.struck(side));
    this.questions.update(this.answer, given, this.item.others, this.severities);
    this.showReference();
    for (const state of ["done", "skip", "unclear"]) {
      const is = { done: "done", skip: "skipped", unclear: "unclear" }[state] === this.answer.state;
      byId(state).setAttribute("aria-pressed", String(is));
    }
  }

  layers(side) {
    const layers = [];
    for (const question of this.spanQuestions(side)) {
      for (const mark of this.given[question.name] || []) {
        const type = question.choices.find((choice) => choice.value === mark.type);
        const title = [type?.words, mark.severity].filter(Boolean).join(", ");
        layers.push({ ...mark, question, layer: this.questions.layer(question, mark.type), key: type?.key, title });
      }
      for (const { annotator: who, marks } of this.item.others) {
        for (const mark of marks[question.name] || []) {
          layers.push({ ...mark, id: "", question, layer: "proposed", dashed: true, title: `${who}: ${mark.type}` });
        }
      }
    }
    if (side === "summary" && this.spanQuestions(side).length) {
      for (const mark of this.openPremarks()) {
        const doubt = mark.score === null ? "" : `, ${Math.round(100 * mark.score)} per cent`;
        layers.push({ ...mark, id: "", layer: "proposed", dashed: true, title: `${mark.metric}: ${mark.label}${doubt}` });
      }
    }
    return layers;
  }

  // The metric's marks that the annotator has not taken over.
  openPremarks() {
    const taken = new Set(Object.values(this.answer.marks).flat()
      .filter((mark) => mark.origin).map((mark) => `${mark.origin}:${mark.start}:${mark.end}`));
    return this.item.premarks.filter((mark) => !taken.has(`${mark.metric}:${mark.start}:${mark.end}`));
  }

  struck(side) {
    const question = this.task.questions.find(({ kind }) => kind === "deletion");
    return question && side === "summary" ? [...(this.given[question.name] || [])].sort((a, b) => a[0] - b[0]) : [];
  }

  spanQuestions(side) {
    return this.task.questions.filter((question) => question.kind === "spans"
      && question.side === side && applies(question, this.given));
  }

  leftOf(removed) {
    const text = this.texts.summary;
    const pieces = [];
    let position = 0;
    for (const [start, end] of [...removed].sort((a, b) => a[0] - b[0])) {
      pieces.push(text.slice(position, start));
      position = Math.max(position, end);
    }
    pieces.push(text.slice(position));
    return pieces.join("").split(/\s+/u).filter(Boolean).join(" ");
  }

  showReference() {
    const box = byId("reference");
    const { pilot } = this.item;
    box.hidden = !this.item.is_pilot;
    const title = element("h2", {}, "Practice");
    if (!pilot) {
      box.replaceChildren(title, element("p", {}, "Answer, then press Done to see the reference answers."));
      return;
    }
    const rows = Object.entries(pilot.answers).flatMap(([name, value]) => {
      const question = this.task.questions.find((question) => question.name === name);
      const runs = question.kind === "deletion" ? value.map(({ start, end }) => [start, end]) : value;
      return [element("dt", {}, question.ask), element("dd", {}, ...visible(this.questions.inWords(question, runs)))];
    });
    box.replaceChildren(title, element("dl", {}, ...rows), element("p", {}, pilot.note));
  }

  showStatus(waiting, problem) {
    const status = byId("status");
    status.classList.toggle("problem", Boolean(problem));
    status.textContent = waiting ? `${problem} ${waiting} not stored yet`.trim() : "All stored";
  }

  showProgress() {
    const finished = this.items.filter((item) => item.state !== "open").length;
    byId("progress").max = Math.max(1, this.items.length);
    byId("progress").value = finished;
    const shown = this.index === undefined ? "" : `Item ${this.index + 1} of ${this.items.length} · `;
    byId("place").textContent = `${shown}${finished} finished`;
  }

  showNotice(words) {
    const notice = byId("notice");
    notice.textContent = words;
    notice.hidden = !words;
  }

  focusFirst() {
    const [first] = this.task.questions.filter((question) => applies(question, this.given));
    if (!first || first.kind === "tick") byId("summary").focus();
    else this.questions.focus(first);
  }

  // --- answers ---------------------------------------------------------------------------------

  event(action, fields = {}) {
    const seconds = this.seconds;
    this.seconds = 0;
    this.showNotice("");
    return this.outbox.add(this.item.position, { action, seconds, ...fields });
  }

  set(question, value) {
    if (this.loading) return;
    this.answer.values[question.name] = value;
    const hash = question.kind === "deletion" ? { text_hash: this.item.hashes.summary } : {};
    this.event("set", { question: question.name, value, ...hash });
    this.render();
  }

  // In a task about pairs the second summary may be shown first: A is then `second`.
  swap(value) {
    if (!this.item.swapped) return value;
    return { first: "second", second: "first" }[value] || value;
  }

  putMark(question, mark) {
    if (this.loading) return;
    const marks = (this.answer.marks[question.name] || []).filter(({ id }) => id !== mark.id);
    this.answer.marks[question.name] = [...marks, mark].sort((a, b) => a.start - b.start || a.end - b.end);
    const { id, start, end, text, type, severity, origin } = mark;
    const value = { id, start, end, text, type, severity, origin };
    this.event("mark", { question: question.name, value, text_hash: this.item.hashes[question.side] });
    this.render();
    this.say(`${text}: ${type}${severity ? `, ${severity}` : ""}`);
  }

  // Marks what is chosen; on a mark of the same words changes its type.
  mark(question, type) {
    const text = this.texts[question.side];
    const chosen = text.chosen;
    if (!chosen) return;
    const [start, end] = chosen;
    const marks = this.answer.marks[question.name] || [];
    const here = marks.find((mark) => mark.start === start && mark.end === end)
      || (text.anchor === text.head && !text.range
        ? marks.find((mark) => mark.start <= start && mark.end >= end) : null);
    const severity = this.severities.get(question.name);
    if (here) this.putMark(question, { ...here, type });
    else {
      this.putMark(question, {
        id: newKey(), start, end, text: text.slice(start, end), type, severity, origin: "",
      });
    }
    text.box.focus();
  }

  severity(question, value) {
    this.severities.set(question.name, value);
    const [here] = this.texts[question.side].marksHere().filter((mark) => mark.question === question && mark.id);
    if (here) this.putMark(question, this.stored(question, here.id, { severity: value }));
    else this.render();
  }

  stored(question, id, changes) {
    return { ...this.answer.marks[question.name].find((mark) => mark.id === id), ...changes };
  }

  unmark(question, id) {
    if (this.loading) return;
    this.answer.marks[question.name] = this.answer.marks[question.name].filter((mark) => mark.id !== id);
    this.event("unmark", { question: question.name, value: id });
    this.render();
    this.say("mark removed");
  }

  show(question, mark) {
    const text = this.texts[question.side];
    text.choose(mark.start, mark.end);
    text.box.focus();
  }

  activate(question) {
    if (question.kind === "spans" || question.kind === "deletion") this.active = question;
  }

  focusText(question) {
    this.activate(question);
    this.texts[question.side].box.focus();
  }

  // Strikes the chosen words out, or takes them back where all of them are out.
  strike(question) {
    const text = this.texts.summary;
    const words = text.wordsIn(...text.chosen);
    const removed = this.given[question.name];
    const isOut = ([start, end]) => removed.some(([a, b]) => a <= start && b >= end);
    const back = words.every(isOut);
    const out = text.words.filter((word) => (words.includes(word) ? !back : isOut(word)));
    this.set(question, joined(out, text));
    text.box.focus();
    this.say(back ? "taken back" : "struck out");
  }

  takeOver() {
    const [question] = this.spanQuestions("summary");
    const text = this.texts.summary;
    const open = this.openPremarks();
    if (!question || !open.length) return;
    const [start, end] = text.chosen || [0, 0];
    const here = open.find((mark) => mark.start < end && mark.end > start);
    if (!here) {
      const next = open.find((mark) => mark.start >= end) || open[0];
      text.choose(next.start, next.end);
      return;
    }
    const type = question.choices.find((choice) => choice.value === here.label) || question.choices[0];
    this.putMark(question, {
      id: newKey(), start: here.start, end: here.end, text: text.slice(here.start, here.end),
      type: type.value, severity: this.severities.get(question.name), origin: here.metric,
    });
  }

  async finish(state) {
    if (this.loading) return;
    this.questions.flush();
    this.storeComment();
    if (state === "done") {
      const [first] = missing(this.task, this.given);
      if (first) {
        this.showNotice(`No answer yet: ${first.ask}`);
        this.questions.focus(first);
        return;
      }
    }
    const practised = this.item.is_pilot && state === "done" && this.answer.state !== "done";
    this.answer.state = state;
    this.items[this.index].state = state;
    const { item } = this;
    const stored = this.event("state", { value: state });
    if (practised) {
      await stored;
      if (this.item !== item) return;
      this.render();
      byId("reference").scrollIntoView({ block: "nearest" });
      byId("done").focus();
      return;
    }
    await this.open(this.firstOpen(this.index + 1));
  }

  undo() {
    this.questions.flush();
    this.storeComment();
    this.event("undo");
  }

  adopt(position, record) {
    const item = this.items?.find((item) => item.position === position);
    if (item) item.state = record.answer.state;
    if (this.item?.position !== position || this.outbox.size) return;
    this.answer = record.answer;
    this.item.pilot = record.pilot;
    if (document.activeElement !== byId("comment")) byId("comment").value = this.answer.comment;
    this.render();
    this.showProgress();
  }

  async refused(position, message) {
    this.showNotice(message);
    if (this.item?.position !== position) return;
    try {
      const item = await this.get(`/${position}`);
      if (this.item.position !== position) return;
      this.item = item;
      this.answer = item.answer;
      this.items[this.index].state = this.answer.state;
      this.render();
    } catch (error) {
      this.showNotice(`${message} ${error.message}`);
    }
  }

  // Time at work that no event has brought along yet.
  spend() {
    if (this.item && this.seconds) {
      this.event("seen", { value: this.item.premarks.length > 0 });
    }
  }

  // --- time and buttons ------------------------------------------------------------------------

  listen() {
    this.keys = new Keys(this);
    for (const name of ["keydown", "pointerdown", "wheel", "scroll"]) {
      document.addEventListener(name, () => { this.lastInput = Date.now(); }, { passive: true, capture: true });
    }
    setInterval(() => {
      const idle = (Date.now() - this.lastInput) / 1000;
      if (document.visibilityState === "visible" && idle < IDLE_SECONDS) this.seconds += 1;
    }, 1000);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.leave();
    });
    addEventListener("pagehide", () => this.leave());
    const clicks = {
      done: () => this.finish("done"), skip: () => this.finish("skipped"),
      unclear: () => this.finish("unclear"), undo: () => this.undo(),
      next: () => this.step(1), previous: () => this.step(-1),
      "show-help": () => byId("help").showModal(),
      "show-guidelines": () => byId("guidelines").showModal(),
    };
    for (const [id, action] of Object.entries(clicks)) {
      byId(id).addEventListener("click", () => this.loading || action());
    }
    byId("comment").addEventListener("input", () => {
      clearTimeout(this.commentTimer);
      this.commentTimer = setTimeout(() => this.storeComment(), COMMENT_WAIT);
    });
  }

  storeComment() {
    clearTimeout(this.commentTimer);
    const { value } = byId("comment");
    if (!this.item || value === this.answer.comment) return;
    this.answer.comment = value;
    this.event("comment", { value });
  }

  // What is being written, and the time so far, become events before the item goes out of sight.
  leave() {
    this.questions.flush();
    this.storeComment();
    this.spend();
  }

  step(direction) {
    const index = this.index + direction;
    if (index >= 0 && index < this.items.length) this.open(index);
  }

  moved(side) {
    const text = this.texts[side];
    const marks = text.marksHere().map((mark) => mark.title).join("; ");
    const chosen = text.chosen;
    if (chosen && text.words.length) this.say(`${text.slice(...chosen)}${marks ? `, ${marks}` : ""}`);
  }

  say(words) {
    byId("said").textContent = plain(words);
  }
}

// Runs of words that stand beside each other in the text, as [start, end].
function joined(words, text) {
  const runs = [];
  let before = -2;
  for (const word of words) {
    const place = text.words.indexOf(word);
    if (place === before + 1) runs.at(-1)[1] = word[1];
    else runs.push([...word]);
    before = place;
  }
  return runs;
}

const page = new Page();
page.start().catch((error) => page.showNotice(error.message));
