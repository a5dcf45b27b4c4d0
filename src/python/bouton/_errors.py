"""Errors, with the diagnostics of rules as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence


@dataclass(frozen=True)
class Diagnostic:
    """A mistake in rules."""

    code: str
    """The code, such as `E0101`; `bouton explain CODE` explains it."""
    message: str
    """The fact, in one sentence."""
    file: Optional[str]
    """The file, the library, or the setting that has the mistake; None for a mistake without a place."""
    line: Optional[int]
    """The line of the mistake, from 1."""
    column: Optional[int]
    """The column in characters, from 1."""
    help: Optional[str]
    """The suggested correction."""
    rendered: str
    """The diagnostic with the source under it, as the command prints it."""

    @property
    def place(self) -> Optional[tuple[str, int, int]]:
        """The file, the line and the column; None for a mistake without a place."""
        if self.file is None or self.line is None or self.column is None:
            return None
        return (self.file, self.line, self.column)

    def __str__(self) -> str:
        return self.rendered


class BoutonError(Exception):
    """The error of everything that fails; `str` gives the text that the command `bouton` prints.

    >>> try:
    ...     bouton.load("games/nim.bou", heapz=[1, 2])
    ... except bouton.BoutonError as error:
    ...     print(error.kind, error.code, error.message, error.place)
    rules E0101 there is no parameter `heapz` ('--set heapz=...', 1, 1)
    """

    def __init__(
        self,
        text: str,
        *,
        kind: str = "other",
        diagnostics: Sequence[Diagnostic] = (),
        suggestions: Sequence[str] = (),
        limit: Optional[str] = None,
    ) -> None:
        super().__init__(text)
        self.kind: str = kind
        """`file`, `usage`, `rules`, `fault` (of rules in a position), `illegal_move`, `limit` or `not_solved`."""
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        """The mistakes in the rules; empty for other errors."""
        self.suggestions: list[str] = list(suggestions)
        """The nearest names of legal moves, for an illegal move."""
        self.limit: Optional[str] = limit
        """The limit that was reached: `time`, `memory`, `positions` or `cancelled`."""

    @property
    def code(self) -> Optional[str]:
        """The code of the first mistake in the rules."""
        return self.diagnostics[0].code if self.diagnostics else None

    @property
    def message(self) -> str:
        """The first mistake in the rules in one sentence, or the text of the error."""
        return self.diagnostics[0].message if self.diagnostics else str(self)

    @property
    def place(self) -> Optional[tuple[str, int, int]]:
        """The file, the line and the column of the first mistake in the rules."""
        return self.diagnostics[0].place if self.diagnostics else None
