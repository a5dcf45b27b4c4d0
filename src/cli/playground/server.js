// Requests to the module of WebAssembly, in place of a server: the same functions as in the file of this name that
// `bouton serve` gives. Long work has a worker of its own, which is ended when nobody waits for the work any more.

const MAX_TEXTS = 64; // Texts whose games can be asked for; the module holds as many.
const OWN_LANES = ["values", "reply", "review", "certificate"];
const ENDED = { status: 503, json: { error: "The browser has ended the work." } };

/** The compiled module and the games. */
const loaded = (async () => {
  const [module, games] = await Promise.all(["bouton.wasm", "games.json"].map(async (name) => {
    const answer = await fetch(name);
    if (!answer.ok) {
      throw new Error(`${name} cannot be loaded: the server says ${answer.status}.`);
    }
    return answer.arrayBuffer();
  }));
  try {
    return { module: await WebAssembly.compile(module), games };
  } catch (error) {
    throw new Error("The module is damaged, or this browser is too old for it: it needs exceptions of WebAssembly.", { cause: error });
  }
})();
loaded.catch(() => {}); // Each request reports it.

const aborted = () => new DOMException("nobody waits for the answer", "AbortError");

/** A worker that does one piece of work after the other. */
class Lane {
  #waiting = [];
  #worker = null;
  #running = false;

  /** Does a request; `see` takes its events. */
  ask(request, signal, see = () => {}) {
    return new Promise((done, fail) => {
      this.#waiting.push({ request, signal, see, done, fail });
      this.#goOn();
    });
  }

  async #goOn() {
    if (this.#running) {
      return;
    }
    this.#running = true;
    while (this.#waiting.length) {
      const { request, signal, see, done, fail } = this.#waiting.shift();
      try {
        done(await this.#send(request, signal, see));
      } catch (error) {
        fail(error);
      }
    }
    this.#running = false;
  }

  async #send(request, signal, see) {
    const files = await loaded;
    if (signal?.aborted) {
      throw aborted();
    }
    if (!this.#worker) {
      this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      this.#worker.postMessage(files);
    }
    const worker = this.#worker;
    const end = () => {
      worker.terminate();
      this.#worker = null;
    };
    return new Promise((done, fail) => {
      const stop = () => {
        end();
        fail(aborted());
      };
      const finish = (answer) => {
        signal?.removeEventListener("abort", stop);
        done(answer);
      };
      signal?.addEventListener("abort", stop, { once: true });
      worker.onmessage = ({ data: { event, answer, failure } }) => {
        if (event) {
          see(event.name, event.data);
        } else if (failure) {
          end();
          finish(failure);
        } else {
          finish(answer);
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        end();
        finish(ENDED);
      };
      worker.postMessage({ request });
    });
  }
}

const lanes = new Map();

/** The worker for a kind of work. */
function laneOf(path, body) {
  const last = path.slice(path.lastIndexOf("/") + 1);
  const name = OWN_LANES.includes(last) ? last : body?.explore ? "explore" : "page";
  if (!lanes.has(name)) {
    lanes.set(name, new Lane());
  }
  return lanes.get(name);
}

const texts = new Map(); // The texts of the editor by the ids of their games, the last one last.

function keep(id, text) {
  texts.delete(id);
  texts.set(id, text);
  if (texts.size > MAX_TEXTS) {
    texts.delete(texts.keys().next().value);
  }
}

const checkOf = (body) => ({ path: "check", query: "", body: JSON.stringify(body) });

/** Does a request; returns what the module answers. */
async function answered(address, { body, signal, see } = {}) {
  const { pathname, search } = new URL(address, "http://module/");
  const path = decodeURIComponent(pathname.slice("/api/".length));
  const lane = laneOf(path, body);
  const request = body ? checkOf(body) : { path, query: search.slice(1), body: "" };
  let answer = await lane.ask(request, signal, see);
  const text = texts.get(path.split("/")[1]);
  if (answer.status === 404 && text !== undefined) {
    // Another worker has checked the text, or this one has begun anew.
    await lane.ask(checkOf({ text }), signal);
    answer = await lane.ask(request, signal, see);
  }
  if (answer.status !== 200) {
    throw Object.assign(new Error(answer.json.error), { status: answer.status });
  }
  return answer;
}

/** Returns the JSON at an address; throws the sentence of a refusal. */
export async function fetched(path, signal) {
  return (await answered(path, { signal })).json;
}

/** Returns the text at an address. */
export async function fetchedText(path, signal) {
  return (await answered(path, { signal })).text;
}

/** Returns the JSON that answers a body. */
export async function posted(path, body, signal) {
  const { json } = await answered(path, { body, signal });
  if (json.game) {
    keep(json.game.id, body.text);
  }
  return json;
}

/** Follows the events at an address: calls `see` with the name and the data of each. Returns the stream, to be closed. */
export function follow(path, see) {
  const stop = new AbortController();
  answered(path, { signal: stop.signal, see }).catch((error) => {
    if (error.name !== "AbortError") {
      see("failure", { error: error.message });
    }
  });
  return { close: () => stop.abort() };
}
