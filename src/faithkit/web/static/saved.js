// The store of saved results that a server keeps (see report/assets/__init__.py), and the start of their view.
"use strict";

faithkit.serverStore = async function (address) {
  const { overview, index } = await faithkit.ask(`${address}/index`);
  return {
    overview,
    index,
    listed: (numbers) => numbers.map((number) => index.listed[number]),
    row: (number) => faithkit.ask(`${address}/rows/${number}`),
    search: async (text) => {
      const { rows } = await faithkit.ask(`${address}/search?${new URLSearchParams({ q: text })}`);
      const matching = new Set(rows);
      return (number) => matching.has(number);
    },
  };
};

faithkit.startSaved = async function () {
  const place = document.getElementById("results");
  try {
    const store = await faithkit.serverStore(place.dataset.address);
    place.removeAttribute("aria-busy");
    await faithkit.results(place, store);
  } catch (failed) {
    if (!(failed instanceof faithkit.Failed)) throw failed;
    place.replaceChildren();
    faithkit.problem(failed.message);
  }
};

faithkit.startSaved();
