"""An environment in the manner of Gymnasium: one player learns, the others play by a rule.

>>> from bouton.env import Env
>>> env = Env(bouton.load("games/tictactoe.bou"), opponent="best")
>>> observation, info = env.reset(seed=1)
>>> len(env.actions), int(info["action_mask"].sum())
(9, 9)
>>> observation, reward, terminated, truncated, info = env.step(env.actions.index("mark(b2)"))
>>> terminated, int(info["action_mask"].sum())
(False, 7)
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from ._actions import actions, turn_based
from ._bouton import Game, Move, Position
from ._errors import BoutonError

try:
    import gymnasium
    import numpy as np
except ImportError as missing:
    raise ImportError("bouton.env needs Gymnasium and numpy: pip install 'bouton[env]'") from missing

__all__ = ["Env"]

_Opponent = Union[str, Callable[[Position], str], None]


class Env(gymnasium.Env):
    """A game for a learning player.

    An action is the index of a move in `actions`; `info["action_mask"]` and `action_masks()` say which are legal. An
    observation has the bits of the position. The reward is the player's payoff when the game ends, else 0.

    `player` is the name of the learning player, the first by default. The others play at random (`"random"`), by the
    strategy of the solved game (`"best"`), or by a function from positions to names of moves; with `None` the actions
    are those of all players, and the rewards those of `player`. Games with hidden information and with simultaneous
    moves are refused.
    """

    metadata = {"render_modes": ["ansi", "svg"], "render_fps": 1}

    def __init__(
        self,
        game: Game,
        *,
        player: Optional[str] = None,
        opponent: _Opponent = "random",
        render_mode: Optional[str] = None,
    ) -> None:
        turn_based(game)
        if player is not None and player not in game.players:
            raise ValueError(f"{game.name} has no player `{player}`: it has {', '.join(game.players)}")
        if not (opponent in (None, "random", "best") or callable(opponent)):
            raise ValueError("an opponent is 'random', 'best', a function, or None")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"there is no render mode `{render_mode}`")
        self.game = game
        self.player = game.players[0] if player is None else player
        self.opponent = opponent
        self.render_mode = render_mode
        self.actions: list[str] = actions(game)
        self._numbers = {call: number for number, call in enumerate(self.actions)}
        self._strategy = game.strategy(strong=True) if opponent == "best" else None
        self.position: Position = game.initial()
        self.action_space = gymnasium.spaces.Discrete(len(self.actions))
        self.observation_space = gymnasium.spaces.MultiBinary(8 * len(self.position.key))

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a game; the others and chance move until the player is to move."""
        super().reset(seed=seed)
        self.position = self._advance(self.game.initial())
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a move; the others and chance answer. An illegal action is a `ValueError`."""
        call = self.actions[int(action)]
        legal = {move.call: move for move in self.position.legal_moves()}
        if call not in legal:
            raise ValueError(f"{call} is not legal in this position: see info['action_mask']")
        self.position = self._advance(legal[call].position)
        payoffs = self.position.payoffs
        reward = 0.0 if payoffs is None else float(payoffs[self.player])
        return self._observation(), reward, payoffs is not None, False, self._info()

    def action_masks(self) -> Any:
        """An array with 1 for each legal action, as `sb3-contrib` asks for it."""
        mask = np.zeros(len(self.actions), np.int8)
        for move in self.position.legal_moves():
            mask[self._numbers[move.call]] = 1
        return mask

    def render(self) -> Optional[str]:
        """The position as text or as SVG."""
        if self.render_mode == "svg":
            return self.position.svg()
        return self.position.text() if self.render_mode == "ansi" else None

    def _observation(self) -> Any:
        bits = np.unpackbits(np.frombuffer(self.position.key, np.uint8), bitorder="little")
        if bits.shape != self.observation_space.shape:
            raise BoutonError(f"positions of {self.game.name} have no fixed size", kind="usage")
        return bits.astype(np.int8)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "to_move": self.position.to_move}

    def _advance(self, position: Position) -> Position:
        """Let chance and the others move until the player is to move, or the game is over."""
        while True:
            to_move = position.to_move
            if to_move is None or to_move in (self.player, *(self.game.players if self.opponent is None else ())):
                return position
            if to_move == "everybody":
                raise BoutonError(f"in {self.game.name} all players move at once: not for environments", kind="usage")
            moves = position.legal_moves()
            if to_move == "chance":
                weights = [float(move.probability) for move in moves]
                position = moves[int(self.np_random.choice(len(moves), p=weights))].position
            else:
                position = self._reply(position, moves)

    def _reply(self, position: Position, moves: list[Move]) -> Position:
        if callable(self.opponent):
            return position.apply(self.opponent(position))
        best = self._strategy.best_moves(position) if self._strategy is not None else []
        if best:
            return position.apply(best[int(self.np_random.integers(len(best)))])
        return moves[int(self.np_random.integers(len(moves)))].position
