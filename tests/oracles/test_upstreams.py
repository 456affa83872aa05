"""Each family of ours has something to be compared with, and what is missing is told."""

import pytest

from envpool.machine import installed_version
from envpool.oracles import session, upstreams
from envpool.oracles.session import chosen_tasks
from envpool.oracles.upstreams import Upstream, require
from envpool.tasks.registry import registry


def test_all_tasks_are_chosen_once():
    tasks = chosen_tasks([])
    assert {"CartPole-v1", "Pong-v5", "WalkerWalk-v1", "BabyAI-GoTo-v0"} <= set(tasks)
    # The others are other names of the same.
    assert not {"phys2d/CartPole-v1", "LunarLander-v2", "dm_control/walker-walk"} & set(tasks)
    assert len(tasks) == len(set(tasks))


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["LunarLander-v2", "LunarLander-v3"], ["LunarLander-v3"]),
        (["cartpole-*"], ["CartPole-v0", "CartPole-v1"]),
        (["Pong-v5", "CartPole-v1"], ["Pong-v5", "CartPole-v1"]),
    ],
)
def test_ids_and_globs(patterns, expected):
    assert chosen_tasks(patterns) == expected


def test_families():
    assert chosen_tasks(["mujoco"]) == chosen_tasks(["mujoco.gym"])
    assert len(chosen_tasks(["atari"])) == 104


def test_environments_of_jax_are_chosen_by_their_package_or_id():
    games = chosen_tasks(["pgx"])
    assert {"ConnectFour-v1", "Chess-v1"} <= set(games)
    assert not set(games) & set(chosen_tasks([]))  # which anybody can compare
    assert "Jumanji/Snake-v1" not in chosen_tasks(["jumanji"])
    assert chosen_tasks(["pgx:go_9x9", "Craftax-Pixels-*"]) == ["pgx:go_9x9", "Craftax-Pixels-v1"]
    assert {session.family_of(name) for name in [*games, "pgx:go_9x9"]} == {"pgx"}


def test_what_is_missing(monkeypatch):
    missing = Upstream("x", {"numpy": "0.1", "no-such-package": "2", "gymnasium": "1.4.0"})
    monkeypatch.setitem(upstreams.UPSTREAMS, "family", missing)
    has = installed_version("numpy")
    expected = (
        rf"^needs numpy==0\.1 \({has} is installed\), no-such-package==2 \(not installed\): "
        r"pip install numpy==0\.1 no-such-package==2 gymnasium==1\.4\.0$"
    )
    with pytest.raises(ImportError, match=expected):
        require("family")


def test_tasks_in_python_have_none(monkeypatch):
    monkeypatch.setitem(registry.python_tasks, "own/Walk-v0", None)
    assert chosen_tasks(["own/Walk-v0"]) == ["own/Walk-v0"]
    assert session.family_of("own/Walk-v0") == ""
