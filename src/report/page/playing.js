// A game in the page: the reader plays against the strategy, or steps through all positions with their values.
const data = JSON.parse(document.getElementById("positions").textContent);
const part = (name) => document.querySelector(`.playing .${name}`);
const picture = new DOMParser().parseFromString(data.picture, "text/html").querySelector("svg");
const packed = data.positions.split(" ");
const base = data.digits.length;
const number = (text, from, length) =>
  [...text.slice(from, from + length)].reduce((sum, digit) => sum * base + data.digits.indexOf(digit), 0);
const REPLY_PAUSE = 300; // Milliseconds before the strategy's move is seen.

/** Unpacks a position: the contents of its cells, the player to move, its value, its moves. */
function unpack(at) {
  const text = packed[at];
  const cells = [...text.slice(0, data.cells)].map((digit) => data.contents[data.digits.indexOf(digit)]);
  let from = data.cells;
  const take = (length) => {
    from += length;
    return number(text, from - length, length);
  };
  const turn = ["", "chance", ...data.players][take(1)];
  const value = data.values[take(2)];
  const plies = take(2);
  const facts = data.facts[take(2)];
  const moves = [];
  while (from < text.length) {
    const [move, cellsOfMove, probability] = data.moves[take(2)];
    moves.push({ move, cells: cellsOfMove, probability, to: take(3) });
  }
  return { at, cells, turn, value, plies: plies === base * base - 1 ? null : plies, facts, moves };
}

/** The value of a move, for the player who makes it. */
function valueOf(move) {
  const { value, plies } = unpack(move.to);
  const named = Object.fromEntries(data.players.map((name, player) => [name, value.payoffs[player]]));
  return {
    move: move.move, outcome: value.outcome, winner: value.winner, value: named, words: value.words,
    remoteness: plies === null ? null : plies + 1,
  };
}

/** The moves of the strategy: they keep the value, and win soonest or lose latest. */
function bestOf(position) {
  const valued = position.moves.map(valueOf);
  const kinds = outcomes(valued, position.turn);
  const rank = { win: 0, draw: 1, loss: 2 };
  const first = Math.min(...valued.map((of) => rank[kinds.get(of.move)]));
  const kept = valued.filter((of) => rank[kinds.get(of.move)] === first);
  const plies = kept.map((of) => of.remoteness).filter((of) => of !== null);
  const wanted = first === 0 ? Math.min(...plies) : Math.max(...plies);
  const best = plies.length === kept.length && plies.length ? kept.filter((of) => of.remoteness === wanted) : kept;
  return { valued, kinds, best: new Set(best.map((of) => of.move)) };
}

const line = [0];
let timer;
const board = new Board(part("board"), (name) => go(unpack(line.at(-1)).moves.find((of) => of.move === name).to), list);

function go(to) {
  line.push(to);
  show();
}

function isReaders(position) {
  const side = part("side").value;
  return side === "" || side === position.turn;
}

function show() {
  clearTimeout(timer);
  const position = unpack(line.at(-1));
  picture.querySelectorAll(".cell").forEach((cell, number) => {
    const held = cell.nextElementSibling.nextElementSibling;
    held.innerHTML = position.cells[number];
    cell.classList.toggle("drawn", cell.classList.contains("side") && position.cells[number] !== "");
  });
  const over = position.turn === "";
  const plies = position.plies === null ? "" : ` in ${position.plies}`;
  const turn = over ? "The game is over" : position.turn === "chance" ? "Chance moves" : `${position.turn} to move`;
  part("turn").textContent = `${turn}: ${position.value.words}${over ? "" : plies}`;
  part("facts").textContent = position.facts;
  const mine = isReaders(position) || position.turn === "chance";
  board.show({ svg: picture.outerHTML }, mine ? position.moves : []);
  if (part("shows").checked && !over && position.turn !== "chance") {
    const { valued, kinds, best } = bestOf(position);
    board.setValues(new Map(valued.map((of) => {
      const words = of.words + (of.remoteness === null ? "" : ` in ${of.remoteness}`);
      const sign = signOf(kinds.get(of.move), of, position.turn);
      return [of.move, { outcome: kinds.get(of.move), isBest: best.has(of.move), words, sign }];
    })));
  }
  list(null);
  part("back").disabled = line.length === 1;
  if (!over && !mine) {
    timer = setTimeout(() => {
      const { best } = bestOf(position);
      go(position.moves.find((of) => best.has(of.move)).to);
    }, REPLY_PAUSE);
  }
}

function list(names) {
  const position = unpack(line.at(-1));
  const moves = position.moves.filter((of) => !names || names.includes(of.move));
  part("moves").replaceChildren(...moves.map((of) => {
    const value = board.values?.get(of.move);
    const button = document.createElement("button");
    const name = document.createElement("b");
    const words = document.createElement("span");
    name.textContent = of.move;
    words.textContent = value?.words ?? (of.probability ? `with probability ${of.probability}` : "");
    button.append(name, words);
    button.className = `${value?.outcome ?? ""} ${value?.isBest ? "best" : ""}`.trim();
    button.disabled = !isReaders(position) && position.turn !== "chance";
    button.addEventListener("click", () => go(of.to));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
}

part("side").addEventListener("change", show);
part("shows").addEventListener("change", show);
part("back").addEventListener("click", () => {
  line.pop();
  // Back to a position in which the reader moves.
  while (line.length > 1 && !isReaders(unpack(line.at(-1)))) {
    line.pop();
  }
  show();
});
part("again").addEventListener("click", () => {
  line.length = 1;
  show();
});
document.querySelector(".playing").hidden = false;
show();
