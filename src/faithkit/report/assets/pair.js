// A pair: the marked summary and its source side by side, and the way from a mark to its evidence and back.
"use strict";

/** How sure a doubt is, in words and as one of three grades (which have their own underlines). */
faithkit.doubt = function (doubt) {
  if (doubt === null) return { grade: 2, words: "marked as unsupported" };
  if (doubt >= 0.75) return { grade: 3, words: "very likely unsupported" };
  return doubt >= 0.5 ? { grade: 2, words: "probably unsupported" } : { grade: 1, words: "possibly unsupported" };
};

/** The sentence about a mark that is shown on hover and on focus, and in the notes. */
faithkit.markWords = function (mark) {
  const { words } = faithkit.doubt(mark.doubt);
  const by = Object.entries(mark.by).map(([metric, doubt]) => (doubt === null ? metric : `${metric} ${faithkit.percent(doubt)}`));
  return `${words[0].toUpperCase()}${words.slice(1)} (doubt by ${by.join(", ")})`;
};

/**
 * Shows a row (a RowView) in `place`.
 *
 * Returns what keys call: mark(step), sentence(step), evidence(), back(); and destroy().
 */
faithkit.pair = function (place, row) {
  const { element } = faithkit;
  const view = { row, place, chosen: null, marks: [], least: [], evidence: [] };
  // The places of the marks in the text, from mark 1 on.
  view.numbered = row.marks.map((_, at) => at).sort((one, other) => row.marks[one].number - row.marks[other].number);
  const summary = element("div", { class: "text", dir: "auto" });
  const source = element("div", { class: "text", dir: "auto" });
  const sourceScroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Source text" }, source);
  const status = element("p", { class: "spoken", role: "status" });
  faithkit.fillSummary(view, summary);
  faithkit.fillSource(view, source);
  const map = faithkit.map(sourceScroll, () => view.evidence.flatMap((one) => one.nodes.slice(0, 1).map((node) => ({ node, kind: one.kind(view) }))));
  Object.assign(view, { map, status, tip: element("div", { class: "tip", role: "tooltip", id: "tip", hidden: true }) });
  place.replaceChildren(
    element(
      "div",
      { class: "panes" },
      element("section", { class: "pane", "aria-label": "Summary" }, element("h3", {}, "Summary"), faithkit.legend(row), summary, faithkit.notes(view)),
      element("section", { class: "pane source", "aria-label": "Source" }, element("h3", {}, "Source"), element("div", { class: "scrolled" }, sourceScroll, map.rail)),
    ),
    faithkit.scoreTable(row),
    status,
    view.tip,
  );
  const redraw = () => map.draw();
  window.addEventListener("resize", redraw);
  map.draw();
  return {
    mark: (step) => faithkit.step(view, "mark", step),
    sentence: (step) => faithkit.step(view, "sentence", step),
    evidence: () => faithkit.toEvidence(view),
    back: () => faithkit.toMark(view),
    hideTip: () => faithkit.hideTip(view),
    destroy: () => window.removeEventListener("resize", redraw),
  };
};

/** What the underlines and colours mean; only what this row has. */
faithkit.legend = function (row) {
  const { element } = faithkit;
  const items = [];
  if (row.marks.length) {
    const sample = (grade, words) => element("li", {}, element("span", { class: `mark grade-${grade}`, style: { "--doubt": String([0, 0.4, 0.65, 0.95][grade]) } }, "words"), ` ${words}`);
    items.push(sample(3, "very likely unsupported"), sample(2, "probably"), sample(1, "possibly"));
  }
  const least = row.least_supported;
  if (least && row.marks.length) items.push(element("li", {}, element("span", { class: "least", style: faithkit.leastStyle(row) }, "sentence"), ` the least supported${faithkit.failed(row).length ? ", doubted as a whole" : ""}`));
  if (row.human.length) items.push(element("li", {}, element("span", { class: "human" }, "words"), " marked by people"));
  return element("div", {}, row.marks.length ? null : element("p", { class: "soft" }, faithkit.unmarkedWords(row)), items.length ? element("ul", { class: "legend" }, ...items) : null);
};

/** What is said of a summary in which no word is marked. */
faithkit.unmarkedWords = function (row) {
  if (!row.scores.some((score) => score.outcome === "ok")) return "Nothing was scored, so nothing is marked.";
  const failed = faithkit.failed(row);
  if (row.least_supported) {
    return failed.length
      ? "No word is marked, because no single word stands out. The underlined sentence is doubted as a whole."
      : "No word is marked. The underlined sentence is the least supported; it need not be wrong, and an error may be in another.";
  }
  const doubting = row.scores.filter((score) => score.verdict === "undecided").map((score) => score.metric).concat(failed);
  if (!doubting.length) return "No words are marked.";
  return `No word is marked: the verdict of ${doubting.join(" and ")} is about the summary as a whole.`;
};

/** The metrics by which a row is not consistent. */
faithkit.failed = function (row) {
  return row.scores.filter((score) => score.verdict === "not consistent").map((score) => score.metric);
};

/** The colour of the least supported sentence: that of the verdict, deeper with its doubt. */
faithkit.leastStyle = function (row) {
  const { supported } = row.least_supported;
  return { "--doubt": String(supported === null ? 0.5 : 1 - supported), "--tone": faithkit.failed(row).length ? "var(--bad)" : "var(--open)" };
};

/** The summary: pieces of text inside marks, and human spans and sentences on the pieces. `at` is the place of a range
 *  among those of its type. */
faithkit.fillSummary = function (view, target) {
  const { row } = view;
  const least = row.least_supported;
  const ranges = [
    ...row.marks.map((mark, at) => ({ ...mark, type: "mark", at })),
    ...row.human.map((span, at) => ({ ...span, type: "human", at })),
    ...row.sentences.map((sentence, at) => ({ ...sentence, type: "sentence", at })),
    ...(least ? [{ ...least, type: "least", at: 0 }] : []),
  ];
  // Beside marks of other metrics in it, it is no element of its own: one button in another has no meaning.
  const alone = least && !row.marks.some((mark) => mark.start < least.end && least.start < mark.end);
  view.sentenceNodes = row.sentences.map(() => []);
  if (!row.summary.trim()) target.append(faithkit.element("span", { class: "soft" }, "(empty)"));
  let open = null;
  for (const piece of faithkit.pieces(row.summary, ranges)) {
    const covers = piece.covers.map((number) => ranges[number]);
    const mark = covers.find((range) => range.type === "mark");
    const doubted = covers.find((range) => range.type === "least");
    const around = mark || (alone ? doubted : undefined);
    if (open && open.range !== around) open = faithkit.closeRange(open);
    if (around && !open) {
      open = { range: around, node: mark ? faithkit.markNode(view, mark) : faithkit.leastNode(view) };
      target.append(open.node);
    }
    const spans = covers.filter((range) => range.type === "human");
    const sentence = covers.find((range) => range.type === "sentence");
    const node = faithkit.element("span", { class: spans.length ? "human" : null, title: spans.length ? faithkit.humanWords(spans) : null });
    faithkit.appendText(node, row.summary.slice(piece.start, piece.end));
    for (const span of spans.filter((one) => one.end === piece.end)) {
      faithkit.appendSign(node, faithkit.letter(span.at), ` (marked by people, ${faithkit.letter(span.at)}: ${faithkit.humanWords([span])}) `);
    }
    if (doubted && !alone) {
      node.setAttribute("tabindex", "-1");
      faithkit.doubtNode(view, node);
    }
    if (sentence) {
      view.sentenceNodes[sentence.at].push(node);
      node.addEventListener("click", () => mark || doubted || faithkit.choose(view, "sentence", sentence.at));
    }
    (open ? open.node : target).append(node);
  }
  if (open) faithkit.closeRange(open);
};

/** Makes a node one of the least supported sentence. */
faithkit.doubtNode = function (view, node) {
  node.classList.add("least");
  for (const [property, setting] of Object.entries(faithkit.leastStyle(view.row))) node.style.setProperty(property, setting);
  node.addEventListener("click", (event) => event.target.closest("mark") || faithkit.choose(view, "least", 0));
  view.least.push(node);
};

faithkit.leastNode = function (view) {
  const title = `Least supported sentence${faithkit.likelyWords(view.row.least_supported)}`;
  const node = faithkit.element("span", { role: "button", tabindex: "0", title, on: { focus: () => faithkit.choose(view, "least", 0) } });
  faithkit.doubtNode(view, node);
  return node;
};

faithkit.markNode = function (view, mark) {
  const { grade } = faithkit.doubt(mark.doubt);
  const node = faithkit.element("mark", {
    class: `mark grade-${grade}`,
    role: "button",
    tabindex: "0",
    "aria-describedby": "tip",
    style: { "--doubt": String(mark.doubt === null ? 0.5 : mark.doubt) },
    on: {
      focus: () => faithkit.choose(view, "mark", mark.at),
      click: () => faithkit.choose(view, "mark", mark.at),
      mouseenter: () => faithkit.showTip(view, mark.at),
      mouseleave: () => faithkit.hideTip(view),
      blur: () => faithkit.hideTip(view),
    },
  });
  view.marks[mark.at] = node;
  return node;
};

/** Ends words with a number or letter for those who see and a text for those who hear. The text comes first: last, it
 *  would have its place, and a part of the outline, elsewhere in a line that is written both ways. */
faithkit.appendSign = function (node, sign, text) {
  node.append(faithkit.spoken(text), faithkit.element("sup", { "aria-hidden": "true" }, sign));
};

/** Says at the end of a mark or of the least supported sentence what it was. */
faithkit.closeRange = function ({ range, node }) {
  if (range.type === "least") {
    node.append(faithkit.spoken(` (least supported sentence${faithkit.likelyWords(range)}) `));
    return null;
  }
  const said = range.doubt === null ? "unsupported" : `unsupported, ${Math.round(100 * range.doubt)} per cent`;
  faithkit.appendSign(node, String(range.number), ` (mark ${range.number}: ${said}) `);
  return null;
};

faithkit.likelyWords = function (least) {
  return least.supported === null ? "" : `, ${faithkit.percent(least.supported)} likely to be supported`;
};

/** a, b, ..., z, aa, ab, ... */
faithkit.letter = function (number) {
  const last = String.fromCharCode(97 + (number % 26));
  return number < 26 ? last : faithkit.letter(Math.floor(number / 26) - 1) + last;
};

faithkit.humanWords = function (spans) {
  return spans.map((span) => [span.kind || "marked", span.annotator].filter(Boolean).join(", by ")).join("; ");
};

/** The source: every place that is evidence of a mark or of a sentence is an element of its own. */
faithkit.fillSource = function (view, target) {
  const { row } = view;
  const ranges = [];
  const add = (owner, number) => (item) => ranges.push({ start: item.start, end: item.end, owner, number, nodes: [], kind: (shown) => (faithkit.isChosen(shown, owner, number) ? "chosen" : owner) });
  row.marks.forEach((mark, number) => mark.evidence.forEach(add("mark", number)));
  row.sentences.forEach((sentence, number) => sentence.evidence.forEach(add("sentence", number)));
  const least = row.least_supported;
  if (least) add("least", 0)({ start: least.source_start, end: least.source_end });
  if (!row.source.trim()) target.append(faithkit.element("span", { class: "soft" }, "(empty)"));
  for (const piece of faithkit.pieces(row.source, ranges)) {
    if (!piece.covers.length) {
      faithkit.appendText(target, row.source.slice(piece.start, piece.end));
      continue;
    }
    const owners = piece.covers.map((number) => ranges[number]);
    const first = owners.find((range) => range.owner === "mark") || owners.find((range) => range.owner === "least");
    const node = faithkit.element("span", { class: first ? "evidence of-mark" : "evidence", tabindex: "-1" });
    faithkit.appendText(node, row.source.slice(piece.start, piece.end));
    const numbers = owners.filter((range) => range.owner === "mark" && range.end === piece.end).map((range) => row.marks[range.number].number);
    const ending = [...new Set(numbers)].sort((one, other) => one - other);
    if (ending.length) faithkit.appendSign(node, ending.join(" "), ` (evidence for mark ${ending.join(", ")}) `);
    if (first) node.addEventListener("click", () => { faithkit.choose(view, first.owner, first.number); faithkit.toMark(view); });
    for (const range of owners) range.nodes.push(node);
    target.append(node);
  }
  view.evidence = ranges;
};

faithkit.isChosen = function (view, owner, number) {
  return view.chosen !== null && view.chosen.owner === owner && view.chosen.number === number;
};

/** Chooses a mark, a sentence or the least supported one ("least", 0): it and its evidence are shown, the best of it scrolled into view. */
faithkit.choose = function (view, owner, number) {
  if (faithkit.isChosen(view, owner, number)) {
    if (owner === "mark") faithkit.showTip(view, number);
    return;
  }
  view.chosen = { owner, number };
  for (const node of view.place.querySelectorAll(".chosen, .best")) node.classList.remove("chosen", "best");
  const mine = view.evidence.filter((range) => range.owner === owner && range.number === number);
  for (const range of mine) for (const node of range.nodes) node.classList.add("chosen");
  if (mine.length) {
    for (const node of mine[0].nodes) node.classList.add("best");
    faithkit.scrollWithin(mine[0].nodes[0]);
  }
  for (const node of faithkit.nodesOf(view, owner, number)) node.classList.add("chosen");
  const note = view.place.querySelector(`[data-note="${owner === "mark" ? number : owner}"]`);
  if (note) note.classList.add("chosen");
  if (owner === "mark") faithkit.showTip(view, number);
  else if (owner === "least") view.status.textContent = "The least supported sentence; the nearest sentence of the source is highlighted.";
  else view.status.textContent = `Sentence ${number + 1} of ${view.row.sentences.length}; ${faithkit.count(mine.length, "place")} of the source ${mine.length === 1 ? "was" : "were"} read for it.`;
  view.map.draw();
};

/** The elements of the summary that show a mark or a sentence. */
faithkit.nodesOf = function (view, owner, number) {
  if (owner === "mark") return [view.marks[number]];
  return owner === "least" ? view.least : view.sentenceNodes[number];
};

/** Scrolls the source pane, and not the page under the reader. */
faithkit.scrollWithin = function (node) {
  const pane = node.closest(".scroll");
  if (pane.scrollHeight <= pane.clientHeight) return;
  const away = node.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  pane.scrollTo({ top: pane.scrollTop + away - pane.clientHeight / 3 });
};

faithkit.showTip = function (view, number) {
  const mark = view.row.marks[number];
  const box = view.marks[number].getBoundingClientRect();
  const tip = view.tip;
  const best = mark.evidence[0];
  tip.replaceChildren(faithkit.element("strong", {}, `${mark.number}. ${faithkit.markWords(mark)}.`));
  if (!best) {
    tip.append(faithkit.element("span", { class: "block" }, "No evidence is named."));
  } else if (!faithkit.isChosen(view, "mark", number) || window.matchMedia("(max-width: 52rem)").matches) {
    // Of a chosen mark the source beside it shows it; on a phone the source is further down.
    tip.append(faithkit.element("span", { class: "block" }, "Nearest in the source: ", faithkit.quoted(view.row.source.slice(best.start, best.end), 220)));
  }
  tip.hidden = false;
  // Beside the source, not over it: that is where the evidence is.
  const right = view.place.querySelector(".pane").getBoundingClientRect().right;
  const left = Math.min(box.left, right - tip.offsetWidth);
  tip.style.setProperty("left", `${Math.max(8, left) + window.scrollX}px`);
  tip.style.setProperty("top", `${box.bottom + 6 + window.scrollY}px`);
};

/** Returns whether there was one to hide. */
faithkit.hideTip = function (view) {
  const shown = !view.tip.hidden;
  view.tip.hidden = true;
  return shown;
};

faithkit.quoted = function (text, most) {
  const flat = faithkit.plain(text.replace(/\s+/g, " ").trim());
  return faithkit.element("q", { dir: "auto" }, flat.length > most ? `${flat.slice(0, most - 1)}…` : flat);
};

/** The marks as numbered notes with their evidence: beneath the summary, and the footnotes in print. */
faithkit.notes = function (view) {
  const { element } = faithkit;
  const { row } = view;
  const toSource = (owner, number) => (event) => {
    event.stopPropagation();
    faithkit.choose(view, owner, number);
    faithkit.toMark(view);
    faithkit.toEvidence(view);
  };
  const made = view.numbered.map((number) => {
    const mark = row.marks[number];
    const { grade } = faithkit.doubt(mark.doubt);
    const quotes = mark.evidence.slice(0, 3).map((item) => faithkit.quoted(row.source.slice(item.start, item.end), 300));
    const touched = row.human.flatMap((span, place) => (span.error && span.start < mark.end && mark.start < span.end ? [faithkit.letter(place)] : []));
    const people = touched.length ? ` People marked words of it too: ${touched.join(", ")}.` : " People marked no word of it.";
    return element(
      "li",
      { "data-note": number, on: { click: () => view.marks[number].focus() } },
      element("span", { class: `mark grade-${grade}`, style: { "--doubt": String(mark.doubt === null ? 0.5 : mark.doubt) } }, faithkit.plain(row.summary.slice(mark.start, mark.end))),
      ` ${faithkit.markWords(mark)}.`,
      row.annotated ? people : null,
      quotes.length ? element("span", { class: "block to-source", on: { click: toSource("mark", number) } }, "Source: ", ...quotes.flatMap((quote, place) => (place ? ["; ", quote] : [quote]))) : null,
    );
  });
  const human = row.human.map((span) =>
    element("li", {}, element("span", { class: "human" }, faithkit.plain(row.summary.slice(span.start, span.end))), ` ${faithkit.humanWords([span])}`),
  );
  return element(
    "div",
    { class: "notes" },
    made.length ? element("h4", {}, made.length > 1 ? "Words in doubt, the most doubtful first" : "Words in doubt") : null,
    made.length ? element("ol", {}, ...made) : null,
    ...faithkit.leastSupported(row, "h4", toSource("least", 0)),
    human.length ? element("h4", {}, "Marked by people") : null,
    human.length ? element("ol", { class: "letters" }, ...human) : null,
    row.problem ? element("p", { class: "note" }, `What people marked is not shown: ${row.problem}`) : null,
  );
};

/** The least supported sentence, where no mark shows it, beside the nearest of the source; `toSource`: what a click on
 *  the quotation does, if anything. */
faithkit.leastSupported = function (row, heading = "h4", toSource = null) {
  const { element } = faithkit;
  const least = row.least_supported;
  if (!least) return [];
  const likely = least.supported === null ? "" : ` ${faithkit.percent(least.supported)} likely to be supported.`;
  const marked = row.marks.some((mark) => mark.start < least.end && least.start < mark.end);
  const whole = marked ? "" : ` No single word of it stands out${faithkit.failed(row).length ? ": it is doubted as a whole" : ""}.`;
  const linked = toSource ? { class: "block to-source", on: { click: toSource } } : { class: "block" };
  return [
    element(heading, {}, "Least supported sentence"),
    element(
      "p",
      { "data-note": "least" },
      faithkit.quoted(row.summary.slice(least.start, least.end), 300),
      `${likely}${whole}`,
      element("span", linked, "Source: ", faithkit.quoted(row.source.slice(least.source_start, least.source_end), 300)),
    ),
  ];
};

/** Every number and text that the metrics gave for this row. */
faithkit.scoreTable = function (row) {
  const { element, number } = faithkit;
  const rows = row.scores.map((score) => [
    score.metric,
    score.outcome === "ok" ? number(score.value) : `${score.value === null ? "" : `${number(score.value)} `}${faithkit.outcome(score.outcome)}`,
    score.verdict ? faithkit.verdict(score.verdict) : "–",
    Object.entries(score.parts).filter(([name]) => name !== "verdict").map(([name, value]) => `${name.replaceAll("_", " ")} ${Number.isInteger(value) ? value : number(value)}`).join(", ") || "–",
    score.cut || "nothing",
  ]);
  return element("section", { class: "all-scores" }, faithkit.table(["metric", "score", "verdict", "parts", "cut"], rows, "Scores of this row"), ...faithkit.scoreTexts(row));
};

/** Each text that metrics gave, once, with the metrics that gave it: what they wrote, and what they left out. */
faithkit.scoreTexts = function (row) {
  const { element } = faithkit;
  const given = new Map();
  for (const { metric, texts } of row.scores) {
    for (const [name, text] of Object.entries(texts)) {
      const key = JSON.stringify([name, text]);
      given.set(key, [...(given.get(key) || []), metric]);
    }
  }
  return [...given].map(([key, metrics]) => {
    const [name, text] = JSON.parse(key);
    const heading = element("b", {}, `${name.replaceAll("_", " ")} by ${metrics.join(", ")}: `);
    return element("p", {}, heading, element("span", { dir: "auto" }, faithkit.plain(text) || "(empty)"));
  });
};

/** To the next (or previous) mark or sentence; `step` is 1 or -1. Marks by their numbers, then the least supported
 *  sentence; sentences in the order of the text. */
faithkit.step = function (view, owner, step) {
  const stops = owner === "mark" ? view.numbered.map((number) => ({ owner, number })) : view.sentenceNodes.map((_, number) => ({ owner, number }));
  if (owner === "mark" && view.least.length) stops.push({ owner: "least", number: 0 });
  if (!stops.length) {
    view.status.textContent = owner === "mark" ? "No words are marked." : "No sentence has evidence.";
    return;
  }
  const at = view.chosen ? stops.findIndex((stop) => faithkit.isChosen(view, stop.owner, stop.number)) : -1;
  const from = at >= 0 ? at : step > 0 ? -1 : stops.length;
  const next = stops[(from + step + stops.length) % stops.length];
  faithkit.choose(view, next.owner, next.number);
  faithkit.toMark(view);
};

/** From the chosen mark or sentence to its evidence; the focus goes along. */
faithkit.toEvidence = function (view) {
  if (!view.chosen) return;
  const { owner, number } = view.chosen;
  const mine = view.evidence.find((range) => range.owner === owner && range.number === number);
  if (!mine) {
    view.status.textContent = "No evidence is named for this.";
    return;
  }
  mine.nodes[0].focus();
};

/** To what is chosen: from its evidence, or by a key. */
faithkit.toMark = function (view) {
  if (!view.chosen) return;
  const [node] = faithkit.nodesOf(view, view.chosen.owner, view.chosen.number);
  if (view.chosen.owner !== "sentence") node.focus();
  node.scrollIntoView({ block: "nearest" });
};
