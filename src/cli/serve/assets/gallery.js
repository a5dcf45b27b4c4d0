// The gallery: a card for each game, with its first position.
import { addressOf } from "./address.js";
import { crop, drawing } from "./board.js";
import { setProse } from "./prose.js";
import { fetched } from "./server.js";

const element = (id) => document.getElementById(id);
const MAX_REQUESTS = 3; // Pictures that are fetched at once.
const waiting = [];
let running = 0;
let cards; // The cards, once they are made.

/** Shows the gallery. */
export async function showGallery() {
  element("gallery").hidden = false;
  document.title = "Bouton";
  if (cards) {
    return;
  }
  const { games } = await fetched("api/games");
  const sight = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) {
        sight.unobserve(target);
        waiting.push(target);
        fill();
      }
    }
  }, { rootMargin: "200px" });
  cards = games.map((game) => ({ game, item: card(game) }));
  element("cards").replaceChildren(...cards.map(({ item }) => item));
  cards.forEach(({ item }) => sight.observe(item));
  element("filter").addEventListener("input", filter);
  element("by-players").addEventListener("change", filter);
  filter();
}

function part(kind, name, text) {
  const made = document.createElement(kind);
  made.className = name;
  made.textContent = text;
  return made;
}

function card(game) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = addressOf({
    id: game.id, settings: [], preset: null, moves: [], at: 0, mode: "explore", as: null, level: "perfect", values: null,
  });
  const picture = part("div", "picture", "");
  picture.setAttribute("aria-hidden", "true");
  link.append(picture, part("h2", "", game.name), part("p", "players", game.players.join(" · ")));
  const about = part("p", "about", "");
  setProse(about, game.about);
  link.append(about);
  item.dataset.game = game.id;
  item.append(link);
  return item;
}

/** Fetches pictures of the cards in sight, a few at once. */
async function fill() {
  while (running < MAX_REQUESTS && waiting.length) {
    const item = waiting.shift();
    running += 1;
    try {
      const position = await fetched(`api/games/${encodeURIComponent(item.dataset.game)}/position`);
      const picture = drawing(position);
      item.querySelector(".picture").replaceChildren(picture);
      crop(picture);
    } catch {
      item.querySelector(".picture").textContent = "no picture";
    }
    running -= 1;
  }
}

function filter() {
  const words = element("filter").value.toLowerCase().split(/\s+/);
  const number = element("by-players").value;
  let count = 0;
  for (const { game, item } of cards) {
    const text = [game.id, game.name, ...game.players, ...game.about].join(" ").toLowerCase();
    const players = game.players.length;
    const fits = number === "" || (number === "3" ? players >= 3 : players === Number(number));
    item.hidden = !fits || !words.every((word) => text.includes(word));
    count += item.hidden ? 0 : 1;
  }
  element("count").textContent = count === 1 ? "1 game" : `${count} games`;
}
