// The page: the gallery of games, the game of the address, or the editor.
import { readAddress } from "./address.js";
import { leaveEditor, showEditor } from "./editor.js";
import { showGallery } from "./gallery.js";
import { leaveGame, showGame } from "./game.js";

const element = (id) => document.getElementById(id);

/** Shows what the address names. */
async function show() {
  const state = readAddress();
  element("failure").hidden = true;
  const isEdited = state.edit !== null;
  element("gallery").hidden = isEdited || state.id !== null;
  element("game").hidden ||= !isEdited && state.id === null;
  try {
    if (isEdited) {
      await showEditor(state, show);
      return;
    }
    leaveEditor();
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
addEventListener("hashchange", show);
show();
