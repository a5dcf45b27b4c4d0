// Asks the module of a playground: node ask.mjs FOLDER < REQUESTS. Requests are an array of objects with `path`, `query`
// and `body`; the answers are an array of all messages for each. A module that has failed is begun anew.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { begin } = await import(pathToFileURL(join(folder, "module.js")));
const module = await WebAssembly.compile(readFileSync(join(folder, "bouton.wasm")));
const games = readFileSync(join(folder, "games.json"));
let messages = [];
let ask = null;
const answers = [];
for (const request of JSON.parse(readFileSync(0, "utf8"))) {
  messages = [];
  ask ??= await begin(module, games, (message) => messages.push(message));
  ask(request);
  if (messages.at(-1)?.failure) {
    ask = null;
  }
  answers.push(messages);
}
process.stdout.write(JSON.stringify(answers));
