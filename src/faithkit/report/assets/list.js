// The list of rows: filtered, sorted, searched and paged. Only the rows of one page are in the document.
"use strict";

faithkit.PAGE_ROWS = 50;

/** What the list shows before anything is chosen. Keys `group:FIELD` hold the value of a field; `below`: whether
 *  `high` itself is left out. */
faithkit.DEFAULTS = { q: "", metric: "", verdict: "", outcome: "", low: "", high: "", below: "", marks: "", human: "", spread: "", sort: "worst", page: "1" };

/** Row numbers that pass the filters, in the order asked for. `matches`: what a search found, or null. */
faithkit.select = function (index, state, matches) {
  const at = Math.max(0, index.metrics.indexOf(state.metric));
  const tests = faithkit.tests(index, state, at);
  if (matches) tests.push(matches);
  const rows = [];
  for (let row = 0; row < index.rows; row += 1) {
    if (tests.every((test) => test(row))) rows.push(row);
  }
  return rows.sort(faithkit.ordering(index, state.sort, at));
};

faithkit.tests = function (index, state, at) {
  const values = index.values[at] || [];
  const verdicts = index.verdicts[at] || [];
  const outcomes = index.outcomes[at] || [];
  const tests = [];
  const add = (wanted, test) => wanted !== "" && wanted !== undefined && tests.push(test);
  const low = parseFloat(state.low);
  const high = parseFloat(state.high);
  const verdict = index.verdict_names.indexOf(state.verdict);
  const outcome = index.outcome_names.indexOf(state.outcome);
  add(state.verdict, (row) => verdicts[row] === verdict);
  add(state.outcome, (row) => outcomes[row] === outcome);
  if (!Number.isNaN(low)) tests.push((row) => values[row] !== null && values[row] >= low);
  if (!Number.isNaN(high)) tests.push((row) => values[row] !== null && (values[row] < high || (values[row] === high && !state.below)));
  add(state.marks, (row) => index.marks[row] > 0 === (state.marks === "some"));
  add(state.human, faithkit.humanTest(index, state.human, verdicts));
  add(state.spread, (row) => faithkit.spread(index)[row] >= 0.5);
  for (const group of index.groups) {
    const wanted = state[`group:${group.field}`];
    const code = faithkit.groupCodes(group).get(wanted);
    add(wanted, (row) => group.codes[row] === code);
  }
  return tests;
};

/** The values of a field that rows are filtered by, as they are called, with their codes; -1: rows without the field. */
faithkit.groupCodes = function (group) {
  const named = faithkit.groupNames([...group.names, null]).map((name, code) => [name, code < group.names.length ? code : -1]);
  return new Map(group.codes.includes(-1) ? named : named.slice(0, -1));
};

faithkit.humanTest = function (index, wanted, verdicts) {
  const labels = index.labels || [];
  if (wanted === "consistent") return (row) => labels[row] === 1;
  if (wanted === "not consistent") return (row) => labels[row] === 0;
  // The verdict says the opposite; "undecided" contradicts nobody.
  const opposite = [index.verdict_names.indexOf("consistent"), index.verdict_names.indexOf("not consistent")];
  return (row) => labels[row] !== null && verdicts[row] === opposite[labels[row]];
};

/** Row by row, the largest difference between the ranks (0 to 1) that two metrics give it. */
faithkit.spread = function (index) {
  if (!index.spread) {
    const ranks = index.values.map(faithkit.ranks);
    index.spread = Array.from({ length: index.rows }, (_, row) => {
      const given = ranks.map((column) => column[row]).filter((rank) => rank !== null);
      return given.length < 2 ? 0 : Math.max(...given) - Math.min(...given);
    });
  }
  return index.spread;
};

/** Mid-ranks from 0 to 1; null for no value. */
faithkit.ranks = function (values) {
  const order = values.map((_, row) => row).filter((row) => values[row] !== null);
  order.sort((one, other) => values[one] - values[other]);
  const ranks = values.map(() => null);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && values[order[end]] === values[order[start]]) end += 1;
    for (let place = start; place < end; place += 1) ranks[order[place]] = (start + end) / 2 / order.length;
    start = end;
  }
  return ranks;
};

/** Rows without a value come last in either direction; equal rows keep the order of the file. */
faithkit.ordering = function (index, sort, at) {
  const values = index.values[at] || [];
  const by = (key, direction) => {
    const keys = Float64Array.from({ length: index.rows }, (_, row) => (key(row) === null ? Infinity : direction * key(row)));
    return (one, other) => (keys[one] === keys[other] ? one - other : keys[one] < keys[other] ? -1 : 1);
  };
  const orders = {
    worst: () => by((row) => values[row] ?? null, 1),
    best: () => by((row) => values[row] ?? null, -1),
    marks: () => by((row) => index.marks[row], -1),
    spread: () => by((row) => faithkit.spread(index)[row], -1),
    rating: () => by((row) => (index.ratings ? index.ratings[row] : null), 1),
    file: () => (one, other) => one - other,
  };
  return (orders[sort] || orders.worst)();
};

/** What rows are filtered and ordered by: [name, label, control] of each. `choose(name, value)` is called with what the
 *  person chose. */
faithkit.filterFields = function (index, choose) {
  const { element } = faithkit;
  const on = (event, name) => ({ [event]: ({ target }) => choose(name, target.value) });
  const choice = (name, label, options) => [name, label, element("select", { on: on("change", name) }, ...options.map(([value, text]) => element("option", { value }, text)))];
  const limit = (name, label) => [name, label, element("input", { type: "number", step: "any", on: on("change", name) })];
  const named = (names) => names.map((name) => [name, name]);
  const used = (columns, names) => named(names.filter((_, code) => columns.some((column) => column.includes(code))));
  const fields = [["q", "Search", element("input", { type: "search", placeholder: "id, summary or source", on: on("input", "q") })]];
  const sorts = [["worst", "worst first"], ["best", "best first"], ["marks", "most marks first"]];
  if (index.metrics.length > 1) {
    fields.push(choice("metric", "Metric", named(index.metrics)));
    sorts.push(["spread", "metrics differ most first"]);
  }
  if (index.ratings) sorts.push(["rating", "lowest human rating first"]);
  sorts.push(["file", "order of the file"]);
  fields.push(choice("sort", "Order", sorts));
  const verdicts = used(index.verdicts, index.verdict_names);
  if (verdicts.length) fields.push(choice("verdict", "Verdict", [["", "any"], ...verdicts]));
  fields.push(limit("low", "Score from"), limit("high", "Score to"));
  for (const group of index.groups) fields.push(choice(`group:${group.field}`, faithkit.fieldName(group.field), [["", "any"], ...named([...faithkit.groupCodes(group).keys()])]));
  fields.push(choice("marks", "Marks", [["", "any"], ["some", "with marks"], ["none", "without"]]));
  if (index.labels) {
    const differs = verdicts.length ? [["differs", "verdict says the opposite"]] : [];
    fields.push(choice("human", "People", [["", "any"], ["consistent", "consistent"], ["not consistent", "not consistent"], ...differs]));
  }
  if (index.metrics.length > 1) fields.push(choice("spread", "Metrics", [["", "any"], ["differ", "differ widely"]]));
  const outcomes = used(index.outcomes, index.outcome_names).map(([name]) => [name, faithkit.outcome(name)]);
  if (outcomes.length > 1) fields.push(choice("outcome", "Outcome", [["", "any"], ...outcomes]));
  return fields;
};

/** The form above the list. `change(settings)` is called with what the person chose, null: nothing. */
faithkit.filters = function (index, change) {
  const { element } = faithkit;
  const known = {}; // the value of each control in the address, as it was shown or chosen last
  let timer; // of a search that is typed
  const choose = (name, value) => {
    known[name] = value;
    change(name === "high" ? { high: value, below: "" } : { [name]: value });
  };
  const fields = faithkit.filterFields(index, (name, value) => {
    if (name !== "q") return choose(name, value);
    clearTimeout(timer);
    timer = setTimeout(() => choose(name, value), 250);
  });
  const labels = {};
  const placed = fields.map(([name, text, control]) => {
    control.id = `filter-${name}`;
    labels[name] = element("label", { for: control.id }, text);
    return element("div", { class: "field" }, labels[name], control);
  });
  /** Gives the controls the values of the address. One with a known value stays: somebody may be typing on in it. */
  const show = (state) => {
    labels.high.textContent = state.below ? "Score below" : "Score to";
    for (const [name, , control] of fields) {
      const value = state[name] || "";
      if (known[name] === value) continue;
      if (name === "q") clearTimeout(timer);
      known[name] = control.value = value;
      if (control.selectedIndex === -1) control.selectedIndex = 0; // the first is chosen without a word in the address
    }
  };
  const clear = (event) => {
    event.preventDefault();
    for (const name of Object.keys(known)) delete known[name];
    show(faithkit.DEFAULTS);
    change(null);
    form.elements["filter-q"].focus();
  };
  const on = { submit: (event) => event.preventDefault(), reset: clear };
  const form = element("form", { class: "filters", role: "search", "aria-label": "Filter the rows", on }, ...placed, element("button", { type: "reset" }, "Clear"));
  return { form, show };
};

/** Rows as a table. `listed`: of each its id, the beginning of its summary and its most doubtful words; `link(row)`: the
 *  address of a row. */
faithkit.rowsTable = function (index, rows, listed, link) {
  const { element } = faithkit;
  const system = index.groups.find((group) => group.field === "system");
  const header = ["row", "summary", ...index.metrics, "marks"];
  if (index.labels || index.ratings) header.push("people");
  const made = rows.map((row, place) => {
    const [id, snippet, marked] = listed[place];
    const cells = [
      element(
        "th",
        { scope: "row" },
        element("a", { href: link(row) }, faithkit.plain(id)),
        system && system.codes[row] >= 0 ? element("span", { class: "soft block" }, faithkit.plain(system.names[system.codes[row]])) : null,
      ),
      element(
        "td",
        { class: "snippet" },
        snippet ? element("div", { dir: "auto" }, faithkit.plain(snippet)) : element("div", { class: "soft" }, "(empty)"),
        faithkit.markedWords(marked, index.marks[row]),
      ),
      ...index.metrics.map((label, at) => element("td", { "data-name": label }, faithkit.valueCell(index, row, at))),
      element("td", { "data-name": "marks" }, faithkit.marksCell(index, row)),
    ];
    if (index.labels || index.ratings) cells.push(element("td", { "data-name": "people" }, faithkit.humanCell(index, row)));
    return element("tr", {}, ...cells);
  });
  const head = element("tr", {}, ...header.map((text) => element("th", { scope: "col" }, text)));
  return element("table", { class: "rows" }, element("thead", {}, head), element("tbody", {}, ...made));
};

/** The most doubtful words of a row, and how many more marks it has; nothing without a mark. */
faithkit.markedWords = function (marked, count) {
  const { element } = faithkit;
  if (!marked.length) return null;
  const words = marked.map((text) => element("span", { class: "mark grade-2", dir: "auto" }, faithkit.plain(text)));
  const more = count > marked.length ? element("span", { class: "soft" }, `and ${count - marked.length} more`) : null;
  return element("div", { class: "marked-words" }, element("span", { class: "soft" }, "marked:"), ...words, more);
};

/** How many marks a row has; of several metrics, how many each made: one mark may be of two. */
faithkit.marksCell = function (index, row) {
  if (!index.marks_by || !index.marks[row]) return String(index.marks[row]);
  const counts = index.marks_by.map((column, at) => [column[row], index.metrics[at]]);
  return faithkit.plain(counts.filter(([count]) => count).map(([count, label]) => `${count} by ${label}`).join(", "));
};

faithkit.valueCell = function (index, row, at) {
  const { element } = faithkit;
  const value = index.values[at][row];
  const outcome = index.outcome_names[index.outcomes[at][row]];
  const verdict = index.verdict_names[index.verdicts[at][row]];
  const cell = element("span", { class: "value" });
  if (verdict) {
    cell.append(element("span", { class: `sign ${faithkit.VERDICT_CLASS[verdict]}`, title: verdict, "aria-hidden": "true" }, faithkit.VERDICT_SIGN[verdict]));
    cell.append(faithkit.spoken(`${verdict}, `));
  }
  if (value !== null) cell.append(faithkit.number(value));
  if (outcome === undefined) cell.append("–");
  else if (outcome !== "ok") cell.append(element("span", { class: "soft" }, ` ${faithkit.outcome(outcome)}`));
  return cell;
};

faithkit.humanCell = function (index, row) {
  const parts = [];
  const label = index.labels ? index.labels[row] : null;
  if (label !== null) parts.push(label ? "✓ consistent" : "✗ not consistent");
  const rating = index.ratings ? index.ratings[row] : null;
  if (rating !== null) parts.push(`rating ${faithkit.number(rating)}`);
  return parts.join(", ") || "–";
};

/** Buttons to the pages before and after. */
faithkit.pager = function (count, page, go, place) {
  const { element } = faithkit;
  const pages = Math.max(1, Math.ceil(count / faithkit.PAGE_ROWS));
  const first = (page - 1) * faithkit.PAGE_ROWS;
  const shown = count ? `Rows ${(first + 1).toLocaleString("en")}–${Math.min(first + faithkit.PAGE_ROWS, count).toLocaleString("en")} of ${count.toLocaleString("en")}` : "No row passes these filters.";
  const button = (label, to) => element("button", { type: "button", disabled: to < 1 || to > pages, on: { click: () => go(to) } }, label);
  const buttons = pages > 1 ? [button("First", page > 1 ? 1 : 0), button("Previous", page - 1), element("span", {}, `page ${page} of ${pages.toLocaleString("en")}`), button("Next", page + 1), button("Last", page < pages ? pages : 0)] : [];
  return element("nav", { class: "pager", "aria-label": `Pages of the list, ${place} it` }, element("span", {}, shown), ...buttons);
};
