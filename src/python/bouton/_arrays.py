"""All positions of a solved game as arrays of numpy."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional

from ._bouton import Answer, Game, Move, Position
from ._errors import BoutonError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OVER = -1
CHANCE = -2
EVERYBODY = -3
UNEXPANDED = -4


class Positions:
    """All positions that play reaches, as arrays with an element for each, in the order of discovery.

    The first is the position that was solved. The moves of the position `i` lead to the positions
    `moves[starts[i]:starts[i + 1]]`, in the order of its legal moves (compressed sparse rows).

    >>> everything = bouton.load("games/tictactoe.bou").positions()
    >>> len(everything), len(everything.moves)
    (5478, 16167)
    >>> won = (everything.to_move == bouton.Positions.OVER) & (everything.values == 1)
    >>> int(won.sum())
    626
    """

    OVER = OVER
    """In `to_move`: the game is over."""
    CHANCE = CHANCE
    """In `to_move`: chance moves."""
    EVERYBODY = EVERYBODY
    """In `to_move`: all players move at once."""
    UNEXPANDED = UNEXPANDED
    """In `to_move`: a limit was reached before the moves of the position were listed."""

    start: Position
    """The position that was solved."""
    states: NDArray[np.uint64]
    """The words of each position: a row for each."""
    to_move: NDArray[np.int8]
    """The player to move by his number from 0, or one of the constants above."""
    values: NDArray[np.float64]
    """The first player's payoff under perfect play; NaN if it is not known."""
    remoteness: NDArray[np.int32]
    """The plies to the end under perfect play; -1 if they are not counted, as for draws and payoffs."""
    starts: NDArray[np.uint64]
    """The beginnings of the moves of each position in `moves`, and the end."""
    moves: NDArray[np.uint32]
    """The positions after the moves, by their indices."""
    up_to_symmetry: bool
    """True if each position stands for all that are symmetric to it."""

    def __init__(self, start: Position, buffers: dict[str, Any]) -> None:
        np = _numpy()
        self.start = start
        self.up_to_symmetry = buffers["up_to_symmetry"]
        self.states = np.frombuffer(buffers["states"], "<u8").reshape(-1, buffers["words"])
        self.to_move = np.frombuffer(buffers["to_move"], "i1")
        self.values = np.frombuffer(buffers["values"], "<f8")
        self.remoteness = np.frombuffer(buffers["remoteness"], "<i4")
        self.starts = np.frombuffer(buffers["starts"], "<u8")
        self.moves = np.frombuffer(buffers["moves"], "<u4")

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Positions: {len(self)} positions, {len(self.moves)} moves>"

    def after(self, index: int) -> NDArray[np.uint32]:
        """The indices of the positions after the moves of a position."""
        return self.moves[int(self.starts[index]) : int(self.starts[index + 1])]

    def position(self, index: int) -> Position:
        """The position with this index, found by playing to it from the start."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} positions")
        if self.up_to_symmetry:
            raise ValueError("a position that stands for others cannot be played to")
        path = []
        at = index % len(self)
        while at != 0:
            path.append(int(self._first_edges[0][at]))
            at = int(self._first_edges[1][at])
        position = self.start
        for number in reversed(path):
            position = position.legal_moves()[number].position
        return position

    def legal_moves(self, index: int) -> list[Move]:
        """The legal moves of a position, in the order of `after`."""
        return self.position(index).legal_moves()

    def index(self, position: Position) -> int:
        """The index of a position."""
        try:
            return self._indices[position.key]
        except KeyError:
            raise KeyError(f"{position!r} is not among these positions") from None

    @cached_property
    def _indices(self) -> dict[bytes, int]:
        data, width = self.states.tobytes(), 8 * self.states.shape[1]
        return {data[index * width : (index + 1) * width]: index for index in range(len(self))}

    @cached_property
    def _first_edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each position the move by which it was discovered: its number, and the position before it."""
        np = _numpy()
        starts = self.starts.astype(np.int64)
        targets, edges = np.unique(self.moves, return_index=True)
        before = np.searchsorted(starts, edges, side="right") - 1
        number, origin = np.zeros((2, len(self)), np.int64)
        number[targets] = edges - starts[before]
        origin[targets] = before
        return number, origin


def positions_of_answer(answer: Answer) -> Optional[Positions]:
    buffers = answer._positions()
    return None if buffers is None else Positions(answer.position, buffers)


def positions_of(game: Game, **arguments: Any) -> Positions:
    _numpy()
    answer = game.solve(**{"strong": True, **arguments})
    found = positions_of_answer(answer)
    if found is None and "method" not in arguments:
        # The method for large tables computes values without storing positions; retrograde analysis stores them.
        answer = game.solve(**{"strong": True, **arguments, "method": "retrograde"})
        found = positions_of_answer(answer)
    if found is None:
        raise BoutonError(f"the positions were not stored: {answer.reason}", kind="not_solved")
    return found


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise ImportError("arrays of positions need numpy: pip install 'bouton[arrays]'") from None
    return numpy
