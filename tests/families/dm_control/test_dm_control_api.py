"""What is around the physics of dm_control's suite: seeds, keys, snapshots, errors."""

from __future__ import annotations

import envpool.mujoco.dmc.registration
import gymnasium
import numpy as np
import pytest
from envpool.mujoco import dmc
from numpy.random import RandomState

import envpool
from envpool.errors import EnvironmentFailure, UnknownTaskError
from helpers import assert_same_results, begun
from suite_oracle import TASKS, control, make_ours, make_theirs

MANY = 1000


def test_uniform_numbers_are_numpys():
    pool = make_ours("PointMassEasy-v1", list(range(MANY)))
    theirs = [RandomState(seed) for seed in range(MANY)]
    low, high = make_theirs("PointMassEasy-v1", 0).physics.model.jnt_range[0]
    for _ in range(2):
        expected = [random.uniform(low, high, 2) for random in theirs]
        assert np.array_equal(pool.reset()[0]["position"], expected)


def test_normal_numbers_are_numpys():
    pool = make_ours("CartpoleThreePoles-v1", list(range(MANY)))
    theirs = [RandomState(seed) for seed in range(MANY)]
    for _ in range(2):
        expected = []
        for random in theirs:
            random.randn(4)  # the angles
            expected.append(0.01 * random.randn(4))
        assert np.array_equal(pool.reset()[0]["velocity"], expected)


TOO_LARGE = [
    (2**32 - 1, 2, "environment 1 is 4294967296, expected seed < 2\\*\\*32"),
    (2**64 - 2, 2, "environment 0 is 18446744073709551614, expected seed < 2\\*\\*32"),
    ([5, 2**32, 7], 3, "environment 1 is 4294967296, expected seed < 2\\*\\*32"),
]


@pytest.mark.parametrize(("seed", "num_envs", "message"), TOO_LARGE)
def test_seeds_beyond_numpys_are_refused(seed, num_envs, message):
    name = "CartpoleTwoPoles-v1"
    with pytest.raises(ValueError, match=message):
        envpool.make_gymnasium(name, num_envs=num_envs, seed=seed)
    with pytest.raises(ValueError, match=message):
        make_ours(name, [0] * num_envs).reset(seed=seed)
    pool = envpool.make_gymnasium(name, num_envs=num_envs, seed=1)
    first = pool.reset()[0]["velocity"]
    with pytest.raises(ValueError, match=message):
        pool.reset(seed=seed)
    assert np.array_equal(pool.reset(seed=1)[0]["velocity"], first)


def test_seeds_by_id_are_refused_by_id():
    pool = envpool.make_gymnasium("CartpoleTwoPoles-v1", num_envs=3)
    with pytest.raises(ValueError, match="environment 2 is 4294967296, expected"):
        pool.reset(np.array([2]), seed=2**32 - 2)


def test_seeds_drawn_at_random_are_none_beyond():
    for _ in range(3):
        assert max(gymnasium.make_vec("envpool/LqrLqr21-v1", 8).np_random_seed) < 2**32
        assert gymnasium.make("envpool/LqrLqr21-v1").unwrapped.np_random_seed < 2**32


def test_a_new_seed_begins_anew():
    pool = make_ours("LqrLqr62-v1", [3])
    first = [pool.reset(seed=[3]), pool.step(np.ones((1, 2)))]
    pool.reset()
    assert_same_results([pool.reset(seed=[3]), pool.step(np.ones((1, 2)))][1], first[1])


def test_envpools_keys_are_those_of_all_tasks():
    pool = envpool.make_gymnasium("FingerSpin-v1", num_envs=2, seed=1)
    obs, _ = pool.reset()
    union = ["position", "velocity", "touch", "target_position", "dist_to_target"]
    assert sorted(obs) == sorted(union)
    assert not obs["target_position"].any()
    assert obs["dist_to_target"].shape == (2,)
    theirs = make_theirs("FingerSpin-v1", 1).reset().observation
    assert np.array_equal(obs["position"][0], theirs["position"])


def test_dm_has_either_keys():
    pytest.importorskip("dm_env")
    pool = envpool.make_dm("FishSwim-v1", seed=1)
    assert pool.reset().observation._fields[2:] == ("joint_angles", "upright", "velocity", "target")
    pool = envpool.make_dm("FishSwim-v1", seed=1, observation_keys="dm_control")
    theirs = make_theirs("FishSwim-v1", 1)
    assert pool.reset().observation._fields[2:] == tuple(theirs.reset().observation)


def test_an_unstable_simulation_fails_until_it_is_reset():
    theirs = make_theirs("LqrLqr21-v1", 0)
    pool = begun(make_ours("LqrLqr21-v1", [0]))
    theirs.reset()
    with pytest.raises(EnvironmentFailure, match="the state of the physics is invalid"):
        for _ in range(100):
            pool.step(np.full((1, 1), 1e300))
    pool.reset(seed=[0])
    assert pool.step(np.zeros((1, 1)))[1][0] == theirs.step([0.0]).reward


def test_infinite_actions_fail_where_dm_controls_do():
    """Where actuators have limits, MuJoCo clips them."""
    for name, is_limited in (("LqrLqr21-v1", False), ("CheetahRun-v1", True)):
        theirs, pool = make_theirs(name, 0), make_ours(name, [0, 1])
        pool.reset()
        theirs.reset()
        actions = np.zeros((2, *pool.single_action_space.shape))
        actions[0, 0] = np.inf
        if is_limited:
            assert pool.step(actions)[1][0] == theirs.step(actions[0]).reward
            continue
        with pytest.raises(control.PhysicsError, match="mjWARN_BADCTRL"):
            theirs.step(actions[0])
        with pytest.raises(EnvironmentFailure, match=r"environment 0: .*CTRL at ACTUATOR 0"):
            pool.step(actions)
        pool.reset(seed=[0, 1])
        theirs = begun(make_theirs(name, 0))
        assert pool.step(np.ones_like(actions))[1][0] == theirs.step([1.0]).reward


NEAREST = {
    "dm_control/walker-wlak": "dm_control/walker-walk",
    "dm_control/humanoid_cmu-run": "dm_control/humanoid_CMU-run",
    "dm_control/cheeta-run": "dm_control/cheetah-run",
    "point_mass-easy": "dm_control/point_mass-easy",
    "BallInCup-v1": "BallInCupCatch-v1",
}


@pytest.mark.parametrize("name", NEAREST)
def test_an_unknown_name_suggests_the_nearest(name):
    with pytest.raises(UnknownTaskError, match=f"no task '{name}'.*'{NEAREST[name]}'"):
        envpool.make_spec(name)


def test_dm_controls_names_make_what_ids_make():
    name, alias = "CheetahRun-v1", "dm_control/cheetah-run"
    expected = envpool.make_gymnasium(name, seed=3).reset()[0]
    pools = [
        envpool.make(alias, "gymnasium", seed=3),
        envpool.make_gymnasium(alias, seed=3),
        gymnasium.make_vec("envpool/dm_control-cheetah-run", 1, seed=3),
    ]
    for pool in pools:
        assert_same_results(pool.reset()[0], expected)
    assert envpool.make_spec(alias).action_space == envpool.make_spec(name).action_space


def test_dm_controls_names_make_dm_envs():
    pytest.importorskip("dm_env")
    steps = [
        envpool.make_dm(name, seed=3).reset()
        for name in ("CheetahRun-v1", "dm_control/cheetah-run")
    ]
    assert np.array_equal(*(step.observation.position for step in steps))


def test_envpools_path_has_all_classes():
    """By the names that EnvPool has there."""
    pytest.importorskip("dm_env")
    assert len(dmc.registration.dmc_mujoco_envs) == len(TASKS)
    for domain, _, limit in dmc.registration.dmc_mujoco_envs:
        name = "".join(word[0].upper() + word[1:] for word in domain.split("_"))
        assert limit == 1000
        for role in ("EnvSpec", "GymnasiumEnvPool", "DMEnvPool"):
            assert getattr(dmc, f"Dmc{name}{role}").__name__ == f"Dmc{name}{role}"
    assert type(envpool.make_spec("DogRun-v1")) is dmc.DmcDogEnvSpec
    assert type(envpool.make_dm("LqrLqr21-v1")) is envpool.mujoco.dmc.DmcLqrDMEnvPool


def test_an_unknown_task_of_a_domain_is_refused():
    with pytest.raises(ValueError, match="task_name"):
        gymnasium.make_vec("envpool/WalkerWalk-v1", 1, task_name="fly")
