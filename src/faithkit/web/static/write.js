// Marks while a summary is written: one request at a time, for the texts as they are when it begins.
"use strict";

faithkit.QUIET_MILLISECONDS = 100; // without a key before a text is sent
faithkit.RETRY_SECONDS = 2;
faithkit.DRAFT = "faithkit-draft"; // what survives a reload of the page, in this tab only

faithkit.write = function () {
  const byId = (id) => document.getElementById(id);
  const page = {
    source: new faithkit.Editor(byId("source")),
    summary: new faithkit.Editor(byId("summary")),
    verdict: byId("verdict"),
    list: byId("marks"),
    row: null, // the RowView that is shown
    numbered: [], // places of its marks in the order of their numbers, the most doubtful first
    chosen: null, // the place of a mark
    busy: false,
    timer: 0,
  };
  faithkit.restore(page);
  for (const editor of [page.source, page.summary]) editor.area.addEventListener("input", () => faithkit.changed(page));
  page.summary.area.addEventListener("click", () => faithkit.chooseAt(page, page.summary.area.selectionStart));
  document.addEventListener("keydown", (event) => {
    if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      faithkit.stepMark(page, event.key === "ArrowDown" ? 1 : -1);
    }
  });
  const example = byId("example");
  example.addEventListener("click", () => {
    page.source.set(example.dataset.source);
    page.summary.set(example.dataset.summary);
    faithkit.changed(page);
    page.summary.area.focus();
  });
  byId("clear").addEventListener("click", () => {
    page.source.set("");
    page.summary.set("");
    faithkit.changed(page);
    page.source.area.focus();
  });
  faithkit.changed(page);
};

faithkit.restore = function (page) {
  try {
    const { source, summary } = JSON.parse(sessionStorage.getItem(faithkit.DRAFT) || "{}");
    // A browser may have put the texts back itself.
    if (source && !page.source.text) page.source.set(source);
    if (summary && !page.summary.text) page.summary.set(summary);
  } catch {
    // A browser that keeps nothing: the page works without.
  }
};

faithkit.keep = function (texts) {
  try {
    sessionStorage.setItem(faithkit.DRAFT, JSON.stringify(texts));
  } catch {
    // Too long for the browser to keep: a reload begins with empty texts.
  }
};

faithkit.texts = function (page) {
  return { source: page.source.text, summary: page.summary.text };
};

faithkit.changed = function (page) {
  const texts = faithkit.texts(page);
  faithkit.keep(texts);
  const written = Boolean(texts.source || texts.summary);
  document.getElementById("start").hidden = written;
  document.getElementById("clear").hidden = !written;
  for (const [name, text] of Object.entries(texts)) {
    const words = text.split(/\s+/).filter(Boolean).length;
    document.getElementById(`${name}-count`).textContent = words ? faithkit.count(words, "word") : "";
  }
  page.verdict.classList.add("old");
  clearTimeout(page.timer);
  page.timer = setTimeout(() => faithkit.check(page), faithkit.QUIET_MILLISECONDS);
};

/** Asks for the marks of the texts, until it has those of the texts as they are. */
faithkit.check = async function (page) {
  if (page.busy) return;
  page.busy = true;
  try {
    let asked;
    do {
      asked = faithkit.texts(page);
      await faithkit.checkOnce(page, asked);
    } while (asked.source !== page.source.text || asked.summary !== page.summary.text);
  } finally {
    page.busy = false;
  }
};

faithkit.checkOnce = async function (page, texts) {
  if (!texts.source.trim() || !texts.summary.trim()) {
    faithkit.problem("");
    faithkit.showRow(page, null);
    return;
  }
  const slow = setTimeout(() => faithkit.say(page, "Checking …"), 600);
  try {
    const row = await faithkit.send("/app/check", texts);
    faithkit.problem("");
    if (texts.source === page.source.text && texts.summary === page.summary.text) faithkit.showRow(page, row);
  } catch (failed) {
    if (!(failed instanceof faithkit.Failed)) throw failed;
    faithkit.problem(failed.again ? `${failed.message} Your texts are still here; trying again …` : failed.message);
    if (!failed.again) faithkit.showRow(page, null);
    else {
      await faithkit.later(faithkit.RETRY_SECONDS);
      await faithkit.checkOnce(page, faithkit.texts(page));
    }
  } finally {
    clearTimeout(slow);
  }
};

faithkit.say = function (page, ...said) {
  page.verdict.replaceChildren(...said);
};

/** The verdict, the marks and the numbers of a RowView; null: nothing was checked. */
faithkit.showRow = function (page, row) {
  const { element } = faithkit;
  page.row = row;
  page.numbered = row === null ? [] : row.marks.map((_, place) => place).sort((one, other) => row.marks[one].number - row.marks[other].number);
  page.chosen = null;
  page.verdict.classList.remove("old");
  const numbers = document.getElementById("numbers");
  numbers.hidden = row === null;
  page.list.replaceChildren();
  document.getElementById("least").replaceChildren(...(row === null ? [] : faithkit.leastSupported(row, "h2")));
  if (row === null) {
    faithkit.say(page);
  } else {
    faithkit.say(page, ...faithkit.sayings(row));
    page.list.append(...page.numbered.map((place) => faithkit.markItem(page, place)));
    document.getElementById("scores").replaceChildren(faithkit.scoreTable(row));
  }
  faithkit.drawMarks(page);
};

/** What is found, in words: the verdict of each metric, then how many words are marked. */
faithkit.sayings = function (row) {
  const { element } = faithkit;
  const said = row.scores.map((score) => {
    const name = row.scores.length > 1 ? `${score.metric}: ` : "";
    if (score.outcome !== "ok") return element("span", {}, `${name}not scored: ${faithkit.outcome(score.outcome)}`);
    const more = score.probability === null ? "" : `${faithkit.percent(score.probability)} likely to be consistent`;
    return element("span", {}, name, score.verdict ? faithkit.verdict(score.verdict, more) : faithkit.number(score.value));
  });
  const scored = row.scores.some((score) => score.outcome === "ok");
  const marks = row.marks.length ? faithkit.count(row.marks.length, "mark") : "no words are marked";
  if (scored) said.push(element("span", { class: "soft" }, marks));
  return said;
};

faithkit.markItem = function (page, place) {
  const { element } = faithkit;
  const mark = page.row.marks[place];
  const { grade } = faithkit.doubt(mark.doubt);
  const best = mark.evidence[0];
  const words = page.row.summary.slice(mark.start, mark.end);
  const style = { "--doubt": String(mark.doubt === null ? 0.5 : mark.doubt) };
  return element(
    "li",
    {},
    element(
      "button",
      { type: "button", "aria-pressed": "false", on: { click: () => faithkit.chooseMark(page, place) } },
      element("span", { class: `mark grade-${grade}`, style }, faithkit.plain(words)),
      ` ${faithkit.markWords(mark)}.`,
      best ? element("span", { class: "block soft" }, "Nearest in the source: ", faithkit.quoted(page.row.source.slice(best.start, best.end), 200)) : null,
    ),
  );
};

/** The marks of the summary where they are in its text now: after an edit, where the editor has moved them to. */
faithkit.summaryMarks = function (page) {
  const { row, summary } = page;
  if (row === null) return [];
  if (row.summary !== summary.text) return summary.stretches;
  return row.marks.map(({ start, end, doubt, number }, place) => ({ start, end, doubt: doubt === null ? 0.5 : doubt, number, place }));
};

/** Draws the marks of the summary, and in the source the evidence of the chosen one, unless the source was edited. */
faithkit.drawMarks = function (page) {
  const marks = page.row ? page.row.marks : [];
  const kind = (place) => `mark grade-${faithkit.doubt(marks[place].doubt).grade}${place === page.chosen ? " chosen" : ""}`;
  page.summary.mark(faithkit.summaryMarks(page).map((stretch) => ({ ...stretch, class: kind(stretch.place) })));
  const known = page.chosen !== null && page.row.source === page.source.text;
  const evidence = known ? marks[page.chosen].evidence.slice(0, 1) : [];
  page.source.mark(evidence.map(({ start, end }) => ({ start, end, class: "evidence best", number: marks[page.chosen].number })));
  page.list.querySelectorAll("button").forEach((button, at) => button.setAttribute("aria-pressed", String(page.numbered[at] === page.chosen)));
};

/** Chooses a mark: it and its evidence come into view. */
faithkit.chooseMark = function (page, place) {
  page.chosen = place;
  faithkit.drawMarks(page);
  page.summary.reveal(".chosen");
  page.source.reveal(".best");
};

/** Chooses the mark at an offset of the summary, if there is one and the marks are those of the text. */
faithkit.chooseAt = function (page, offset) {
  if (!page.row || page.row.summary !== page.summary.text) return;
  const place = page.row.marks.findIndex((mark) => mark.start <= offset && offset <= mark.end);
  if (place >= 0) faithkit.chooseMark(page, place);
};

/** To the next (or previous) mark by their numbers; `step` is 1 or -1. */
faithkit.stepMark = function (page, step) {
  const count = page.numbered.length;
  if (!count) return;
  const from = page.chosen === null ? (step > 0 ? -1 : count) : page.numbered.indexOf(page.chosen);
  const place = page.numbered[(from + step + count) % count];
  faithkit.chooseMark(page, place);
  const { start } = page.row.marks[place];
  if (page.row.summary === page.summary.text) {
    page.summary.area.focus();
    page.summary.area.setSelectionRange(start, start);
  }
};

faithkit.write();
