"""Environments of a pool go on from any step of a recorded episode."""

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from helpers import skipping_without_engine
from python_envs import Walk
from recorded import Recorded, compare, failures_of, row_of

TASKS = ["CartPole-v1", "Blackjack-v1", "LunarLander-v3", "HalfCheetah-v5", "Pong-v5"]
SLOW = {"Pong-v5"}  # emulated with sanitizers


def check_goes_on(pool, episode, step):
    """The second environment of a pool ends an episode as it was recorded, from some step on."""
    rollout = episode.rollout(step)
    pool.reset()
    pool.set_state([episode.state(step)], [1])
    rows = [(row_of(rollout.observations, 0),)]
    for action in rollout.actions:
        results = pool.step(action[None], np.array([1], np.int32))
        rows.append(tuple(row_of(part, 0) for part in results[:4]))
    compare(rollout, rows)
    assert rows[-1][2] or rows[-1][3]


@pytest.mark.parametrize("task_id", skipping_without_engine(TASKS))
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_every_step(tmp_path, task_id, mode):
    # Each step is replayed from the beginning, so that the work grows with the square of the steps.
    options = {"num_envs": 2, "max_episode_steps": 4, "seed": 3}
    recorded = Recorded(tmp_path / "a", task_id, autoreset_mode=mode, **options)
    recorded.reset()
    for _ in range(11):
        recorded.step()
    recorded.pool.close()
    recording = envpool.replay(tmp_path / "a")
    with envpool.make_gymnasium(task_id, autoreset_mode="Disabled", **options) as pool:
        for episode in list(recording)[: 1 if task_id in SLOW else 4]:
            for step in range(episode.length):
                check_goes_on(pool, episode, step)
            over = f"step is {episode.length}, and the episode is over after {episode.length} steps"
            with pytest.raises(ValueError, match=over):
                episode.state(episode.length)
    with pytest.raises(ValueError, match="step is -1, expected 0 <= step"):
        recording[0].state(-1)


def test_before_a_failure(tmp_path):
    """The state before the last step makes the environment fail again."""
    options = {"num_envs": 2, "place": "step", "fail_at": [0, 4]}
    with envpool.make_gymnasium("testing/Failing-v0", record=tmp_path / "a", **options) as pool:
        pool.reset()
        for _ in range(3):
            pool.step(np.zeros(2, np.int32))
        with pytest.raises(envpool.EnvironmentFailure):
            pool.step(np.zeros(2, np.int32))
    (episode,) = failures_of(envpool.replay(tmp_path / "a"), 1)
    with pytest.raises(ValueError, match="step is 4, and the episode is over after 3 steps"):
        episode.state(4)
    with envpool.make_gymnasium("testing/Failing-v0", **options) as pool:
        pool.reset()
        pool.set_state([episode.state(episode.length)], [1])
        with pytest.raises(envpool.EnvironmentFailure) as failure:
            pool.step(np.zeros(1, np.int32), np.array([1], np.int32))
        assert failure.value.messages[0] == episode.rollout().failure


@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.slow
def test_environments_written_in_python(tmp_path, num_workers):
    options = {"num_envs": 2, "seed": 3, "num_workers": num_workers}
    with envpool.make_python(Walk, record=tmp_path / "a", **options) as pool:
        pool.reset()
        while pool.stats().episodes < 3:
            pool.step(np.ones(2, int))
    recording = envpool.replay(tmp_path / "a", make=Walk)
    with envpool.make_python(Walk, autoreset_mode="Disabled", **options) as pool:
        for step in range(recording[1].length):
            check_goes_on(pool, recording[1], step)


class Stateless(Walk):
    """Has no states."""

    @property
    def get_state(self):
        raise AttributeError


def test_environments_that_cannot_be_saved(tmp_path):
    with envpool.make_python(Stateless, record=tmp_path / "a", num_workers=0) as pool:
        pool.reset()
        while not pool.stats().episodes:
            pool.step(np.zeros(1, int))
    episode = envpool.replay(tmp_path / "a", make=Stateless)[0]
    episode.rollout()
    with pytest.raises(RuntimeError, match=r"Stateless has no get_state\(\)"):
        episode.state()
