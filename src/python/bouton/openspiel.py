"""Games of Bouton as games of OpenSpiel.

>>> from bouton.openspiel import wrap
>>> import pyspiel
>>> game = wrap(bouton.load("games/tictactoe.bou"), zero_sum=True)
>>> state = game.new_initial_state()
>>> state.apply_action(state.string_to_action("mark(b2)"))
>>> state.current_player(), len(state.legal_actions())
(1, 8)
"""

from __future__ import annotations

from typing import Any, Optional

from ._actions import calls, turn_based
from ._bouton import Game, Position
from ._errors import BoutonError

try:
    import numpy as np
    import pyspiel
except ImportError as missing:
    raise ImportError("bouton.openspiel needs OpenSpiel and numpy: pip install 'bouton[openspiel]'") from missing

__all__ = ["BoutonGame", "BoutonState", "wrap"]

DEFAULT_MAX_GAME_LENGTH = 10_000


def wrap(
    game: Game,
    *,
    zero_sum: bool = False,
    min_utility: float = -1.0,
    max_utility: float = 1.0,
    max_game_length: int = DEFAULT_MAX_GAME_LENGTH,
) -> BoutonGame:
    """A game of OpenSpiel with these rules.

    OpenSpiel asks for facts that rules do not state: if the payoffs always add up to 0, the least and the greatest
    payoff, and a bound of the moves of a play. Games with hidden information and with simultaneous moves are refused.
    """
    return BoutonGame(game, zero_sum, (min_utility, max_utility), max_game_length)


class BoutonGame(pyspiel.Game):  # type: ignore[misc]
    """A game of OpenSpiel; `wrap` makes it."""

    def __init__(self, game: Game, zero_sum: bool, utilities: tuple[float, float], max_game_length: int) -> None:
        turn_based(game)
        actions, events = calls(game, chance=False), calls(game, chance=True)
        chance = pyspiel.GameType.ChanceMode
        utility = pyspiel.GameType.Utility
        kind = pyspiel.GameType(
            short_name="python_bouton",
            long_name=game.name,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=chance.EXPLICIT_STOCHASTIC if events else chance.DETERMINISTIC,
            information=pyspiel.GameType.Information.PERFECT_INFORMATION,
            utility=utility.ZERO_SUM if zero_sum else utility.GENERAL_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=len(game.players),
            min_num_players=len(game.players),
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification={},
        )
        facts = pyspiel.GameInfo(
            num_distinct_actions=len(actions),
            max_chance_outcomes=len(events),
            num_players=len(game.players),
            min_utility=utilities[0],
            max_utility=utilities[1],
            utility_sum=0.0 if zero_sum else None,
            max_game_length=max_game_length,
        )
        super().__init__(kind, facts, {})
        self.game = game
        self.players = {name: number for number, name in enumerate(game.players)}
        self.actions = actions
        self.events = events
        self.numbers = {call: number for number, call in enumerate(actions)}
        self.event_numbers = {call: number for number, call in enumerate(events)}

    def __deepcopy__(self, memo: Any) -> BoutonGame:
        # A game never changes; a state, which OpenSpiel copies part by part, refers to it.
        return self

    def new_initial_state(self, state: Optional[str] = None) -> BoutonState:
        """The first position."""
        return BoutonState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """An observer of the bits of positions."""
        return _Observer(self.game.initial())


class BoutonState(pyspiel.State):  # type: ignore[misc]
    """A position with the play that led to it."""

    def __init__(self, game: BoutonGame) -> None:
        super().__init__(game)
        self.of = game
        self.position: Position = game.game.initial()

    def current_player(self) -> int:
        """The number of the player to move, or one of OpenSpiel's."""
        to_move = self.position.to_move
        if to_move is None:
            return int(pyspiel.PlayerId.TERMINAL)
        if to_move == "chance":
            return int(pyspiel.PlayerId.CHANCE)
        if to_move == "everybody":
            raise BoutonError("all players move at once, which this wrapper does not show", kind="usage")
        return self.of.players[to_move]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.of.numbers[move.call] for move in self.position.legal_moves())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The events of chance with their probabilities."""
        return [
            (self.of.event_numbers[move.call], float(move.probability)) for move in self.position.legal_moves()
        ]

    def _apply_action(self, action: int) -> None:
        calls = self.of.events if self.position.to_move == "chance" else self.of.actions
        self.position = self.position.apply(calls[action])

    def _action_to_string(self, player: int, action: int) -> str:
        return (self.of.events if player == pyspiel.PlayerId.CHANCE else self.of.actions)[action]

    def is_terminal(self) -> bool:
        """True if the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """The payoffs, or 0 for each player while the game goes on."""
        payoffs = self.position.payoffs
        if payoffs is None:
            return [0.0] * len(self.of.players)
        return [float(payoffs[name]) for name in self.of.players]

    def __str__(self) -> str:
        return self.position.text()


class _Observer:
    """The observation of everybody: the bits of the position, and its drawing."""

    def __init__(self, position: Position) -> None:
        self.tensor = np.zeros(8 * len(position.key), np.float32)
        self.dict = {"position": self.tensor}

    def set_from(self, state: BoutonState, player: int) -> None:
        bits = np.unpackbits(np.frombuffer(state.position.key, np.uint8), bitorder="little")
        if bits.shape != self.tensor.shape:
            raise BoutonError("the positions of this game have no fixed size", kind="usage")
        self.tensor[:] = bits

    def string_from(self, state: BoutonState, player: int) -> str:
        return state.position.text()
