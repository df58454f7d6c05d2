// The whole view of results: overview and list, or one pair; its address, its keys.
"use strict";

faithkit.KEYS = [
  ["j  k", "next, previous mark, from the most doubtful to the least"],
  ["Enter", "from a mark to its evidence in the source; again, or Esc: back to the mark"],
  ["s  S", "next, previous sentence of the summary, with what was read for it"],
  ["n  p", "next, previous row, in the order of the list"],
  ["/", "search"],
  ["Esc", "close; from a pair back to the list"],
  ["?", "this help"],
];

/** What the list shows and which row is open, from the part of the address after #. */
faithkit.readState = function () {
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return { ...faithkit.DEFAULTS, ...given };
};

faithkit.address = function (state) {
  const said = Object.entries(state).filter(([key, value]) => value !== "" && value !== undefined && value !== faithkit.DEFAULTS[key]);
  return `#${new URLSearchParams(said)}`;
};

/** Starts in `place`. `store` is described in assets/__init__.py. */
faithkit.results = function (place, store) {
  const app = { store, state: faithkit.readState(), rows: [], search: null, pair: null, shown: "" };
  const { element } = faithkit;
  app.overview = element("section", { id: "overview", "aria-label": "Overview" });
  app.list = element("section", { id: "list", "aria-label": "Rows" });
  app.pairPlace = element("section", { id: "pair", "aria-label": "One row", hidden: true });
  app.help = faithkit.helpDialog();
  place.replaceChildren(app.overview, app.list, app.pairPlace, app.help);
  faithkit.overview(app.overview, store.overview, (change) => {
    faithkit.change(app, change);
    app.list.scrollIntoView();
  });
  window.addEventListener("hashchange", () => faithkit.show(app));
  document.addEventListener("keydown", (event) => faithkit.key(app, event));
  return faithkit.show(app);
};

/** Applies settings of the list (null: clears them all) and goes back to its first page. */
faithkit.change = function (app, settings) {
  // Of the address, not of what is shown: that may still be a step behind.
  const state = settings === null ? { ...faithkit.DEFAULTS } : { ...faithkit.readState(), page: "1", ...settings };
  delete state.row;
  location.hash = faithkit.address(state);
};

/** The search for a text: one that runs or has ended, unless it failed; else a new one. It has its `matches` (null:
 *  all rows) or what it `failed` with once its promise `ended` is kept. */
faithkit.searchFor = function (app, text) {
  if (app.search && app.search.text === text && !app.search.failed) return app.search;
  const search = { text, matches: null, failed: null, ended: null };
  if (text) {
    faithkit.say(app, "Searching …");
    search.ended = app.store.search(text).then(
      (matches) => { search.matches = matches; },
      (failed) => { search.failed = failed; },
    );
  }
  app.search = search;
  return search;
};

/** Shows what the address says. */
faithkit.show = async function (app) {
  const search = faithkit.searchFor(app, faithkit.readState().q);
  await search.ended;
  // The address may have changed meanwhile: its filters and its row are followed now, another search by itself.
  const state = faithkit.readState();
  if (app.search !== search || state.q !== search.text) return;
  app.state = state;
  const { store } = app;
  const { row, page, ...filters } = state;
  const wanted = JSON.stringify(filters);
  if (search.failed) [app.rows, app.shown] = [[], ""];
  else if (app.shown !== wanted) [app.rows, app.shown] = [faithkit.select(store.index, state, search.matches), wanted];
  const only = store.index.rows === 1 ? "0" : undefined;
  const opened = row ?? only;
  app.overview.hidden = app.list.hidden = opened !== undefined;
  app.pairPlace.hidden = opened === undefined;
  if (opened === undefined) await faithkit.showList(app);
  else await faithkit.showPair(app, opened);
};

faithkit.showList = async function (app) {
  const { element } = faithkit;
  const { state, store } = app;
  faithkit.closePair(app);
  if (!app.listBody) {
    app.listBody = element("div", {});
    app.listStatus = element("p", { class: "spoken", role: "status" });
    app.filters = faithkit.filters(store.index, (settings) => faithkit.change(app, settings));
    app.list.replaceChildren(element("h2", {}, "Rows"), app.filters.form, app.listStatus, app.listBody);
  }
  app.filters.show(state);
  if (app.search.failed) {
    const again = element("button", { type: "button", on: { click: () => { app.filters.form.querySelector("input[type=search]").focus(); faithkit.show(app); } } }, "Search again");
    app.listBody.replaceChildren(element("p", { class: "note" }, `The search failed: ${app.search.failed.message} `, again));
    faithkit.say(app, "The search failed.");
    return;
  }
  const pages = Math.max(1, Math.ceil(app.rows.length / faithkit.PAGE_ROWS));
  const page = Math.min(Math.max(1, parseInt(state.page, 10) || 1), pages);
  const pager = (place) => faithkit.pager(app.rows.length, page, (to) => { location.hash = faithkit.address({ ...state, page: String(to) }); app.list.scrollIntoView(); }, place);
  const link = (row) => faithkit.address({ ...state, row: String(row) });
  const start = (page - 1) * faithkit.PAGE_ROWS;
  const rows = app.rows.slice(start, start + faithkit.PAGE_ROWS);
  const listed = await store.listed(rows);
  if (app.state !== state) return; // meanwhile something else was asked for
  app.listBody.replaceChildren(pager("above"), faithkit.rowsTable(store.index, rows, listed, link), app.rows.length > 10 ? pager("below") : "");
  faithkit.say(app, faithkit.count(app.rows.length, "row"));
  if (app.returnTo !== undefined) {
    const anchor = app.listBody.querySelector(`a[href="${CSS.escape ? link(app.returnTo) : ""}"]`);
    if (anchor) { anchor.focus(); anchor.scrollIntoView({ block: "center" }); }
    app.returnTo = undefined;
  }
};

faithkit.say = function (app, text) {
  if (app.listStatus) app.listStatus.textContent = text;
};

/** Shows the row with this number, as it is written in the address. */
faithkit.showPair = async function (app, asked) {
  const { element } = faithkit;
  const { state, store } = app;
  const number = Number(asked);
  if (String(number) !== asked || !Number.isInteger(number) || number < 0 || number >= store.index.rows) {
    app.open = undefined;
    faithkit.pairNote(app, `There is no row “${asked}”: the address takes whole numbers from 0 to ${store.index.rows - 1}.`);
    return;
  }
  app.open = number;
  let row;
  try {
    row = await store.row(number);
  } catch (failed) {
    const again = element("button", { type: "button", on: { click: () => faithkit.show(app) } }, "Try again");
    if (app.state === state) faithkit.pairNote(app, `This row could not be read: ${failed.message}`, again);
    return;
  }
  if (app.state !== state) return; // meanwhile something else was asked for
  if (app.pair) app.pair.destroy();
  const body = element("div", {});
  const at = app.rows.indexOf(number);
  const head = faithkit.pairHead(row, {
    at,
    count: app.rows.length,
    alone: app.store.index.rows === 1,
    go: (step) => faithkit.goRow(app, step),
    back: () => faithkit.backToList(app),
    help: () => app.help.showModal(),
  });
  app.pairPlace.replaceChildren(head, body);
  app.pair = faithkit.pair(body, row);
  window.scrollTo(0, 0);
  head.querySelector("h2").focus({ preventScroll: true });
};

/** Why there is no pair to show, with a way back to the list. */
faithkit.pairNote = function (app, text, ...more) {
  const { element } = faithkit;
  faithkit.closePair(app);
  const { row, ...state } = app.state;
  const back = row === undefined ? [] : [" ", element("a", { href: faithkit.address(state) }, "Back to the rows")];
  app.pairPlace.replaceChildren(element("p", { class: "note", role: "alert" }, faithkit.plain(text), " ", ...more, ...back));
};

faithkit.closePair = function (app) {
  if (app.pair) app.pair.destroy();
  app.pair = null;
  app.pairPlace.replaceChildren();
};

/** Above a pair: what it is, what metrics and people say, and the way to others. */
faithkit.pairHead = function (row, way) {
  const { element } = faithkit;
  const button = (label, act, more) => element("button", { type: "button", on: { click: act }, ...more }, label);
  const place = way.at >= 0 ? `Row ${(way.at + 1).toLocaleString("en")} of ${way.count.toLocaleString("en")}` : "Not in the filtered list";
  const facts = Object.entries({ ...(row.system ? { system: row.system } : {}), ...row.fields }).map(([name, value]) => `${name}: ${value === "" ? "(empty)" : value}`);
  const chips = row.scores.map((score) => {
    const said = element("span", { class: "chip" }, element("b", {}, `${score.metric} `));
    const likely = score.probability === null ? null : `${faithkit.percent(score.probability)} likely to be consistent`;
    if (score.verdict) said.append(faithkit.verdict(score.verdict, likely));
    if (score.value !== null && score.value !== score.probability) said.append(score.verdict ? " " : "", faithkit.number(score.value));
    if (score.outcome !== "ok") said.append(` ${faithkit.outcome(score.outcome)}`);
    return said;
  });
  if (row.label !== null) chips.push(element("span", { class: "chip people" }, element("b", {}, "people "), faithkit.verdict(row.label ? "consistent" : "not consistent")));
  if (row.rating !== null) chips.push(element("span", { class: "chip people" }, element("b", {}, "human rating "), faithkit.number(row.rating)));
  return element(
    "header",
    { class: "pair-head" },
    element(
      "nav",
      { "aria-label": "Rows" },
      ...(way.alone
        ? []
        : [button("← List", way.back), element("span", { class: "soft" }, place), button("Previous", () => way.go(-1), { disabled: way.at === 0, title: "p" }), button("Next", () => way.go(1), { disabled: way.at === way.count - 1, title: "n" })]),
      button("Keys", way.help, { title: "?" }),
    ),
    element("h2", { tabindex: "-1" }, faithkit.plain(row.id)),
    facts.length ? element("p", { class: "soft" }, faithkit.plain(facts.join(" · "))) : null,
    element("p", { class: "chips" }, ...chips),
    ...faithkit.unscoredWords(row).map((said) => element("p", { class: "note" }, said)),
  );
};

/** Why metrics have no ordinary score of a row: a sentence for each reason, with the metrics that it is of. */
faithkit.unscoredWords = function (row) {
  const metrics = new Map();
  for (const { metric, why } of row.scores) if (why) metrics.set(why, [...(metrics.get(why) || []), metric]);
  return [...metrics].map(([why, names]) => (row.scores.length === 1 ? why : `${names.join(", ")}: ${why}`));
};

/** The row before or after in the order of the list. */
faithkit.goRow = function (app, step) {
  const at = app.rows.indexOf(app.open) + step;
  if (at >= 0 && at < app.rows.length) {
    // A step from row to row is no step to go back over: Back leads to the list.
    history.replaceState(null, "", faithkit.address({ ...faithkit.readState(), row: String(app.rows[at]) }));
    faithkit.show(app);
  }
};

faithkit.backToList = function (app) {
  if (app.store.index.rows === 1 && app.pair) return;
  const { row, ...state } = faithkit.readState();
  const at = app.rows.indexOf(app.open);
  if (at >= 0) state.page = String(Math.floor(at / faithkit.PAGE_ROWS) + 1);
  app.returnTo = app.open;
  location.hash = faithkit.address(state);
};

faithkit.helpDialog = function () {
  const { element } = faithkit;
  const dialog = element("dialog", { "aria-labelledby": "keys-heading" });
  dialog.append(
    element("h2", { id: "keys-heading" }, "Keys"),
    element("dl", { class: "keys" }, ...faithkit.KEYS.flatMap(([keys, does]) => [element("dt", {}, ...keys.split("  ").map((one) => element("kbd", {}, one))), element("dd", {}, does)])),
    element("form", { method: "dialog" }, element("button", {}, "Close")),
  );
  return dialog;
};

/** Keys act on what is shown; none does while something is being typed. */
faithkit.key = function (app, event) {
  const typing = event.target.closest("input, select, textarea, [contenteditable]");
  if (event.ctrlKey || event.altKey || event.metaKey || app.help.open) return;
  if (typing) {
    if (event.key === "Escape") typing.blur();
    return;
  }
  const opened = !app.pairPlace.hidden;
  const pair = opened ? app.pair : null;
  const inEvidence = pair && event.target.closest(".evidence");
  const onControl = event.target.closest("button, a, summary, [role=button]:not(.mark, .least)");
  const actions = {
    "?": () => app.help.showModal(),
    "/": () => !opened && app.filters && app.filters.form.querySelector("input[type=search]").focus(),
    j: () => pair && pair.mark(1),
    k: () => pair && pair.mark(-1),
    s: () => pair && pair.sentence(1),
    S: () => pair && pair.sentence(-1),
    n: () => opened && faithkit.goRow(app, 1),
    p: () => opened && faithkit.goRow(app, -1),
    Enter: () => pair && (inEvidence ? pair.back() : pair.evidence()),
    Escape: () => opened && (inEvidence ? pair.back() : faithkit.leave(app, pair)),
  };
  if (!(event.key in actions) || (event.key === "Enter" && (onControl || !pair))) return;
  event.preventDefault();
  actions[event.key]();
};

/** Esc: first the words beside a mark go, then the pair, if there is one. */
faithkit.leave = function (app, pair) {
  if (!pair || !pair.hideTip()) faithkit.backToList(app);
};
