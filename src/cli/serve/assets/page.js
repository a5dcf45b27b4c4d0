// The explorer: the address of the page is that of the position (?game=ID&set=n=3&p=MOVE&p=MOVE).
"use strict";

const element = (id) => document.getElementById(id);
let values; // The stream of the values of the position shown.

function node(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

function fill(id, ...children) {
  element(id).replaceChildren(...children);
}

async function fetched(path) {
  const answer = await fetch(path);
  const data = await answer.json();
  if (!answer.ok) {
    throw new Error(data.error);
  }
  return data;
}

async function gallery() {
  const { games } = await fetched("/api/games");
  fill("list", ...games.map((game) => {
    const link = node("a", game.name);
    link.href = `/?game=${encodeURIComponent(game.id)}`;
    link.title = game.about.join(" ");
    const item = node("li", "");
    item.append(link);
    return item;
  }));
}

/** Goes to the position of a query. */
function visit(query) {
  history.pushState(null, "", `/?${query}`);
  show();
}

function play(query, move) {
  const next = new URLSearchParams(query);
  next.append("p", move);
  visit(next);
}

async function explore(query) {
  const id = query.get("game");
  const rest = new URLSearchParams(query);
  rest.delete("game");
  const base = `/api/games/${encodeURIComponent(id)}`;
  const game = await fetched(base);
  element("title").textContent = game.name;
  element("about").textContent = game.about.join(" ");
  const given = Object.fromEntries(query.getAll("set").map((of) => of.split("=")));
  element("params").textContent = game.params.map(([name, value]) => `${name} = ${given[name] ?? value}`).join(", ");
  const position = await fetched(`${base}/position?${rest}`);
  element("status").textContent = position.result ?? `${position.turn} to move`;
  picture(position);
  const moves = query.getAll("p");
  const back = node("button", "Take back");
  back.addEventListener("click", () => {
    const before = new URLSearchParams(query);
    before.delete("p");
    moves.slice(0, -1).forEach((move) => before.append("p", move));
    visit(before);
  });
  fill("played", ...(moves.length ? [back, document.createTextNode(` ${moves.join(" ")}`)] : []));
  const buttons = new Map(position.moves.map((move) => {
    const button = node("button", move);
    button.addEventListener("click", () => play(query, move));
    return [move, button];
  }));
  fill("list", ...[...buttons.values()].map((button) => {
    const item = node("li", "");
    item.append(button);
    return item;
  }));
  cells((name, cell) => {
    if (buttons.has(name)) {
      cell.classList.add("playable");
      cell.addEventListener("click", () => play(query, name));
    }
  });
  if (position.result === null) {
    follow(`${base}/values?${rest}`, position, buttons);
  }
}

function picture(position) {
  const drawn = position.svg && new DOMParser().parseFromString(position.svg, "text/html").querySelector("svg");
  fill("board", drawn ? document.importNode(drawn, true) : node("pre", position.text));
}

/** Calls a function with each cell of the picture and its name. */
function cells(see) {
  for (const label of document.querySelectorAll("#board .label")) {
    const cell = label.previousElementSibling;
    if (cell?.classList.contains("cell")) {
      see(label.textContent, cell);
    }
  }
}

/** Shows the values as they are known. */
function follow(path, position, buttons) {
  const turn = `${position.turn} to move`;
  values = new EventSource(path);
  values.addEventListener("progress", (event) => {
    const { phase, positions } = JSON.parse(event.data);
    element("status").textContent = `${turn}; ${phase || "searching"}: ${positions} positions`;
  });
  values.addEventListener("solution", (event) => {
    values.close();
    const { sentence, solution } = JSON.parse(event.data);
    element("status").textContent = `${turn}. ${sentence}`;
    const best = new Set(solution.best_moves);
    for (const [move, button] of buttons) {
      if (best.has(move)) {
        button.classList.add("best");
        button.title = "a best move";
      }
    }
    for (const of of solution.moves ?? []) {
      const button = buttons.get(of.move);
      const result = of.winner ? `${of.winner} wins` : of.outcome;
      if (button && result) {
        button.textContent = `${of.move}: ${result}${of.remoteness === null ? "" : ` in ${of.remoteness}`}`;
      }
    }
  });
  values.addEventListener("failure", (event) => {
    values.close();
    element("status").textContent = `${turn}. ${JSON.parse(event.data).error}`;
  });
  values.onerror = () => values.close();
}

async function show() {
  values?.close();
  const query = new URLSearchParams(location.search);
  try {
    await (query.has("game") ? explore(query) : gallery());
  } catch (error) {
    element("status").textContent = error.message;
  }
}

addEventListener("popstate", show);
show();
