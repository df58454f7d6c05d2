// The questions of a task as a form, with what has been answered. What an answer changes is said to
// the page, which stores it; nothing is kept here.

import { plain, visible } from "./text.js";

const TEXT_WAIT = 500;

// The answers of the questions that apply, in their order; the same rule as `Answer.applicable`.
export function applicable(task, answer, leftOf) {
  const given = {};
  for (const question of task.questions) {
    if (!applies(question, given)) continue;
    const value = answer.values[question.name];
    if (question.kind === "spans") given[question.name] = answer.marks[question.name] || [];
    else if (question.kind === "deletion") given[question.name] = value || [];
    else if (question.kind === "tick") given[question.name] = Boolean(value);
    else if (value !== undefined && value !== null) given[question.name] = value;
    else if (question.start_from in given) {
      given[question.name] = leftOf(given[question.start_from]);
    }
  }
  return given;
}

export function applies(question, given) {
  return Object.entries(question.when).every(([name, answers]) => answers.includes(given[name]));
}

export function missing(task, given) {
  return task.questions.filter((question) => {
    if (!question.required || !applies(question, given) || question.kind === "deletion") return false;
    const value = given[question.name];
    return value === undefined || value === "" || (Array.isArray(value) && !value.length);
  });
}

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "data") Object.assign(made.dataset, value);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== ""));
  return made;
}

function keyOf(choice) {
  return choice.key ? element("kbd", {}, choice.key) : "";
}

export class Questions {
  // page  has: set(question, value), mark(question, type), severity(question, value),
  //       unmark(question, id), show(question, mark), activate(question), focusText(question),
  //       swap(value), leftOf(removed)
  constructor(form, task, page) {
    this.task = task;
    this.page = page;
    this.fields = new Map();
    this.timers = new Map();
    form.replaceChildren(...task.questions.map((question) => this.build(question)));
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  build(question) {
    const field = element("fieldset", { className: "question", data: { name: question.name } });
    const legend = element("legend", {}, question.ask);
    if (!question.required && question.kind !== "deletion") legend.append(element("small", {}, " if any"));
    if (question.kind !== "tick" && question.kind !== "text") field.append(legend);
    if (question.hint) field.append(element("p", { className: "hint" }, question.hint));
    const builders = {
      choice: () => this.radios(question),
      scale: () => this.radios(question),
      tick: () => this.tick(question),
      text: () => this.text(question),
      deletion: () => this.deletion(question),
      spans: () => this.spans(question),
    };
    field.append(...builders[question.kind](), element("div", { className: "others" }));
    field.addEventListener("focusin", () => this.page.activate(question));
    this.fields.set(question.name, field);
    return field;
  }

  radios(question) {
    const row = element("div", { className: "choices" });
    for (const choice of question.choices) {
      const input = element("input", { type: "radio", name: question.name, value: choice.value });
      input.addEventListener("change", () => this.page.set(question, this.typed(question, choice.value)));
      const words = choice.words === choice.value || question.kind === "choice"
        ? choice.words : `${choice.value} ${choice.words}`;
      row.append(element("label", { title: choice.hint }, input, words, " ", keyOf(choice)));
    }
    return [row];
  }

  typed(question, value) {
    return question.kind === "scale" ? Number(value) : this.page.swap(value);
  }

  tick(question) {
    const input = element("input", { type: "checkbox", name: question.name });
    input.addEventListener("change", () => this.page.set(question, input.checked));
    return [element("label", {}, input, question.ask)];
  }

  text(question) {
    const area = element("textarea", { name: question.name, rows: 2, dir: "auto" });
    const store = () => {
      clearTimeout(this.timers.get(question.name));
      if (this.timers.delete(question.name)) this.page.set(question, area.value);
    };
    area.addEventListener("input", () => {
      clearTimeout(this.timers.get(question.name));
      this.timers.set(question.name, setTimeout(store, TEXT_WAIT));
    });
    area.addEventListener("blur", store);
    const words = [question.ask];
    if (!question.required) words.push(element("small", {}, " if any"));
    return [element("label", { className: "written" }, ...words, area)];
  }

  // What is being written is stored at once, so that nothing waits when the item is left.
  flush() {
    for (const [name] of this.timers) this.fields.get(name).querySelector("textarea").dispatchEvent(new Event("blur"));
  }

  deletion(question) {
    const strike = element("button", { type: "button" }, "Strike out, or take back ", element("kbd", {}, "x"));
    strike.addEventListener("click", () => this.page.strike(question));
    return [
      strike,
      element("p", { className: "left" }, "Left: ", element("output", { dir: "auto" })),
    ];
  }

  spans(question) {
    const types = element("div", { className: "choices", role: "group", ariaLabel: "Types" });
    for (const choice of question.choices) {
      const button = element("button", { type: "button", title: choice.hint, data: { type: choice.value } },
        choice.words, " ", keyOf(choice));
      button.addEventListener("click", () => this.page.mark(question, choice.value));
      types.append(button);
    }
    const rows = [types];
    if (question.severities.length) {
      const severities = element("div", { className: "choices", role: "group", ariaLabel: "Severities" });
      for (const choice of question.severities) {
        const button = element("button", {
          type: "button", title: choice.hint, data: { severity: choice.value },
        }, choice.words, " ", keyOf(choice));
        button.addEventListener("click", () => this.page.severity(question, choice.value));
        severities.append(button);
      }
      rows.push(severities);
    }
    rows.push(element("ul", { className: "marks", ariaLabel: "Marks" }));
    return rows;
  }

  // Shows the answers; `severities` holds the one that the next mark of a question gets.
  update(answer, given, others, severities) {
    for (const question of this.task.questions) {
      const field = this.fields.get(question.name);
      field.hidden = !applies(question, given);
      const value = given[question.name];
      if (question.kind === "choice" || question.kind === "scale") {
        const shown = value === undefined ? null : String(question.kind === "choice" ? this.page.swap(value) : value);
        for (const input of field.querySelectorAll("input")) input.checked = input.value === shown;
      } else if (question.kind === "tick") {
        field.querySelector("input").checked = Boolean(value);
      } else if (question.kind === "text") {
        const area = field.querySelector("textarea");
        if (!this.timers.has(question.name)) area.value = value ?? "";
      } else if (question.kind === "deletion") {
        const left = this.page.leftOf(value || []) || "(nothing)";
        field.querySelector("output").replaceChildren(...visible(left));
      } else {
        this.listMarks(question, field, value || [], severities.get(question.name));
      }
      field.querySelector(".others").replaceChildren(...this.said(question, others));
    }
  }

  listMarks(question, field, marks, severity) {
    for (const button of field.querySelectorAll("[data-severity]")) {
      button.setAttribute("aria-pressed", String(button.dataset.severity === severity));
    }
    const rows = marks.map((mark) => {
      const type = question.choices.find((choice) => choice.value === mark.type);
      const words = [type?.words, mark.severity, mark.origin && `from ${mark.origin}`].filter(Boolean).join(", ");
      const show = element("button", { type: "button", className: "quote", dir: "auto" }, "“", ...visible(mark.text), "”");
      show.addEventListener("click", () => this.page.show(question, mark));
      const remove = element("button", { type: "button", ariaLabel: `Remove the mark “${plain(mark.text)}”` }, "×");
      remove.addEventListener("click", () => this.page.unmark(question, mark.id));
      const colour = element("span", { className: "colour", ariaHidden: "true" });
      colour.style.setProperty("background", `var(--layer-${this.layer(question, mark.type)})`);
      return element("li", {}, colour, show, element("span", {}, words), remove);
    });
    field.querySelector(".marks").replaceChildren(...rows);
  }

  layer(question, type) {
    return Math.max(0, question.choices.findIndex((choice) => choice.value === type)) % 8;
  }

  // What annotators answered, for who decides.
  said(question, others) {
    return others.map(({ annotator, values, marks }) => {
      const value = question.kind === "spans" ? marks[question.name] : values[question.name];
      return element("p", {}, element("b", {}, `${annotator}: `), ...visible(this.inWords(question, value)));
    });
  }

  inWords(question, value) {
    if (question.kind === "deletion") return this.page.leftOf(value || []) || "(nothing)";
    if (question.kind === "spans") {
      return (value || []).map((mark) => `“${mark.text}” (${[mark.type, mark.severity].filter(Boolean).join(", ")})`).join("; ") || "no mark";
    }
    if (question.kind === "tick") return value ? "yes" : "no";
    if (value === undefined || value === null) return "–";
    const shown = question.kind === "choice" ? this.page.swap(value) : String(value);
    return question.choices.find((choice) => choice.value === shown)?.words || shown;
  }

  // Gives a choice by its key; true where the question has one of this key.
  key(question, key) {
    const choice = question.choices.find((choice) => choice.key === key);
    if (!choice || !["choice", "scale"].includes(question.kind)) return false;
    const input = this.fields.get(question.name).querySelector(`input[value="${CSS.escape(choice.value)}"]`);
    input.checked = true;
    this.page.set(question, this.typed(question, choice.value));
    return true;
  }

  focus(question) {
    // Its buttons put marks: a key that is meant for the page must not press one.
    if (question.kind === "spans" || question.kind === "deletion") return this.page.focusText(question);
    const field = this.fields.get(question.name);
    const target = field.querySelector("input:checked") || field.querySelector("input, textarea, button");
    target.focus();
    field.scrollIntoView({ block: "nearest" });
  }

  focused() {
    const field = document.activeElement?.closest?.(".question");
    return field ? this.task.questions.find((question) => question.name === field.dataset.name) : null;
  }
}
