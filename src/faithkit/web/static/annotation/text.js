// A text with marks: drawn word by word, with a cursor that keys move and a selection by mouse.
// Offsets are in Unicode characters (code points), as they are stored.

const HIDDEN = new RegExp(`(${faithkit.HIDDEN.source})`);

// A text in a title or a label, with hidden characters as ⟨U+202E⟩.
export const { plain } = faithkit;

// A text as nodes, in which each hidden character is an element that names it.
export function visible(text) {
  return text.split(HIDDEN).filter(Boolean)
    .map((piece) => (HIDDEN.test(piece) ? named(document.createElement("span"), piece) : piece));
}

// Shows the name of a hidden character beside it (see annotation.css): it stays the element's text,
// so that offsets count it, and it turns the direction of nothing outside.
function named(made, character) {
  const name = plain(character).slice(1, -1);
  made.textContent = character;
  made.dataset.character = name;
  made.title = `a character that is not seen: ${name}`;
  made.classList.add("hidden-character");
  return made;
}

export class MarkedText {
  // box    the element that the text is drawn into
  // moved  called when the cursor or the selection has changed
  constructor(box, moved) {
    this.box = box;
    this.moved = moved;
    this.exact = false;
    this.ending = new AbortController();
    const { signal } = this.ending;
    box.addEventListener("pointerdown", (event) => { this.exact = event.altKey; }, { signal });
    document.addEventListener("selectionchange", () => this.readSelection(), { signal });
  }

  // The text is shown no longer.
  end() {
    this.ending.abort();
  }

  // words  [start, end] of each; marks  {id, start, end, layer, title, ...}, drawn one under another
  show(text, words) {
    this.characters = Array.from(text);
    this.hidden = new Set(this.characters.flatMap((character, place) => (HIDDEN.test(character) ? [place] : [])));
    this.words = words;
    this.marks = [];
    this.struck = [];
    this.anchor = this.head = 0;
    this.range = null;
    this.draw();
    this.box.scrollTop = 0;
  }

  update(marks, struck = []) {
    this.marks = marks;
    this.struck = struck;
    this.draw();
  }

  // The characters that are chosen: of a mouse selection, or of the words under the cursor.
  get chosen() {
    if (this.range) return this.range;
    if (!this.words.length) return null;
    const [first, last] = [this.anchor, this.head].sort((a, b) => a - b);
    return [this.words[first][0], this.words[last][1]];
  }

  slice(start, end) {
    return this.characters.slice(start, end).join("");
  }

  wordsIn(start, end) {
    return this.words.filter(([a, b]) => a < end && b > start);
  }

  marksHere() {
    const chosen = this.chosen;
    if (!chosen) return [];
    return this.marks
      .filter((mark) => mark.start < chosen[1] && mark.end > chosen[0])
      .sort((a, b) => (a.end - a.start) - (b.end - b.start));
  }

  draw() {
    const edges = new Set([0, this.characters.length]);
    for (const [start, end] of this.words) edges.add(start).add(end);
    for (const { start, end } of this.marks) edges.add(start).add(end);
    for (const [start, end] of this.struck) edges.add(start).add(end);
    for (const place of this.hidden) edges.add(place).add(place + 1);
    const places = [...edges].sort((a, b) => a - b);
    const lanes = laneOf(this.marks);
    const opening = new Map();
    for (const mark of this.marks) {
      opening.set(mark.start, [...(opening.get(mark.start) || []), mark]);
    }
    const pieces = document.createDocumentFragment();
    let open = [];
    let word = 0;
    let run = 0;
    this.segments = [];
    for (let index = 0; index + 1 < places.length; index += 1) {
      const [start, end] = [places[index], places[index + 1]];
      open = open.filter((mark) => mark.end > start).concat(opening.get(start) || []);
      while (word < this.words.length && this.words[word][1] <= start) word += 1;
      while (run < this.struck.length && this.struck[run][1] <= start) run += 1;
      const inWord = word < this.words.length && this.words[word][0] <= start;
      const isStruck = run < this.struck.length && this.struck[run][0] <= start;
      const segment = document.createElement(isStruck ? "s" : "span");
      if (this.hidden.has(start)) named(segment, this.characters[start]);
      else segment.textContent = this.slice(start, end);
      segment.dataset.start = start;
      if (inWord) segment.dataset.word = word;
      if (open.length) underline(segment, open, lanes);
      pieces.append(segment);
      this.segments.push(segment);
    }
    this.box.replaceChildren(pieces);
    this.drawCursor();
  }

  drawCursor() {
    for (const segment of this.box.querySelectorAll(".chosen")) segment.classList.remove("chosen");
    const chosen = this.chosen;
    if (!chosen || this.range) return;
    for (const segment of this.segments) {
      const start = Number(segment.dataset.start);
      if (start >= chosen[1]) break;
      if (start >= chosen[0]) segment.classList.add("chosen");
    }
  }

  // Puts the cursor on words; `extend` keeps where the choice began.
  moveTo(word, extend) {
    this.range = null;
    this.head = Math.max(0, Math.min(this.words.length - 1, word));
    if (!extend) this.anchor = this.head;
    this.drawCursor();
    this.segmentOf(this.head)?.scrollIntoView({ block: "nearest" });
    this.moved();
  }

  choose(start, end) {
    const inside = this.words.flatMap(([a, b], word) => (a < end && b > start ? [word] : []));
    if (!inside.length) return;
    this.anchor = inside[0];
    this.moveTo(inside.at(-1), true);
  }

  segmentOf(word) {
    return this.box.querySelector(`[data-word="${word}"]`);
  }

  // True where the key moved the cursor.
  key(event) {
    const extend = event.shiftKey;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (!this.words.length) return false;
    if (event.key in steps) {
      const forward = getComputedStyle(this.box).direction === "rtl" ? -1 : 1;
      this.moveTo(this.head + forward * steps[event.key], extend);
    } else if (event.key === "Home") this.moveTo(0, extend);
    else if (event.key === "End") this.moveTo(this.words.length - 1, extend);
    else if (event.key === "ArrowUp") this.moveTo(this.onLine(-1), extend);
    else if (event.key === "ArrowDown") this.moveTo(this.onLine(1), extend);
    else return false;
    return true;
  }

  // The word above (-1) or below (1) the cursor, the nearest on the next line that has one.
  onLine(direction) {
    const here = this.segmentOf(this.head).getBoundingClientRect();
    const middle = (here.left + here.right) / 2;
    let line = null;
    let best = this.head;
    let distance = Infinity;
    for (let word = this.head + direction; word >= 0 && word < this.words.length; word += direction) {
      const box = this.segmentOf(word).getBoundingClientRect();
      const beyond = direction > 0 ? box.top >= here.bottom - 2 : box.bottom <= here.top + 2;
      if (!beyond) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) > box.height / 2) break;
      const away = Math.abs((box.left + box.right) / 2 - middle);
      if (away < distance) [best, distance] = [word, away];
    }
    return best;
  }

  readSelection() {
    const selection = document.getSelection();
    if (!selection.rangeCount || !this.words) return;
    const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
    const start = this.offset(startContainer, startOffset);
    const end = this.offset(endContainer, endOffset);
    if (start === null || end === null) return;
    if (this.exact && start < end) {
      this.range = [start, end];
      this.drawCursor();
      this.moved();
      return;
    }
    this.range = null;
    const at = start === end ? [start, start + 1] : [start, end];
    const inside = this.words.flatMap(([a, b], word) => (a < at[1] && b > at[0] ? [word] : []));
    if (!inside.length) return;
    [this.anchor, this.head] = [inside[0], inside.at(-1)];
    this.drawCursor();
    this.moved();
  }

  // The character at a place of the document; null outside of this text.
  offset(node, units) {
    if (!this.box.contains(node)) return null;
    if (node === this.box) {
      const segment = this.segments[units];
      return segment ? Number(segment.dataset.start) : this.characters.length;
    }
    const segment = node.nodeType === Node.TEXT_NODE ? node.parentNode : node;
    const before = node.nodeType === Node.TEXT_NODE ? node.data.slice(0, units) : "";
    const within = node.nodeType === Node.TEXT_NODE || units === 0 ? Array.from(before).length
      : Array.from(segment.textContent).length;
    return Number(segment.dataset.start) + within;
  }
}

// Marks that overlap get lines at different heights.
function laneOf(marks) {
  const lanes = new Map();
  const ends = [];
  for (const mark of [...marks].sort((a, b) => a.start - b.start || b.end - a.end)) {
    let lane = ends.findIndex((end) => end <= mark.start);
    if (lane < 0) lane = ends.length;
    ends[lane] = mark.end;
    lanes.set(mark, lane);
  }
  return lanes;
}

const LINE = 3;
const GAP = 2;

function underline(segment, open, lanes) {
  const most = Math.max(...open.map((mark) => lanes.get(mark)));
  const lines = open.map((mark) => {
    const colour = `var(--layer-${mark.layer})`;
    return mark.dashed
      ? `repeating-linear-gradient(90deg, ${colour} 0 4px, transparent 4px 7px)`
      : `linear-gradient(${colour}, ${colour})`;
  });
  segment.classList.add("marked");
  segment.style.setProperty("background-image", lines.join(","));
  segment.style.setProperty("background-size", open.map(() => `100% ${LINE}px`).join(","));
  segment.style.setProperty(
    "background-position",
    open.map((mark) => `0 calc(100% - ${(most - lanes.get(mark)) * (LINE + GAP)}px)`).join(","),
  );
  segment.style.setProperty("background-repeat", "no-repeat");
  segment.style.setProperty("padding-bottom", `${(most + 1) * (LINE + GAP)}px`);
  segment.title = [segment.title, ...open.map((mark) => mark.title)].filter(Boolean).join("\n");
  const begun = open.filter((mark) => mark.start === Number(segment.dataset.start));
  if (begun.length) {
    segment.classList.add("mark-start");
    segment.dataset.keys = begun.map((mark) => mark.key || "·").join("");
  }
}
