// The address of the page, which is that of the position, and those of requests.

/** Reads the address: the game, or the one that the editor begins with, its settings, the moves, how many of them are made, and the mode of play. */
export function readAddress() {
  const query = new URLSearchParams(location.search);
  const moves = query.getAll("p");
  const at = Number.parseInt(query.get("at") ?? moves.length, 10);
  return {
    id: query.get("game"),
    edit: query.get("edit"),
    settings: query.getAll("set"),
    preset: query.get("preset"),
    moves,
    at: Math.min(Math.max(Number.isNaN(at) ? moves.length : at, 0), moves.length),
    mode: query.get("mode") ?? "explore",
    as: query.get("as"),
    level: query.get("level") ?? "perfect",
    values: query.get("values"),
  };
}

function rulesQuery(state) {
  const query = new URLSearchParams();
  state.settings.forEach((setting) => query.append("set", setting));
  if (state.preset) {
    query.set("preset", state.preset);
  }
  return query;
}

/** The address of a state within this page. */
export function addressOf(state) {
  const isEdited = (state.edit ?? null) !== null;
  const query = new URLSearchParams(isEdited ? { edit: state.edit } : { game: state.id });
  for (const [name, value] of rulesQuery(state)) {
    query.append(name, value);
  }
  state.moves.forEach((move) => query.append("p", move));
  const others = { mode: state.mode === "explore" ? null : state.mode, as: state.as, values: state.values };
  others.level = state.level === "perfect" ? null : state.level;
  others.at = state.at === state.moves.length ? null : state.at;
  for (const [name, value] of Object.entries(others)) {
    if (value !== null) {
      query.set(name, value);
    }
  }
  // The rules of the editor stay in the address.
  return `./?${query}${isEdited ? location.hash : ""}`;
}

/** The address of an answer about the position after the first `at` moves; `more` are further parts of the query. */
export function api(state, answer, more = {}) {
  const query = rulesQuery(state);
  state.moves.slice(0, state.at).forEach((move) => query.append("p", move));
  Object.entries(more).forEach(([name, value]) => query.set(name, value));
  return `api/games/${encodeURIComponent(state.id)}/${answer}?${query}`;
}
