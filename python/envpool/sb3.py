"""Our tasks as Stable-Baselines3 vector environments.

>>> from envpool.sb3 import VecEnv
>>> env = VecEnv("CartPole-v1", num_envs=8, seed=7)
>>> env.reset().shape
(8, 4)
>>> env.close()
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, did_you_mean, install, shown
from envpool.flavours.row_infos import RowInfos
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import row_of
from envpool.tasks.gymnasium_makers import make_vector_env
from envpool.tasks.registry import gymnasium_id

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.preprocessing import check_for_nested_spaces
    from stable_baselines3.common.vec_env import VecEnv as _VecEnv
except ImportError as error:
    raise ImportError(f"envpool.sb3 needs Stable-Baselines3: {install('sb3')} ({error})") from error

__all__ = ["VecEnv"]

_DIGITS = 6  # Monitor rounds, too
# VecEnv decides these options itself; why.
_OWN = {
    "autoreset_mode": "Stable-Baselines3 has one of its own",
    "record_episode_statistics": "monitor=True does so",
}


class EpisodeMonitor:
    """Adds up the rewards and steps of each environment's episode.

    Args:
        num_envs: How many environments there are.
    """

    def __init__(self, num_envs: int) -> None:
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._start = time.time()

    def begin(self, ids: Any) -> None:
        """Episodes of these environments begin."""
        self._returns[ids] = 0.0
        self._lengths[ids] = 0

    def count(self, rewards: NDArray[np.float64]) -> None:
        """All environments have done a step."""
        self._returns += rewards
        self._lengths += 1

    def episode(self, env_id: int) -> dict[str, Any]:
        """``info["episode"]`` of an environment whose episode is over: return, length, seconds."""
        return {
            "r": round(float(self._returns[env_id]), _DIGITS),
            "l": int(self._lengths[env_id]),
            "t": round(time.time() - self._start, _DIGITS),
        }


class Single:
    """The methods of one environment that ``env_method`` can call.

    Args:
        vec_env: Whose environment it is.
        env_id: Its id.
    """

    def __init__(self, vec_env: VecEnv, env_id: int) -> None:
        self._vec_env = vec_env
        self._env_id = env_id

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode; see :meth:`gymnasium.Env.reset`."""
        return self._vec_env.reset_single(self._env_id, seed, options)

    def render(self) -> Any:
        """See :meth:`gymnasium.Env.render`."""
        frames = self._vec_env.vector_env.render()
        return frames[self._env_id] if frames else None

    def get_state(self) -> bytes:
        """See :meth:`envpool.flavours.base.EnvPool.get_state`."""
        return self._vec_env.vector_env.get_state([self._env_id])[0]

    def set_state(self, state: bytes) -> None:
        """See :meth:`envpool.flavours.base.EnvPool.set_state`."""
        self._vec_env.vector_env.set_state([state], [self._env_id])

    def has_wrapper_attr(self, name: str) -> bool:
        """See :meth:`gymnasium.Env.has_wrapper_attr`."""
        return bool(self._vec_env.has_attr(name))

    def get_wrapper_attr(self, name: str) -> Any:
        """See :meth:`gymnasium.Env.get_wrapper_attr`."""
        return self._vec_env.get_attr(name, self._env_id)[0]

    def set_wrapper_attr(self, name: str, value: Any) -> None:
        """See :meth:`gymnasium.Env.set_wrapper_attr`."""
        self._vec_env.set_attr(name, value, self._env_id)

    def __getattr__(self, name: str) -> Any:
        return self._vec_env.get_attr(name, self._env_id)[0]


class VecEnv(_VecEnv):  # type: ignore[misc]
    """A pool with the rows of a ``DummyVecEnv`` of environments made by ``gymnasium.make``.

    That is: Gymnasium's bytes; rewards as float32; an episode's end is followed by a reset in the
    same step, with the last observation in ``info["terminal_observation"]``, and
    ``info["TimeLimit.truncated"]``; the infos of resets are in ``reset_infos``.

    Args:
        task_id: The task, such as ``"CartPole-v1"``.
        num_envs: How many environments.
        monitor: Behave as if each environment had a ``Monitor``: at the end of an episode there is
            ``info["episode"]`` with its return ``r``, its length ``l``, and the seconds ``t`` since
            this object was made. Set it to False if you use a ``VecMonitor``.
        **kwargs: The options of :func:`envpool.make`. Without a ``seed``, or a ``seed()`` before
            the first ``reset()``, environments are seeded at random.

    Attributes:
        vector_env: The vector environment that does the work.

    Raises:
        UnknownTaskError: There is no such task.
        TypeError: There is no such option, or its value has a wrong type.
        ValueError: An option's value is not allowed.
        NotImplementedError: Observations are nested dicts, which Stable-Baselines3 refuses.
    """

    def __init__(
        self, task_id: str, num_envs: int = 1, *, monitor: bool = True, **kwargs: Any
    ) -> None:
        if not isinstance(task_id, str):
            raise TypeError(f"task_id is {shown(task_id)}, expected a task's id: 'CartPole-v1'")
        if not isinstance(monitor, bool):
            raise TypeError(f"monitor is {shown(monitor)}, expected a bool")
        for name in kwargs:
            if name in _OWN:
                raise TypeError(f"{name} is not an option of a {type(self).__name__}: {_OWN[name]}")
        self.vector_env: EnvPoolVectorEnv = make_vector_env(
            task_id, num_envs, autoreset_mode="Disabled", **kwargs
        )
        self.vector_env.spec = gymnasium.registry.get(gymnasium_id(task_id))
        spec: EnvSpec = self.vector_env.env_spec
        check_for_nested_spaces(spec.spaces.strict_observation)
        self._row_infos = RowInfos(spec)
        self._monitor = EpisodeMonitor(num_envs) if monitor else None
        self._actions: Any = None
        super().__init__(num_envs, spec.spaces.strict_observation, spec.spaces.strict_action)
        self.metadata = spec.render_metadata

    @property
    def spec(self) -> Any:
        """Gymnasium's spec of the task."""
        return self.vector_env.spec

    def reset(self) -> Any:
        """Starts new episodes, with the seeds and options of :meth:`seed` and :meth:`set_options`.

        Returns:
            The observations of all environments: an array, or a dict or tuple of arrays.

        Raises:
            ArgumentError: ``set_options`` was given different options for the environments.
        """
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ArgumentError(
                "set_options() has given environments different options, expected the same for all"
            )
        seeds = None if self._seeds[0] is None else self._seeds
        obs, info = self.vector_env.reset(seed=seeds, options=options or None)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._row_infos.split(info, self.num_envs)
        if self._monitor:
            self._monitor.begin(slice(None))
        return obs

    def reset_single(
        self, env_id: int, seed: int | None, options: dict[str, Any] | None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode of one environment.

        Args:
            env_id: Its id.
            seed: Reseeds its random generator, which otherwise continues.
            options: The task's reset options.
        """
        is_it = np.arange(self.num_envs) == env_id
        seeds = None if seed is None else [seed if it else None for it in is_it.tolist()]
        obs, info = self.vector_env.reset(
            seed=seeds, options=(options or {}) | {"reset_mask": is_it}
        )
        if self._monitor:
            self._monitor.begin(env_id)
        return row_of(obs, env_id), self._row_infos.split(info, self.num_envs)[env_id]

    def step_async(self, actions: NDArray[Any]) -> None:
        """Takes the actions of the next :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Steps all environments, and resets those whose episodes end.

        Returns:
            Observations (of environments that were reset, the first of the new episode); rewards of
            shape ``(num_envs,)``, float32; whether episodes have ended, bool; and an info dict for
            each environment.

        Raises:
            ValueError: The actions have a wrong shape, or one is outside of its space.
            envpool.errors.EnvironmentFailure: An environment failed.
        """
        obs, rewards, terminated, truncated, info = self.vector_env.step(self._actions)
        infos = self._row_infos.split(info, self.num_envs)
        by_limit = (truncated & ~terminated).tolist()
        for own, is_by_limit in zip(infos, by_limit, strict=True):
            own["TimeLimit.truncated"] = is_by_limit
        if self._monitor:
            self._monitor.count(rewards)
        dones = terminated | truncated
        if dones.any():
            obs = self._begin_next(obs, dones, infos)
        return obs, rewards.astype(np.float32), dones, infos

    def _begin_next(self, last: Any, dones: NDArray[np.bool_], infos: list[dict[str, Any]]) -> Any:
        """Resets the environments that are done; completes their last infos.

        Args:
            last: The observations of all environments.
            dones: Which are done.
            infos: Those of the step, of each environment.

        Returns:
            The observations of all environments.
        """
        obs, reset_info = self.vector_env.reset(options={"reset_mask": dones})
        reset_infos = self._row_infos.split(reset_info, self.num_envs)
        ids = np.flatnonzero(dones)
        for env_id in ids.tolist():
            if self._monitor:
                infos[env_id]["episode"] = self._monitor.episode(env_id)
            infos[env_id]["terminal_observation"] = row_of(last, env_id)
            self.reset_infos[env_id] = reset_infos[env_id]
        if self._monitor:
            self._monitor.begin(ids)
        return obs

    def close(self) -> None:
        """Ends the threads."""
        self.vector_env.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture of each environment, RGB, uint8 of shape ``(height, width, 3)``.

        ``render()`` combines them into one. Without ``render_mode="rgb_array"`` each is None.
        """
        if self.render_mode != "rgb_array":
            warnings.warn(
                f"render_mode is {self.render_mode!r}, expected 'rgb_array': there are no pictures",
                stacklevel=2,
            )
            return [None] * self.num_envs
        return self.vector_env.render() or ()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of some environments; see :meth:`EnvPoolVectorEnv.get_attr`.

        Args:
            attr_name: An option of the task, or another of the listed attributes.
            indices: Their ids; all of them if left out.

        Raises:
            AttributeError: There is no such attribute.
        """
        values = self.vector_env.get_attr(attr_name)
        return [values[env_id] for env_id in self._get_indices(indices)]

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Changes an option of some environments; see :meth:`EnvPoolVectorEnv.set_attr`.

        Args:
            attr_name: An option of the task; or ``state`` of classic control.
            value: The value for each of them.
            indices: Their ids; all of them if left out.

        Raises:
            AttributeError: There is no such option.
            TypeError, ValueError: The value is not valid.
        """
        values = [value] * self.num_envs
        if indices is not None:
            if self.vector_env.can_set(attr_name):
                values = list(self.vector_env.get_attr(attr_name))
            for env_id in self._get_indices(indices):
                values[env_id] = value
        self.vector_env.set_attr(attr_name, values)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Calls a method of some environments.

        Args:
            method_name: ``reset``, ``render``, ``get_state``, ``set_state``, ``get_wrapper_attr``,
                ``has_wrapper_attr`` or ``set_wrapper_attr``; in tasks with goals also
                ``compute_reward`` and others.
            *method_args: Its positional arguments.
            indices: Their ids; all of them if left out.
            **method_kwargs: Its keyword arguments.

        Raises:
            AttributeError: There is no such method.
        """
        known = [name for name in vars(Single) if not name.startswith("_")]
        known += self.vector_env.env_spec.pool_methods()
        if method_name not in known:
            hint = did_you_mean(method_name, known)
            raise AttributeError(
                f"{shown(method_name)} is not a method of its environments, expected one of "
                f"{', '.join(known)}{hint}"
            )
        ids = range(self.num_envs)
        singles = [Single(self, ids[env_id]) for env_id in self._get_indices(indices)]
        return [getattr(one, method_name)(*method_args, **method_kwargs) for one in singles]

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: int | Iterable[int] | None = None,
    ) -> list[bool]:
        """Says of environments if they have this wrapper: none has any but perhaps a monitor."""
        is_wrapped = self._monitor is not None and issubclass(Monitor, wrapper_class)
        return [is_wrapped for _ in self._get_indices(indices)]
