// The panel with a board, in one module with the board component, which `bouton serve` gives. The extension answers.
const host = acquireVsCodeApi();
const element = (id) => document.getElementById(id);
const waiting = new Map();
let asked = 0; // The number of questions so far.
let moves = [];
let position;
const board = new Board(element("board"), play, (names) => list(names));

/** Asks the extension about the position after some moves. */
function ask(answer, more = []) {
  asked += 1;
  const id = asked;
  host.postMessage({ id, answer, query: [...moves.map((move) => ["p", move]), ...more] });
  return new Promise((done) => waiting.set(id, done));
}

addEventListener("message", ({ data: { id, data } }) => {
  waiting.get(id)?.(data);
  waiting.delete(id);
});

function play(move) {
  moves.push(move);
  show();
}

/** Shows the position, then the values of its moves. */
async function show() {
  const shown = [...moves];
  const isOld = () => shown.length !== moves.length || shown.some((move, at) => move !== moves[at]);
  const next = await ask("position");
  if (isOld()) {
    return;
  }
  if (next.error) {
    element("status").textContent = next.error;
    return;
  }
  position = next;
  const { turn, result } = position;
  const who = { everybody: "Everybody chooses", chance: "Chance moves" }[turn] ?? `${turn} to move`;
  element("status").textContent = result === null ? who : `The game is over: ${result}`;
  element("facts").replaceChildren(...[...position.symbols, ...position.facts].map((text) => made("li", text)));
  element("history").textContent = position.played.join(", ") || "none";
  element("back").disabled = moves.length === 0;
  element("reply").disabled = result !== null;
  board.show(position, position.moves);
  list(null);
  element("verdict").textContent = result === null ? "The values are being computed." : "";
  if (result !== null) {
    return;
  }
  const { error, sentence, solution } = await ask("values");
  if (!isOld()) {
    element("verdict").textContent = error ?? sentence;
    showValues(solution?.moves ?? [], new Set(solution?.best_moves ?? []));
  }
}

function showValues(valued, best) {
  const kinds = outcomes(valued, position.turn);
  board.setValues(new Map(valued.filter((move) => move.outcome).map((move) => {
    const outcome = kinds.get(move.move);
    const words = { win: "wins", loss: "loses", draw: "in between" }[outcome] ?? "";
    return [move.move, { outcome, isBest: best.has(move.move), words, sign: signOf(outcome, move, position.turn) }];
  })));
  list(null);
}

function made(kind, text) {
  const of = document.createElement(kind);
  of.textContent = text;
  return of;
}

/** Lists the moves, or those of these names. */
function list(names) {
  const all = position.moves.filter(({ move }) => !names || names.includes(move));
  element("moves").replaceChildren(...all.map(({ move }) => {
    const value = board.values?.get(move);
    const button = made("button", value ? `${move} ${value.sign}` : move);
    button.className = [value?.outcome ?? "", value?.isBest ? "best" : ""].join(" ").trim();
    button.addEventListener("click", () => play(move));
    const item = made("li", "");
    item.append(button);
    return item;
  }));
}

element("back").addEventListener("click", () => {
  moves.pop();
  show();
});
element("restart").addEventListener("click", () => {
  moves = [];
  show();
});
element("reply").addEventListener("click", async () => {
  const from = moves.length;
  const { move, error } = await ask("reply", [["seed", String(Math.floor(Math.random() * 1e9))]]);
  if (move && moves.length === from) {
    play(move);
  } else if (error) {
    element("status").textContent = error;
  }
});
ask("game").then((game) => {
  element("title").textContent = game.name;
  show();
});
