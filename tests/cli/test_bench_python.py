"""``bench --python`` compares vector environments, and says how many workers are best."""

import re

import pytest
from typer.testing import CliRunner

from envpool.cli import app, bench
from envpool.cli.bench import Contender


def run(*arguments):
    """The exit code and all that was printed."""
    result = CliRunner().invoke(app, ["bench", "--python", *arguments])
    unexpected = result.exception and not isinstance(result.exception, SystemExit)
    assert not unexpected, result.exception
    return result.exit_code, result.output


@pytest.mark.slow
def test_everybody_steps_the_environment(monkeypatch):
    monkeypatch.setattr(bench, "cores", lambda: 1)
    exit_code, output = run(
        "CartPole-v1", "--num-envs", "2", "--seconds", "0.01", "-o", "sutton_barto_reward=True"
    )
    assert exit_code == 0
    assert "CartPole-v1: step() of 2 environments" in output
    rows = re.findall(r"^(.+?) +(\d+) +([\d,.]+) +([\d,]+) +\d+%$", output, re.M)
    assert [(name, int(processes)) for name, processes, *_ in rows] == [
        ("Gymnasium's SyncVectorEnv", 0),
        ("Gymnasium's AsyncVectorEnv", 2),
        ("num_workers=0", 0),
        ("num_workers=1", 1),
        ("num_workers=2", 2),
        ("num_workers=1, worker_threads=8", 1),
    ]
    for *_, micros, rate in rows:
        steps = 2 / float(micros.replace(",", "")) * 1e6
        assert float(rate.replace(",", "")) == pytest.approx(steps, rel=0.01)
    verdict = r"^quickest: num_workers=\d.* times as fast as Gymnasium's AsyncVectorEnv and "
    assert re.search(verdict, output, re.M)


@pytest.mark.parametrize(
    ("seconds", "best"),
    [
        ((4, 9, 1.0, 2.0), "num_workers=0, 9 times as fast as B and 4 times as fast as A"),
        ((4, 8, 2.0, 1.0), "num_workers=1, 8 times as fast as B and 4 times as fast as A"),
        ((4, 8, 1.02, 1.0), "num_workers=0, "),  # as quick with fewer processes
    ],
)
def test_the_quickest_has_as_few_processes_as_that_takes(seconds, best):
    names = ("A", "B", "num_workers=0", "num_workers=1")
    processes = (0, 8, 0, 1)
    contenders = [
        Contender(name=name, make=None, num_processes=n, rounds=[s])
        for name, n, s in zip(names, processes, seconds, strict=True)
    ]
    assert bench._verdict(contenders).startswith(f"quickest: {best}")


def test_workers_are_tried_in_powers_of_two(monkeypatch):
    monkeypatch.setattr(bench, "cores", lambda: 6)
    assert list(bench._worker_counts(64)) == [0, 1, 2, 4, 8]
    assert list(bench._worker_counts(3)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["CartPol-v1"], 2, "Did you mean: `CartPole`?"),
        (["there_is_no_module:CartPole-v1"], 1, "No module named 'there_is_no_module'"),
        (["CartPole-v1", "--async"], 2, "--async is given with --python"),
        (["CartPole-v1", "--num-threads", "2"], 2, "--num-threads is given with --python"),
        (["CartPole-v1", "-o", "gravity=1", "--num-envs", "1"], 2, "argument 'gravity'"),
    ],
)
def test_wrong_usage_is_one_line(arguments, exit_code, message):
    code, output = run(*arguments)
    assert code == exit_code
    assert message in output
    assert len(output.splitlines()) == 1
