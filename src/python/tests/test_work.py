"""Long work releases the GIL, and stops at Ctrl-C and at exceptions of listeners."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import bouton

# A position of it takes hours.
LONG = "games/connect_four.bou"

INTERRUPTED = """
import bouton
game = bouton.load("LONG")
print("ready", flush=True)
try:
    game.CALL
except KeyboardInterrupt:
    print("stopped")
    # The game is as good as before.
    assert game.initial().moves()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "call", ["solve(method='retrograde', memory=1 << 33)", "solve(method='alphabeta')", "table(cols=[7], time=1000)"]
)
def test_ctrl_c_stops_the_work(call):
    script = INTERRUPTED.replace("LONG", LONG).replace("CALL", call)
    run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "ready\n", run.stderr.read()
    time.sleep(1)
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    out, error = run.communicate(timeout=60)
    assert out.startswith("stopped") and run.returncode == 0, error
    print(f"stopped after {time.monotonic() - begun:.3f} s")


def test_other_threads_run_meanwhile():
    game = bouton.load(LONG)
    counted = 0
    thread = threading.Thread(target=lambda: game.solve(time=1.0, method="alphabeta", threads=1))
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 50


def test_threads_share_a_game():
    game = bouton.load("games/tictactoe.bou")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(game.solve(strong=True))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.value.outcome for answer in answers] == ["draw"] * 4


def test_progress_is_reported():
    seen = []
    game = bouton.load("games/tictactoe.bou")
    game.solve(strong=True, progress=lambda phase, positions, memory: seen.append((phase, positions, memory)))
    assert any(phase for phase, _, _ in seen) and max(positions for _, positions, _ in seen) > 0


def test_an_exception_of_a_listener_ends_the_work():
    def refuse(phase, positions, memory):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        bouton.load(LONG).solve(method="retrograde", progress=refuse)


def test_a_time_limit_ends_the_work():
    answer = bouton.load(LONG).solve(time=0.5)
    assert answer.status != "proved" and answer.value is None
