"""The examples in docstrings and documents, the types, and the notebook."""

import doctest
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bouton

ROOT = Path(__file__).resolve().parents[3]


def docstrings():
    """The docstrings of the package, with the names of the things that they describe."""
    for name in ["bouton", "bouton._arrays", "bouton._errors", "bouton.env", "bouton.openspiel"]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        yield name, module.__doc__
    for name in bouton.__all__:
        of = getattr(bouton, name)
        if isinstance(of, str):
            continue
        yield name, of.__doc__
        if inspect.isclass(of):
            for own, member in vars(of).items():
                if not own.startswith("_") and getattr(member, "__doc__", None):
                    yield f"{name}.{own}", member.__doc__


EXAMPLES = {name: text for name, text in docstrings() if text and ">>>" in text}


def run_examples(name, text):
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    failures = []
    test = parser.get_doctest(text, {"bouton": bouton}, name, name, 0)
    runner.run(test, out=failures.append)
    assert not runner.failures, "".join(failures)
    return runner.tries


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_in_docstrings(name):
    if name in ("bouton.env", "bouton.openspiel"):
        pytest.importorskip({"bouton.env": "gymnasium", "bouton.openspiel": "pyspiel"}[name])
    assert run_examples(name, EXAMPLES[name])


def test_examples_in_the_document():
    text = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    run_examples("docs/python.md", "\n".join(block for block in blocks if ">>>" in block))


def test_everything_public_is_described():
    for name in bouton.__all__:
        of = getattr(bouton, name)
        if inspect.isclass(of):
            assert of.__doc__, name
            for own, member in vars(of).items():
                if not own.startswith("_") and (callable(member) or inspect.isdatadescriptor(member)):
                    assert member.__doc__, f"{name}.{own}"


def test_signatures_are_shown():
    assert "all_moves=False" in str(inspect.signature(bouton.Game.solve))
    assert "show='outcome'" in str(inspect.signature(bouton.Game.table))


def test_the_types_are_those_of_the_module(tmp_path):
    pytest.importorskip("mypy")
    package = Path(bouton.__file__).parent
    assert (package / "py.typed").exists()
    settings = ["--config-file", str(ROOT / "src" / "python" / "pyproject.toml")]
    for tool in (["mypy", *settings, "-p", "bouton"], ["mypy.stubtest", "bouton._bouton"]):
        run = subprocess.run([sys.executable, "-m", *tool], capture_output=True, text=True, cwd=tmp_path)
        assert run.returncode == 0, run.stdout + run.stderr


def test_a_program_is_checked_by_its_types(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "import bouton\n"
        "answer = bouton.load('x.bou', n=3).solve(time=1.5, all_moves=True)\n"
        "winner: str = answer.winner\n"
        "answer.nothing\n"
    )
    run = subprocess.run([sys.executable, "-m", "mypy", str(program)], capture_output=True, text=True, cwd=tmp_path)
    assert 'program.py:3: error: Incompatible types in assignment' in run.stdout
    assert 'program.py:4: error: "Answer" has no attribute "nothing"' in run.stdout
    assert "Found 2 errors" in run.stdout


def test_the_notebook_runs():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    path = ROOT / "examples" / "notebook.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    data = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/svg+xml" in of for of in data), "a board is drawn"
    assert sum("text/html" in of for of in data) >= 2, "answers and tables are pages"
    # The file is kept without outputs.
    kept = json.loads(path.read_text())
    assert all(not cell.get("outputs") for cell in kept["cells"])
