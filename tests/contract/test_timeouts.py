"""A wait that is over loses no row."""

import time

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration


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
