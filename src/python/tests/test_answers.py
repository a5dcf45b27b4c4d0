"""Answers are those of the command."""

import json
import subprocess
from pathlib import Path

import pytest

import bouton

ROOT = Path(__file__).resolve().parents[3]

# Games that take more than a moment.
LARGE = {
    "amazons",
    "arimaa",
    "battleship",
    "breakthrough",
    "chess",
    "connect_four",
    "dice_race",
    "double_tictactoe",
    "english_solitaire",
    "fox_and_geese",
    "go",
    "go_ladder",
    "gomoku",
    "goofspiel",
    "havannah",
    "hypergammon",
    "leduc_holdem",
    "lines_of_action",
    "nine_mens_morris",
    "parallel_tictactoe",
    "pocket_cube",
    "rush_hour",
    "six_mens_morris",
    "sliding_squares",
    "snakes_and_ladders",
    "tic_tic_toe",
    "tsume_shogi",
}

# A game that is not small ends at this limit, and is told to be large.
MEMORY = 1 << 30
GAMES = sorted(path.stem for path in (ROOT / "games").glob("*.bou") if path.stem not in LARGE)


def timeless(data):
    """The data without the numbers of the clock."""
    return {**data, "seconds": 0, "positions_per_second": 0, "compile_seconds": 0}


def printed(command, *arguments):
    run = subprocess.run([command, *arguments, "--json"], capture_output=True, text=True)
    assert run.stdout, run.stderr
    return json.loads(run.stdout)


def test_most_games_are_small():
    assert len(GAMES) >= 40


@pytest.mark.parametrize("name", GAMES)
def test_answers_equal_the_commands(command, name):
    path = f"games/{name}.bou"
    answer = bouton.load(path).solve(memory=MEMORY)
    assert "memory" not in str(answer.to_dict().get("reason")), f"{name} is large: LARGE should name it"
    assert timeless(answer.to_dict()) == timeless(printed(command, "solve", path, "--memory", str(MEMORY)))


@pytest.mark.parametrize(
    "path, params, options, flags",
    [
        ("games/nim.bou", {"heaps": [1, 2, 3]}, {"all_moves": True}, ["--set", "heaps=[1, 2, 3]", "--all-moves"]),
        ("games/tictactoe.bou", {}, {"strong": True}, ["--strong"]),
        ("games/tictactoe.bou", {}, {"method": "nim"}, ["--method", "nim"]),
        ("games/hatch.bou", {"n": 8, "k": 3}, {"count_plies": True}, ["--set", "n=8", "--set", "k=3", "--distance"]),
        ("games/dots_and_boxes.bou", {}, {"margin": True}, ["--margin"]),
    ],
)
def test_options_are_those_of_the_command(command, path, params, options, flags):
    answer = bouton.load(path, **params).solve(**options)
    assert timeless(answer.to_dict()) == timeless(printed(command, "solve", path, *flags))


def test_tables_equal_the_commands(command):
    table = bouton.load("games/subtraction.bou").table(n=range(13), show="nimber")
    row = ["--over", "n=0..12", "--show", "nimber"]
    assert table.to_dict() == printed(command, "table", "games/subtraction.bou", *row)
    both = bouton.load("games/nim.bou").table("heaps[1]=0..3", "heaps[2]=0..3")
    over = ["--over", "heaps[1]=0..3", "--over", "heaps[2]=0..3"]
    assert both.to_dict() == printed(command, "table", "games/nim.bou", *over)
    assert "<table" in both.html and "|" in both.markdown and str(both)


def test_reports_equal_the_commands(command):
    report = bouton.load("games/hatch.bou").report()
    assert report.to_dict() == printed(command, "report", "games/hatch.bou")
    page = subprocess.run([command, "report", "games/hatch.bou", "--format", "html"], capture_output=True, text=True)
    assert report.html == page.stdout
    assert "srcdoc=" in report._repr_html_() and "sandbox" in report._repr_html_()


def test_an_answer_has_all_parts():
    game = bouton.load("games/tictactoe.bou")
    answer = game.solve(all_moves=True)
    assert (answer.status, answer.value.outcome, answer.winner, answer.plies) == ("proved", "draw", None, None)
    assert answer.position == game.initial() and answer.proof and answer.method and answer.reason
    assert set(answer.moves) == set(game.initial().moves())
    assert all(str(value) == "draw" for value in answer.moves.values())
    assert answer.text().startswith(str(answer))
    # The values are drawn on the board.
    assert answer.svg().count("cell draw") == 9 and game.initial().svg().count("cell draw") == 0
    assert game.initial().svg(answer) == answer.svg()
    page = answer._repr_html_()
    assert "<svg" in page and page.count("<tr>") == 10 and "Proved: " in page


def test_statuses():
    assert bouton.load("games/tictactoe.bou").solve(positions=100).status == "unknown"
    bounded = bouton.load("games/dice_race.bou").solve(method="interval")
    assert bounded.status == "bounded"
    low, high = bounded.bounds
    assert low < high < low + 1e-8
    unknown = bouton.load("games/tictactoe.bou").solve(method="nim")
    assert unknown.value is None and unknown.reason and unknown.bounds is None
    computed = bouton.load("games/tictactoe.bou").solve(margin=False, method="alphabeta")
    assert computed.status in ("proved", "computed")


def test_values_are_exact():
    value = bouton.load("games/kuhn_poker.bou").solve().value
    assert [str(payoff) for payoff in value.payoffs.values()] == ["-1/18", "1/18"]
    lead = bouton.load("games/dots_and_boxes.bou").solve(margin=True).value.margin
    assert lead == 2
    assert bouton.load("games/nim.bou").solve(method="grundy").nimber == 2


def test_a_strategy_plays_to_the_end():
    game = bouton.load("games/nim.bou")
    strategy = game.strategy()
    position = game.initial()
    while not position.is_over:
        best = strategy.best_moves(position)
        position = position.apply(best[0] if best and position.to_move == "First" else position.moves()[0])
    assert position.result.winner == "First" and position.to_move is None
    assert {name: int(payoff) for name, payoff in position.payoffs.items()} == {"First": 1, "Second": -1}


def test_positions_are_values():
    game = bouton.load("games/tictactoe.bou")
    one = game.initial().apply("b2").apply("A1")
    two = game.initial().apply("mark(b2)").apply(game.initial().apply("b2").legal_moves()[0])
    assert one == two and hash(one) == hash(two) and one != game.initial() and len({one, two}) == 1
    assert one.key == two.key != game.initial().key
    assert one.text() == str(one) and repr(one) == "<Position: X to move>"
    assert one._repr_svg_().startswith("<svg") and game._repr_svg_().startswith("<svg")
    move = one.legal_moves()[0]
    assert (move.name, move.call, move.position.to_move) == ("b1", "mark(b1)", "O")
    assert move == one.legal_moves()[0] and hash(move) == hash(one.legal_moves()[0]) and move != one.legal_moves()[1]


def test_parameters_of_all_kinds():
    assert bouton.load("games/hex.bou", n=3, swap=False).params == {"n": "3", "swap": "false"}
    assert bouton.load(Path("games/nim.bou"), heaps=(1, 2)).params == {"heaps": "[1, 2]"}
    assert bouton.load("games/nim.bou", heaps="[1, 2]").params == {"heaps": "[1, 2]"}
    numpy = pytest.importorskip("numpy")
    assert bouton.load("games/hex.bou", n=numpy.int64(2)).params["n"] == "2"
    with pytest.raises(TypeError, match="the parameter `n` takes"):
        bouton.load("games/hex.bou", n=2.5)


def test_certificates_are_verified(tmp_path):
    game = bouton.load("games/tictactoe.bou")
    certificate = game.solve(certificate=True).certificate
    file = tmp_path / "tictactoe.cert"
    file.write_bytes(certificate)
    rules = Path("games/tictactoe.bou").read_text()
    for of in (None, game, "games/tictactoe.bou", Path("games/tictactoe.bou"), rules):
        for form in (certificate, file, str(file)):
            verdict = bouton.verify(of, form)
            assert verdict and verdict.accepted and verdict.claim and verdict.reason is None
            assert verdict.to_dict()["accepted"] is True
    other = bouton.verify("games/nim.bou", certificate)
    assert not other and other.reason
    damaged = bouton.verify(None, certificate[: len(certificate) // 2])
    assert not damaged and damaged.reason
    with pytest.raises(TypeError):
        bouton.verify(game, certificate, n=3)
