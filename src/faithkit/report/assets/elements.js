// Elements and numbers. Text goes into the document as text only, never as markup.
"use strict";
var faithkit = {};

/** An element. `properties`: `class`, `on` (events), `data`, or any attribute; children: nodes or texts. */
faithkit.element = function (name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (key === "style") {
      // Property by property: a style attribute would need a looser content-security policy.
      for (const [property, setting] of Object.entries(value)) made.style.setProperty(property, setting);
    } else {
      made.setAttribute(key, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

/** Text for screen readers only. */
faithkit.spoken = function (text) {
  return faithkit.element("span", { class: "spoken" }, text);
};

/** A value with three places, or one from 10 up; an en dash for none. Only 0 is 0.000. */
faithkit.number = function (value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size > 0 && size < 0.0005) return value > 0 ? "<0.001" : ">−0.001";
  return value.toFixed(size < 10 ? 3 : 1).replace("-", "−");
};

/** The name of a field of the file, as it is written there. */
faithkit.fieldName = function (name) {
  return faithkit.element("code", {}, faithkit.plain(name));
};

/** How the values of a field are called, on the page and in its address: a text by itself, an empty one and none
 *  (null) by names that no other value has. */
faithkit.groupNames = function (values) {
  const free = (name) => (values.includes(name) ? free(`(${name})`) : name);
  return values.map((value) => {
    if (value === null) return free("(none)");
    if (value === "") return free("(empty)");
    return value.trim() ? value : free(`“${value}”`);
  });
};

/** ` [0.512, 0.634]`, on one line; null for no interval. `show`: how an end of it is written. */
faithkit.interval = function (interval, show) {
  if (!interval) return null;
  return faithkit.element("span", { class: "interval" }, ` [${show(interval[0])}, ${show(interval[1])}]`);
};

faithkit.count = function (value, one, many) {
  return `${value.toLocaleString("en")} ${value === 1 ? one : many || one + "s"}`;
};

/** A share in [0, 1] as whole per cent; 99.6% is not 100%, and 0.4% is not 0%. */
faithkit.percent = function (share) {
  const hundred = share * 100;
  if (hundred > 0 && hundred < 1) return "under 1%";
  if (hundred > 99 && hundred < 100) return "over 99%";
  return `${Math.round(hundred)}%`;
};

/** A table, which is scrolled where it is too wide. header and rows: texts or nodes, the first of a row its
 *  heading; `named`: whether what is above it says the same as the caption, which is then for screen readers only.
 *  A caption that is seen stays outside of what is scrolled, so that it wraps. */
faithkit.table = function (header, rows, caption, named) {
  const element = faithkit.element;
  const head = element("tr", {}, ...header.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map((cells) =>
    element("tr", {}, element("th", { scope: "row" }, cells[0]), ...cells.slice(1).map((cell, at) => element("td", { "data-name": typeof header[at + 1] === "string" ? header[at + 1] : null }, cell))),
  );
  return element(
    "div",
    { class: "table" },
    named ? null : element("p", { class: "caption", "aria-hidden": "true" }, caption),
    element(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
      element("table", {}, element("caption", { class: "spoken" }, caption), element("thead", {}, head), element("tbody", {}, ...body)),
    ),
  );
};

faithkit.VERDICT_CLASS = { consistent: "good", "not consistent": "bad", undecided: "open" };
faithkit.VERDICT_SIGN = { consistent: "✓", "not consistent": "✗", undecided: "?" };

/** A verdict with its sign, so that it does not hang on colour. */
faithkit.verdict = function (name, more) {
  return faithkit.element(
    "span",
    { class: `verdict ${faithkit.VERDICT_CLASS[name] || "open"}` },
    faithkit.element("span", { "aria-hidden": "true" }, `${faithkit.VERDICT_SIGN[name] || "?"} `),
    more ? `${name}, ${more}` : name,
  );
};

/** An outcome in words: `no_claims` is "no claims". */
faithkit.outcome = function (name) {
  return name === "ok" ? "scored" : name.replaceAll("_", " ");
};
