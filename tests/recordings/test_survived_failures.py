"""Recordings of pools that go on after failures of their environments (on_failure="reset")."""

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from python_envs import Brittle, Deadly
from recorded import failures_of

pytestmark = pytest.mark.filterwarnings("ignore:environment . failed:RuntimeWarning")
LOCAL, FORKED = {"num_workers": 0}, {"num_workers": 2, "start_method": "fork"}


def record(pool, steps, observe):
    """Steps a pool; returns what each of its episodes showed, by environments, without ends."""
    obs, info = pool.reset()
    episodes = [[[observe(obs, info, env)]] for env in range(pool.num_envs)]
    was_over = np.zeros(pool.num_envs, bool)
    at_once = pool.config["autoreset_mode"] == "SameStep"
    for _ in range(steps):
        obs, _, terminated, truncated, info = pool.step(np.zeros(pool.num_envs, np.int32))
        over = terminated | truncated
        for env, own in enumerate(episodes):
            if was_over[env] or (at_once and over[env]):
                own.append([])
            if at_once or not over[env]:
                own[-1].append(observe(obs, info, env))
        was_over = over & (not at_once)
    pool.close()
    return episodes


def assert_repeats(path, episodes, observe):
    """All episodes are repeated but those that follow a failure in their environment."""
    recording = envpool.replay(path)
    assert len(recording.episodes) >= 6
    repeated, expected = [], []
    of_env = [iter(own) for own in episodes]
    has_failed = [False] * len(episodes)
    for episode in recording:
        shown = next(of_env[episode.env])
        if has_failed[episode.env]:
            with pytest.raises(RuntimeError, match="failure of the environment was survived"):
                episode.rollout()
        else:
            repeated.append(episode)
            expected.append(shown)
        has_failed[episode.env] |= episode.end == "failed"
    together = recording.rollouts(repeated)
    for episode, other, rows in zip(repeated, together, expected, strict=True):
        for rollout in (episode.rollout(), other):
            shown = [observe(rollout, step) for step in range(len(rows))]
            np.testing.assert_array_equal(shown, rows)
            assert bool(rollout.failure) == (episode.end == "failed")
    assert any(has_failed)
    return recording


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_native(tmp_path, mode):
    """The environments count their resets, so that there may be neither more nor fewer."""
    pool = envpool.make_gymnasium(
        "testing/Failing-v0",
        num_envs=3,
        place=["step", "observe", "never"],
        fail_at=3,
        max_episode_steps=5,
        on_failure="reset",
        autoreset_mode=mode,
        record=tmp_path / "a",
    )
    episodes = record(pool, 24, lambda obs, info, env: (obs[env, 0], info["resets"][env]))
    recording = assert_repeats(
        tmp_path / "a",
        episodes,
        lambda rollout, step: (rollout.observations[step, 0], rollout.infos["resets"][step]),
    )
    ends = recording.episodes["end"]
    assert (ends[recording.episodes["env"] == 2] == "truncated").all()
    assert (ends[recording.episodes["env"] < 2] == "failed").all()
    assert "purpose in step" in failures_of(recording, 0)[0].rollout().failure


@pytest.mark.parametrize("workers", [LOCAL, FORKED], ids=["local", "forked"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.slow
def test_in_python(tmp_path, workers, mode):
    pool = envpool.make_python(
        Brittle,
        num_envs=2,
        seed=3,
        on_failure="reset",
        autoreset_mode=mode,
        record=tmp_path / "a",
        **workers,
    )
    episodes = record(pool, 60, lambda obs, info, env: obs["place"][env])
    recording = assert_repeats(
        tmp_path / "a", episodes, lambda rollout, step: rollout.observations["place"][step]
    )
    assert "failed" in recording.episodes["end"]
    assert failures_of(recording, 0)[0].rollout().failure == "ValueError: brittle"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("num_envs", "mode", "steps"),
    [(2, "NextStep", 40), (4, "SameStep", 12)],
    ids=["alone", "with others"],
)
def test_ends_of_workers(tmp_path, num_envs, mode, steps):
    """Other environments of the worker end with it, whatever they are at; nothing is replayed."""
    pool = envpool.make_python(
        Deadly,
        num_envs=num_envs,
        seed=3,
        on_failure="reset",
        autoreset_mode=mode,
        record=tmp_path / "a",
        num_workers=2,
        start_method="forkserver",  # this process has threads by then, which sanitizers mind
    )
    episodes = record(pool, steps, lambda obs, info, env: obs["place"][env])
    recording = envpool.replay(tmp_path / "a")
    assert (recording.episodes["end"] == "failed").sum() >= 3
    of_env, is_lost = [0] * num_envs, [False] * num_envs
    for episode in recording:
        expected = episodes[episode.env][of_env[episode.env]]
        of_env[episode.env] += 1
        try:
            shown = episode.rollout().observations["place"]
            assert not is_lost[episode.env]
            np.testing.assert_array_equal(shown[: len(expected)], expected)
        except RuntimeError as error:
            assert "SIGKILL" in str(error)
            is_lost[episode.env] = True
    assert any(is_lost)
