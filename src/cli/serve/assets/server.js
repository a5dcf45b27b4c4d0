// Requests to the server. The playground has another file in this place, whose requests go to a module in the browser.

async function answered(path, options) {
  const answer = await fetch(path, options);
  if (!answer.ok) {
    const { error } = await answer.json();
    throw Object.assign(new Error(error), { status: answer.status });
  }
  return answer;
}

/** Returns the JSON at an address; throws the sentence of a refusal. */
export async function fetched(path, signal) {
  return (await answered(path, { signal })).json();
}

/** Returns the text at an address. */
export async function fetchedText(path, signal) {
  return (await answered(path, { signal })).text();
}

/** Returns the JSON that answers a body. */
export async function posted(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return (await answered(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json();
}

/** Follows the events at an address: calls `see` with the name and the data of each. Returns the stream, to be closed. */
export function follow(path, see) {
  const stream = new EventSource(path);
  for (const name of ["progress", "solution", "failure"]) {
    stream.addEventListener(name, (event) => {
      if (name !== "progress") {
        stream.close();
      }
      see(name, JSON.parse(event.data));
    });
  }
  stream.onerror = () => {
    if (stream.readyState !== EventSource.CLOSED) {
      stream.close();
      see("failure", { error: "The server does not compute the values now." });
    }
  };
  return stream;
}
