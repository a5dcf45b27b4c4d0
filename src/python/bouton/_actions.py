"""The moves that a game may ever have, by their calls."""

from __future__ import annotations

from itertools import product
from math import prod

from ._bouton import Game
from ._errors import BoutonError

MAX_ACTIONS = 1_000_000


def calls(game: Game, *, chance: bool) -> list[str]:
    """The calls of all moves of players, or of all events of chance: each move with each value of its parameters."""
    described = game.to_dict()
    found: list[str] = []
    for move in described["moves"]:
        if move["chance"] is not chance:
            continue
        domains = move["parameters"]
        if domains is None or len(found) + prod(map(len, domains)) > MAX_ACTIONS:
            raise BoutonError(
                f"the move `{move['move']}` of {game.name} has more than {MAX_ACTIONS} forms", kind="usage"
            )
        found.extend(f"{move['move']}({', '.join(arguments)})" for arguments in product(*domains))
    if described["pass"] and not chance:
        found.append("pass")
    return found


def actions(game: Game) -> list[str]:
    """The calls of all moves that players may ever make."""
    return calls(game, chance=False)


def turn_based(game: Game) -> None:
    """Refuse games that an environment cannot show: it shows the whole position, to one player at a time."""
    if game.to_dict()["hidden_information"]:
        raise BoutonError(f"{game.name} hides information from its players, which environments do not", kind="usage")
