"""DMEnvironment: one dm_env.Environment as one of Gymnasium's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces

from envpool.spec.dm import import_dm_env

if TYPE_CHECKING:
    import dm_env


class DMEnvironment(gymnasium.Env[Any, Any]):
    """Does for one environment the reverse of what the flavour "dm" does for a pool.

    An episode that ends with discount 0 is terminated, with any other it is truncated. Other
    discounts than these (0 there, 1 in all other steps) are the info ``discount``. dm_env knows no
    seeds: they are given to the environment's own method ``seed``, if it has one, and do nothing
    otherwise.

    Args:
        environment: What it is made of.
    """

    def __init__(self, environment: dm_env.Environment) -> None:
        self.dm_environment = environment
        self.observation_space = space_of(environment.observation_spec())
        self.action_space = space_of(environment.action_spec())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode."""
        super().reset(seed=seed)
        if seed is not None and callable(getattr(self.dm_environment, "seed", None)):
            self.dm_environment.seed(seed)
        return _plain(self.dm_environment.reset().observation), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Steps the environment."""
        step = self.dm_environment.step(action)
        terminated = step.last() and step.discount == 0.0
        usual = 0.0 if terminated else 1.0
        # In the first step of an episode, which follows none of ours, both are None.
        infos = {} if step.discount in (None, usual) else {"discount": float(step.discount)}
        reward = 0.0 if step.reward is None else float(step.reward)
        return _plain(step.observation), reward, terminated, step.last() and not terminated, infos

    def close(self) -> None:
        """Frees what the environment holds."""
        self.dm_environment.close()

    def __getattr__(self, name: str) -> Any:
        if name == "dm_environment":  # it is being unpickled
            raise AttributeError(name)
        return getattr(self.dm_environment, name)


def space_of(spec: Any) -> spaces.Space[Any]:
    """Gymnasium's space of a nested structure of dm_env's specs.

    Raises:
        TypeError: There is something else in it.
    """
    specs = import_dm_env("dm_env.specs")
    if isinstance(spec, Mapping):
        return spaces.Dict([(key, space_of(part)) for key, part in spec.items()])
    if isinstance(spec, tuple | list):
        return spaces.Tuple([space_of(part) for part in spec])
    if isinstance(spec, specs.DiscreteArray):
        return spaces.Discrete(spec.num_values)
    if isinstance(spec, specs.BoundedArray):
        low, high = (np.broadcast_to(side, spec.shape) for side in (spec.minimum, spec.maximum))
        return spaces.Box(low.astype(spec.dtype), high.astype(spec.dtype), dtype=spec.dtype.type)
    if isinstance(spec, specs.Array) and spec.dtype.kind in "biuf":
        return _unbounded(spec.shape, spec.dtype)
    raise TypeError(f"dm_env's spec {spec!r} describes no numbers")


def _unbounded(shape: tuple[int, ...], dtype: np.dtype[Any]) -> spaces.Box:
    limits: tuple[Any, Any] = (-np.inf, np.inf)
    if dtype.kind == "b":
        limits = (0, 1)
    elif dtype.kind in "iu":
        limits = (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return spaces.Box(*limits, shape, dtype.type)


def _plain(observation: Any) -> Any:
    """With dicts and tuples only, as the space has them."""
    if isinstance(observation, Mapping):
        return {key: _plain(part) for key, part in observation.items()}
    if isinstance(observation, tuple | list):
        return tuple(_plain(part) for part in observation)
    return observation
