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
from gymnasium.error import NoAsyncCallError, ResetNeeded
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


Totals = tuple[NDArray[np.float64], NDArray[np.int64]]
Stepped = tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class EpisodeMonitor:
    """Adds up the rewards and steps of each environment's episode.

    Args:
        num_envs: How many environments there are.

    Attributes:
        totals: Return and length of each environment's episode so far.
    """

    def __init__(self, num_envs: int) -> None:
        self.totals = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self._start = time.time()

    def begun(self, ids: Any) -> Totals:
        """The totals after the beginning of these environments' episodes."""
        returns, lengths = self.totals[0].copy(), self.totals[1].copy()
        returns[ids], lengths[ids] = 0.0, 0
        return returns, lengths

    def counted(self, rewards: NDArray[np.float64]) -> Totals:
        """The totals after a step of all environments."""
        returns, lengths = self.totals
        return returns + rewards, lengths + 1

    def episode(self, env_id: int) -> dict[str, Any]:
        """``info["episode"]`` of an environment whose episode is over: return, length, seconds."""
        returns, lengths = self.totals
        return {
            "r": round(float(returns[env_id]), _DIGITS),
            "l": int(lengths[env_id]),
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
        ValueError: An option's value is not allowed, or the task is written in Python.
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
        self._has_monitor = monitor
        self._monitor = EpisodeMonitor(num_envs)
        self._request: tuple[Any] | None = None  # the actions of a step that is not done yet
        self._begun: tuple[Any] | None = None  # the last that was begun
        # What the last step has returned, while the ended episodes are not followed by others.
        self._ended: Stepped | None = None
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
        obs, info = self.vector_env._reset(seeds, options or None)
        self.reset_infos = self._row_infos.split(info, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        totals = self._monitor.begun(slice(None))
        self._monitor.totals, self._ended, self._request = totals, None, None
        self.vector_env._is_kept[0] = False  # see EnvPool
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
        self.vector_env.allow_single_resets()
        obs, info = self.vector_env._reset(seeds, (options or {}) | {"reset_mask": is_it})
        results = row_of(obs, env_id), self._row_infos.split(info, self.num_envs)[env_id]
        self._monitor.totals = self._monitor.begun(env_id)
        self.vector_env._is_kept[0] = False
        return results

    def step_async(self, actions: NDArray[Any]) -> None:
        """Takes the actions of the next :meth:`step_wait`."""
        self._request = (actions,)

    def step_wait(self) -> Stepped:
        """Steps all environments, and resets those whose episodes end.

        When Ctrl-C, or the exception of another signal's handler, has interrupted this, it can be
        called again, and returns the results of the same step.

        Returns:
            Observations (of environments that were reset, the first of the new episode); rewards of
            shape ``(num_envs,)``, float32; whether episodes have ended, bool; and an info dict for
            each environment.

        Raises:
            ValueError: The actions have a wrong shape, or one is outside of its space.
            envpool.errors.EnvironmentFailure: An environment failed.
            gymnasium.error.ResetNeeded: An earlier step was interrupted.
            gymnasium.error.NoAsyncCallError: There was no :meth:`step_async`.
        """
        ended = self._ended
        if ended is None:
            stepped, totals = self._take_step()
            ended = stepped if stepped[2].any() else None
            self._monitor.totals, self._ended, self._request = totals, ended, None
            self.vector_env._is_kept[0] = False  # see EnvPool
            if ended is None:
                return stepped
        elif self._request is not None:
            raise ResetNeeded("step_wait() for the results of an interrupted step, or reset()")
        results, totals = self._begin_next(*ended)
        self._monitor.totals, self._ended = totals, None
        self.vector_env._is_kept[0] = False
        return results

    def _take_step(self) -> tuple[Stepped, Totals]:
        """The results of a step without the resets that follow ended episodes, and the totals."""
        request = self._request
        is_begun = request is None or request is self._begun
        if is_begun and self.vector_env.owes():
            results = self.vector_env._recv()
        elif request is None:
            raise NoAsyncCallError("step_wait() is called without step_async()", "step")
        else:
            self._begun = request
            results = self.vector_env._step(request[0])
        obs, rewards, terminated, truncated, info = results
        infos = self._row_infos.split(info, self.num_envs)
        by_limit = (truncated & ~terminated).tolist()
        for own, is_by_limit in zip(infos, by_limit, strict=True):
            own["TimeLimit.truncated"] = is_by_limit
        stepped = obs, rewards.astype(np.float32), terminated | truncated, infos
        return stepped, self._monitor.counted(rewards)

    def _begin_next(
        self,
        last: Any,
        rewards: NDArray[np.float32],
        dones: NDArray[np.bool_],
        infos: list[dict[str, Any]],
    ) -> tuple[Stepped, Totals]:
        """Resets the environments that are done; completes their last infos.

        Args:
            last: The observations of all environments.
            rewards: Theirs, float32.
            dones: Which are done.
            infos: Those of the step, of each environment.

        Returns:
            The results of the step, with the observations after the resets; and the totals then.
        """
        if self.vector_env.owes():  # a reset that was interrupted
            obs, reset_info = self.vector_env._recv()
        else:
            obs, reset_info = self.vector_env._reset(None, {"reset_mask": dones})
        reset_infos = self._row_infos.split(reset_info, self.num_envs)
        ids = np.flatnonzero(dones)
        for env_id in ids.tolist():
            if self._has_monitor:
                infos[env_id]["episode"] = self._monitor.episode(env_id)
            infos[env_id]["terminal_observation"] = row_of(last, env_id)
            self.reset_infos[env_id] = reset_infos[env_id]
        return (obs, rewards, dones, infos), self._monitor.begun(ids)

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
        is_wrapped = self._has_monitor and issubclass(Monitor, wrapper_class)
        return [is_wrapped for _ in self._get_indices(indices)]
