// Files: sent as they are, then watched until they are scored.
"use strict";

faithkit.POLL_SECONDS = 0.7;
faithkit.FORMATS = ["jsonl", "csv", "tsv", "parquet"];

faithkit.files = function () {
  const byId = (id) => document.getElementById(id);
  const page = { list: byId("files"), cards: new Map(), watching: false, asked: false };
  const drop = byId("drop");
  const input = byId("file");
  byId("form").addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("change", () => {
    faithkit.sendFiles(page, [...input.files]);
    input.value = "";
  });
  // A file that misses the place for it must not replace the page.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
  drop.addEventListener("dragover", () => drop.classList.add("over"));
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    drop.classList.remove("over");
    faithkit.sendFiles(page, [...event.dataTransfer.files]);
  });
  faithkit.watch(page);
};

/** The query of an upload: the file's name, and the columns that the person named. */
faithkit.query = function (name) {
  const query = new URLSearchParams({ name });
  for (const field of ["source", "summary", "id"]) {
    const column = document.getElementById(`column-${field}`).value.trim();
    if (column) query.append("column", `${field}=${column}`);
  }
  return query;
};

faithkit.sendFiles = async function (page, files) {
  faithkit.problem("");
  for (const file of files) {
    try {
      const headers = { "Content-Type": "application/octet-stream" };
      const sent = await faithkit.ask(`/v1/files?${faithkit.query(file.name)}`, { method: "POST", headers, body: file });
      faithkit.showFile(page, sent);
    } catch (failed) {
      faithkit.problem(`${file.name}: ${failed.message}`);
    }
  }
  faithkit.watch(page);
};

/** Asks how far the files are, until all are done. Called again meanwhile it asks once more at least: an answer on its way
 * may be older than the file that was just sent. */
faithkit.watch = async function (page) {
  page.asked = true;
  if (page.watching) return;
  page.watching = true;
  try {
    while (page.asked) {
      page.asked = false;
      if (await faithkit.look(page)) {
        page.asked = true;
        await faithkit.later(faithkit.POLL_SECONDS);
      }
    }
  } finally {
    page.watching = false;
  }
};

/** Shows how far the files are; whether to look again. */
faithkit.look = async function (page) {
  try {
    const { files } = await faithkit.ask("/v1/files");
    if (page.lost) faithkit.problem("");
    page.lost = false;
    for (const [id, card] of page.cards) if (!files.some((file) => file.id === id)) faithkit.dropCard(page, id, card);
    for (const file of [...files].reverse()) faithkit.showFile(page, file);
    return files.some((file) => ["checking", "waiting", "running"].includes(file.status));
  } catch (failed) {
    page.lost = true;
    faithkit.problem(`${failed.message} Trying again …`);
    return true;
  }
};

faithkit.dropCard = function (page, id, card) {
  card.remove();
  page.cards.delete(id);
};

/** Shows a file, the newest above; only what changed is drawn, so that the focus stays. */
faithkit.showFile = function (page, file) {
  let card = page.cards.get(file.id);
  if (!card) {
    card = faithkit.element("article", { class: "file", "aria-label": file.name });
    page.cards.set(file.id, card);
    page.list.prepend(card);
  }
  const drawn = JSON.stringify(file);
  if (card.drawn === drawn) return;
  const within = card.contains(document.activeElement);
  card.drawn = drawn;
  card.replaceChildren(...faithkit.fileParts(page, file));
  if (within) card.querySelector("button, a")?.focus();
};

faithkit.fileParts = function (page, file) {
  const { element, count } = faithkit;
  const heading = element("h2", {}, faithkit.plain(file.name));
  const remove = element("button", { type: "button", on: { click: () => faithkit.removeFile(page, file.id) } }, file.status === "done" || file.status === "failed" ? "Remove" : "Stop");
  if (file.status === "failed") return [heading, element("p", { class: "note" }, faithkit.plain(file.problem)), element("div", { class: "row-of-buttons" }, remove)];
  if (file.status !== "done") {
    const said = { checking: "Reading the file …", waiting: "Waiting for another file …", running: `${file.done.toLocaleString("en")} of ${count(file.rows, "row")} scored` }[file.status];
    const bar = element("progress", file.status === "running" ? { max: file.rows, value: file.done, "aria-label": "Rows scored" } : { "aria-label": "Rows scored" });
    return [heading, element("p", {}, said), bar, element("div", { class: "row-of-buttons" }, remove)];
  }
  const scores = faithkit.FORMATS.map((format) => element("a", { class: "button", download: true, href: `/v1/files/${file.id}/scores.${format}` }, format.toUpperCase()));
  const look = element("a", { class: "button", href: `/results/${file.id}` }, "Look at the rows");
  return [heading, faithkit.fileSummary(file), element("div", { class: "row-of-buttons" }, look, element("span", {}, "Scores:"), ...scores, remove)];
};

faithkit.fileSummary = function (file) {
  const { element, count, number } = faithkit;
  const rows = file.summary.map((metric) => {
    const others = Object.entries(metric.outcomes).filter(([name]) => name !== "ok").map(([name, many]) => `${many} ${faithkit.outcome(name)}`);
    const verdicts = Object.entries(metric.verdicts).map(([name, many]) => `${many} ${name}`);
    return [metric.metric, number(metric.mean), verdicts.join(", ") || "–", others.join(", ") || "none"];
  });
  return element("div", {}, element("p", {}, count(file.rows, "row")), faithkit.table(["metric", "mean", "verdicts", "rows without a score"], rows, `Scores of ${file.name}`));
};

faithkit.removeFile = async function (page, id) {
  try {
    await faithkit.ask(`/v1/files/${id}`, { method: "DELETE" });
  } catch (failed) {
    faithkit.problem(failed.message);
  }
  await faithkit.look(page);
};

faithkit.files();
