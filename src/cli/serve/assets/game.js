// A game: its position with the values of moves, the ways to play it, and the play so far.
import { addressOf, api } from "./address.js";
import { Board, outcomes, signOf } from "./board.js";
import { setProse, shareOfWins } from "./prose.js";
import { fetched, fetchedText, follow } from "./server.js";
import { save } from "./share.js";

const element = (id) => document.getElementById(id);
const MAX_SHOWN_MOVES = 300;
const WATCH_PAUSE = 900; // Milliseconds between two moves that are watched.
const REPLY_PAUSE = 250; // Milliseconds before the engine's move is seen.
const seed = Math.floor(Math.random() * 1e9);

let state; // The address.
let game; // The game of the catalogue.
let position; // The position shown.
let refresh; // Shows the page of the address again.
let stop = new AbortController(); // Stops the requests of the last position.
let stream; // The values of the position shown.
let isPaused = false;
let review = null; // The mistakes of the play, with the address that they belong to.
const board = new Board(element("board"), play, (names) => list(names));

/** Stops all work for the position shown. */
export function leaveGame() {
  stop.abort();
  stop = new AbortController();
  stream?.close();
}

/** Shows the position of an address. */
export async function showGame(address, show) {
  leaveGame();
  const { signal } = stop;
  [state, refresh] = [address, show];
  element("game").setAttribute("aria-busy", "true");
  if (game?.id !== state.id) {
    game = state.game ?? await fetched(`api/games/${encodeURIComponent(state.id)}`, signal);
  }
  if (state.mode === "play" && !game.players.includes(state.as)) {
    state.as = game.players[0];
  }
  const hides = state.mode === "play" ? { as: state.as } : {};
  const next = await fetched(api(state, "position", hides), signal);
  position = next;
  element("game").hidden = false;
  document.title = `${game.name} · Bouton`;
  element("edit").href = `./?edit=${encodeURIComponent(state.id)}`;
  element("edit").hidden = state.edit !== null;
  element("title").textContent = game.name;
  setProse(element("about"), game.about);
  showFields();
  showPosition();
  showHistory();
  element("game").setAttribute("aria-busy", "false");
  await goOn(signal);
}

/** Goes to another state of the page. */
function visit(change, replace = false) {
  const next = { ...state, ...change };
  history[replace ? "replaceState" : "pushState"](null, "", addressOf(next));
  refresh();
}

function play(move) {
  if (element("game").ariaBusy === "true") {
    return; // The moves on the screen are those of the position before.
  }
  const moves = [...state.moves.slice(0, state.at), move];
  visit({ moves, at: moves.length });
}

function goTo(at) {
  if (at >= 0 && at <= state.moves.length && at !== state.at) {
    isPaused = true;
    visit({ at });
  }
}

/** Returns true if the user makes the next move. */
function isUsersTurn() {
  const { turn } = position;
  const owns = turn === state.as || ownChoices()?.length > 0;
  return state.mode === "explore" || (turn !== "chance" && (state.mode === "two" || (state.mode === "play" && owns)));
}

/** The user's own choices where all players choose at once and the engine has the other ones; else null. */
function ownChoices() {
  return state.mode === "play" && position.choices ? position.choices[state.as] ?? [] : null;
}

function showsValues() {
  return state.values === null ? state.mode === "explore" || state.mode === "watch" : state.values === "on";
}

function showPosition() {
  const { turn, result, moves, number_of_moves: count } = position;
  const mine = result === null && isUsersTurn() && !ownChoices() ? moves : [];
  const who = turn === "everybody" ? "Everybody chooses" : turn === "chance" ? "Chance moves" : `${turn} to move`;
  element("status").textContent = result === null ? who : `The game is over: ${result}`;
  ["verdict", "proved", "strategy", "reason"].forEach((id) => element(id).replaceChildren());
  element("legend").hidden = true;
  const choices = ownChoices();
  element("moves-title").textContent = choices ? "Your choice" : count === 1 ? "1 move" : `${count} moves`;
  board.show(position, mine);
  element("facts").replaceChildren(...position.symbols.map(meaning), ...position.facts.map(item));
  list(null);
}

/** The next step after a position is shown: the engine's move, or the values of the user's. */
async function goOn(signal) {
  const isLast = state.at === state.moves.length;
  element("pause").hidden = state.mode !== "watch" || position.result !== null;
  element("pause").textContent = isPaused || !isLast ? "Go on" : "Pause";
  if (position.result !== null) {
    return;
  }
  if (showsValues()) {
    followAll();
  }
  if (!isUsersTurn() && isLast && !(state.mode === "watch" && isPaused)) {
    await answer(signal, {});
  }
}

/** Asks for the engine's move, shows it and goes on; `own` has the user's choice where all choose at once. */
async function answer(signal, own) {
  const query = { level: state.level, seed: seed + state.at, ...own };
  const reply = await fetched(api(state, "reply", query), signal);
  await new Promise((done) => setTimeout(done, state.mode === "watch" ? WATCH_PAUSE : REPLY_PAUSE));
  if (signal.aborted) {
    return;
  }
  const moves = [...state.moves, reply.move];
  history[own.own ? "pushState" : "replaceState"](null, "", addressOf({ ...state, moves, at: moves.length }));
  await refresh();
  const { why, turn, level } = reply;
  const name = { chance: "Chance", everybody: "All" }[turn] ?? turn;
  const shown = game.hides && state.mode === "play" ? " has moved" : `: ${reply.move}`;
  element("reason").textContent = `${name}${shown}${why ? ` – ${why}` : ""}. ${level ? `(${level}.)` : ""}`;
}

/** Makes the user's choice where all choose at once: the engine makes the other ones without knowing it. */
async function choose(own) {
  if (element("game").ariaBusy === "true") {
    return;
  }
  element("game").setAttribute("aria-busy", "true");
  element("moves").querySelectorAll("button").forEach((button) => { button.disabled = true; });
  try {
    await answer(stop.signal, { as: state.as, own });
  } catch (error) {
    if (error.name !== "AbortError") {
      element("reason").textContent = error.message;
    }
  }
}

/** Shows the values of the moves as they become known. */
async function followAll() {
  if (game.table) {
    const found = await fetched(api(state, "lookup"), stop.signal).catch((error) => ({ error: error.message }));
    if (found.error) {
      element("verdict").textContent = found.error;
    } else {
      element("verdict").textContent = `By the table: ${found.words}.`;
      showMoveValues(found.moves, found.best_moves, found.shares);
    }
    return;
  }
  element("verdict").textContent = "The values are being computed.";
  stream = follow(api(state, "values"), (name, data) => {
    if (name === "progress") {
      const count = data.positions.toLocaleString("en");
      element("verdict").textContent = `The values are being computed: ${data.phase || "searching"}, ${count} positions.`;
    } else if (name === "failure") {
      element("verdict").textContent = data.error;
    } else {
      const { solution } = data;
      element("verdict").textContent = data.sentence;
      element("proved").textContent = data.proved ? `Proved: ${data.proved}.` : "";
      element("strategy").textContent = solution.strategy ? `A strategy: ${solution.strategy.statement}` : "";
      showMoveValues(solution.moves ?? [], solution.best_moves ?? [], data.shares);
    }
  });
}

/** Shows the values of moves on the board and in the list; `shares` is true if payoffs are shares of games won. */
function showMoveValues(moves, bestMoves, shares) {
  const best = new Set(bestMoves);
  const kinds = outcomes(moves, position.turn);
  const values = new Map(moves.filter((move) => move.outcome).map((move) => {
    const outcome = kinds.get(move.move);
    const exact = Object.entries(move.value ?? {}).map(([name, value]) => `${name} gets ${value}`).join(", ");
    const [first] = Object.keys(move.value ?? {});
    const who = move.value && position.turn in move.value ? position.turn : first;
    const payoff = shares && first ? `${who} wins ${shareOfWins(move.value[who])} of the games` : exact;
    const names = { draw: "draw", solved_in: "solves it", unsolvable: "cannot be solved then", payoff };
    const words = move.outcome === "win" ? `${move.winner} wins` : names[move.outcome];
    const plies = move.remoteness === null ? "" : ` in ${move.remoteness}`;
    const isBest = best.has(move.move);
    const sign = signOf(outcome, move, position.turn);
    return [move.move, { outcome, isBest, words: words + plies, sign, exact: payoff === exact ? "" : exact }];
  }));
  if (!values.size) {
    bestMoves.forEach((move) => values.set(move, { outcome: undefined, isBest: true, words: "a best move", sign: "" }));
  }
  element("legend").hidden = !values.size;
  board.setValues(values);
  const shown = board.chosen.length ? board.rest().map((move) => move.name) : null;
  list(shown);
}

/** Lists the moves, or those of these names. */
function list(names) {
  const wanted = names && new Set(names);
  const choices = ownChoices();
  const all = choices ? choices.map((move) => ({ move })) : position.moves;
  const moves = all.filter((of) => !wanted || wanted.has(of.move));
  const mine = position.result === null && isUsersTurn();
  element("moves").replaceChildren(...moves.slice(0, MAX_SHOWN_MOVES).map((of) => {
    const value = board.values?.get(of.move);
    const button = document.createElement("button");
    const name = document.createElement("b");
    name.textContent = of.move;
    button.append(name);
    const words = [value?.words, of.probability && `with probability ${of.probability}`].filter(Boolean).join(", ");
    if (words) {
      const said = document.createElement("span");
      said.textContent = value?.sign ? `${value.sign.replace(/\d.*$/, "")} ${words}` : words;
      button.append(said);
    }
    button.title = value?.exact ?? "";
    button.className = [value?.outcome ?? "", value?.isBest ? "best" : ""].join(" ").trim();
    button.disabled = !mine;
    button.addEventListener("click", () => (choices ? choose(of.move) : play(of.move)));
    const made = document.createElement("li");
    made.append(button);
    return made;
  }));
  if (moves.length > MAX_SHOWN_MOVES) {
    element("moves").append(item(`and ${moves.length - MAX_SHOWN_MOVES} more`));
  }
  element("all-moves").hidden = !wanted;
}

function showHistory() {
  const { moves, at } = state;
  const own = review?.of === addressOf({ ...state, at: moves.length }) ? review : null;
  element("history").replaceChildren(...moves.map((move, number) => {
    const button = document.createElement("button");
    // The server hides what the user may not see.
    button.textContent = number < at ? position.played[number] : game.hides && state.mode === "play" ? "?" : move;
    button.addEventListener("click", () => goTo(number + 1));
    if (number + 1 === at) {
      button.setAttribute("aria-current", "step");
    }
    if (own?.mistakes.some((mistake) => mistake.ply === number)) {
      button.className = "mistake";
      button.append(" ?!");
      button.title = "a mistake";
    }
    const made = document.createElement("li");
    made.append(button);
    return made;
  }));
  element("ply").textContent = moves.length ? `${at} of ${moves.length}` : "start";
  ["first", "back"].forEach((id) => { element(id).disabled = at === 0; });
  ["forward", "last"].forEach((id) => { element(id).disabled = at === moves.length; });
  element("review").hidden = moves.length === 0;
  element("mistakes").replaceChildren(...(own ? findings(own) : []));
  element("shared").textContent = "";
}

/** The findings of a review, each with a way to its position. */
function findings({ mistakes, complete }) {
  const found = mistakes.map((mistake) => {
    const made = item(`Move ${mistake.ply + 1}, `);
    const button = document.createElement("button");
    button.textContent = mistake.move;
    button.addEventListener("click", () => goTo(mistake.ply));
    const better = mistake.better.length ? ` Better: ${mistake.better.slice(0, 8).join(", ")}.` : "";
    made.append(button, `: before ${mistake.before}, afterwards ${mistake.after}.${better}`);
    return made;
  });
  const words = complete ? "No move gave anything away." : "No mistake is known, but not every value is known.";
  return found.length ? [...found, ...(complete ? [] : [item("Not every value of the play is known.")])] : [item(words)];
}

async function askReview() {
  const of = addressOf({ ...state, at: state.moves.length });
  element("mistakes").replaceChildren(item("The play is being examined."));
  try {
    const { moves } = state;
    review = { of, ...await fetched(api({ ...state, at: moves.length }, "review"), stop.signal) };
    showHistory();
  } catch (error) {
    if (error.name !== "AbortError") {
      element("mistakes").replaceChildren(item(error.message));
    }
  }
}

/** The meaning of a character on the board, with its piece if there is one now. */
function meaning(text) {
  const made = item(text);
  const pieces = [...element("board").querySelectorAll("[data-name]")];
  const piece = pieces.find(({ dataset }) => dataset.name === text.slice(text.indexOf(" ") + 1))?.cloneNode(true);
  if (piece) {
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    Object.entries({ viewBox: "-15 -15 30 30", width: 22, height: 22, "aria-hidden": true })
      .forEach(([name, value]) => picture.setAttribute(name, value));
    piece.removeAttribute("transform");
    piece.querySelectorAll("text").forEach((sign) => sign.remove());
    picture.append(piece);
    made.prepend(picture, " ");
  }
  return made;
}

function item(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
}

/** Shows the fields of the mode, and those of the parameters. */
function showFields() {
  element("mode").value = state.mode;
  element("level").value = state.level;
  element("values").checked = showsValues();
  element("as").replaceChildren(...game.players.map((name) => new Option(name, name, false, name === state.as)));
  element("as-field").hidden = state.mode !== "play";
  element("level-field").hidden = state.mode !== "play" && state.mode !== "watch";
  const given = Object.fromEntries(state.settings.map((of) => [of.slice(0, of.indexOf("=")), of.slice(of.indexOf("=") + 1)]));
  const fields = game.table ? [] : game.params.map((param) => parameter(param, given[param.name] ?? param.value));
  if (game.presets.length && !game.table) {
    const choice = document.createElement("select");
    choice.append(new Option("none", ""), ...game.presets.map((name) => new Option(name, name)));
    choice.value = state.preset ?? "";
    choice.addEventListener("change", () => newGame({ preset: choice.value || null, settings: [] }));
    fields.unshift(labelled("Preset", choice, ""));
  }
  if (!fields.length) {
    const fixed = game.params.map(({ name, value }) => `${name} = ${value}`).join(", ");
    fields.push(document.createTextNode(fixed ? `The parameters are fixed: ${fixed}.` : "There are no parameters."));
  }
  element("params").replaceChildren(...fields);
}

function labelled(text, field, range) {
  const label = document.createElement("label");
  label.append(`${text} `, field, range ? ` ${range}` : "");
  return label;
}

/** The field of a parameter: a number with its range, a truth value, or text in the syntax of the language. */
function parameter({ name, type }, value) {
  const range = /^(-?\d+)\.\.(-?\d+)$/.exec(type ?? "");
  const field = document.createElement(type === "bool" ? "select" : "input");
  if (type === "bool") {
    field.append(new Option("true"), new Option("false"));
  } else if (range) {
    Object.assign(field, { type: "number", min: range[1], max: range[2] });
  }
  field.value = value;
  field.name = name;
  field.addEventListener("change", () => {
    const others = state.settings.filter((of) => !of.startsWith(`${name}=`));
    newGame({ settings: [...others, `${name}=${field.value}`] });
  });
  return labelled(`${name} =`, field, type === "bool" ? "" : type ?? "");
}

function newGame(change = {}) {
  isPaused = false;
  visit({ moves: [], at: 0, ...change });
}

element("mode").addEventListener("change", (event) => {
  isPaused = false;
  visit({ mode: event.target.value, as: event.target.value === "play" ? game.players[0] : null, values: null });
});
element("as").addEventListener("change", (event) => visit({ as: event.target.value }));
element("level").addEventListener("change", (event) => visit({ level: event.target.value }));
element("values").addEventListener("change", (event) => visit({ values: event.target.checked ? "on" : "off" }, true));
element("first").addEventListener("click", () => goTo(0));
element("back").addEventListener("click", () => goTo(state.at - 1));
element("forward").addEventListener("click", () => goTo(state.at + 1));
element("last").addEventListener("click", () => goTo(state.moves.length));
element("pause").addEventListener("click", () => {
  const isLast = state.at === state.moves.length;
  isPaused = !(isPaused || !isLast);
  visit({ at: state.moves.length }, true);
});
element("restart").addEventListener("click", () => newGame());
element("review").addEventListener("click", askReview);
element("certificate").addEventListener("click", async () => {
  element("certificate").disabled = true;
  try {
    save(await fetchedText(api(state, "certificate"), stop.signal), `${game.name}.cert`);
  } catch (error) {
    if (error.name !== "AbortError") {
      element("reason").textContent = error.message;
    }
  }
  element("certificate").disabled = false;
});
element("all-moves").addEventListener("click", () => {
  board.clear();
  list(null);
});
element("share").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    element("shared").textContent = "copied";
  } catch {
    element("shared").textContent = location.href;
  }
});
addEventListener("keydown", (event) => {
  // The target may lie in the shadow tree of the editor.
  const [target] = event.composedPath();
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.isContentEditable;
  if (element("game").hidden || isTyping || event.altKey || event.ctrlKey || event.metaKey) {
    return;
  }
  const steps = { ArrowLeft: state?.at - 1, ArrowRight: state?.at + 1, Home: 0, End: state?.moves.length };
  if (event.key in steps) {
    event.preventDefault();
    goTo(steps[event.key]);
  } else if (event.key === "Escape") {
    board.clear();
    list(null);
  }
});
