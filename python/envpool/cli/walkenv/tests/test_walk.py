"""Walk keeps what all environments promise, and its own rules."""

import numpy as np

import envpool
from envpool.checks import check_task

TASK = "walkenv/Walk-v0"


def test_it_is_an_environment() -> None:
    """Bounds, snapshots, seeds, threads, pictures and more."""
    check_task(TASK)


def test_who_walks_towards_the_flag_arrives() -> None:
    """A line of ten metres has twenty strides of half a metre."""
    env = envpool.make(TASK, "gymnasium", num_envs=8, seed=0, wind=0.0)
    observation, _ = env.reset()
    arrived = np.zeros(8, bool)
    for _ in range(20):
        position, flag = observation.T
        observation, _, terminated, _, _ = env.step((position < flag).astype(np.int32))
        arrived |= terminated
    assert arrived.all()
