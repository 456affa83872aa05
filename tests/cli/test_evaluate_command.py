"""``python -m envpool evaluate``."""

import pytest

import envpool
from envpool.films import filming
from test_cli import run


def test_evaluate(tmp_path, monkeypatch):
    (tmp_path / "agent.py").write_text("def act(observation):\n    return [0] * len(observation)\n")
    monkeypatch.chdir(tmp_path)
    command = ("evaluate", "CartPole-v1", "--episodes", "7", "--seed", "3", "-o", "gravity=5")
    exit_code, output = run(*command, "--policy", "agent:act", "--csv", "table.csv")
    assert exit_code == 0
    result = envpool.evaluate(lambda o: [0] * len(o), "CartPole-v1", 7, 3, gravity=5.0)
    assert output.strip() == str(result)
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 8


def test_random_actions_and_mistakes():
    exit_code, output = run("evaluate", "FrozenLake-v1", "--episodes", "3")
    assert exit_code == 0
    assert "mean return" in output
    for arguments, message in (
        (("Frozenlake-v1",), "did you mean 'FrozenLake-v1'"),
        (("FrozenLake-v1", "--episodes", "0"), "--episodes"),
        (("FrozenLake-v1", "-o", "seed=1"), "multiple values for argument 'seed'"),
        (("FrozenLake-v1", "--csv", "/nowhere/a.csv"), "there is no folder '/nowhere' for a.csv"),
        (("FrozenLake-v1", "--policy", "x"), "expected random or MODULE:FUNCTION"),
    ):
        exit_code, output = run("evaluate", *arguments)
        assert exit_code == 2
        assert message in output


def test_films_of_the_best_and_the_worst_episode(scratch_directory, monkeypatch):
    pytest.importorskip("imageio_ffmpeg")
    pytest.importorskip("pygame")
    code = "def act(observation):\n    return (observation[:, 2] > 0).astype(int)\n"
    (scratch_directory / "leaning.py").write_text(code)
    told = []
    monkeypatch.setattr(
        filming, "titled", lambda picture, *title: told.append(title[-1]) or picture
    )
    command = ("evaluate", "CartPole-v1", "--episodes", "9", "--film", "best", "--film", "worst")
    exit_code, output = run(*command, "--policy", "leaning.py:act")
    assert exit_code == 0, output
    result = envpool.evaluate(lambda o: (o[:, 2] > 0).astype(int), "CartPole-v1", 9)
    best, worst = result.returns.max(), result.returns.min()
    assert told == [*range(int(best) + 1), *range(int(worst) + 1)]
    assert (
        f"best episode, seed {result.seeds[result.best]}: best.mp4: {int(best) + 1} pictures"
        in output
    )
    assert f"worst episode, seed {result.seeds[result.worst]}: worst.mp4" in output
    exit_code, output = run("evaluate", "CartPole-v1", "--film", "best")
    assert (exit_code, "--film needs a --policy" in output) == (2, True), output


def test_torch_modules_of_files(scratch_directory):
    pytest.importorskip("torch")
    (scratch_directory / "net.py").write_text(
        "import torch\n\n\ndef load(path):\n    return torch.nn.Linear(4, 2)\n\n\nnet = load('')\n"
    )
    for policy in ("net.py:net", "net.py:load:weights.pt"):
        exit_code, output = run("evaluate", "CartPole-v1", "--episodes", "3", "--policy", policy)
        assert (exit_code, "mean return" in output) == (0, True), output
