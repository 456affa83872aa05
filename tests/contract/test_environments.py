"""Pools of the environments made for tests: players, structures, failures, slow steps."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.errors import EnvironmentFailure


def make(name, **kwargs):
    return envpool.make(f"testing/{name}-v0", "gymnasium", **kwargs)


@pytest.mark.parametrize("num_threads", [1, 2, 8])
def test_players_rows_follow_their_environments(num_threads):
    env = make("Players", num_envs=3, num_threads=num_threads)
    observation, info = env.reset()
    assert observation.shape == (3, 2)
    assert env.observation_space.shape == (2,)
    for step in range(1, 7):
        players = 1 + step % 3
        before = 1 + (step - 1) % 3
        action = np.arange(3 * before)
        observation, reward, terminated, _, info = env.step({"players": {"action": action}})
        assert info["env_id"].tolist() == [0, 1, 2]
        assert info["players"]["env_id"].tolist() == np.repeat([0, 1, 2], players).tolist()
        assert info["players"]["id"].tolist() == list(range(players)) * 3
        assert observation.tolist() == [[step, player] for player in range(players)] * 3
        given = action.reshape(3, before).tolist()
        expected = [[*row, *[0] * players][:players] for row in given]
        assert reward.tolist() == np.ravel(expected).tolist()
        assert terminated.shape == (3,)


def test_players_need_an_action_each():
    env = make("Players", num_envs=2)
    env.reset()
    env.step(np.zeros(2, int))
    with pytest.raises(ValueError, match=r"players.action has 2 rows, expected 4, one per player"):
        env.step(np.zeros(2, int))


@pytest.mark.parametrize(
    ("env_id", "players", "message"),
    [
        (None, [0, 1, 0, 1], r"players.env_id\[1\] is 1, expected 0: the id of each environment"),
        (None, [0, 1], r"players.env_id\[1\] is 1, expected 0"),
        (None, [0, 0], "players.env_id has 2 entries, expected 4"),
        ([1, 0], [0, 0, 1, 1], r"players.env_id\[0\] is 0, expected 1"),
        ([1], [1, 1, 1], "players.env_id has 3 entries, expected 2"),
        ([1], [[1, 1]], r"players.env_id has shape \(1, 2\), expected \(n,\)"),
    ],
)
def test_players_that_do_not_act_are_refused(env_id, players, message):
    env = make("Players", num_envs=2)
    env.reset()
    env.step(np.zeros(2, int))
    action = {"players": {"action": np.zeros(4, int), "env_id": players}, "env_id": env_id}
    for call in (env.step, env.send):
        with pytest.raises(ValueError, match=message):
            call(action)
    action["players"] |= {"action": np.arange(4), "env_id": np.array([0, 0, 1, 1])}
    action["env_id"] = [0, 1]
    assert env.step(action)[1].tolist() == [0, 1, 0, 2, 3, 0]


def test_players_ids_are_integers_of_idle_environments():
    env = make("Players", num_envs=2)
    env.reset()
    action = {"players": {"action": np.zeros(1, int), "env_id": [0]}, "env_id": [0]}
    with pytest.raises(TypeError, match=r"players.env_id has dtype float64, expected integers"):
        env.step({"players": action["players"] | {"env_id": [0.0]}, "env_id": [0]})
    env.send(action)
    with pytest.raises(RuntimeError, match="environment 0 "):
        env.send(action)
    assert env.recv()[-1]["env_id"].tolist() == [0]


def test_single_players_ids_are_the_environments():
    env = make("Counting", num_envs=3)
    env.reset()
    ids = np.array([2, 0])
    action = {"action": np.zeros(2, int), "env_id": ids, "players": {"env_id": ids}}
    assert env.step(action)[-1]["env_id"].tolist() == [2, 0]
    with pytest.raises(ValueError, match=r"players.env_id\[0\] is 0, expected 2"):
        env.step(action | {"players": {"env_id": ids[::-1]}})


def test_the_config_has_the_number_of_players():
    assert envpool.make_spec("testing/Players-v0").config.max_num_players == 3
    assert make("Players", num_envs=1, players=2).config["max_num_players"] == 2
    spec = envpool.make_spec("testing/Counting-v0", max_num_players=5)
    assert spec.config.max_num_players == 1


def test_players_in_dm():
    env = envpool.make("testing/Players-v0", "dm", num_envs=2)
    time_step = env.reset()
    assert time_step.observation.players.id.tolist() == [0, 0]
    time_step = env.step(np.array([5, 6]))
    assert time_step.reward.tolist() == [5, 0, 6, 0]
    assert time_step.discount.shape == (4,)
    assert time_step.step_type.tolist() == [1, 1]


def random_structure(rng):
    return {
        "body": {"force": rng.uniform(-1, 1, (4, 2, 2)), "gear": rng.integers(-1, 4, 4)},
        "lamps": rng.integers(0, 2, (4, 3)).astype(bool),
        "dials": rng.integers(0, [2, 9], (4, 2)),
    }


def test_parts_of_a_dict_action_are_checked_by_name():
    env = make("Structured", num_envs=4)
    env.reset()
    action = random_structure(np.random.default_rng(2))
    with pytest.raises(ValueError, match="lacks the key 'dials'"):
        env.step({key: value for key, value in action.items() if key != "dials"})
    with pytest.raises(ValueError, match="unknown key 'horn'"):
        env.step(action | {"horn": np.zeros(4)})
    action["dials"][2, 1] = 9
    with pytest.raises(ValueError, match=r"dials\[2, 1\] is 9, expected an integer from 0 to 8"):
        env.step(action)


@pytest.mark.parametrize("batch_size", [4, 2])
@pytest.mark.parametrize("place", ["reset", "step", "observe"])
def test_failures_name_the_environment_and_keep_the_others(place, batch_size):
    places = ["never", "never", place, "never"]
    env = make("Failing", num_envs=4, batch_size=batch_size, place=places, fail_at=1)
    env.async_reset()
    healthy, failures = [], []
    waiting = 4
    while waiting:
        try:
            info = env.recv()[4]
            ids = info["env_id"]
        except EnvironmentFailure as failure:
            failures.append(failure)
            ids = failure.results[4]["env_id"]
            assert f"environment 2: failed on purpose in {place}" in str(failure)
            assert failure.env_ids == [2]
            waiting -= 1
        healthy += ids.tolist()
        waiting -= len(ids)
        if place != "reset" and 2 in ids:
            env.send(np.zeros(len(ids), int), ids)
            waiting += len(ids)
    assert len(failures) == 1
    assert set(healthy) >= {0, 1, 3}
    with pytest.raises(RuntimeError, match="environment 2 has failed: reset it"):
        env.send(np.zeros(1, int), np.array([2]))


def test_failures_in_dm_have_time_steps():
    env = envpool.make("testing/Failing-v0", "dm", num_envs=2, place=["step", "never"], fail_at=1)
    env.reset()
    with pytest.raises(EnvironmentFailure) as caught:
        env.step(np.zeros(2, int))
    assert caught.value.results.observation.env_id.tolist() == [1]
    assert caught.value.results.step_type.tolist() == [1]


def test_recv_has_the_first_finishers():
    """Environment 0 sleeps; the others come back again and again meanwhile."""
    env = make("Sleeping", num_envs=4, batch_size=1, num_threads=2, step_ms=[400.0, 0.0, 0.0, 0.0])
    env.async_reset()
    for _ in range(4):
        env.recv()
    env.send(np.zeros(4, int))
    seen = []
    start = time.monotonic()
    while 0 not in seen:
        ids = env.recv()[4]["env_id"]
        seen += ids.tolist()
        if 0 not in seen:
            env.send(np.zeros(1, int), ids)
    assert time.monotonic() - start > 0.3
    assert len(seen) > 100
    assert set(seen) == {0, 1, 2, 3}


def test_closing_in_a_signal_handler_is_no_deadlock():
    env = make("Counting", num_envs=2, batch_size=1)
    before = signal.signal(signal.SIGUSR1, lambda *_: env.close())
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(RuntimeError, match="by a signal handler during another call"):
            env.recv(timeout=30)
    finally:
        signal.signal(signal.SIGUSR1, before)
    env.close()
    assert env.reset()[0].shape == (1, 1)


def test_episode_statistics_in_dm():
    env = envpool.make(
        "testing/Counting-v0", "dm", num_envs=2, episode_length=2, record_episode_statistics=True
    )
    assert env.observation_spec().episode.done.dtype == bool
    env.reset()
    for expected in ([(0, 0, False)] * 2, [(4, 2, True), (40, 2, True)], [(0, 0, False)] * 2):
        time_step = env.step(np.array([2, 20]))
        assert list(zip(*time_step.observation.episode, strict=True)) == expected
