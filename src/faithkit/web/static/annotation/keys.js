// What keys do on the work page.

import { applies } from "./questions.js";

const byId = (id) => document.getElementById(id);

export class Keys {
  // page  the work page: its item and answers, and what becomes an event
  constructor(page) {
    this.page = page;
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (!this.page.item || this.page.loading || document.querySelector("dialog[open]")) return;
    const target = document.activeElement;
    const writing = target.matches("textarea, input[type=text]");
    const control = event.ctrlKey || event.metaKey;
    let used = true;
    if (event.key === "Enter" && (control || !(writing || target.matches("button, a, summary")))) {
      this.page.finish("done");
    } else if (writing) {
      used = event.key === "Escape";
      if (used) target.blur();
    } else if (control && event.key === "z") this.page.undo();
    else if (control || event.altKey) used = false;
    else used = this.textKey(event, target) || this.questionKey(event.key) || this.pageKey(event.key);
    if (used) event.preventDefault();
  }

  pageKey(key) {
    const actions = {
      n: () => this.page.step(1), p: () => this.page.step(-1), u: () => this.page.undo(),
      k: () => this.page.finish("skipped"), l: () => this.page.finish("unclear"),
      c: () => byId("comment").focus(), m: () => this.page.takeOver(),
      g: () => byId("guidelines").showModal(), h: () => byId("help").showModal(),
      "?": () => byId("help").showModal(),
    };
    if (!(key in actions)) return false;
    actions[key]();
    return true;
  }

  textKey(event, target) {
    const side = ["summary", "source"].find((name) => this.page.texts[name].box === target);
    if (!side) return false;
    const text = this.page.texts[side];
    if (text.key(event)) return true;
    const removes = ["x", "Delete", "Backspace"].includes(event.key);
    const question = this.questionAt(side);
    if (!question) return false;
    if (question.kind === "deletion") {
      if (removes || event.key === " ") this.page.strike(question);
      return removes || event.key === " ";
    }
    if (removes) {
      const [here] = text.marksHere().filter((mark) => mark.id);
      if (here) this.page.unmark(here.question, here.id);
      return true;
    }
    if (event.key === "[" || event.key === "]") return this.toMark(text, event.key === "]" ? 1 : -1);
    const type = question.choices.find((choice) => choice.key === event.key)
      || (event.key === " " ? question.choices[0] : null);
    if (type) this.page.mark(question, type.value);
    const severity = question.severities.find((choice) => choice.key === event.key);
    if (severity) this.page.severity(question, severity.value);
    return Boolean(type || severity);
  }

  // The question that keys on a text belong to: the one last used, or the first that applies.
  questionAt(side) {
    const deletions = side === "summary"
      ? this.page.task.questions.filter((question) => question.kind === "deletion" && applies(question, this.page.given)) : [];
    const questions = [...deletions, ...this.page.spanQuestions(side)];
    return questions.includes(this.page.active) ? this.page.active : questions[0];
  }

  toMark(text, direction) {
    const marks = [...text.marks].sort((a, b) => a.start - b.start || a.end - b.end);
    const [start, end] = text.chosen;
    const next = direction > 0
      ? marks.find((mark) => mark.start > start || (mark.start === start && mark.end > end))
      : marks.findLast((mark) => mark.start < start || (mark.start === start && mark.end < end));
    if (next) text.choose(next.start, next.end);
    return true;
  }

  questionKey(key) {
    const question = this.page.questions.focused() || this.firstUnanswered();
    if (!question || !this.page.questions.key(question, key)) return false;
    const shown = this.page.task.questions.filter((other) => applies(other, this.page.given));
    const next = shown.slice(shown.indexOf(question) + 1)
      .find((other) => other.required || other.kind !== "text");
    if (next) this.page.questions.focus(next);
    else byId("done").focus({ preventScroll: true });
    return true;
  }

  firstUnanswered() {
    return this.page.task.questions.find((question) => ["choice", "scale"].includes(question.kind)
      && applies(question, this.page.given) && this.page.given[question.name] === undefined);
  }
}
