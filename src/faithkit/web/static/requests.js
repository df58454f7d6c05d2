// Requests to the server, with one form of error.
"use strict";

/** A request that failed. `lost`: the server did not answer; `again`: the same may succeed later. */
faithkit.Failed = class extends Error {
  constructor(message, { lost = false, again = false } = {}) {
    super(message);
    Object.assign(this, { lost, again });
  }
};

/** What the server answers in JSON, null where it answers with nothing. Throws faithkit.Failed. */
faithkit.ask = async function (path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new faithkit.Failed("The server does not answer.", { lost: true, again: true });
  }
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  if (response.status === 401) location.reload();
  const said = answer && answer.error ? answer.error.message : `The server answered ${response.status}.`;
  throw new faithkit.Failed(said, { again: response.status === 429 || response.status === 503 });
};

/** As `ask`, with a value as JSON. */
faithkit.send = function (path, value) {
  return faithkit.ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
};

/** Shows what went wrong in the page's place for it; hides it without a text. */
faithkit.problem = function (text) {
  const place = document.getElementById("problem");
  if (place.textContent !== text) place.textContent = text;
  place.hidden = !text;
};

faithkit.later = function (seconds) {
  return new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
};
