// The editor: rules that are checked as they are typed, and the game that they make beside them.
import { leaveGame, showGame } from "./game.js";
import { fetched, fetchedText, posted } from "./server.js";
import { packed, save, unpacked } from "./share.js";

const element = (id) => document.getElementById(id);
const CHECK_PAUSE = 250; // Milliseconds between the last key and a check.
const EXPLORED = 50_000; // The positions that are explored for mistakes that only play shows.
const KEPT = "bouton-rules"; // The rules of this tab, for those that are too long for an address.
const BAD_ADDRESS = "The address holds no rules that can be read. It may have been cut off.";

let editor; // The code editor, once its script has come.
let address; // The address of the page.
let refresh; // Shows the page of the address again.
let draft = null; // The game of the rules, as the server names it; null if they have mistakes.
let shownText = null; // The text that `draft` and the diagnostics belong to.
let timer = 0;
let running = new AbortController(); // The check that runs.
let isShared = true; // False if the rules are too long for the address.

/** Shows the editor with the rules of the address, and their game. */
export async function showEditor(state, show) {
  [address, refresh] = [state, show];
  const isNew = element("editor").hidden || !editor;
  element("editor").hidden = false;
  element("workspace").classList.add("editing");
  document.title = "Editor · Bouton";
  if (!editor) {
    const { createEditor } = await import("./codemirror.js");
    editor ??= createEditor(element("code"), changed);
    await fillStarts();
  }
  const text = await textOf(state, isNew);
  if (text !== null && text !== editor.text()) {
    editor.setText(text);
    await check();
  } else if (shownText !== editor.text()) {
    await check();
  } else {
    await showDraft();
  }
}

/** Leaves the editor; its text stays in the tab. */
export function leaveEditor() {
  clearTimeout(timer);
  running.abort();
  element("editor").hidden = true;
  element("workspace").classList.remove("editing");
}

/** The rules of an address: its own, those of a game of the gallery, or the last ones of this tab; null for no change. */
async function textOf(state, isNew) {
  const { hash } = location;
  if (hash.startsWith("#rules=")) {
    try {
      return await unpacked(hash.slice("#rules=".length));
    } catch {
      element("failure").textContent = BAD_ADDRESS;
      element("failure").hidden = false;
      return isNew && editor.text() === "" ? firstTemplate() : null;
    }
  }
  if (!isNew) {
    return null;
  }
  if (state.edit !== "") {
    return rulesOf(state.edit);
  }
  return sessionStorage.getItem(KEPT) ?? firstTemplate();
}

const rulesOf = (id) => fetchedText(`api/games/${encodeURIComponent(id)}/rules`);

let templates = [];
const firstTemplate = () => templates[0].text;

/** Fills the list of rules to begin with. */
async function fillStarts() {
  const [small, { games }] = await Promise.all([fetched("api/templates"), fetched("api/games")]);
  templates = small.templates;
  const group = (label, options) => {
    const made = document.createElement("optgroup");
    made.label = label;
    made.append(...options);
    return made;
  };
  element("start").append(
    group("Templates", templates.map(({ name }, at) => new Option(name, `template ${at}`))),
    group("Games", games.map(({ name, id }) => new Option(name, `game ${id}`))),
  );
}

async function begin(choice) {
  const [kind, name] = [choice.slice(0, choice.indexOf(" ")), choice.slice(choice.indexOf(" ") + 1)];
  try {
    const text = kind === "template" ? templates[Number(name)].text : await rulesOf(name);
    // The rules before stay one step back.
    history.pushState(null, "", "./?edit");
    address = { ...address, edit: "", moves: [], at: 0, settings: [], preset: null };
    editor.setText(text);
    editor.focus();
    changed();
  } catch (error) {
    fail(error);
  }
}

function fail(error) {
  if (error.name !== "AbortError") {
    element("failure").textContent = error.message;
    element("failure").hidden = false;
  }
}

/** After a key: work for the old text ends, and the new one is checked when the keys rest. */
function changed() {
  running.abort();
  leaveGame();
  setBusy(true); // The moves on the screen are those of the old text.
  element("check-status").textContent = "…";
  clearTimeout(timer);
  timer = setTimeout(check, CHECK_PAUSE);
}

const setBusy = (is) => element("game").setAttribute("aria-busy", String(is));

const post = (body, signal) => posted("api/check", body, signal);

/** Checks the text, shows the game if there is one, and looks for mistakes that only play shows. */
async function check() {
  clearTimeout(timer);
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const text = editor.text();
  try {
    const found = await post({ text }, signal);
    if (text !== editor.text()) {
      return;
    }
    [draft, shownText] = [found.game, text];
    element("failure").hidden = true;
    tell(found);
    await keep(text);
    if (signal.aborted) {
      return;
    }
    await showDraft();
    if (draft !== null && !signal.aborted) {
      tell(await post({ text, explore: EXPLORED }, signal));
    }
  } catch (error) {
    if (error.name !== "AbortError") {
      setBusy(false);
      element("check-status").textContent = error.message;
    }
  }
}

/** Writes the text into the address, or into the tab if it is too long for an address. */
async function keep(text) {
  const share = await packed(text);
  isShared = share !== null;
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    // The tab holds no more; the address may still.
  }
  const hash = isShared ? `#rules=${share}` : "";
  if (location.hash !== hash && text === editor.text()) {
    history.replaceState(null, "", `${location.pathname}?${new URLSearchParams(location.search)}${hash}`);
  }
  element("share-note").textContent = "";
}

/** Shows the position of the address in the game of the text; a position that the new rules do not have is left. */
async function showDraft() {
  const game = element("game");
  if (draft === null) {
    game.classList.add("stale");
    element("stale").hidden = game.hidden;
    setBusy(false);
    return;
  }
  const plain = { moves: [], at: 0 };
  // The first one twice: the server may have to read the rules again.
  const attempts = [{}, {}, plain, { ...plain, settings: [], preset: null }];
  for (const attempt of attempts) {
    const state = { ...address, ...attempt, id: draft.id, game: draft };
    try {
      await showGame(state, refresh);
      address = { ...address, ...attempt };
      game.classList.remove("stale");
      element("stale").hidden = true;
      return;
    } catch (error) {
      if (error.status === 404) {
        // The server was started anew, or holds other games by now.
        await post({ text: shownText }, running.signal);
      } else if (error.name === "AbortError" || attempt === attempts.at(-1)) {
        throw error;
      }
    }
  }
}

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** Shows the diagnostics in the text and in the list below it. */
function tell({ diagnostics, more, explored, unexplored }) {
  editor.showDiagnostics(diagnostics);
  const number = (severity) => diagnostics.filter((found) => found.severity === severity).length;
  const parts = ["error", "warning", "note"].filter(number).map((severity) => count(number(severity), severity));
  const play = explored ? `explored ${explored}` : unexplored && `not checked by play: ${unexplored}`;
  const extent = [play, more && `${more} more are not listed`].filter(Boolean);
  element("check-status").textContent = [parts.join(", ") || `No mistakes found${unexplored ? " in the text" : ""}`, ...extent].join("; ");
  element("problems").replaceChildren(...diagnostics.map(problem));
}

function made(kind, name, text) {
  const of = document.createElement(kind);
  of.className = name;
  of.textContent = text;
  return of;
}

function problem(found) {
  const item = made("li", `problem ${found.severity}`, "");
  const head = made("button", "place", "");
  const place = found.line === null ? "" : `line ${found.line}, column ${found.column}: `;
  head.append(made("b", "", found.severity), ` ${place}${found.title}`);
  head.disabled = found.from === null;
  head.addEventListener("click", () => editor.select(found.from, found.to));
  item.append(head);
  for (const text of [found.label, ...found.notes, found.help && `Help: ${found.help}`]) {
    if (text) {
      item.append(made("p", "", text));
    }
  }
  for (const { text, line, from, to } of found.related) {
    if (from === null) {
      item.append(made("p", "", text));
      continue;
    }
    const link = made("button", "place", `line ${line}: ${text}`);
    link.addEventListener("click", () => editor.select(from, to));
    item.append(link);
  }
  for (const fix of found.fixes) {
    const button = made("button", "fix", fix.title);
    button.addEventListener("click", () => editor.fix(fix));
    item.append(button);
  }
  return item;
}

element("start").addEventListener("change", (event) => {
  const choice = event.target.value;
  event.target.value = "";
  begin(choice);
});
element("share-rules").addEventListener("click", async () => {
  await keep(editor.text());
  if (!isShared) {
    element("share-note").textContent = "These rules are too long for an address. Download them and send the file.";
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    element("share-note").textContent = "The address is copied: it holds the rules.";
  } catch {
    element("share-note").textContent = "The address holds the rules: copy it from the browser.";
  }
});
element("copy-rules").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(editor.text());
    element("share-note").textContent = "The rules are copied.";
  } catch {
    editor.selectAll();
    element("share-note").textContent = "The rules are selected: copy them by Ctrl-C.";
  }
});
element("download-rules").addEventListener("click", () => {
  const name = /^\s*game\s+"([^"]+)"/m.exec(editor.text())?.[1] ?? "rules";
  save(editor.text(), `${name}.bou`);
});
