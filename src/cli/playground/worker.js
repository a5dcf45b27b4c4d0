// A worker of the playground: answers one request after the other by the module.
import { begin } from "./module.js";

let ask; // Answers a request; a promise until the module has begun.

addEventListener("message", async ({ data: { module, games, request } }) => {
  if (module) {
    ask = begin(module, games, (message) => postMessage(message));
  } else {
    (await ask)(request);
  }
});
