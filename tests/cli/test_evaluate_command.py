"""``python -m envpool evaluate``."""

import envpool
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
        (("FrozenLake-v1", "-o", "seed=1"), "--seed"),
        (("FrozenLake-v1", "--csv", "/nowhere/a.csv"), "there is no folder '/nowhere' for a.csv"),
        (("FrozenLake-v1", "--policy", "x"), "expected random or MODULE:FUNCTION"),
    ):
        exit_code, output = run("evaluate", *arguments)
        assert exit_code == 2
        assert message in output
