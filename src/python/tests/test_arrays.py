"""All positions of a solved game as arrays."""

import math
import subprocess
import sys
import time

import pytest

import bouton

np = pytest.importorskip("numpy")

# Two counters and the player to move: a few more than a million positions.
MILLION = """
game "Two counters";
players A, B;
state { low: 0..999 = 999; high: 0..501 = 501; }
move lower(k: 1..2) as "low {k}" { when k <= low; low -= k; }
move raise(k: 1..2) as "high {k}" { when k <= high; high -= k; }
play normal;
"""


def test_arrays_are_those_of_the_game():
    game = bouton.load("games/tictactoe.bou")
    everything = game.positions()
    assert len(everything) == 5478 and not everything.up_to_symmetry
    assert everything.states.dtype == np.uint64 and everything.states.shape[0] == 5478
    assert everything.values.dtype == np.float64 and everything.remoteness.dtype == np.int32
    assert everything.starts[0] == 0 and everything.starts[-1] == len(everything.moves)
    over = everything.to_move == bouton.Positions.OVER
    # The number of moves is 0 exactly at the ends.
    assert ((np.diff(everything.starts.astype(np.int64)) == 0) == over).all()
    assert over.sum() == 958
    assert everything.states.tobytes()[: 8 * everything.states.shape[1]] == game.initial().key


def test_values_satisfy_their_definition():
    everything = bouton.load("games/nim.bou").positions()
    for index in range(len(everything)):
        after = everything.after(index)
        value = everything.values[index]
        if everything.to_move[index] == bouton.Positions.OVER:
            assert everything.remoteness[index] == 0
            continue
        best = max if everything.to_move[index] == 0 else min
        assert value == best(everything.values[after])
        kept = [move for move in after if everything.values[move] == value]
        wins = (value > 0) == (everything.to_move[index] == 0)
        plies = (min if wins else max)(everything.remoteness[move] for move in kept)
        assert everything.remoteness[index] == plies + 1


def test_positions_are_found_by_index_and_back():
    game = bouton.load("games/tictactoe.bou")
    everything = game.positions()
    for index in [0, 1, 9, 100, 3000, len(everything) - 1]:
        position = everything.position(index)
        assert everything.index(position) == index
        moves = everything.legal_moves(index)
        assert [everything.index(move.position) for move in moves] == list(everything.after(index))
        value = position.solve().value
        assert {"X": 1, "O": -1, None: 0}[value.winner] == everything.values[index]
        assert (value.plies if value.plies is not None else -1) == everything.remoteness[index]
    assert everything.position(-1) == everything.position(len(everything) - 1)
    with pytest.raises(IndexError):
        everything.position(len(everything))
    with pytest.raises(KeyError):
        everything.index(bouton.load("games/nim.bou").initial())


def test_values_of_several_kinds():
    race = bouton.load("games/bear_off.bou").positions()
    assert (race.to_move == bouton.Positions.CHANCE).any()
    assert np.isfinite(race.values).all() and -1 < race.values[0] < 1
    maze = bouton.load("games/maze.bou").positions()
    assert maze.values[0] == 1 and maze.remoteness[0] > 0


def test_what_is_not_known_is_not_a_number():
    game = bouton.load("games/tictactoe.bou")
    answer = game.solve(strong=True, positions=500, method="retrograde")
    part = answer.positions()
    assert part is not None and np.isnan(part.values).any()
    assert (part.to_move == bouton.Positions.UNEXPANDED).any()
    assert game.solve(method="nim").positions() is None
    with pytest.raises(bouton.BoutonError) as raised:
        game.positions(method="nim")
    assert raised.value.kind == "not_solved"


def test_a_loop_goes_over_a_million_positions():
    everything = bouton.loads(MILLION).positions()
    assert len(everything) > 1_000_000
    begun = time.process_time()
    wins = deepest = 0
    for value, plies in zip(everything.values.tolist(), everything.remoteness.tolist()):
        if value > 0:
            wins += 1
        if plies > deepest:
            deepest = plies
    overhead = (time.process_time() - begun) / len(everything)
    assert wins == int((everything.values > 0).sum()) and deepest == int(everything.remoteness.max())
    print(f"a loop over a million positions: {1e6 * overhead:.3f} us a position")
    assert not math.isnan(everything.values[0])


def test_positions_are_listed_where_the_values_were_found_without_them():
    # Each move fills a place for good: a table by numbers of positions is fastest, and holds no list of them.
    game = bouton.load("games/connect_four.bou", cols=4, rows=5)
    everything = game.positions()
    assert len(everything) == 1706255
    assert {"Red": 1, "Yellow": -1, None: 0}[game.solve().value.winner] == everything.values[0]


def test_numpy_is_needed_for_arrays_alone():
    script = (
        "import sys; sys.modules['numpy'] = None\n"
        "import bouton\n"
        "game = bouton.load('games/nim.bou'); assert game.solve().winner == 'First'\n"
        "try: game.positions()\n"
        "except ImportError as why: assert \"pip install 'bouton[arrays]'\" in str(why)\n"
        "else: raise SystemExit('no error')"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
