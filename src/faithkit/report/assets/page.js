// A page that holds its own data: JSON in script elements, each read only when a row of it is shown.
"use strict";

faithkit.pageStore = function () {
  // The two small sigmas are one, as which is made depends on what is around it.
  const folded = (text) => text.toLowerCase().replaceAll("ς", "σ");
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
  const first = new Map(index.first.map(([number, ...listed]) => [number, listed]));
  const listed = (numbers) => (numbers.every((number) => first.has(number)) ? numbers.map((number) => first.get(number)) : Promise.all(numbers.map((number) => item("listed", number))));
  /** Block by block, with a breath now and then, so that the page stays alive. */
  const search = async (text) => {
    await loaded;
    const wanted = folded(text);
    // As it is written in a block: most blocks without it need not be parsed.
    const written = folded(JSON.stringify(text).slice(1, -1).replaceAll("<", "\\u003c"));
    const sources = new Set();
    const rows = new Set();
    let breath = performance.now();
    const walk = async (name, all, look) => {
      for (let number = 0; number < index.blocks[name].length; number += 1) {
        const id = `${name}-${number}`;
        const start = index.blocks[name][number];
        if (all || folded(document.getElementById(id).textContent).includes(written)) read(id).forEach((one, place) => look(one, start + place));
        if (performance.now() - breath < 30) continue;
        await new Promise((resolve) => setTimeout(resolve));
        breath = performance.now();
      }
    };
    await walk("sources", false, (source, number) => folded(source).includes(wanted) && sources.add(number));
    await walk("rows", sources.size > 0, (view, number) => {
      const texts = [view.id, view.summary, view.system || ""];
      if (sources.has(view.source) || texts.some((one) => folded(one).includes(wanted))) rows.add(number);
    });
    return (number) => rows.has(number);
  };
  return { overview: read("overview-data"), index, listed, row, search };
};

faithkit.results(document.getElementById("results"), faithkit.pageStore());
