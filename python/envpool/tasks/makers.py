"""The functions that make pools and specs of registered tasks, and of others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

# Their classes load NumPy, which only type hints may do before a task is made.
from envpool import flavours
from envpool import spec as specs
from envpool.forks import import_module
from envpool.tasks.registration import DEFAULT, check_env_type, python_makers, registry

if TYPE_CHECKING:
    from envpool.spec.thread_pool import ThreadPool


def make_spec(task_id: str, **kwargs: Any) -> specs.EnvSpec:
    """A task's spaces and options, without environments.

    Args:
        task_id: The task, such as ``"CartPole-v1"``.
        **kwargs: Options; see ``python -m envpool show TASK``.

    Raises:
        UnknownTaskError: There is no such task (also a KeyError and an AssertionError).
        TypeError: There is no such option, or its value has a wrong type.
        ArgumentError: An option's value is not allowed (also a ValueError and an AssertionError).
        ImportError: The task's library or engine is missing, or lacks the task's environment.
    """
    return registry.make_spec(task_id, **kwargs)


@overload
def make(
    task_id: str,
    env_type: Literal["gymnasium"] = ...,
    *,
    num_envs: int = ...,
    batch_size: int = ...,
    num_threads: int = ...,
    seed: int | Sequence[int] = ...,
    max_episode_steps: int = ...,
    autoreset_mode: Any = ...,
    record_episode_statistics: bool = ...,
    record: str | os.PathLike[str] | None = ...,
    render_mode: Literal["human", "rgb_array"] | None = ...,
    thread_pool: ThreadPool | None = ...,
    **kwargs: Any,
) -> flavours.GymnasiumEnvPool: ...
@overload
def make(
    task_id: str,
    env_type: Literal["dm"],
    *,
    num_envs: int = ...,
    batch_size: int = ...,
    num_threads: int = ...,
    seed: int | Sequence[int] = ...,
    max_episode_steps: int = ...,
    autoreset_mode: Any = ...,
    record_episode_statistics: bool = ...,
    record: str | os.PathLike[str] | None = ...,
    render_mode: Literal["human", "rgb_array"] | None = ...,
    thread_pool: ThreadPool | None = ...,
    **kwargs: Any,
) -> flavours.DMEnvPool: ...
@overload
def make(
    task_id: str,
    env_type: Literal["gym"],
    *,
    old_gym: bool | None = ...,
    num_envs: int = ...,
    batch_size: int = ...,
    num_threads: int = ...,
    seed: int | Sequence[int] = ...,
    max_episode_steps: int = ...,
    autoreset_mode: Any = ...,
    record_episode_statistics: bool = ...,
    record: str | os.PathLike[str] | None = ...,
    render_mode: Literal["human", "rgb_array"] | None = ...,
    thread_pool: ThreadPool | None = ...,
    **kwargs: Any,
) -> Any: ...
def make(
    task_id: str, env_type: str = DEFAULT, *, old_gym: bool | None = None, **kwargs: Any
) -> Any:
    """Makes a pool of environments.

    Args:
        task_id: The task, such as ``"CartPole-v1"``; see :func:`list_all_envs`. With a colon it is
            an environment of Gymnasium's registry, ``"gymnasium:Id"`` or ``"module:Id"``; see
            :func:`make_python`.
        env_type: Which API it speaks: ``"gymnasium"``, ``"dm"``, or ``"gym"``, which is Gymnasium's
            unless the calling module has a ``gym`` older than 0.26 among its global names (because
            it does ``import gym``, say): then it is that one's.
        old_gym: For ``env_type="gym"``: says whether it is an old gym's API, whoever calls.
        **kwargs: Options. Those of all tasks, above all:

            - ``num_envs=1``: how many environments.
            - ``batch_size=num_envs``: how many results a ``recv()`` returns; less than ``num_envs``
              makes the pool asynchronous.
            - ``num_threads=0``: how many threads step them; 0: as many as there are cores, and no
              more than ``batch_size``.
            - ``seed=42``: environment i gets ``seed + i``; or one seed per environment.
            - ``max_episode_steps``: episodes are truncated after so many; by default the task's.
            - ``autoreset_mode="NextStep"``: also ``"SameStep"`` or ``"Disabled"``.
            - ``record_episode_statistics=False``: report returns and lengths of finished episodes
              in ``info["episode"]``.
            - ``record=None``: a new folder for a recording of all that happens, which
              :func:`envpool.replay` opens.
            - ``render_mode=None``: ``"rgb_array"`` for pictures, ``"human"`` for a window.
            - ``thread_pool=None``: an :class:`envpool.ThreadPool` that several pools share.

            And those of the task itself, ``gravity=1.6`` of CartPole, say. Scalar ones can be given
            per environment, as a sequence of ``num_envs`` values. All of them: ``python -m envpool
            show TASK``.

    Raises:
        UnknownTaskError: There is no such task (also a KeyError and an AssertionError).
        TypeError: There is no such option, or its value has a wrong type.
        ArgumentError: An option's value is not allowed (also a ValueError and an AssertionError).
        ImportError: The task's library or engine is missing, or lacks the task's environment; or
            ``old_gym`` is True, and there is no such gym.
    """
    return registry.make(task_id, env_type, old_gym=old_gym, **kwargs)


def make_multi(
    tasks: Mapping[str, int] | Sequence[str],
    env_type: str = DEFAULT,
    *,
    old_gym: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Makes one pool with environments of several tasks, see ``docs/scaling.md``.

    They need equal observations, actions and infos, but may differ in how many discrete actions
    there are, and in their time limits: all Atari games go together, for example.
    ``info["task"]`` (int32) is an index of the pool's ``tasks``. ``action_space`` has the actions
    of the task with most of them; ``action_spaces`` and ``action_masks`` tell which ones each task
    has, and others are refused.

    Args:
        tasks: How many environments there are of each task, ``{"Breakout-v5": 64, "Pong-v5": 64}``,
            with ids in this order; or the task of each environment.
        env_type: Which API it speaks; see :func:`make`.
        old_gym: See :func:`make`.
        **kwargs: Options; see :func:`make`. Those of tasks must be options of all of them.
            Environment i gets ``seed + i``, whatever its task.

    Raises:
        UnknownTaskError: There is no such task (also a KeyError and an AssertionError).
        TypeError: ``tasks`` is neither of both; or there is no such option of a task, or its value
            has a wrong type.
        ArgumentError: The tasks don't go together, and the message says why not; a task is written
            in Python; or an option's value is not allowed (also a ValueError and an
            AssertionError).
        ImportError: A task's library or engine is missing.
    """
    check_env_type(env_type, old_gym)
    import_module("envpool._core")  # before NumPy, whose refusal of subinterpreters is unclear
    makers: Any = import_module("envpool.tasks.multi")
    return makers.make_multi(tasks, env_type, old_gym, kwargs)


@overload
def make_python(
    source: Any, env_type: Literal["gymnasium"] = "gymnasium", **kwargs: Any
) -> flavours.GymnasiumEnvPool: ...
@overload
def make_python(source: Any, env_type: Literal["dm"], **kwargs: Any) -> flavours.DMEnvPool: ...
@overload
def make_python(source: Any, env_type: str, **kwargs: Any) -> Any: ...
def make_python(
    source: Any, env_type: str = "gymnasium", *, old_gym: bool | None = None, **kwargs: Any
) -> Any:
    """Makes a pool of environments that are written in Python, run by worker processes.

    Args:
        source: A function that makes an environment (Gymnasium's, dm_env's or a ``ParallelEnv`` of
            PettingZoo's, whose agents are the pool's players), or a list of such functions, one for
            each environment; or the id of one that is registered with Gymnasium, as
            ``"CartPole-v1"`` or ``"module:Id"``; or Gymnasium's spec of one.
        env_type: Which API it speaks; see :func:`make`.
        old_gym: See :func:`make`.
        **kwargs: Options: those of :func:`make` that mean something here, such as ``num_envs``,
            ``batch_size``, ``seed``, ``max_episode_steps``, ``autoreset_mode`` and
            ``record_episode_statistics``; and

            - ``num_workers``: how many processes run them; by default one per core, but no more
              than environments. 0: the thread that waits for them does.
            - ``worker_threads``: how many environments of a process run at the same time, which
              helps those that wait outside of Python's lock. 1 by default.
            - ``start_method``: ``"spawn"`` (which needs no ``if __name__ == "__main__"``),
              ``"forkserver"`` or ``"fork"``.
            - ``step_timeout``: seconds after which a step or reset counts as hanging, and its
              process is ended.
            - ``on_worker_death``: what a reset does about a process that has ended: ``"restart"``
              or ``"raise"``.
            - ``snapshots``: what ``get_state`` saves: what the environments' own methods of that
              name return (``"own"``), or the whole environments (``"pickle"``).
            - ``env_kwargs``: a dict with what the environments are made with; or one dict each.

    Raises:
        TypeError: There is no such option, or its value has a wrong type.
        ArgumentError: A value is not allowed, or the environments have different spaces or agents.
        envpool.EnvironmentFailure: An environment was not made; ``__cause__`` is what it raised.
            That is an ``ArgumentError`` if its agents have different spaces.
        ImportError: A module that is needed is not installed.
    """
    check_env_type(env_type, old_gym)
    return python_makers().make_pool(source, env_type, old_gym, kwargs)


def make_gymnasium(task_id: str, **kwargs: Any) -> flavours.GymnasiumEnvPool:
    """The same as ``make(task_id, "gymnasium", **kwargs)``."""
    return make(task_id, "gymnasium", **kwargs)


def make_gym(task_id: str, **kwargs: Any) -> Any:
    """The same as ``make(task_id, "gym", **kwargs)``."""
    return make(task_id, "gym", **kwargs)


def make_dm(task_id: str, **kwargs: Any) -> flavours.DMEnvPool:
    """The same as ``make(task_id, "dm", **kwargs)``."""
    return make(task_id, "dm", **kwargs)


def list_all_envs() -> list[str]:
    """The names of all tasks, also of those that other installed packages bring."""
    return registry.list_all_envs()
