"""What type checkers know of pools, and find wrong: read by mypy in .ci/lint, and never run.

A mistake that it no longer finds is an unused ``type: ignore``, which is an error.
"""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from gymnasium import Space
from numpy.typing import NDArray

import envpool
from envpool.films.files import Film
from envpool.flavours.dm import DMEnvPool
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.spec.env_spec import EnvSpec

Reset = tuple[Any, dict[str, Any]]
Step = tuple[Any, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]

with envpool.make("CartPole-v1", "gymnasium", num_envs=4, length=0.3) as pool:
    assert_type(pool, GymnasiumEnvPool)
    assert_type(pool.spec, EnvSpec)
    assert_type(pool.reset(), Reset)
    assert_type(pool.step(0), Step)
    assert_type(pool.recv(), Step)
    assert_type(pool.recv(reset=True), Reset)
    pool.reset(sead=3)  # type: ignore[call-arg]

with envpool.make("CartPole-v1", "dm") as steps:
    assert_type(steps, DMEnvPool)

assert_type(envpool.film("CartPole-v1", steps=5, num_envs=4), Film)
assert_type(envpool.replay("runs/a")[0].save("best.mp4"), Film)
envpool.film("CartPole-v1", path=3)  # type: ignore[arg-type]

envpool.make("CartPole-v1", "gymnasium", record=Path("runs/a"))
envpool.make("CartPole-v1", "gymnasium", record=3)  # type: ignore[call-overload]
envpool.make("CartPole-v1", "gymansium")  # type: ignore[call-overload]
envpool.make("CartPole-v1", "gymnasium", num_envs="4")  # type: ignore[call-overload]
envpool.make("CartPole-v1", "dm", render_mode="rgb")  # type: ignore[call-overload]

with envpool.make_python("CartPole-v1", num_envs=2) as own:
    assert_type(own.stats().worker_env, tuple[float, ...])
    assert_type(own.stats().worker_env, tuple[float, ...])
    assert_type(own.reset(), Reset)
    assert_type(own.action_space, Space[Any])

assert_type(pool.observation_space, Space[Any])
assert_type(pool.single_action_space, Space[Any])
assert_type(envpool.make_python("CartPole-v1", "dm").stats().worker_copy, tuple[float, ...])
