// The board: the picture of a position, whose cells make moves and show the values of moves.

const SIGNS = { win: "+", draw: "=", loss: "−" };
const ORDER = ["win", "draw", "loss"];
const MAX_SCALE = 3; // Cells are at most this many times as large on the page as in the picture.
const SVG = "http://www.w3.org/2000/svg";

/** The picture of a position as an element: SVG, or text where nothing can be drawn. */
export function drawing(position) {
  const drawn = position.svg && new DOMParser().parseFromString(position.svg, "text/html").querySelector("svg");
  if (drawn) {
    return document.importNode(drawn, true);
  }
  const text = document.createElement("pre");
  text.textContent = position.text;
  return text;
}

/** Crops a picture on the page to what is drawn, and keeps it from growing beyond a size that one overlooks. */
export function crop(picture) {
  if (picture.tagName === "svg") {
    const { x, y, width, height } = picture.getBBox();
    const size = { width: width + 6, height: height + 6 };
    picture.setAttribute("viewBox", `${x - 3} ${y - 3} ${size.width} ${size.height}`);
    Object.entries(size).forEach(([name, value]) => picture.setAttribute(name, value));
    picture.style.maxWidth = `min(100%, ${MAX_SCALE * size.width}px)`;
  }
}

/**
 * Sorts moves by the value for the player who makes them: "win", "draw", "loss", or undefined. Of payoffs the best is
 * a win, the worst a loss, if they differ.
 */
export function outcomes(moves, turn) {
  const number = (text) => {
    const [above, below] = String(text).split("/").map(Number);
    return above / (below ?? 1);
  };
  const own = (move) => (move.value && turn in move.value ? number(move.value[turn]) : undefined);
  const payoffs = moves.filter((move) => move.outcome === "payoff").map(own).filter((value) => value !== undefined);
  const [least, most] = [Math.min(...payoffs), Math.max(...payoffs)];
  const kinds = {
    win: (move) => (move.winner === turn ? "win" : "loss"),
    draw: () => "draw",
    solved_in: () => "win",
    unsolvable: () => "loss",
    payoff: (move) => {
      const value = own(move);
      return value === undefined || least === most ? "draw" : value === most ? "win" : value === least ? "loss" : "draw";
    },
  };
  return new Map(moves.map((move) => [move.move, kinds[move.outcome]?.(move)]));
}

/** The sign of an outcome, and the plies to the end or the payoff of a move, if they are known. */
export function signOf(outcome, move, turn) {
  const sign = SIGNS[outcome] ?? "";
  if (move?.outcome === "payoff" && move.value && turn in move.value) {
    const payoff = String(move.value[turn]);
    return payoff.length > 5 ? sign : `${sign} ${payoff}`;
  }
  return move?.remoteness === null || move?.remoteness === undefined ? sign : `${sign}${move.remoteness}`;
}

/** A board that is played on: a click on a cell makes the move that names it, or chooses among several. */
export class Board {
  /** `play` is called with a move, `choose` with the moves that remain when a cell has been chosen. */
  constructor(holder, play, choose) {
    Object.assign(this, { holder, play, choose, cells: new Map(), moves: [], chosen: [], values: null });
  }

  /** Shows a position; `moves` are those that the user may make. */
  show(position, moves) {
    const picture = drawing(position);
    this.holder.replaceChildren(picture);
    crop(picture);
    this.cells = new Map();
    this.moves = moves.map((of) => ({ name: of.move, path: of.cells.length ? of.cells : [of.move] }));
    this.chosen = [];
    this.values = null;
    if (picture.tagName === "pre") {
      return;
    }
    picture.setAttribute("role", "group");
    const first = picture.querySelector("g");
    for (const cell of first?.querySelectorAll(".cell") ?? []) {
      const name = cell.nextElementSibling?.textContent;
      this.cells.set(name, cell);
      cell.addEventListener("click", () => this.press(name));
      cell.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          this.press(name);
        }
      });
    }
    this.mark();
  }

  /** Shows the values of moves, by a map from names to outcomes, signs and words. */
  setValues(values) {
    this.values = values;
    this.mark();
  }

  /** Forgets the chosen cells. */
  clear() {
    this.chosen = [];
    this.mark();
  }

  /** The moves that begin with the chosen cells. */
  rest() {
    return this.moves.filter(({ path }) => this.chosen.every((cell, at) => path[at] === cell));
  }

  press(name) {
    if (this.chosen.at(-1) === name) {
      this.chosen.pop();
    } else {
      const longer = [...this.chosen, name];
      const fits = ({ path }) => longer.every((cell, at) => path[at] === cell);
      if (this.moves.some(fits)) {
        this.chosen = longer;
      } else if (this.moves.some(({ path }) => path[0] === name)) {
        this.chosen = [name];
      } else {
        return;
      }
    }
    const rest = this.rest();
    if (rest.length === 1 && this.chosen.length) {
      this.play(rest[0].name);
      return;
    }
    this.mark();
    this.choose(this.chosen.length ? rest.map((move) => move.name) : null);
  }

  /** Marks the cells that come next, with the best value of a move through each. */
  mark() {
    this.holder.querySelectorAll(".value").forEach((text) => text.remove());
    const next = new Map();
    for (const { name, path } of this.rest()) {
      const cell = path[this.chosen.length];
      next.set(cell, [...(next.get(cell) ?? []), name]);
    }
    for (const [name, cell] of this.cells) {
      const moves = next.get(name);
      const value = moves && this.best(moves);
      cell.classList.remove("win", "draw", "loss", "best");
      cell.classList.toggle("playable", Boolean(moves));
      cell.classList.toggle("chosen", this.chosen.includes(name));
      if (!moves) {
        ["tabindex", "role", "aria-label"].forEach((attribute) => cell.removeAttribute(attribute));
        continue;
      }
      cell.setAttribute("tabindex", "0");
      cell.setAttribute("role", "button");
      const held = cell.nextElementSibling?.nextElementSibling?.querySelector("[data-name]");
      const words = [name, held?.dataset.name].filter(Boolean).join(", ");
      cell.setAttribute("aria-label", value ? `${words}: ${value.words}` : words);
      if (value?.outcome) {
        cell.classList.add(value.outcome);
        cell.classList.toggle("best", value.isBest);
        this.write(cell, value.sign);
      }
    }
  }

  /** The best of the values of moves. */
  best(moves) {
    const known = moves.map((name) => this.values?.get(name)).filter((value) => value?.outcome);
    const rank = (value) => (value.isBest ? -1 : ORDER.indexOf(value.outcome));
    return known.sort((a, b) => rank(a) - rank(b))[0];
  }

  /** The place of a sign: the middle of a side, the corner of a square, the upper part of a hexagon, beside a point. */
  corner(cell, { x, y, width, height }) {
    if (cell.classList.contains("side")) {
      return [x + width / 2, y + height / 2 + 3, "middle"];
    }
    const places = {
      rect: [x + width - 3, y + 9, "end"],
      circle: [x + width / 2 + 12, y + height + 4, "start"],
    };
    return places[cell.tagName] ?? [x + width / 2, y + 17, "middle"];
  }

  /** Writes a sign into the corner of a cell. */
  write(cell, sign) {
    const box = cell.getBBox();
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("class", "value");
    const [x, y, anchor] = this.corner(cell, box);
    text.setAttribute("x", x);
    text.setAttribute("y", y);
    text.setAttribute("text-anchor", anchor);
    text.setAttribute("aria-hidden", "true");
    text.textContent = sign;
    // After the last cell, so that no neighbour hides it.
    cell.parentNode.append(text);
  }
}
