"""What results cost that callers keep: a small part of each does not keep the observations, too.

A pool writes to the same memory again once nobody has an array over it. So where observations lie
tells what is still kept.
"""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.vector
import plain_envs
from helpers import leaves, make
from kinds import KINDS, each_kind

N = 16
STEPS = 40
LOCAL = {"num_workers": 0}


class Sighted(gymnasium.Env):
    """Observes a large picture and a small place."""

    observation_space = spaces.Dict(
        image=spaces.Box(0, 255, (64, 64), np.uint8), place=spaces.Box(-1.0, 1.0, (3,), np.float64)
    )
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self.observe(), {"count": 0}

    def step(self, action):
        self.count += 1
        return self.observe(), 0.5 * self.count, self.count % 3 == 0, False, {"count": self.count}

    def observe(self):
        return {"image": np.full((64, 64), self.count, np.uint8), "place": self.np_random.random(3)}


def of_kind(kind, **options):
    """A pool of pictures."""
    of_python = KINDS[kind]
    if of_python is not None:
        return envpool.make_python(plain_envs.Picture, num_envs=N, **of_python, **options)
    if kind == "several tasks":
        return envpool.make_multi({"testing/Picture-v0": N}, "gymnasium", **options)
    return make("testing/Picture-v0", N, **options)


def small_parts(result):
    """All arrays of a result but the observations."""
    return {path: leaf for path, leaf in leaves(result[1:]) if isinstance(leaf, np.ndarray)}


def keep(pick, results):
    """Keeps what `pick` takes of each result; returns how many blocks that needs."""
    kept, bytes_then, places = [], [], set()
    for observation, result in results:
        parts = pick(result)
        kept.append(parts)
        bytes_then.append({path: part.tobytes() for path, part in parts.items()})
        places.add(observation.ctypes.data)
        del observation, result
    assert len(kept) == STEPS and kept[0]
    assert [{path: part.tobytes() for path, part in parts.items()} for parts in kept] == bytes_then
    return len(places)


def steps(pool, observation_of=lambda result: result[0]):
    pool.reset()
    actions = np.zeros(N, np.int64)
    for _ in range(STEPS):
        result = pool.step(actions)
        yield observation_of(result), result
        del result


@each_kind
def test_small_parts_keep_no_observations(kind):
    with of_kind(kind, seed=1) as pool:
        assert keep(small_parts, steps(pool)) < 5


def test_final_infos_keep_no_observations():
    options = {"autoreset_mode": "SameStep", "max_episode_steps": 3, "seed": 1}
    with make("testing/Picture-v0", N, record_episode_statistics=True, **options) as pool:
        assert keep(small_parts, steps(pool)) < 5


def test_time_steps_parts_keep_no_observations():
    def pick(time_step):
        return {name: getattr(time_step, name) for name in ("step_type", "reward", "discount")}

    with make("testing/Picture-v0", N, "dm", seed=1) as pool:
        assert keep(pick, steps(pool, lambda time_step: time_step.observation.obs)) < 5


def test_small_parts_of_asynchronous_batches_keep_no_observations():
    def results(pool):
        pool.async_reset()
        for _ in range(STEPS):
            result = pool.recv()
            ids = result[-1]["env_id"]
            yield result[0], result
            del result
            pool.send(np.zeros(len(ids), np.int64), ids)

    with make("testing/Picture-v0", 4 * N, batch_size=N, seed=1) as pool:
        assert keep(small_parts, results(pool)) < 10  # 4 + 2 are open at a time


def test_a_small_observation_keeps_no_large_one():
    def pick(result):
        return {"place": result[0]["place"], **small_parts(result)}

    with envpool.make_python(Sighted, num_envs=N, seed=1, **LOCAL) as pool:
        assert keep(pick, steps(pool, lambda result: result[0]["image"])) < 5
    with envpool.vector.SyncVectorEnv([Sighted] * N) as pool:
        assert keep(pick, steps(pool, lambda result: result[0]["image"])) < 5


@pytest.mark.parametrize("count", [1, N])
def test_observations_that_are_kept_are_no_copies(count):
    def pick(result):
        return {"observation": result[0]}

    with make("testing/Picture-v0", count, seed=1) as pool:
        pool.reset()
        actions = np.zeros(count, np.int64)
        results = ((r[0], r) for r in (pool.step(actions) for _ in range(STEPS)))
        assert keep(pick, results) == STEPS
