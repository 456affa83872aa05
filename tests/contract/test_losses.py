"""Promises about rows that are not lost (docs/errors.md); other tests have the others."""

import re
import time
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration

TESTS = Path(__file__).parents[1]


class Slow(gymnasium.Env):
    """Counts its steps, each of which takes a while."""

    observation_space = spaces.Box(0, 1e9, (1,))
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.count = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        time.sleep(0.2)
        self.count += 1
        return np.float32([self.count]), 1.0, False, False, {}


def make_native(num_envs, **options):
    return envpool.make("testing/Sleeping-v0", num_envs=num_envs, step_ms=200, **options)


def make_in_workers(num_envs, **options):
    return envpool.make_python(Slow, num_envs=num_envs, start_method="fork", **options)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_native, make_in_workers])
@pytest.mark.parametrize("batch_size", [2, 4])
def test_a_wait_that_is_over_loses_nothing(make, batch_size):
    with make(4, batch_size=batch_size) as pool:
        pool.async_reset()
        ids = [pool.recv(reset=True)[-1]["env_id"] for _ in range(4 // batch_size)]
        for of_batch in ids:
            pool.send(np.zeros(batch_size, int), of_batch)
        seen = []
        while len(seen) < 4:
            try:
                obs, *_, info = pool.recv(timeout=0.03)
            except TimeoutError:
                continue
            seen += zip(info["env_id"].tolist(), obs.reshape(-1).tolist(), strict=True)
        assert sorted(seen) == [(env, 1.0) for env in range(4)]


@pytest.mark.parametrize("num_workers", [None, 0])
def test_what_is_refused_steps_nobody(num_workers):
    options = {} if num_workers is None else {"num_workers": num_workers}
    make = envpool.make if num_workers is None else envpool.make_python
    source = "CartPole-v1" if num_workers is None else "gymnasium:CartPole-v1"
    pools = [make(source, num_envs=3, seed=5, **options) for _ in range(2)]
    for pool in pools:
        pool.reset()
    pool, other = pools
    for actions, ids in (
        (np.array([0, 1, 9]), None),
        (np.zeros((3, 1), int), None),
        (np.zeros(2, int), None),
        (np.zeros(3, int), [0, 1, 2**32]),
        (np.zeros(3, int), [0, 1, 1]),
    ):
        with pytest.raises(ValueError):
            pool.step(actions, ids) if ids is None else pool.step(actions, np.array(ids))
    with pytest.raises((TypeError, ValueError)):
        pool.reset(np.array([True, False, True]))
    ours, theirs = (each.step(np.ones(3, int))[0] for each in pools)
    np.testing.assert_array_equal(ours, theirs)
    pool.close()
    other.close()


def test_the_table_names_tests_that_there_are():
    text = (TESTS.parent / "docs" / "errors.md").read_text()
    _, _, table = text.partition("## What is not lost")
    named = 0
    for line in table.splitlines():
        file = ""
        for path, name in re.findall(r"`([\w/]*(?:\.py)?)::(test_\w+)`", line):
            file = path or file
            assert f"def {name}(" in (TESTS / file).read_text(), (file, name)
            named += 1
    assert named > 20
