"""Times pools over environments of JAX: processor time per step, and what compiling takes.

python benchmarks/jax_environments.py pgx:tic_tac_toe jumanji:Snake-v1

Steps are of 64 environments with random actions, of those that an ``action_mask`` allows. Time is
the processor's, of all threads, so it is comparable on machines that do something else, too.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import envpool

NUM_ENVS, STEPS = 64, 200


def choose(random: np.random.Generator, space: Any, observation: Any, info: dict[str, Any]) -> Any:
    """A random action for each environment."""
    found = observation if isinstance(observation, dict) else info
    mask = found.get("action_mask", info.get("action_mask"))
    if mask is not None and mask.ndim == 2 and hasattr(space, "n"):
        return (random.random(mask.shape) * mask).argmax(axis=1)
    return np.stack([space.sample() for _ in range(NUM_ENVS)])


def measure(task: str) -> str:
    """A row of a table."""
    begin = time.process_time()
    env = envpool.make(task, "gymnasium", num_envs=NUM_ENVS)
    random, space = np.random.default_rng(0), env.action_space
    observation, info = env.reset()
    observation, *_, info = env.step(choose(random, space, observation, info))
    env.reset()
    compiled = time.process_time()
    spent = 0.0
    for _ in range(STEPS):
        action = choose(random, space, observation, info)
        start = time.process_time()
        observation, *_, info = env.step(action)
        spent += time.process_time() - start
    step = spent / STEPS / NUM_ENVS * 1e6
    return f"| `{task}` | {step:.1f} | {compiled - begin:.1f} |"


if __name__ == "__main__":
    print("| environment | us per step | compiling, s |\n| --- | ---: | ---: |")
    for name in sys.argv[1:]:
        print(measure(name), flush=True)
