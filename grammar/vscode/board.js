// A panel with the board of a game: `bouton serve` answers for the file on loopback, and the panel, which may load
// nothing, asks it through the extension.
"use strict";

const { spawn } = require("node:child_process");
const { randomBytes } = require("node:crypto");
const { readFileSync } = require("node:fs");
const path = require("node:path");

const VIEW = readFileSync(path.join(__dirname, "view", "board.js"), "utf8");

/** Starts a server for a file. Returns its address and its process; throws the sentence of a server that ends. */
function serve(bouton, file) {
  return new Promise((resolve, reject) => {
    const server = spawn(bouton, ["serve", file, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
    let [told, why] = ["", ""];
    server.stdout.on("data", (text) => {
      told += text;
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(told);
      if (address) {
        resolve({ server, address: address[0] });
      }
    });
    server.stderr.on("data", (text) => { why += text; });
    server.on("error", reject);
    server.on("exit", () => reject(new Error(why.trim() || `${bouton} serve has ended`)));
  });
}

/** The page of the panel: the board component and the style of the server, and the script of the view. */
function page(board, style) {
  const nonce = randomBytes(16).toString("hex");
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Bouton</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${style}</style></head>
<body><main id="game">
<h1 id="title"></h1>
<p id="status" role="status" aria-live="polite"></p>
<div id="board"></div>
<ul id="facts"></ul>
<p id="verdict"></p>
<div class="fields"><button id="back">Back</button> <button id="reply">Bouton moves</button> <button id="restart">New game</button></div>
<h2>Moves</h2>
<ul id="moves" class="moves"></ul>
<h2>Play so far</h2>
<p id="history"></p>
</main><script type="module" nonce="${nonce}">${board}\n${VIEW}</script></body></html>`;
}

/** Asks the server; returns the answer, or the last of its events. */
async function ask(address, request, signal) {
  const answer = await fetch(new URL(request, address), { signal });
  if (answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    const events = (await answer.text()).split("\n").filter((line) => line.startsWith("data: "));
    return JSON.parse(events.at(-1)?.slice("data: ".length) ?? "{}");
  }
  return answer.json();
}

/** Opens a panel with the board of a file, whose server lives as long as the panel. */
async function showBoard(vscode, bouton, file) {
  const { server, address } = await serve(bouton, file);
  try {
    const [board, style, { games }] = await Promise.all([
      fetch(new URL("board.js", address)).then((answer) => answer.text()),
      fetch(new URL("page.css", address)).then((answer) => answer.text()),
      ask(address, "api/games"),
    ]);
    const [game] = games;
    const panel = vscode.window.createWebviewPanel("bouton.board", game.name, vscode.ViewColumn.Beside, {
      enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [],
    });
    let values = new AbortController();
    panel.onDidDispose(() => {
      values.abort();
      server.kill();
    });
    panel.webview.onDidReceiveMessage(async ({ id, answer, query }) => {
      if (answer === "game") {
        panel.webview.postMessage({ id, data: game });
        return;
      }
      if (!["position", "values", "reply"].includes(answer)) {
        return;
      }
      // The values of the position before are no longer wanted.
      if (answer === "position") {
        values.abort();
        values = new AbortController();
      }
      const request = `api/games/${encodeURIComponent(game.id)}/${answer}?${new URLSearchParams(query)}`;
      const signal = answer === "values" ? values.signal : undefined;
      const data = await ask(address, request, signal).catch((error) => ({ error: error.message }));
      panel.webview.postMessage({ id, data });
    });
    panel.webview.html = page(board, style);
    return panel;
  } catch (error) {
    server.kill();
    throw error;
  }
}

module.exports = { page, showBoard };
