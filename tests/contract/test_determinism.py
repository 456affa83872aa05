"""What an environment does depends on its seed and actions only."""

import numpy as np
import pytest

from helpers import actions_by_env, assert_same_results, make

TASKS = ["CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0", "Acrobot-v1"]
N = 8


@pytest.mark.parametrize("task_id", TASKS)
def test_reset_with_a_seed_starts_over(task_id):
    pool = make(task_id)
    actions = actions_by_env(task_id, 4, 60)

    def run():
        return [pool.reset(seed=9), *(pool.step(batch) for batch in actions)]

    first, second = run(), run()
    for ours, theirs in zip(first, second, strict=True):
        assert_same_results(ours, theirs)


def test_reset_without_a_seed_goes_on():
    pool = make("CartPole-v1")
    first, second = pool.reset(seed=9)[0], pool.reset()[0]
    assert not (first == second).any()


SEEDS = [3, 2**63, 0, 2**32]


@pytest.mark.parametrize(
    "seed", [SEEDS, tuple(SEEDS), np.array(SEEDS, np.uint64), list(np.array(SEEDS, np.uint64))]
)
def test_one_seed_per_environment(seed):
    expected = np.concatenate([make("CartPole-v1", 1).reset(seed=int(s))[0] for s in SEEDS])
    np.testing.assert_array_equal(make("CartPole-v1").reset(seed=seed)[0], expected)
    np.testing.assert_array_equal(make("CartPole-v1", seed=seed).reset()[0], expected)


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), np.uint8(7), 2**64 - 4])
def test_seed_of_make_and_of_reset(seed):
    made = make("CartPole-v1", seed=seed).reset()[0]
    expected = make("CartPole-v1", seed=[int(seed) + i for i in range(4)]).reset()[0]
    np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(make("CartPole-v1").reset(seed=seed)[0], expected)


def test_default_seed_is_42():
    np.testing.assert_array_equal(
        make("CartPole-v1").reset()[0], make("CartPole-v1", seed=42).reset()[0]
    )


@pytest.mark.parametrize("as_mask", [False, True])
def test_partial_reset(as_mask):
    """Touches only its environments, which get the seeds of their ids."""
    pool, twin = make("Pendulum-v1"), make("Pendulum-v1")
    actions = actions_by_env("Pendulum-v1", 4, 20)
    for each in (pool, twin):
        each.reset(seed=1)
        each.step(actions[0])
    ids = np.array([1, 3] if as_mask else [3, 1])
    options = {"reset_mask": np.isin(np.arange(4), ids)}
    chosen = {"options": options} if as_mask else {"env_id": ids}
    obs, info = pool.reset(**chosen, seed=100)
    assert info["env_id"].tolist() == ids.tolist()
    np.testing.assert_array_equal(obs, make("Pendulum-v1").reset(seed=100)[0][ids])
    assert obs.tobytes() != pool.reset(**chosen)[0].tobytes()
    obs, _ = pool.reset(**chosen, seed=[8, 9])
    np.testing.assert_array_equal(obs, make("Pendulum-v1", 2).reset(seed=8)[0])
    for batch in actions[1:]:
        ours, theirs = pool.step(batch), twin.step(batch)
        np.testing.assert_array_equal(ours[0][[0, 2]], theirs[0][[0, 2]])
        assert ours[-1]["elapsed_step"].tolist()[::2] == theirs[-1]["elapsed_step"].tolist()[::2]


@pytest.mark.parametrize("seed", [[5, None, 7, None], np.array([5, None, 7, None])], ids=type)
def test_none_leaves_a_generator_as_it_is(seed):
    pool, twin = make("CartPole-v1"), make("CartPole-v1")
    pool.reset(), twin.reset()
    obs, unseeded, seeded = pool.reset(seed=seed)[0], twin.reset()[0], twin.reset(seed=5)[0]
    np.testing.assert_array_equal(obs, np.stack([seeded[0], unseeded[1], seeded[2], unseeded[3]]))
    obs, _ = pool.reset(np.array([3, 0]), seed=[None, 5])
    np.testing.assert_array_equal(obs[1], seeded[0])
    assert (obs[0] != unseeded[3]).any()
    with pytest.raises(TypeError, match=r"seed\[1\] is None, expected an integer"):
        make("CartPole-v1", 2, seed=[1, None])


def test_partial_reset_with_a_seed_for_each_environment_of_the_pool():
    ids = np.array([2, 0])
    obs, _ = make("CartPole-v1").reset(ids, seed=[10, 11, 12, 13])
    np.testing.assert_array_equal(obs, make("CartPole-v1").reset(seed=10)[0][ids])
