// A text with marks in it: pieces with what covers them, and characters that cannot be seen made visible.
"use strict";

// Controls but for tab and line ends, marks that turn the direction of writing round (Trojan Source,
// Boucher and Anderson 2021), zero-width characters, and variation and tag characters that hide text.
faithkit.HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** A short text on one line, with hidden characters as U+202E. */
faithkit.plain = function (text) {
  return text.replace(faithkit.HIDDEN, (found) => `⟨U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
};

/** Appends a text; each hidden character becomes a small label that names it. */
faithkit.appendText = function (parent, text) {
  let last = 0;
  for (const found of text.matchAll(faithkit.HIDDEN)) {
    parent.append(text.slice(last, found.index));
    const name = `U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    parent.append(faithkit.element("span", { class: "hidden-character", title: `a character that is not seen: ${name}` }, name));
    last = found.index + found[0].length;
  }
  parent.append(text.slice(last));
};

/** The text cut wherever one of the ranges begins or ends: [{start, end, covers: indices of ranges}]. */
faithkit.pieces = function (text, ranges) {
  const limits = new Set([0, text.length]);
  for (const range of ranges) {
    limits.add(Math.min(range.start, text.length));
    limits.add(Math.min(range.end, text.length));
  }
  const places = [...limits].sort((one, other) => one - other);
  const order = ranges.map((_, number) => number).sort((one, other) => ranges[one].start - ranges[other].start);
  const pieces = [];
  let open = [];
  let next = 0;
  for (let place = 0; place + 1 < places.length; place += 1) {
    const start = places[place];
    while (next < order.length && ranges[order[next]].start <= start) open.push(order[next++]);
    open = open.filter((number) => ranges[number].end > start);
    pieces.push({ start, end: places[place + 1], covers: [...open] });
  }
  return pieces;
};

/** Ticks beside a scrolled text, one where each element is; a click scrolls there. */
faithkit.map = function (scrolled, marked) {
  const rail = faithkit.element("div", { class: "map", "aria-hidden": "true" });
  const draw = () => {
    const height = scrolled.scrollHeight;
    const top = scrolled.getBoundingClientRect().top - scrolled.scrollTop;
    rail.hidden = height <= scrolled.clientHeight + 4;
    rail.replaceChildren(
      ...marked().map(({ node, kind }) => {
        const box = node.getBoundingClientRect();
        return faithkit.element("div", {
          class: `tick ${kind}`,
          style: { top: `${(100 * (box.top - top)) / height}%`, height: `${Math.max(0.6, (100 * box.height) / height)}%` },
          on: { click: () => node.scrollIntoView({ block: "center" }) },
        });
      }),
    );
  };
  return { rail, draw };
};
