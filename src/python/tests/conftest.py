"""The tests of the installed package; they run in the root of the project."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def command():
    """The command `bouton`, whose answers are compared."""
    path = os.environ.get("BOUTON", str(ROOT / "target" / "debug" / "bouton"))
    if not os.access(path, os.X_OK):
        pytest.skip(f"there is no command {path}: `cargo build` makes it")
    return path
