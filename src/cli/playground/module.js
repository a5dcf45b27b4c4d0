// The module of WebAssembly, as a function from requests to messages.

const TOO_DEEP = "The work was given up: it is nested too deeply for this browser.";
const TOO_LARGE = "The work was given up: it needs more memory than this browser gives.";

/**
 * Begins a module with the games of `games.json`. Returns the function that takes a request; `send` takes the messages,
 * each an object with an `event`, or with the `answer` that ends the request, or with a `failure` in place of an answer:
 * then the module has ended.
 */
export async function begin(module, games, send) {
  const text = new TextDecoder();
  const { exports } = await WebAssembly.instantiate(module, {
    host: {
      now: () => performance.now(),
      answer: (at, length) => send({ answer: read(at, length) }),
      event: (at, length) => send({ event: read(at, length) }),
    },
  });

  // Addresses are unsigned. Memory that grows has a new buffer.
  function bytes(at, length) {
    return new Uint8Array(exports.memory.buffer, at >>> 0, length >>> 0);
  }

  function read(at, length) {
    return JSON.parse(text.decode(bytes(at, length)));
  }

  function write(message) {
    bytes(exports.input(message.length), message.length).set(message);
  }

  write(new Uint8Array(games));
  const isBegun = exports.start();
  return (request) => {
    if (!isBegun) {
      send({ failure: { status: 500, json: { error: "games.json does not belong to this module." } } });
      return;
    }
    try {
      write(new TextEncoder().encode(JSON.stringify(request)));
      exports.request();
    } catch (error) {
      // The stack or the memory is used up.
      send({ failure: { status: 503, json: { error: error instanceof RangeError ? TOO_DEEP : TOO_LARGE } } });
    }
  };
}
