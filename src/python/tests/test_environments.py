"""The environment in the manner of Gymnasium, and the wrapper for OpenSpiel."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

import bouton

ROOT = Path(__file__).resolve().parents[3]


def test_calls_are_the_actions():
    for name in ["tictactoe", "nim", "hatch", "breakthrough", "chess", "backgammon", "dots_and_boxes", "kalah"]:
        if not (ROOT / "games" / f"{name}.bou").exists():
            continue
        game = bouton.load(f"games/{name}.bou")
        actions = set(game.actions())
        assert len(actions) == len(game.actions())
        position, choose = game.initial(), random.Random(1)
        for _ in range(30):
            moves = position.legal_moves()
            if not moves:
                break
            if position.to_move != "chance":
                assert {move.call for move in moves} <= actions, name
            position = choose.choice(moves).position


def test_an_environment_is_played():
    pytest.importorskip("gymnasium")
    pytest.importorskip("numpy")
    from bouton.env import Env

    for name, opponent in [("tictactoe", "best"), ("nim", "random"), ("dice_race", "random"), ("hatch", None)]:
        env = Env(bouton.load(f"games/{name}.bou"), opponent=opponent, render_mode="ansi")
        for seed in range(5):
            observation, info = env.reset(seed=seed)
            done = env.position.is_over
            while not done:
                assert observation in env.observation_space
                assert env.render() == env.position.text()
                action = env.action_space.sample(info["action_mask"])
                observation, reward, done, truncated, info = env.step(action)
                assert not truncated
            assert info["action_mask"].sum() == 0
            assert reward == float(env.position.payoffs[env.player])


def test_the_best_opponent_never_loses():
    pytest.importorskip("gymnasium")
    from bouton.env import Env

    env = Env(bouton.load("games/tictactoe.bou"), player="O", opponent="best")
    for seed in range(20):
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        done = False
        while not done:
            _, reward, done, _, info = env.step(env.action_space.sample(info["action_mask"]))
        assert reward <= 0


def test_gymnasium_accepts_the_environment():
    pytest.importorskip("gymnasium")
    from bouton.env import Env

    env = Env(bouton.load("games/tictactoe.bou"), opponent=lambda position: position.moves()[0])
    first, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert (first == again).all() and first in env.observation_space
    with pytest.raises(ValueError, match="is not legal"):
        env.step(env.actions.index("mark(b2)"))
        env.step(env.actions.index("mark(b2)"))
    with pytest.raises(ValueError):
        Env(env.game, player="Z")
    with pytest.raises(ValueError):
        Env(env.game, opponent="worst")
    with pytest.raises(bouton.BoutonError, match="hides information"):
        Env(bouton.load("games/kuhn_poker.bou"))


def test_openspiel_plays_and_solves():
    pyspiel = pytest.importorskip("pyspiel")
    from bouton.openspiel import wrap

    game = wrap(bouton.load("games/tictactoe.bou"), zero_sum=True)
    assert (game.num_players(), game.num_distinct_actions()) == (2, 9)
    choose = random.Random(2)
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            clone = state.clone()
            assert clone.legal_actions() == state.legal_actions() and str(clone) == str(state)
            state.apply_action(choose.choice(state.legal_actions()))
        assert sum(state.returns()) == 0
    from open_spiel.python.algorithms import minimax

    nim = wrap(bouton.load("games/nim.bou", heaps=[1, 2]), zero_sum=True)
    value, _ = minimax.alpha_beta_search(nim)
    assert value == 1
    observer = game.make_py_observer()
    observer.set_from(game.new_initial_state(), 0)
    assert observer.tensor.shape == (8 * len(game.game.initial().key),)
    race = wrap(bouton.load("games/dice_race.bou"))
    state = race.new_initial_state()
    assert state.current_player() == pyspiel.PlayerId.CHANCE
    assert abs(sum(chance for _, chance in state.chance_outcomes()) - 1) < 1e-9
    while not state.is_terminal():
        actions = [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(choose.choice(actions))


@pytest.mark.parametrize(
    "module, missing, extra", [("env", "gymnasium", "env"), ("openspiel", "pyspiel", "openspiel")]
)
def test_the_import_says_what_to_install(module, missing, extra):
    script = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"try: import bouton.{module}\n"
        f"except ImportError as why: assert \"pip install 'bouton[{extra}]'\" in str(why), why\n"
        "else: raise SystemExit('no error')"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
