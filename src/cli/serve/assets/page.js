// The page: the gallery of games, or the game of the address.
import { showGallery } from "./gallery.js";
import { leaveGame, showGame } from "./game.js";
import { readAddress } from "./server.js";

const element = (id) => document.getElementById(id);

/** Shows what the address names. */
async function show() {
  const state = readAddress();
  element("failure").hidden = true;
  element(state.id === null ? "game" : "gallery").hidden = true;
  try {
    if (state.id === null) {
      leaveGame();
      await showGallery();
    } else {
      await showGame(state, show);
    }
  } catch (error) {
    if (error.name !== "AbortError") {
      element("game").setAttribute("aria-busy", "false");
      element("failure").textContent = error.message;
      element("failure").hidden = false;
    }
  }
}

addEventListener("popstate", show);
show();
