"""The registry of tasks, and the functions that add to it and make pools from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Protocol, overload

# Their classes load the native core, which only type hints may do before a task is made.
from envpool.compat import protocol
from envpool.flavours import flavour_of
from envpool.machine import PACKAGE_FOLDER
from envpool.tasks.registry import DEFAULT, import_native, registry

base_path: str = PACKAGE_FOLDER
asset_base_path = base_path  # EnvPool has its assets in a package of their own

register = registry.register
register_python = registry.register_python


def register_family_task(
    package: str, task_id: str, name: str, aliases: Iterable[str] = (), **kwargs: Any
) -> None:
    """Adds a task of an environment whose classes :func:`envpool.tasks.export.lazy_export` makes.

    Args:
        package: The dotted name of the family's package.
        task_id: The task's id, such as ``"walk/Walk-v0"``. Adding the same task again does nothing.
        name: The environment's name in its native library.
        aliases: Other ids for the same task.
        **kwargs: Values of its options that differ from the defaults. See also
            :meth:`EnvRegistry.register`, which raises the exceptions.
    """
    classes = (f"{name}EnvSpec", f"{name}DMEnvPool", f"{name}GymnasiumEnvPool")
    registry.register(task_id, package, *classes, aliases, **kwargs)


def make_spec(task_id: str, **kwargs: Any) -> protocol.EnvSpec:
    """Returns a task's spaces and options, without making environments.

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


P = ParamSpec("P")


def _options(
    *,
    num_envs: int = ...,
    batch_size: int = ...,
    num_threads: int = ...,
    seed: int | Sequence[int] = ...,
    max_episode_steps: int = ...,
    autoreset_mode: Any = ...,
    on_failure: Literal["raise", "reset"] = ...,
    max_failures: int | None = ...,
    record_episode_statistics: bool = ...,
    record: str | os.PathLike[str] | None = ...,
    episodes: Any = ...,
    render_mode: Literal["human", "rgb_array"] | None = ...,
    **kwargs: Any,
) -> None:
    """The options of pools, for type checkers."""


class _Make(Protocol[P]):
    @overload
    def __call__(
        self, task_id: str, env_type: Literal["gymnasium"] = ..., *args: P.args, **kwargs: P.kwargs
    ) -> protocol.GymnasiumEnvPool: ...
    @overload
    def __call__(
        self, task_id: str, env_type: Literal["dm"], *args: P.args, **kwargs: P.kwargs
    ) -> protocol.DMEnvPool: ...
    @overload
    def __call__(
        self, task_id: str, env_type: Literal["gym"], *args: P.args, **kwargs: P.kwargs
    ) -> Any: ...


def _with(options: Callable[P, None]) -> Callable[[Callable[..., Any]], _Make[P]]:
    """Has type checkers know a function that makes pools by these options."""
    return lambda make: make


@_with(_options)
def make(
    task_id: str, env_type: str = DEFAULT, *, old_gym: bool | None = None, **kwargs: Any
) -> Any:
    """Makes a pool of environments.

    Args:
        task_id: The task, such as ``"CartPole-v1"``; see :func:`list_all_envs`. With a colon it is
            an environment of Gymnasium's registry, ``"gymnasium:Id"`` or ``"module:Id"``; see
            :func:`make_python`.
        env_type: The API of the pool: ``"gymnasium"``, ``"dm"``, or ``"gym"``. The last is
            Gymnasium's API, unless ``old_gym`` asks for the one of a ``gym`` before 0.26.
        old_gym: For ``env_type="gym"``: whether it is an old gym's API. If left out, the
            environment variable ``ENVPOOL_OLD_GYM=1`` asks for it.
        **kwargs: Options. The most important ones of all tasks are:

            - ``num_envs=1``: how many environments.
            - ``batch_size=num_envs``: how many results a ``recv()`` returns; less than ``num_envs``
              makes the pool asynchronous.
            - ``num_threads=0``: how many threads step them; 0: as many as there are cores, and no
              more than ``batch_size``.
            - ``seed=42``: environment i gets ``seed + i``; or one seed per environment.
            - ``max_episode_steps``: episodes are truncated after this many; by default the task's.
            - ``autoreset_mode="NextStep"``: also ``"SameStep"`` or ``"Disabled"``.
            - ``on_failure="raise"``: an environment that fails in a step raises an
              EnvironmentFailure. ``"reset"``: its episode ends as truncated, ``info["failure"]``
              has what it raised, and it is reset; ``max_failures=1000`` times, then it raises, or
              with None always.
            - ``record_episode_statistics=False``: report returns and lengths of finished episodes
              in ``info["episode"]``.
            - ``episodes=None``: what episodes begin with: an object with ``next(env_id, index)``,
              such a function, an array of seeds ``(num_envs, k)``, or a list of episodes; see
              ``envpool.curriculum``.
            - ``record=None``: a new folder for a recording of all that happens, which
              :func:`envpool.replay` opens.
            - ``render_mode=None``: ``"rgb_array"`` for pictures, ``"human"`` for a window.

            Tasks have options of their own, such as CartPole's ``gravity=1.6``. Scalar options can
            be given per environment, as a sequence of ``num_envs`` values. ``python -m envpool show
            TASK`` prints all options.

    Raises:
        UnknownTaskError: There is no such task (also a KeyError and an AssertionError).
        TypeError: There is no such option, or its value has a wrong type.
        ArgumentError: An option's value is not allowed (also a ValueError and an AssertionError).
        ImportError: The task's library or engine is missing, or lacks the task's environment; or
            an old gym's API is wanted, and no such gym is installed.
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

    The tasks must have equal observations, actions and infos, but may differ in the number of
    discrete actions and in their time limits: all Atari games can be combined, for example.
    ``info["task"]`` (int32) is an index of the pool's ``tasks``. ``action_space`` is the largest of
    the tasks' action spaces; ``action_spaces`` and ``action_masks`` say which actions each task
    has, and others are refused.

    Args:
        tasks: The number of environments of each task, ``{"Breakout-v5": 64, "Pong-v5": 64}``,
            with ids in this order; or a list with the task of each environment.
        env_type: The API of the pool; see :func:`make`.
        old_gym: See :func:`make`.
        **kwargs: Options; see :func:`make`. Options of tasks must exist in all of them.
            Environment i gets ``seed + i``, whatever its task.

    Raises:
        UnknownTaskError: There is no such task (also a KeyError and an AssertionError).
        TypeError: ``tasks`` is neither a dict nor a list of tasks; or a task has no such option, or
            its value has a wrong type.
        ArgumentError: The tasks cannot be combined, and the message says why; a task is written in
            Python; or an option's value is not allowed (also a ValueError and an AssertionError).
        ImportError: A task's library or engine is missing.
    """
    flavour = flavour_of(env_type, old_gym)
    return import_native("envpool.tasks.multi").make_multi(tasks, flavour, kwargs)


@overload
def make_python(
    source: Any, env_type: Literal["gymnasium"] = "gymnasium", **kwargs: Any
) -> protocol.GymnasiumEnvPool: ...
@overload
def make_python(source: Any, env_type: Literal["dm"], **kwargs: Any) -> protocol.DMEnvPool: ...
@overload
def make_python(source: Any, env_type: str, **kwargs: Any) -> Any: ...
def make_python(
    source: Any, env_type: str = "gymnasium", *, old_gym: bool | None = None, **kwargs: Any
) -> Any:
    """Makes a pool of environments that are written in Python, run by worker processes.

    Args:
        source: A function that makes an environment (Gymnasium's; PettingZoo's ``ParallelEnv``,
            whose agents become the pool's players, or its ``AECEnv``, whose agents act in turn), or
            a list of such functions, one for each environment; or the id of an environment that is
            registered with Gymnasium, such as ``"CartPole-v1"`` or ``"module:Id"``; or
            ``"module:Class"``; or Gymnasium's spec of one.
        env_type: The API of the pool; see :func:`make`.
        old_gym: See :func:`make`.
        **kwargs: Options: those of :func:`make` that apply to Python environments, such as
            ``num_envs``, ``batch_size``, ``seed``, ``max_episode_steps``, ``autoreset_mode`` and
            ``record_episode_statistics``; and

            - ``num_workers``: how many processes run them; by default one per core, but no more
              than environments. 0: they run in the thread that waits for them.
            - ``worker_threads``: how many environments of a process run at the same time, which
              helps those that release the GIL while they wait. 1 by default.
            - ``start_method``: ``"spawn"``, ``"forkserver"`` or ``"fork"``. None of them needs
              ``if __name__ == "__main__"``.
            - ``step_timeout``: seconds after which a step or reset counts as hanging, and its
              process is killed.
            - ``snapshots``: what ``get_state`` saves: the return values of the environments' own
              ``get_state`` (``"own"``), or the whole environments (``"pickle"``).
            - ``env_kwargs``: a dict of keyword arguments for the environments; or a list with a
              dict for each.

    Raises:
        TypeError: There is no such option, or its value has a wrong type.
        ArgumentError: A value is not allowed, or the environments have different spaces or agents.
        envpool.EnvironmentFailure: Making an environment failed; ``__cause__`` is the exception,
            which is an ``ArgumentError`` if its agents have different spaces.
        ImportError: A required module is not installed.
    """
    flavour = flavour_of(env_type, old_gym)
    return import_native("envpool.tasks.python_makers").make_pool(source, flavour, kwargs)


def make_batched(
    source: Any, env_type: str = "gymnasium", *, old_gym: bool | None = None, **kwargs: Any
) -> Any:
    """Makes a pool of environments that one object steps as a batch, in this process.

    Args:
        source: A class or function that is called with ``num_envs`` (and ``env_kwargs``) and
            returns such an object, as "Environments of JAX" describes it, or one of Gymnasium's
            ``VectorEnv``; or an environment of pgx, Jumanji, gymnax, Craftax, Brax, JaxMARL or
            MuJoCo Playground, or a ``JaxEnv`` of :mod:`!envpool.batched`, which has pure functions
            of JAX.
        env_type: The API of the pool; see :func:`make`.
        old_gym: See :func:`make`.
        **kwargs: Options: those of :func:`make` that apply to Python environments, such as
            ``num_envs``, ``batch_size``, ``seed``, ``max_episode_steps``, ``autoreset_mode`` and
            ``record_episode_statistics``; and ``env_kwargs``, a dict of keyword arguments for the
            source. With a ``batch_size`` below ``num_envs``, a call steps that many environments.

    Raises:
        TypeError: There is no such option, or its value has a wrong type; or the source makes
            nothing that steps a batch.
        ArgumentError: A value is not allowed, a space has parts that are no arrays, or functions
            cannot be compiled for a batch.
        ImportError: A required module is not installed.
    """
    flavour = flavour_of(env_type, old_gym)
    return import_native("envpool.tasks.batched_makers").make_batched_pool(source, flavour, kwargs)


def make_gymnasium(task_id: str, **kwargs: Any) -> protocol.GymnasiumEnvPool:
    """The same as ``make(task_id, "gymnasium", **kwargs)``."""
    return make(task_id, "gymnasium", **kwargs)


def make_gym(task_id: str, **kwargs: Any) -> Any:
    """The same as ``make(task_id, "gym", **kwargs)``."""
    return make(task_id, "gym", **kwargs)


def make_dm(task_id: str, **kwargs: Any) -> protocol.DMEnvPool:
    """The same as ``make(task_id, "dm", **kwargs)``."""
    return make(task_id, "dm", **kwargs)


def list_all_envs() -> list[str]:
    """The names of all tasks, including those of other installed packages."""
    return registry.list_all_envs()
