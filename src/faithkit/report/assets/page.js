// A page that holds its own data: JSON in script elements, each read only when a row of it is shown.
"use strict";

faithkit.pageStore = function () {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const index = read("index");
  const cached = new Map();
  const loaded = new Promise((resolve) => {
    if (document.readyState !== "loading") resolve();
    else document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });
  /** One block of rows or sources. The parser may still be reading it: whole is what has another one behind it. */
  const block = async (id) => {
    if (cached.has(id)) return cached.get(id);
    const found = document.getElementById(id);
    if (!found || !found.nextElementSibling) await loaded;
    const items = read(id);
    if (cached.size >= 12) cached.delete(cached.keys().next().value);
    cached.set(id, items);
    return items;
  };
  const item = async (name, number) => {
    const starts = index.blocks[name];
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= number) low = middle;
      else high = middle - 1;
    }
    return (await block(`${name}-${low}`))[number - starts[low]];
  };
  const row = async (number) => {
    const view = await item("rows", number);
    return { ...view, source: await item("sources", view.source) };
  };
  /** Block by block, with a breath between them, so that the page stays alive. */
  const search = async (text) => {
    const wanted = text.toLowerCase();
    const sources = new Set();
    const rows = new Set();
    const walk = async (name, look) => {
      for (let number = 0; number < index.blocks[name].length; number += 1) {
        const start = index.blocks[name][number];
        (await block(`${name}-${number}`)).forEach((one, place) => look(one, start + place));
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
    await walk("sources", (source, number) => source.toLowerCase().includes(wanted) && sources.add(number));
    await walk("rows", (view, number) => {
      const texts = [view.id, view.summary, view.system || ""];
      if (sources.has(view.source) || texts.some((one) => one.toLowerCase().includes(wanted))) rows.add(number);
    });
    return (number) => rows.has(number);
  };
  return { overview: read("overview-data"), index, row, search };
};

faithkit.results(document.getElementById("results"), faithkit.pageStore());
