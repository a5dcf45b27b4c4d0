// The extension against stubs of `vscode` and of the client: it registers its commands, and gives programs their
// arguments without a shell.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");
const test = require("node:test");

const manifest = require("../package.json");

/** The calls that the extension made. */
function stubs() {
  const calls = { commands: {}, terminals: [], executed: [], warnings: [], lines: [], options: undefined };
  const document = {
    languageId: "bouton",
    isDirty: true,
    uri: { scheme: "file", fsPath: "/games/a b.bou", toString: () => "file:///games/a%20b.bou" },
    save: async () => ((document.isDirty = false), true),
  };
  const vscode = {
    ProgressLocation: { Notification: 15 },
    Uri: { parse: () => document.uri },
    ViewColumn: { Beside: -2 },
    commands: {
      registerCommand: (name, run) => ((calls.commands[name] = run), { dispose() {} }),
      executeCommand: async (...args) => calls.executed.push(args),
    },
    window: {
      activeTextEditor: { document },
      createOutputChannel: () => ({ appendLine: (line) => calls.lines.push(line), show() {}, dispose() {} }),
      createTerminal: (options) => (calls.terminals.push(options), { show() {} }),
      showErrorMessage: (text) => calls.warnings.push(text),
      showWarningMessage: (text) => calls.warnings.push(text),
    },
    workspace: {
      textDocuments: [document],
      getConfiguration: () => ({ get: (name) => ({ path: "/opt/bouton", explore: 7 })[name] }),
      createFileSystemWatcher: (pattern) => pattern,
    },
  };
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(calls, { server, options });
    }
    async start() {}
    async stop() {}
  }
  return { calls, document, modules: { vscode, "vscode-languageclient/node": { LanguageClient, TransportKind: { stdio: 0 } } } };
}

/** Loads the extension with the stubs in place of its modules. */
function load(modules) {
  const original = Module._load;
  Module._load = (name, ...rest) => modules[name] ?? original(name, ...rest);
  try {
    const file = path.join(__dirname, "..", "extension.js");
    delete require.cache[file];
    return require(file);
  } finally {
    Module._load = original;
  }
}

test("the commands of the manifest are registered, and the server is started", async () => {
  const { calls, modules } = stubs();
  const extension = load(modules);
  await extension.activate({ subscriptions: [] });
  const declared = manifest.contributes.commands.map((of) => of.command).sort();
  assert.deepStrictEqual(Object.keys(calls.commands).sort(), declared);
  assert.deepStrictEqual([calls.server.command, calls.server.args], ["/opt/bouton", ["lsp"]]);
  assert.deepStrictEqual(calls.options.initializationOptions, { clientCommands: true, explore: 7 });
  await extension.deactivate();
});

test("play saves the file and gives the arguments to the program itself", async () => {
  const { calls, document, modules } = stubs();
  await load(modules).activate({ subscriptions: [] });
  await calls.commands["bouton.play"]({ uri: "file:///games/a%20b.bou", test: "mate; rm -rf" });
  assert.strictEqual(document.isDirty, false);
  assert.deepStrictEqual(calls.terminals, [
    { name: "Bouton", shellPath: "/opt/bouton", shellArgs: ["play", "/games/a b.bou", "--position", "mate; rm -rf"] },
  ]);
});

test("a board is shown beside the rules, and its server ends with it", { skip: !process.env.BOUTON_COMMAND }, async () => {
  const { calls, document, modules } = stubs();
  const panel = { webview: { onDidReceiveMessage: (run) => { panel.ask = run; }, postMessage: (of) => panel.answers.push(of) } };
  Object.assign(panel, { answers: [], onDidDispose: (run) => { panel.dispose = run; } });
  modules.vscode.window.createWebviewPanel = (...options) => Object.assign(panel, { options });
  const settings = { path: process.env.BOUTON_COMMAND };
  modules.vscode.workspace.getConfiguration = () => ({ get: (name) => settings[name] });
  document.uri.fsPath = path.join(__dirname, "../../../games/tictactoe.bou");
  await load(modules).activate({ subscriptions: [] });
  await calls.commands["bouton.board"]();
  assert.deepStrictEqual(calls.warnings, []);
  assert.deepStrictEqual(panel.options.slice(0, 3), ["bouton.board", "Tic-tac-toe", -2]);
  assert.match(panel.webview.html, /default-src 'none'.*class Board.*acquireVsCodeApi/s);
  await panel.ask({ id: 1, answer: "game", query: [] });
  await panel.ask({ id: 2, answer: "position", query: [["p", "b2"]] });
  await panel.ask({ id: 3, answer: "values", query: [["p", "b2"], ["p", "b1"]] });
  await panel.ask({ id: 4, answer: "certificate", query: [] });
  const [game, position, values, ...others] = panel.answers.map(({ data }) => data);
  assert.deepStrictEqual([game.name, position.turn, values.solution.winner, others], ["Tic-tac-toe", "O", "X", []]);
  panel.dispose();
  // A file with errors has no server.
  document.uri.fsPath = __filename;
  await calls.commands["bouton.board"]();
  assert.strictEqual(calls.warnings.length, 1);
});

test("commands without an open file say so; answers are shown whole", async () => {
  const { calls, modules } = stubs();
  await load(modules).activate({ subscriptions: [] });
  await calls.commands["bouton.solveFile"]();
  assert.deepStrictEqual(calls.executed, [["bouton.solve", { uri: "file:///games/a%20b.bou" }]]);
  const answer = await calls.options.middleware.executeCommand("bouton.solve", [], async () => ({ text: "A wins" }));
  assert.deepStrictEqual([answer.text, calls.lines], ["A wins", ["A wins"]]);
  modules.vscode.window.activeTextEditor = undefined;
  await calls.commands["bouton.play"]();
  assert.deepStrictEqual([calls.warnings.length, calls.terminals.length], [1, 0]);
});
