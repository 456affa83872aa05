"""dm_control's ``environment_kwargs``: how long steps and episodes are, and flat observations."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.families.dm_control.spec import TIMESTEPS
from helpers import OraclePair, begun
from suite_oracle import TASKS, make_ours, make_theirs, play, suite

# All with episodes of some steps; some limits are no multiples of a step.
CASES = [
    ("AcrobotSwingup-v1", {"n_sub_steps": 3, "time_limit": 0.2}),
    ("BallInCupCatch-v1", {"control_timestep": 0.01, "time_limit": 0.04}),
    ("CartpoleThreePoles-v1", {"time_limit": 0.075, "flat_observation": True}),
    ("CheetahRun-v1", {"control_timestep": 0.03, "time_limit": 0.25}),
    ("FingerSpin-v1", {"n_sub_steps": 4, "time_limit": 0.2, "flat_observation": True}),
    ("DogStand-v1", {"n_sub_steps": 2, "time_limit": 0.03, "flat_observation": True}),
    ("FishSwim-v1", {"control_timestep": 0.08, "time_limit": 0.5, "flat_observation": True}),
    ("HopperHop-v1", {"n_sub_steps": 1, "time_limit": 0.03}),
    ("HumanoidRun-v1", {"control_timestep": 0.05, "time_limit": 0.15, "flat_observation": True}),
    ("LqrLqr62-v1", {"n_sub_steps": 2, "time_limit": 0.3}),
    ("ManipulatorBringBall-v1", {"n_sub_steps": 5, "time_limit": 0.02, "flat_observation": True}),
    ("PendulumSwingup-v1", {"n_sub_steps": 5, "time_limit": 1.1}),  # 11.000000000000002 steps
    ("QuadrupedWalk-v1", {"control_timestep": 0.01, "time_limit": 0.05, "flat_observation": True}),
    ("SwimmerSwimmer6-v1", {"n_sub_steps": 20, "time_limit": 0.2}),
    ("WalkerRun-v1", {"control_timestep": 0.05, "time_limit": 0.35}),  # 6.999999999999999 steps
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "kwargs"), CASES, ids=[name for name, _ in CASES])
def test_episodes_are_dm_controls(name, kwargs):
    assert play(OraclePair(name, [1, 2], **kwargs), 26) >= 4


def test_the_suites_own_way_of_giving_them():
    kwargs = {"n_sub_steps": 3, "flat_observation": True}
    task_kwargs = {"random": 7, "time_limit": 0.1}
    theirs = suite.load("cartpole", "swingup", task_kwargs, environment_kwargs=kwargs)
    ours = make_ours("CartpoleSwingup-v1", [7], time_limit=0.1, **kwargs)
    assert np.array_equal(
        ours.reset()[0]["observations"][0], theirs.reset().observation["observations"]
    )
    for last in (False, False, False, True):
        obs, reward, _, truncated, _ = ours.step(np.full((1, 1), 0.5))
        step = theirs.step([0.5])
        assert np.array_equal(obs["observations"][0], step.observation["observations"])
        assert reward[0] == step.reward
        assert truncated[0] == step.last() == last


def test_timesteps_of_all_domains_are_known():
    assert set(TIMESTEPS) == {envpool.make_spec(name).env_type.name for name in TASKS}


@pytest.mark.one_in(17)
@pytest.mark.parametrize("name", TASKS)
def test_timesteps_are_dm_controls(name):
    native = envpool.make_spec(name).env_type.name
    assert TIMESTEPS[native] == make_theirs(name, 0).physics.timestep()


def test_flat_observations_in_all_dialects():
    """dm_control's arrays, also where EnvPool has more."""
    options = {"seed": 3, "flat_observation": True}
    plain = make_ours("FingerSpin-v1", [3]).reset()[0]
    expected = np.concatenate([plain[key] for key in ("position", "velocity", "touch")], axis=1)
    for keys in ("envpool", "dm_control"):
        pool = envpool.make_gymnasium("FingerSpin-v1", observation_keys=keys, **options)
        obs, _ = pool.reset()
        assert list(obs) == list(pool.observation_space) == ["observations"]
        assert np.array_equal(obs["observations"], expected)
    pool = envpool.make_gymnasium("FingerSpin-v1", frame_stack=2, **options)
    assert np.array_equal(pool.reset()[0]["observations"], np.stack([expected] * 2, axis=1))


def test_flat_observations_in_dm():
    pytest.importorskip("dm_env")
    pool = envpool.make_dm("FishSwim-v1", flat_observation=True)
    assert pool.reset().observation._fields[2:] == ("observations",)
    assert pool.observation_spec().observations.shape == (24,)


CONTRADICTIONS = [
    ({"n_sub_steps": 3, "frame_skip": 4}, "n_sub_steps is 3, .*frame_skip is 4: expected one"),
    ({"n_sub_steps": 3, "control_timestep": 0.05}, "control_timestep is 0.05, .*frame_skip 20, "),
    ({"time_limit": 5, "max_episode_steps": 7}, "time_limit is 5, which is max_episode_steps 200"),
    ({"time_limit": 5, "frame_skip": [1, 2], "num_envs": 2}, "expected one frame_skip"),
    ({"flat_observation": True, "from_pixels": True}, "both True, expected one of them"),
    ({"n_sub_steps": 0}, "n_sub_steps is 0, expected 1 <= n_sub_steps"),
    ({"control_timestep": 0.0013}, "control_timestep is 0.0013, expected a multiple of .*0.0025"),
    ({"control_timestep": 1e300}, "expected a multiple"),
    ({"control_timestep": -1}, "control_timestep is -1, expected 0 <"),
    ({"time_limit": float("nan")}, "time_limit is nan, expected 0 <"),
]


@pytest.mark.parametrize(("options", "match"), CONTRADICTIONS, ids=str)
def test_contradictions_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        envpool.make_spec("WalkerWalk-v1", **options)


@pytest.mark.parametrize(
    "options",
    [
        {"n_sub_steps": 2.5},
        {"n_sub_steps": [[1], [1, 2]]},
        {"control_timestep": "x"},
        {"control_timestep": []},
        {"time_limit": [1.0, 2.0]},
        {"time_limit": [[1.0], [1.0, 2.0]]},
        {"time_limit": True},
        {"time_limit": 5, "frame_skip": "often"},
    ],
    ids=str,
)
def test_wrong_types_are_refused(options):
    with pytest.raises(TypeError, match=f"{list(options)[-1]} is .*, expected"):
        envpool.make_spec("WalkerWalk-v1", **options)


@pytest.mark.parametrize(
    ("options", "frame_skip", "steps"),
    [
        ({}, 10, 1000),
        ({"n_sub_steps": 4}, 4, 1000),
        ({"control_timestep": 0.05, "n_sub_steps": 20}, 20, 1000),
        ({"control_timestep": [0.05, 0.1], "num_envs": 2}, [20, 40], 1000),
        ({"time_limit": 5}, 10, 200),
        ({"time_limit": 5, "frame_skip": 5}, 5, 400),
        ({"time_limit": 1e-9}, 10, 1),
        ({"time_limit": float("inf")}, 10, 2**31 - 1),
    ],
    ids=str,
)
def test_configs_tell_what_came_of_it(options, frame_skip, steps):
    spec = envpool.make_spec("WalkerWalk-v1", **options)
    assert (spec.config.frame_skip, spec.config.max_episode_steps) == (frame_skip, steps)
    assert type(spec)(spec.config).config == spec.config
    assert envpool.make_spec("WalkerWalk-v1", **spec.config._asdict()).config == spec.config


def test_a_single_environment_of_gymnasiums():
    env = begun(gymnasium.make("envpool/CartpoleBalance-v1", time_limit=0.03))
    assert [env.step(np.zeros(1))[3] for _ in range(3)] == [False, False, True]
