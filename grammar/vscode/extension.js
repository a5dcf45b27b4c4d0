// The extension: starts `bouton lsp`, and runs the commands that need a terminal or a page.
"use strict";

const { execFile } = require("node:child_process");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");
const { showBoard } = require("./board");

/** The client of the running server. */
let client;
/** The channel with the answers of the commands. */
let output;

/** The command `bouton`, as the user has it. */
function bouton() {
  return vscode.workspace.getConfiguration("bouton").get("path") || "bouton";
}

/** The document that a command is about: that of a code lens, else the one in the active editor. */
function target(argument) {
  if (argument && typeof argument.uri === "string") {
    return { uri: vscode.Uri.parse(argument.uri), test: argument.test };
  }
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "bouton") {
    vscode.window.showWarningMessage("Bouton: open a .bou file first.");
    return undefined;
  }
  return { uri: document.uri };
}

/** The path of a document on disk, saved. */
async function saved(uri) {
  if (uri.scheme !== "file") {
    vscode.window.showWarningMessage("Bouton: save the file first.");
    return undefined;
  }
  const document = vscode.workspace.textDocuments.find((of) => of.uri.toString() === uri.toString());
  if (document?.isDirty && !(await document.save())) {
    return undefined;
  }
  return uri.fsPath;
}

/** The arguments that begin with a position: the first one, or that of a test. */
function position(test) {
  return test === undefined ? [] : ["--position", test];
}

async function play(argument) {
  const of = target(argument);
  const path = of && (await saved(of.uri));
  if (path) {
    // The arguments go to the program itself: no shell reads them.
    const shellArgs = ["play", path, ...position(of.test)];
    vscode.window.createTerminal({ name: "Bouton", shellPath: bouton(), shellArgs }).show();
  }
}

/** Plays on a board beside the rules. */
async function board(argument) {
  const of = target(argument);
  const path = of && (await saved(of.uri));
  if (path) {
    await showBoard(vscode, bouton(), path).catch((error) => {
      vscode.window.showErrorMessage(`Bouton: ${error.message}`);
    });
  }
}

async function report(argument) {
  const of = target(argument);
  const path = of && (await saved(of.uri));
  if (!path) {
    return;
  }
  const run = (progress, cancelled) =>
    new Promise((resolve) => {
      const args = ["report", path, "--format", "html", ...position(of.test)];
      const child = execFile(bouton(), args, { maxBuffer: 64 << 20 }, (error, page, why) => {
        if (page) {
          const panel = vscode.window.createWebviewPanel("bouton.report", "Bouton", vscode.ViewColumn.Beside, {
            enableScripts: false,
          });
          panel.webview.html = page;
        } else if (error && !error.killed) {
          vscode.window.showErrorMessage(`Bouton: ${why || error.message}`);
        }
        resolve();
      });
      cancelled.onCancellationRequested(() => child.kill());
    });
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title: "Bouton: writing the report", cancellable: true }, run);
}

/** Runs a command of the server on the active document. */
async function onServer(command) {
  const of = target();
  if (of) {
    await vscode.commands.executeCommand(command, { uri: of.uri.toString() });
  }
}

/** Shows the whole answer to a command of the server; the server itself shows the first line. */
async function executeCommand(command, args, next) {
  const answer = await next(command, args);
  if (typeof answer?.text === "string") {
    output.appendLine(answer.text);
    output.show(true);
  }
  return answer;
}

function start() {
  const server = { command: bouton(), args: ["lsp"], transport: TransportKind.stdio };
  const explore = vscode.workspace.getConfiguration("bouton").get("explore");
  client = new LanguageClient("bouton", "Bouton", server, {
    documentSelector: [{ language: "bouton" }],
    initializationOptions: { clientCommands: true, explore },
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.bou") },
    middleware: { executeCommand },
  });
  return client.start().catch((error) => {
    const advice = "Install it with `cargo install --path .`, or set `bouton.path`.";
    vscode.window.showErrorMessage(`Bouton: ${bouton()} does not start: ${error.message}. ${advice}`);
  });
}

async function restart() {
  await client?.stop().catch(() => undefined);
  await start();
}

async function activate(context) {
  output = vscode.window.createOutputChannel("Bouton results");
  const commands = {
    "bouton.solveFile": () => onServer("bouton.solve"),
    "bouton.testFile": () => onServer("bouton.test"),
    "bouton.play": play,
    "bouton.board": board,
    "bouton.report": report,
    "bouton.restart": restart,
  };
  context.subscriptions.push(output);
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
