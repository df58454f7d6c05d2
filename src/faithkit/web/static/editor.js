// A text area with marks: behind it lies the same text, of which stretches have a background.
"use strict";

/**
 * Where a stretch of the text before an edit is after it; null where it was edited. The edit is what
 * lies between the common beginning and the common end of both texts.
 */
faithkit.moved = function (stretch, before, after) {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const shift = after.length - before.length;
  if (stretch.end <= head) return stretch;
  if (stretch.start < before.length - tail) return null;
  return { ...stretch, start: stretch.start + shift, end: stretch.end + shift };
};

faithkit.Editor = class {
  /** area: a text area, just after the element for its marks */
  constructor(area) {
    this.area = area;
    this.backdrop = area.previousElementSibling;
    this.stretches = [];
    this.text = area.value;
    area.addEventListener("scroll", () => this.follow());
    area.addEventListener("input", () => this.edited());
    new ResizeObserver(() => this.follow()).observe(area);
    this.draw();
  }

  edited() {
    const before = this.text;
    this.text = this.area.value;
    this.stretches = this.stretches.map((one) => faithkit.moved(one, before, this.text)).filter(Boolean);
    this.draw();
  }

  /** Replaces the text; its marks go. */
  set(text) {
    this.area.value = text;
    this.text = this.area.value;
    this.mark([]);
  }

  /**
   * Shows stretches of the text, in order and without overlap: {start, end, class, doubt, number}, with offsets in
   * UTF-16 code units; a number is shown above its stretch.
   */
  mark(stretches) {
    this.stretches = stretches;
    this.draw();
  }

  draw() {
    if (!this.stretches.length) {
      // Nothing to show: a long text is not laid out twice.
      this.backdrop.replaceChildren();
      return;
    }
    const pieces = [];
    let place = 0;
    for (const { start, end, number, doubt, class: kind } of this.stretches) {
      pieces.push(this.text.slice(place, start));
      const style = doubt === undefined ? undefined : { "--doubt": String(doubt) };
      pieces.push(faithkit.element("span", { class: kind, "data-number": number, style }, this.text.slice(start, end)));
      place = end;
    }
    // A last line end opens a line in a text area, and nowhere else.
    this.backdrop.replaceChildren(...pieces, this.text.slice(place), "\n");
    this.follow();
  }

  /** Scrolls to the first stretch that a selector names. */
  reveal(selector) {
    const words = this.backdrop.querySelector(selector);
    if (!words) return;
    const { scrollTop, clientHeight } = this.area;
    if (words.offsetTop < scrollTop + 30 || words.offsetTop + words.offsetHeight > scrollTop + clientHeight - 10) {
      this.area.scrollTop = Math.max(0, words.offsetTop - clientHeight / 3);
    }
    this.follow();
  }

  /** Puts what lies behind where the text is. */
  follow() {
    this.backdrop.style.setProperty("width", `${this.area.clientWidth}px`);
    this.backdrop.style.setProperty("height", `${this.area.clientHeight}px`);
    this.backdrop.scrollTop = this.area.scrollTop;
  }
};
