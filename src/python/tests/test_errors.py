"""Everything that fails raises one exception, with the diagnostics as data."""

import pytest

import bouton


def test_errors_of_rules_have_diagnostics():
    with pytest.raises(bouton.BoutonError) as raised:
        bouton.loads('game "X"; players A, B; move m() { when q; } play normal;', name="x.bou")
    error = raised.value
    assert (error.kind, error.code, error.message, error.place) == (
        "rules",
        "E0101",
        "there is no `q` here",
        ("x.bou", 1, 41),
    )
    assert error.diagnostics[0].rendered in str(error) and "E0101" in str(error)
    assert str(error.diagnostics[0]) == error.diagnostics[0].rendered


def test_settings_have_diagnostics():
    with pytest.raises(bouton.BoutonError, match="there is no parameter `heapz`") as raised:
        bouton.load("games/nim.bou", heapz=[1, 2])
    assert raised.value.diagnostics[0].help == "did you mean `heaps`?"


def test_files_presets_and_methods_that_are_not_there():
    for kind, call in [
        ("file", lambda: bouton.load("games/nowhere.bou")),
        ("usage", lambda: bouton.load("games/nim.bou", preset="large")),
        ("usage", lambda: bouton.load("games/nim.bou").solve(method="magic")),
        ("usage", lambda: bouton.load("games/nim.bou").table("heaps=", show="outcome")),
        ("usage", lambda: bouton.load("games/nim.bou").table("heaps[1]=0..1", show="colour")),
        ("usage", lambda: bouton.load("games/nim.bou").position("nowhere")),
        ("rules", lambda: bouton.load("games/nim.bou").position("nothing := 1;")),
    ]:
        with pytest.raises(bouton.BoutonError) as raised:
            call()
        assert raised.value.kind == kind and str(raised.value) == raised.value.args[0]


def test_illegal_moves_have_suggestions():
    start = bouton.load("games/tictactoe.bou").initial()
    with pytest.raises(bouton.BoutonError) as raised:
        start.apply("z9")
    assert raised.value.kind == "illegal_move" and len(raised.value.suggestions) == 5
    with pytest.raises(bouton.BoutonError):
        start.apply("b2").apply("b2")
    with pytest.raises(TypeError, match="a move is a name or a Move, not int"):
        start.apply(3)


def test_faults_of_rules():
    game = bouton.loads(
        'game "F"; players A, B; state { n: 0..3 = 3; } move down() as "down" { n -= 2; } play normal;'
    )
    low = game.initial().apply("down")
    for call in (low.moves, lambda: low.apply("down"), game.solve):
        with pytest.raises(bouton.BoutonError) as raised:
            call()
        assert (raised.value.kind, raised.value.code) == ("fault", "E0503")


def test_arguments_are_checked():
    game = bouton.load("games/nim.bou")
    with pytest.raises(TypeError, match="unexpected keyword argument 'tiem'"):
        game.solve(tiem=3)
    with pytest.raises(TypeError):
        game.solve(3)
    with pytest.raises(ValueError, match="`time` is a number of seconds"):
        game.solve(time=-1)
    with pytest.raises((TypeError, ValueError)):
        game.solve(time="soon")
    with pytest.raises((OverflowError, ValueError)):
        game.solve(memory=-1)
    assert game.solve(time=float("inf")).winner == "First"
    assert game.solve(time=None, progress=None, threads=1).winner == "First"


def test_limits_are_errors_where_nothing_is_known():
    certificate = bouton.load("games/nim.bou").solve().certificate
    with pytest.raises(bouton.BoutonError) as raised:
        bouton.verify(None, certificate, time=0)
    assert (raised.value.kind, raised.value.limit) == ("limit", "time")
