"""Pages for notebooks."""

from __future__ import annotations

from html import escape
from typing import Optional

from ._bouton import Answer, Document, Value


def answer(of: Answer) -> str:
    """An answer: the verdict, the picture with the values of moves, the values in words, and the status."""
    parts = [f"<p><strong>{escape(str(of))}</strong></p>"]
    picture = of.svg()
    parts.append(picture if picture is not None else f"<pre>{escape(of.position.text())}</pre>")
    best = of.best_moves
    if of.moves:
        rows = "".join(_row(name, value, name in best) for name, value in of.moves.items())
        parts.append(f"<table><thead><tr><th>move</th><th>value</th></tr></thead><tbody>{rows}</tbody></table>")
    elif best:
        parts.append(f"<p>Best: {escape(', '.join(best))}</p>")
    strategy = of.strategy
    if strategy is not None and strategy.statement is not None:
        parts.append(f"<p>{escape(strategy.statement.rstrip('.'))}.</p>")
    parts.append(f"<p><small>{escape(_standing(of))}</small></p>")
    return f'<div class="bouton-answer">{"".join(parts)}</div>'


def _row(name: str, value: Optional[Value], best: bool) -> str:
    words = "not known" if value is None else str(value)
    if best:
        return f"<tr><td><strong>{escape(name)}</strong></td><td><strong>{escape(words)}</strong></td></tr>"
    return f"<tr><td>{escape(name)}</td><td>{escape(words)}</td></tr>"


def _standing(of: Answer) -> str:
    if of.proof is not None:
        return f"Proved: {of.proof}. Method: {of.method}."
    if of.status == "computed":
        return f"Computed, not proved. Method: {of.method}."
    return f"{of.status.capitalize()}: {of.reason}"


def document(of: Document) -> str:
    """A page in a frame of its own, in which its script may run and nothing else."""
    page = escape(of.html, quote=True)
    style = "width: 100%; height: 40rem; border: 1px solid #d8d4ca"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'
