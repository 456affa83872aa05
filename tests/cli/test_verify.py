"""``python -m envpool verify``: what it prints and how it exits."""

import gymnasium
import pytest
from typer.testing import CliRunner

from envpool.cli import app
from envpool.isolation import Process
from envpool.oracles import session, upstreams
from envpool.oracles.upstreams import Upstream
from wrong_oracles import FAULTY


def run(*arguments):
    """The exit code and what is printed to stdout and stderr."""
    result = CliRunner().invoke(app, ["verify", "--processes", "1", *arguments])
    return result.exit_code, result.stdout, result.stderr


def row(output, task_id):
    """The cells of a task's row, without the seconds."""
    (line,) = [line for line in output.splitlines() if line.split()[:1] == [task_id]]
    cells = line.split()
    return cells[1:5]


@pytest.mark.slow
def test_equal_tasks():
    exit_code, out, err = run("CartPole-v1", "FrozenLake-v1", "--steps", "60", "--seeds", "3")
    assert exit_code == 0
    assert row(out, "CartPole-v1")[:2] == ["equal", "180"]
    assert int(row(out, "CartPole-v1")[2]) >= 3
    assert row(out, "FrozenLake-v1")[3] == "15"
    assert "2 tasks: 2 equal" in out
    assert err.splitlines() == ["1/2 CartPole-v1: equal", "2/2 FrozenLake-v1: equal"]


@pytest.mark.slow
def test_faults(monkeypatch):
    """Each is told of its task, and the others go on."""
    for family, upstream in FAULTY.items():
        monkeypatch.setitem(upstreams.UPSTREAMS, family, upstream)
    exit_code, out, _ = run("classic_control", "--steps", "20", "--first-seed", "5")
    assert exit_code == 1
    assert row(out, "CartPole-v1")[:2] == ["different", "12"]
    assert "in step 7 reward[0] is 1.0, expected 2.0 (1 more elements differ)" in out
    assert row(out, "Pendulum-v1")[0] == "failed"
    assert "its comparison ended its process by SIGABRT" in out
    assert "upstream's environment cannot be made: ImportError: no libpendulum" in out
    assert "in step 1 upstream's environment raises: ZeroDivisionError: upstream's own" in out
    assert row(out, "CartPole-v0")[:1] == ["equal"]
    assert "no pictures: upstream's environment raises RuntimeError: no paint" in out
    assert row(out, "MountainCar-v0")[0] == "equal"
    assert "7 tasks: 3 equal, 1 different, 1 failed, 2 not compared" in out


class Scarce(Process):
    """There is no process for Acrobot."""

    def __init__(self, function, upstream, task_ids, *arguments, **options):
        if task_ids[0] == "Acrobot-v1":
            raise OSError("no more processes")
        super().__init__(function, upstream, task_ids, *arguments, **options)


class Damaged(Upstream):
    """Nobody can tell which packages it lacks."""

    def lack(self):
        raise ValueError("no metadata")


def test_errors_of_comparisons(monkeypatch):
    """Each is told of its task, and the others go on."""
    monkeypatch.setattr(session, "Process", Scarce)
    monkeypatch.setitem(
        upstreams.UPSTREAMS,
        "envpool.families.toy_text",
        Damaged("envpool.oracles.toy_text:Environments", {}),
    )
    tasks = ("Acrobot-v1", "FrozenLake-v1", "CartPole-v1")
    exit_code, out, err = run(*tasks, "--steps", "5", "--no-pictures")
    assert exit_code == 1
    assert [row(out, task)[0] for task in tasks] == ["failed", "failed", "equal"]
    assert "its comparison raises OSError: no more processes" in out
    assert "its comparison raises ValueError: no metadata" in out
    assert "3 tasks: 1 equal, 2 failed" in out
    assert "Traceback" not in err


@pytest.mark.slow
def test_errors_of_the_oracle(monkeypatch):
    monkeypatch.setitem(
        upstreams.UPSTREAMS, "envpool.families.classic_control", Upstream("lost_oracle:Lost", {})
    )
    monkeypatch.setitem(
        upstreams.UPSTREAMS, "envpool.families.toy_text", Upstream("wrong_oracles:Restless", {})
    )
    exit_code, out, _ = run("CartPole-v1", "Taxi-v3", "--steps", "5", "--no-pictures")
    assert exit_code == 1
    assert "upstream's package does not load: ModuleNotFoundError" in out
    assert "its comparison raises RuntimeError: no actions" in out
    assert "2 tasks: 1 failed, 1 not compared" in out


def test_missing_packages(monkeypatch):
    upstream = Upstream("envpool.oracles.classic_control:Environments", {"gymnasium": "0.1"})
    monkeypatch.setitem(upstreams.UPSTREAMS, "envpool.families.classic_control", upstream)
    exit_code, out, _ = run("CartPole-v1", "FrozenLake-v1", "--steps", "5", "--no-pictures")
    assert exit_code == 3
    assert row(out, "FrozenLake-v1") == ["equal", "10", "0", "0"]
    assert "needs gymnasium==0.1 (" in out
    assert "pip install gymnasium==0.1" in out


def test_a_missing_package_of_jax(monkeypatch):
    missing = Upstream("envpool.oracles.jax_packages:Environments", {"no-such-package": "1.0"})
    monkeypatch.setitem(upstreams.UPSTREAMS, "craftax", missing)
    exit_code, out, _ = run("craftax", "--steps", "5")
    assert exit_code == 3
    assert "4 tasks: 4 not compared" in out
    assert "pip install no-such-package==1.0" in out


@pytest.mark.slow
def test_equal_environments_of_jax():
    pytest.importorskip("pgx")
    exit_code, out, _ = run("pgx:tic_tac_toe", "--steps", "60", "--seeds", "2")
    assert exit_code == 0
    steps, ends, pictures = map(int, row(out, "pgx:tic_tac_toe")[1:])
    assert (steps, pictures) == (120, 0) and ends > 4
    assert "no pictures" not in out


def test_any_version(monkeypatch):
    other = Upstream("envpool.oracles.classic_control:Environments", {"gymnasium": "0.1"})
    missing = Upstream(
        "envpool.oracles.toy_text:Environments", {"gymnasium": "0.1", "no-such-package": "1.0"}
    )
    monkeypatch.setitem(upstreams.UPSTREAMS, "envpool.families.classic_control", other)
    monkeypatch.setitem(upstreams.UPSTREAMS, "envpool.families.toy_text", missing)
    tasks = ("CartPole-v1", "FrozenLake-v1")
    exit_code, out, _ = run(*tasks, "--steps", "5", "--no-pictures", "--any-version")
    assert exit_code == 3
    assert row(out, "CartPole-v1")[0] == "equal"
    assert f"with gymnasium {gymnasium.__version__} (not 0.1)" in out
    assert row(out, "FrozenLake-v1")[:2] == ["not", "compared"]


def test_a_task_without_original():
    exit_code, out, _ = run("NChain-v0", "--steps", "5")
    assert exit_code == 3
    assert "it follows the rules of gym before 0.20" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CartPol-v1"], "error: there is no task or family 'CartPol-v1'; did you mean 'CartPole"),
        (["atar"], "error: there is no task or family 'atar'; did you mean 'atari'"),
        (["Nothing-*"], "error: there is no task or family 'Nothing-*'"),
        (["--steps", "0"], "Usage"),
    ],
)
def test_wrong_usage(arguments, message):
    exit_code, _, err = run(*arguments)
    assert exit_code == 2
    assert err.strip().startswith(message)
