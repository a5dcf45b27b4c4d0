"""Bouton reads the rules of a finite game and determines who wins.

>>> import bouton
>>> game = bouton.load("games/nim.bou", heaps=[3, 4, 5])
>>> print(game.solve())
Nim (heaps = [3, 4, 5]): the first player, First, wins in 11 plies.

A `Game` has positions to play from, and solves them. An `Answer` has the value, the best moves, and a certificate that
`verify` checks by other code than the solvers'. Everything that fails raises a `BoutonError`. Ctrl-C stops any work.
"""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from ._arrays import Positions
from ._bouton import (
    Answer,
    Document,
    Game,
    Move,
    Position,
    Strategy,
    Value,
    Verdict,
    __version__,
)
from ._bouton import load as _load
from ._bouton import verify as _verify
from ._errors import BoutonError, Diagnostic

__all__ = [
    "Answer",
    "BoutonError",
    "Diagnostic",
    "Document",
    "Game",
    "Move",
    "Position",
    "Positions",
    "Strategy",
    "Value",
    "Verdict",
    "__version__",
    "load",
    "loads",
    "verify",
]

_Path = Union[str, "os.PathLike[str]"]


def load(path: _Path, /, *, preset: Optional[str] = None, **params: Any) -> Game:
    """Read and compile the rules of a file, with settings of its parameters.

    A parameter takes a number, a truth value, a list of them, or a string in the syntax of the language.

    >>> bouton.load("games/hex.bou", n=3)
    <Game: Hex (n = 3, swap = false)>
    """
    return _load((os.fspath(path), None, preset, _settings(params)))


def loads(text: str, /, *, name: str = "text", preset: Optional[str] = None, **params: Any) -> Game:
    """Compile the rules of a text; diagnostics call it by `name`.

    >>> game = bouton.loads('''
    ...     game "One"; players A, B;
    ...     state { left: 0..3 = 3; }
    ...     move take(k: 1..2) as "{k}" { when k <= left; left -= k; }
    ...     play normal;''')
    >>> game.solve().winner
    'B'
    """
    return _load((name, text, preset, _settings(params)))


def verify(
    rules: Union[_Path, Game, None],
    certificate: Union[bytes, _Path],
    /,
    *,
    preset: Optional[str] = None,
    time: Optional[float] = None,
    memory: Optional[int] = None,
    **params: Any,
) -> Verdict:
    """Check a certificate against rules: a path, a text, a `Game`, or None for the certificate's own copy.

    A certificate is the bytes that an answer has, or the path of a file. The checker shares no code with the solvers.
    A string with several lines or with braces is a text of rules, any other a path.

    >>> answer = bouton.load("games/tictactoe.bou").solve(certificate=True)
    >>> verdict = bouton.verify(None, answer.certificate)
    >>> verdict.accepted, verdict.claim
    (True, 'a draw')
    """
    if not isinstance(certificate, bytes):
        with open(certificate, "rb") as file:
            certificate = file.read()
    text = certificate.decode("utf-8", "replace")
    if rules is None:
        if preset is not None or params:
            raise TypeError("the certificate's own copy of the rules takes no preset and no parameters")
        return _verify(text, None, time, memory)
    if isinstance(rules, Game):
        if preset is not None or params:
            raise TypeError("a game has its parameters already")
        return rules.verify(text, time=time, memory=memory)
    path = os.fspath(rules)
    settings = _settings(params)
    if isinstance(rules, str) and any(sign in rules for sign in "{\n"):
        return _verify(text, ("text", rules, preset, settings), time, memory)
    return _verify(text, (path, None, preset, settings), time, memory)


def _settings(params: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, _written(name, value)) for name, value in params.items()]


def _written(name: str, value: Any) -> str:
    """The value of a parameter in the syntax of the language."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(_written(name, element) for element in value) + "]"
    try:
        return str(value.__index__())
    except AttributeError:
        kind = type(value).__name__
        takes = "a number, a truth value, a list or a string"
        raise TypeError(f"the parameter `{name}` takes {takes}, not {kind}") from None
