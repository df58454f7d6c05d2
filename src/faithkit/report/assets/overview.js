// The overview: what the rows of each metric, system and group add up to.
"use strict";

/** Fills `place` with the overview. `filter(change)` narrows the list below, as a click on a bar does. */
faithkit.overview = function (place, overview, filter) {
  const { element } = faithkit;
  place.replaceChildren(
    ...overview.notes.map((note) => element("p", { class: "note" }, note)),
    element("h2", { class: "spoken" }, "Metrics"),
    element("div", { class: "cards" }, ...overview.metrics.map((metric) => faithkit.metricCard(metric, filter))),
    ...faithkit.groupTables(overview, filter),
    ...faithkit.correlationTable(overview.correlation),
  );
};

/** One metric: distribution, figures, verdicts, what is missing, agreement with people, signature. */
faithkit.metricCard = function (metric, filter) {
  const { element, number, count } = faithkit;
  const rows = Object.values(metric.outcomes).reduce((sum, one) => sum + one, 0);
  const missing = Object.entries(metric.outcomes).filter(([name]) => name !== "ok");
  const lines = [];
  for (const [name, many] of missing) lines.push(`${many} ${faithkit.outcome(name)}`);
  if (metric.absent) lines.push(`${metric.absent} missing from its scores`);
  const chart = metric.histogram ? faithkit.histogram(metric, filter) : element("p", {}, "No row has a value.");
  const figures = [
    element(
      "dl",
      { class: "figures" },
      ...faithkit.figure(metric.mean_interval ? "mean [95% interval]" : "mean", number(metric.mean), faithkit.interval(metric.mean_interval, number)),
      ...faithkit.figure("median", number(metric.median)),
      ...faithkit.figure("least", number(metric.least)),
      ...faithkit.figure("greatest", number(metric.greatest)),
    ),
    ...faithkit.verdictBar(metric, filter),
    element(
      "p",
      {},
      `${metric.scored.toLocaleString("en")} of ${count(rows + metric.absent, "row")} scored`,
      lines.length ? `; ${lines.join(", ")}.` : ".",
    ),
    metric.cut ? element("p", { class: "note" }, `Cut because it did not fit: ${metric.cut}.`) : null,
  ];
  const signature = element(
    "details",
    { class: "soft" },
    element("summary", {}, "Signature"),
    element("p", { class: "code" }, metric.signature || "The rows have none."),
    metric.trained_on && metric.trained_on.length
      ? element("p", {}, `Trained on: ${metric.trained_on.join(", ")}. Its scores of texts from these data say little about new texts.`)
      : null,
  );
  // Two halves of about the same height, side by side where the card is wide.
  const human = faithkit.humanFigures(metric.human);
  const halves = human.length ? [[chart, ...figures], [...human, signature]] : [[chart], [...figures, signature]];
  return element(
    "section",
    { class: "card" },
    element("h3", {}, metric.label),
    metric.unit ? element("p", { class: "soft" }, metric.unit) : null,
    element("div", { class: "halves" }, ...halves.map((half) => element("div", { class: "half" }, ...half))),
  );
};

faithkit.figure = function (name, ...value) {
  return [faithkit.element("div", {}, faithkit.element("dt", {}, name), faithkit.element("dd", {}, ...value.filter((part) => part !== null)))];
};

/** Bars with their counts, which are seen where they fit; a click on one filters the list by its range. What it shows
 *  is in words for all who do not see it. */
faithkit.histogram = function (metric, filter) {
  const { element, number } = faithkit;
  const { edges, counts } = metric.histogram;
  const [low, high] = [edges[0], edges[counts.length]];
  const most = Math.max(...counts);
  const said = counts.map((many, part) => `${number(edges[part])} to ${number(edges[part + 1])}: ${faithkit.count(many, "row")}`);
  const parts = counts.map((many, part) => {
    // What is on the border of two bars is counted in the upper one.
    const below = part < counts.length - 1 && low < high ? "yes" : "";
    const range = { metric: metric.label, low: String(edges[part]), high: String(edges[part + 1]), below };
    return element(
      "div",
      { class: "part", title: said[part], on: { click: () => filter(range) } },
      many ? element("span", { class: "many" }, String(many)) : null,
      element("div", { class: many ? "bar" : "bar none", style: { "--share": String(many / most) } }),
    );
  });
  const spoken = `Distribution of ${metric.label} from ${number(low)} to ${number(high)}. ${said.filter((_, part) => counts[part]).join("; ")}.`;
  return element(
    "figure",
    { class: "histogram" },
    element("div", { class: `bars digits-${String(most).length}`, role: "img", "aria-label": spoken }, ...parts),
    element("figcaption", { "aria-hidden": "true" }, element("span", {}, number(low)), element("span", {}, "rows by score"), element("span", {}, number(high))),
  );
};

/** The shares of the verdicts, as a bar and as buttons that filter the list. */
faithkit.verdictBar = function (metric, filter) {
  const { element } = faithkit;
  const order = ["not consistent", "undecided", "consistent"].filter((name) => metric.verdicts[name]);
  if (!order.length) return [];
  const all = order.reduce((sum, name) => sum + metric.verdicts[name], 0);
  const bar = order.map((name) => element("div", { class: faithkit.VERDICT_CLASS[name], style: { "flex-grow": String(metric.verdicts[name]) } }));
  const buttons = order.map((name) =>
    element(
      "span",
      { class: faithkit.VERDICT_CLASS[name] },
      element("span", { "aria-hidden": "true" }, `${faithkit.VERDICT_SIGN[name]} `),
      element("button", { type: "button", on: { click: () => filter({ metric: metric.label, verdict: name }) } }, `${metric.verdicts[name].toLocaleString("en")} ${name}`),
      ` ${faithkit.percent(metric.verdicts[name] / all)}`,
    ),
  );
  return [element("div", { class: "shares", "aria-hidden": "true" }, ...bar), element("p", { class: "verdicts" }, ...buttons)];
};

/** Agreement with people: labels, ratings, spans. */
faithkit.humanFigures = function (human) {
  const { element, number } = faithkit;
  if (!human) return [];
  const lines = [];
  const estimate = (name, found) => {
    if (found) lines.push(`${name} ${found.value === null ? "none" : number(found.value)} (${faithkit.count(found.n, "row")}).`);
  };
  estimate("Area under the ROC curve of people's labels:", human.auc);
  estimate("Rank correlation (Spearman) with people's ratings:", human.spearman);
  if (human.spans) {
    const spans = human.spans;
    lines.push(
      `${spans.confirmed} of ${spans.marks} marks touch words that people marked as errors; ` +
        `${spans.found} of ${spans.spans} such errors have a mark (${faithkit.count(spans.rows, "row")}).`,
    );
  }
  const shown = [element("h4", {}, "Compared with people"), ...lines.map((line) => element("p", {}, line))];
  if (human.table) {
    const names = ["consistent", "undecided", "not consistent"];
    const rows = ["consistent", "not consistent"].map((label) => [
      label,
      ...names.map((name) => String(human.table[label][name] || 0)),
    ]);
    shown.push(faithkit.table(["people", ...names], rows, "Rows by the label of people (down) and the verdict (across)"));
  }
  return shown;
};

/** A table for each field that groups the rows; the first is open. */
faithkit.groupTables = function (overview, filter) {
  const { element, number } = faithkit;
  return overview.groups.map((group, place) => {
    const labels = overview.metrics.map((metric) => metric.label);
    const verdicts = overview.metrics.map((metric) => Object.keys(metric.verdicts).length > 0);
    const labelled = group.values.some((value) => value.labelled);
    const header = [faithkit.fieldName(group.field), "rows"];
    const names = faithkit.groupNames(group.values.map((value) => value.name));
    if (labelled) header.push("people: consistent");
    labels.forEach((label, number) => {
      header.push(`${label}, mean`);
      if (verdicts[number]) header.push("not consistent");
    });
    const rows = group.values.map((value, at) => {
      const link = element("button", { type: "button", class: "link", on: { click: () => filter({ [`group:${group.field}`]: names[at] }) } }, names[at]);
      const cells = [link, value.rows.toLocaleString("en")];
      if (labelled) cells.push(value.labelled ? faithkit.percent(value.consistent / value.labelled) : "–");
      value.metrics.forEach((figures, at) => {
        const unscored = value.rows - figures.scored;
        const mean = faithkit.interval(figures.mean_interval, number);
        cells.push(element("span", {}, number(figures.mean), mean, unscored ? ` (${unscored} unscored)` : ""));
        if (!verdicts[at]) return;
        const all = Object.values(figures.verdicts).reduce((sum, one) => sum + one, 0);
        const share = all ? faithkit.percent((figures.verdicts["not consistent"] || 0) / all) : "–";
        cells.push(element("span", {}, share, faithkit.interval(figures.failed_interval, faithkit.percent)));
      });
      return cells;
    });
    const table = faithkit.table(header, rows, `By ${group.field}`, true);
    const summary = element("summary", {}, "By ", faithkit.fieldName(group.field));
    return element("details", { class: "group", open: place === 0 }, summary, table, element("p", { class: "soft" }, faithkit.intervalWords(overview, group)));
  });
};

/** What is said of the intervals in the table of a field, or of why it has none. */
faithkit.intervalWords = function (overview, group) {
  if (!overview.draws) return "No intervals: they need a list of all rows.";
  if (overview.documents < 10) return "No intervals: they need at least ten documents.";
  const shown = group.values.some((value) => value.metrics.some((figures) => figures.mean_interval || figures.failed_interval));
  if (!shown) return "No intervals: each of these groups has fewer than ten documents, or only values that are the same.";
  return "In brackets: 95% intervals by a bootstrap of documents. A group of fewer than ten documents, or with only values that are the same, has none.";
};

faithkit.correlationTable = function (correlation) {
  if (!correlation) return [];
  const { element } = faithkit;
  const names = correlation.names;
  const rows = names.map((name, row) => [
    name,
    ...correlation.values[row].map((value, column) => (row === column ? "" : value === null ? "–" : value.toFixed(2))),
  ]);
  const caption = "How similarly the metrics rank the rows (Spearman correlation)";
  return [element("details", { class: "group" }, element("summary", {}, caption), faithkit.table(["metric", ...names], rows, caption, true))];
};
