"""VecEnv: a Stable-Baselines3 vector environment that is run by a pool."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import create_empty_array
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.preprocessing import check_for_nested_spaces
from stable_baselines3.common.vec_env import VecEnv as _VecEnv

from envpool.errors import ArgumentError, shown
from envpool.sb3.native_rows import NativeRows
from envpool.sb3.python_rows import PythonRows
from envpool.schedules import RunningEpisode
from envpool.spec import masks
from envpool.spec.fields import row_of
from envpool.spec.infos import FAILURE
from envpool.stats import PoolStats
from envpool.tasks.batched_makers import make_seats
from envpool.tasks.gymnasium_makers import make_vector_env
from envpool.tasks.registry import PythonTask, gymnasium_id, registry

_DIGITS = 6  # Monitor rounds, too
_MASKS = "action_masks"  # what sb3-contrib calls the method
# VecEnv decides these options itself; why.
_OWN = {
    "autoreset_mode": "Stable-Baselines3 has one of its own",
    "record_episode_statistics": "monitor=True does so",
}


Stepped = tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class EpisodeMonitor:
    """Adds up the rewards and steps of each environment's episode.

    Args:
        num_envs: How many environments there are.

    Attributes:
        returns: The sum of each environment's rewards in its episode.
        lengths: The number of its steps.
    """

    def __init__(self, num_envs: int) -> None:
        self.returns, self.lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self._start = time.time()

    def begin(self, ids: Any) -> None:
        """Episodes of these environments begin."""
        self.returns[ids], self.lengths[ids] = 0.0, 0

    def count(self, rewards: NDArray[np.float64]) -> None:
        """Adds a step of all environments."""
        self.returns += rewards
        self.lengths += 1

    def episode(self, env_id: int) -> dict[str, Any]:
        """``info["episode"]`` of an environment whose episode is over: return, length, seconds."""
        return {
            "r": round(float(self.returns[env_id]), _DIGITS),
            "l": int(self.lengths[env_id]),
            "t": round(time.time() - self._start, _DIGITS),
        }


def _make_rows(source: Any, options: dict[str, Any]) -> NativeRows | PythonRows:
    """Makes the environments; see :class:`VecEnv`."""
    if not isinstance(source, str):
        return PythonRows(source, options, None)
    if (batched := registry.find_batched(source)) is not None:
        return PythonRows(*make_seats(batched, options), source)
    task = registry.find(source)
    if isinstance(task, PythonTask):
        return PythonRows(task.source, task.kwargs | options, source)
    vector_env = make_vector_env(source, autoreset_mode="Disabled", **options)
    vector_env.spec = gymnasium.registry.get(gymnasium_id(source))
    return NativeRows(vector_env)


class VecEnv(_VecEnv):  # type: ignore[misc]
    """A pool with the rows of a ``DummyVecEnv`` of environments made by ``gymnasium.make``.

    That is: Gymnasium's bytes; rewards as float32; an episode's end is followed by a reset in the
    same step, with the last observation in ``info["terminal_observation"]``, and
    ``info["TimeLimit.truncated"]``; the infos of resets are in ``reset_infos``.

    Environments written in Python run in worker processes, as :func:`envpool.make_python` has it.

    Args:
        task_id: The task, such as ``"CartPole-v1"``; or whatever else :func:`envpool.make` and
            :func:`envpool.make_python` take: an id of ``envpool.register_python()``,
            ``"gymnasium:Id"`` or ``"module:Id"``, an id of JAX's packages such as ``"pgx:2048"``, a
            class or function that makes an environment, a list of such functions.
        num_envs: How many environments. Left out, as many as such a list has, or 1.
        monitor: Behave as if each environment had a ``Monitor``: at the end of an episode there is
            ``info["episode"]`` with its return ``r``, its length ``l``, and the seconds ``t`` since
            this object was made. Set it to False if you use a ``VecMonitor``.
        **kwargs: The options of :func:`envpool.make`, or of :func:`envpool.make_python`, such as
            ``num_workers``. Without a ``seed``, or a ``seed()`` before the first ``reset()``,
            environments are seeded at random; those written in Python are reset without a seed.

    Attributes:
        vector_env: The vector environment or pool that does the work.

    Raises:
        UnknownTaskError: There is no such task.
        TypeError: There is no such option, or its value has a wrong type.
        ValueError: An option's value is not allowed.
        NotImplementedError: Observations are nested dicts, which Stable-Baselines3 refuses.
        envpool.errors.EnvironmentFailure: An environment written in Python was not made.
    """

    def __init__(
        self, task_id: Any, num_envs: int | None = None, *, monitor: bool = True, **kwargs: Any
    ) -> None:
        if not isinstance(monitor, bool):
            raise TypeError(f"monitor is {shown(monitor)}, expected a bool")
        for name in kwargs:
            if name in _OWN:
                raise TypeError(f"{name} is not an option of a {type(self).__name__}: {_OWN[name]}")
        if num_envs is not None:
            kwargs["num_envs"] = num_envs
        rows = self._rows = _make_rows(task_id, kwargs)
        self.vector_env = rows.vector_env
        _, survived = self.vector_env._pool.survived_failures()
        self._survives = survived > 0  # otherwise an info of this name is an environment's own
        try:
            check_for_nested_spaces(rows.observation_space)
        except NotImplementedError:
            self.close()
            raise
        num_envs = self.vector_env.num_envs
        self._has_monitor = monitor
        self._monitor = EpisodeMonitor(num_envs)
        self._mask_sizes = masks.sizes_of(rows.action_space)
        parts: Any = getattr(rows.observation_space, "spaces", {})
        self._has_mask = self._mask_sizes is not None and masks.NAME in parts
        # Of the last rows: the masks, if the observation has them, and the infos.
        noted = create_empty_array(parts[masks.NAME], num_envs) if self._has_mask else None
        self._last: tuple[Any, Sequence[dict[str, Any]]] = noted, ()
        super().__init__(num_envs, rows.observation_space, rows.action_space)
        self.metadata = rows.metadata

    @property
    def spec(self) -> Any:
        """Gymnasium's spec of the environments."""
        return self._rows.spec

    def reset(self) -> Any:
        """Starts new episodes, with the seeds and options of :meth:`seed` and :meth:`set_options`.

        Returns:
            The observations of all environments: an array, or a dict or tuple of arrays.

        Raises:
            ArgumentError: ``set_options`` was given something else than a dict, or an equal one for
                each environment.
        """
        given = self._options
        if not isinstance(given, list) or given[:1] * self.num_envs != given:
            raise ArgumentError(
                f"set_options() was given {shown(given)}, expected a dict, or a list of "
                f"{self.num_envs} equal ones"
            )
        seeds = None if self._seeds[0] is None else self._seeds
        obs, infos = self._rows.reset(seed=seeds, options=given[0] or None)
        self.reset_infos: list[dict[str, Any]] = infos
        self._note_masks(obs, list(self.reset_infos))
        self._reset_seeds()
        self._reset_options()
        self._monitor.begin(slice(None))
        return obs

    def _reset_one(
        self, env_id: int, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode of one environment; see :meth:`gymnasium.Env.reset`."""
        is_it = np.arange(self.num_envs) == env_id
        seeds = None if seed is None else [seed if it else None for it in is_it]
        obs, info = self._rows.reset_one(is_it, seeds, options)
        self._monitor.begin(env_id)
        noted, infos = self._last
        if self._has_mask:
            noted[env_id] = obs[masks.NAME]
        infos = list(infos) or [{} for _ in range(self.num_envs)]
        infos[env_id] = info
        self._last = noted, infos
        return obs, info

    def step_async(self, actions: NDArray[Any]) -> None:
        """Takes the actions of the next :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> Stepped:
        """Steps all environments, and resets those whose episodes end.

        Returns:
            Observations (of environments that were reset, the first of the new episode); rewards of
            shape ``(num_envs,)``, float32; whether episodes have ended, bool; and an info dict for
            each environment.

        Raises:
            ValueError: The actions have a wrong shape, or one is outside of its space.
            envpool.errors.EnvironmentFailure: An environment failed.
            gymnasium.error.ResetNeeded: Ctrl-C has interrupted an earlier step.
        """
        obs, rewards, terminated, truncated, infos = self._rows.step(self._actions)
        dones = terminated | truncated
        by_limit = (truncated & ~terminated).tolist()
        for own, is_by_limit in zip(infos, by_limit, strict=True):
            own["TimeLimit.truncated"] = is_by_limit
        self._monitor.count(rewards)
        now = infos
        if dones.any():
            obs, now = self._begin_next(obs, dones, infos)
        self._note_masks(obs, now)
        return obs, rewards.astype(np.float32), dones, infos

    def _begin_next(
        self, last: Any, dones: NDArray[np.bool_], infos: list[dict[str, Any]]
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Resets the environments that are done; completes their last infos.

        Args:
            last: The observations of all environments.
            dones: Which are done.
            infos: Those of the step, of each environment.

        Returns:
            Observations and infos of all environments after the resets.
        """
        obs, reset_infos = self._rows.begin(dones, last)
        ids = np.flatnonzero(dones)
        now = list(infos)
        for env_id in ids.tolist():
            if self._has_monitor and not (self._survives and FAILURE in infos[env_id]):
                infos[env_id]["episode"] = self._monitor.episode(env_id)
            infos[env_id]["terminal_observation"] = row_of(last, env_id)
            self.reset_infos[env_id] = now[env_id] = reset_infos[env_id]
        self._monitor.begin(ids)
        return obs, now

    def _note_masks(self, obs: Any, infos: list[dict[str, Any]]) -> None:
        """Remembers where the masks of the rows are that are about to be returned."""
        self._last = obs[masks.NAME].copy() if self._has_mask else None, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The actions that environments allow in the state that their last rows show.

        An environment says so in ``action_mask``, an entry of its Dict observation or else of its
        infos: 1 for each action that is allowed, otherwise 0; for a MultiDiscrete the masks of its
        parts, one after the other. sb3-contrib's ``MaskablePPO`` asks for these by ``env_method``.
        Environments with neither are asked for their own method of this name.

        Returns:
            Bools of shape ``(num_envs, n)``, True for what is allowed. After the end of an episode
            they are those of the next one.

        Raises:
            AttributeError: The environments have no masks, or none before the first ``reset()``.
            ArgumentError: A mask has a wrong shape or type, or allows nothing; or some environments
                say nothing. Environment and step are named.
        """
        return np.stack(self.env_method(_MASKS))

    def _has_noted_masks(self) -> bool:
        """True if the last rows have masks, or the first ones will."""
        if self._mask_sizes is None:
            return False
        infos = (self._rows.infos, *self._last[1])
        return self._has_mask or any(masks.NAME in info for info in infos)

    def _noted_masks(self, ids: Sequence[int]) -> NDArray[np.bool_]:
        """The masks of these environments' last rows."""
        assert self._mask_sizes is not None
        noted, infos = self._last
        if not infos:
            raise AttributeError("there are no action masks before the first reset()")
        given = [infos[i].get(masks.NAME) if noted is None else noted[i] for i in ids]
        steps = self._monitor.lengths[list(ids)]
        rows = masks.Rows(np.array(ids), steps, over=np.zeros(len(ids), np.bool_))
        return masks.read(masks.stacked(given), self._mask_sizes, rows)

    def next_episode(self, env_id: Any = None, seed: Any = None, options: Any = None) -> None:
        """Says what the next episodes of environments begin with.

        See :meth:`envpool.flavours.face.Face.next_episode`, with its arguments and errors. Episodes
        are reset in the step that ends one.
        """
        self.vector_env.next_episode(env_id, seed, options)

    def episodes(self, env_id: Any = None) -> list[RunningEpisode]:
        """Tells what episodes began with; see :meth:`envpool.flavours.face.Face.episodes`."""
        told: list[RunningEpisode] = self.vector_env.episodes(env_id)
        return told

    def stats(self, reset: bool = False) -> PoolStats:
        """Counts what the pool did; see :meth:`envpool.flavours.base.EnvPool.stats`."""
        return self.vector_env.stats(reset)

    def close(self) -> None:
        """Ends the threads, or worker processes."""
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
        return self._rows.images()

    def has_attr(self, attr_name: str) -> bool:
        """Says if all environments have this attribute, or method."""
        if attr_name == _MASKS and self._has_noted_masks():
            return True
        return self._rows.has_attr(attr_name)

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of some environments; see :meth:`EnvPoolVectorEnv.get_attr`.

        Args:
            attr_name: An option of the task, or another of the listed attributes; of environments
                written in Python any attribute that can be pickled.
            indices: Their ids; all of them if left out.

        Raises:
            AttributeError: There is no such attribute.
        """
        return self._rows.get_attr(attr_name, self._ids(indices))

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Changes an option of some environments; see :meth:`EnvPoolVectorEnv.set_attr`.

        Args:
            attr_name: An option of the task; or ``state`` of classic control. Of environments
                written in Python any attribute, of whichever wrapper has it.
            value: The value for each of them.
            indices: Their ids; all of them if left out.

        Raises:
            AttributeError: There is no such option.
            TypeError, ValueError: The value is not valid.
        """
        self._rows.set_attr(attr_name, value, self._ids(indices))

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
                ``compute_reward`` and others; with masks ``action_masks``. Environments written in
                Python have all of theirs but ``step`` and ``close``.
            *method_args: Its positional arguments.
            indices: Their ids; all of them if left out.
            **method_kwargs: Its keyword arguments.

        Raises:
            AttributeError: There is no such method.
        """
        ids = self._ids(indices)
        if method_name == "reset":
            return [self._reset_one(env_id, *method_args, **method_kwargs) for env_id in ids]
        if method_name == _MASKS and self._has_noted_masks():
            return list(self._noted_masks(ids))
        return self._rows.call(method_name, method_args, method_kwargs, ids)

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: int | Iterable[int] | None = None,
    ) -> list[bool]:
        """Says of environments if they have this wrapper.

        Native ones have none. With ``monitor=True`` all behave as if they had a ``Monitor``.
        """
        ids = self._ids(indices)
        if self._has_monitor and issubclass(Monitor, wrapper_class):
            return [True] * len(ids)
        return self._rows.are_wrapped(wrapper_class, ids)

    def _ids(self, indices: int | Iterable[int] | None) -> list[int]:
        """The ids, counted from the end if they are negative.

        Raises:
            IndexError: There is no such environment.
            TypeError: These are no ids.
        """
        try:
            return [range(self.num_envs)[env_id] for env_id in self._get_indices(indices)]
        except (IndexError, TypeError) as error:
            most = self.num_envs - 1
            text = f"indices is {shown(indices)}, expected ids in the range from 0 to {most}"
            raise type(error)(text) from None
