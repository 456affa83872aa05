"""Sources: what makes a recording's environments once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from envpool.errors import ArgumentError, shown
from envpool.flavours.python_header import find_source
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.recordings.pools import PythonReplayPool, ReplayPool
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import Field
from envpool.spec.option_values import PYTHON
from envpool.spec.plain import from_plain
from envpool.spec.values import MOST_FAILURES, seeds_for
from envpool.tasks.batched_makers import seat_maker
from envpool.tasks.multi import MultiSpec, repeated
from envpool.tasks.python_makers import make_python_spec, make_workers
from envpool.tasks.registry import PythonTask, registry
from envpool.workers.factories import require_source

# How all environments run once more, however they did when they were recorded.
_RESETS: dict[str, Any] = {
    "autoreset_mode": "NextStep",
    "on_failure": "raise",
    "max_failures": MOST_FAILURES,
}
_PLAIN = _RESETS | {
    "batch_size": 0,
    "thread_affinity_offset": -1,
    "render_env_id": 0,
    "record": None,
}


class NativeSource:
    """Makes a recording's native environments.

    Args:
        path: The recording's folder.
        header: What it says.

    Attributes:
        spec: The pool's spec.
        config: The pool's options.
        action_fields: The arrays of actions.
        most_players: The highest number of players of an environment.

    Raises:
        ArgumentError: The header has a wrong option, or a task that is not native.
        UnknownTaskError: The task is not installed.
    """

    is_python = False

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        counts = header.get("tasks", [[header["task"], 1]])
        for task, _ in counts:
            # An id may name a module, which a file must not import.
            if isinstance(registry.find(task), PythonTask):
                raise ArgumentError(
                    f"{shown(str(path))} is of {shown(task)}, expected a task that can be recorded "
                    "without saying what makes it: a native one"
                )
        try:
            self.spec: EnvSpec = (
                MultiSpec(repeated(counts), header["options"])
                if "tasks" in header
                else registry.make_spec(header["task"], **header["options"])
            )
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{shown(str(path))} has a wrong option: {error}") from None
        self.config: Any = self.spec.config
        self.action_fields: Sequence[Field] = self.spec.spaces.action_fields
        self.most_players: int = self.spec.spaces.most_players

    def task_of(self, env: int) -> str:
        """The task of an environment."""
        return str(self.spec.place_of(env)[0].id)

    def spec_of(self, env: int, render_mode: str | None = None) -> EnvSpec:
        """A spec of this environment alone, reset in the step after an episode's end.

        Args:
            env: The environment.
            render_mode: The mode in which it is drawn.
        """
        spec, index = self.spec.place_of(env)
        return spec.changed(
            num_envs=1,
            num_threads=1,
            seed=seed_of(self.config, env),
            render_mode=render_mode,
            **_PLAIN,
            **spec.options.given_of(index),
        )

    def open(self, envs: Sequence[int], frames: bool = False) -> tuple[Any, dict[int, int]]:
        """A pool that has environments of one task, and their numbers there.

        It is of one environment, or as large as the recorded one was.

        Args:
            envs: The environments.
            frames: True to draw the only one.
        """
        if len(envs) == 1:
            mode = "rgb_array" if frames else None
            return ReplayPool(self.spec_of(envs[0], mode)), {envs[0]: 0}
        spec, _ = self.spec.place_of(envs[0])
        members = [i for i in range(self.config.num_envs) if self.spec.place_of(i)[0] is spec]
        seeds = seeds_for(self.config.env_seed or self.config.seed, members, self.config.num_envs)
        changed = spec.changed(
            num_envs=len(members), num_threads=0, seed=seeds, render_mode=None, **_PLAIN
        )
        return ReplayPool(changed), {env: members.index(env) for env in envs}


class PythonSource:
    """Makes a recording's environments that are written in Python.

    Args:
        path: The recording's folder.
        header: What it says.
        make: What makes them; None: what the recording names.

    Raises:
        TypeError: ``make`` makes no environments.
        ArgumentError: The header has a wrong option.
    """

    is_python = True

    def __init__(self, path: Path, header: Mapping[str, Any], make: Any) -> None:
        if make is not None:
            require_source(make)
        self._path = path
        self._task = header["task"]
        self._named = header["source"]
        self._make = make
        self.most_players: int = header["max_num_players"]
        self.action_fields: list[Any] = header["action"]
        try:
            options: Mapping[str, Any] = header["options"]
            self._options = {name: from_plain(value) for name, value in options.items()}
            self.config: Any = PYTHON.settle(PYTHON.read(self._options))
        except (TypeError, ValueError, RecursionError) as error:
            raise ArgumentError(f"{shown(str(path))} has a wrong option: {error}") from None

    @cached_property
    def spec(self) -> PythonEnvSpec:
        """The pool's spec, for which an environment is made here.

        Raises:
            ArgumentError: What makes the environments is not known.
        """
        source = self._make if self._make is not None else self._source_of(0)
        return make_python_spec(source, self._options, self._task)

    def task_of(self, env: int) -> str:
        """The task, which is that of all environments."""
        return str(self._task)

    def open(self, envs: Sequence[int], frames: bool = False) -> tuple[Any, dict[int, int]]:
        """A pool of the only environment, see :meth:`NativeSource.open`; in a process if it was.

        Raises:
            ArgumentError: What makes the environments is not known.
        """
        (env,) = envs
        workers = make_workers(self._source_of(env), self._options_of(env, frames))
        return PythonReplayPool(workers), {env: 0}

    def _options_of(self, env: int, frames: bool) -> dict[str, Any]:
        """The options of this environment alone."""
        options = {name: self._options[name] for name in self._options if name != "env_seed"}
        kwargs = self.config.env_kwargs
        return options | {
            "num_envs": 1,
            "batch_size": 1,
            "num_workers": 0 if self.config.num_workers == 0 else 1,
            "seed": seed_of(self.config, env),
            **_RESETS,
            "render_mode": "rgb_array" if frames else None,
            "env_kwargs": dict(kwargs if isinstance(kwargs, Mapping) else kwargs[env]),
        }

    def _source_of(self, env: int) -> Any:
        """Finds the class or function that makes an environment."""
        source = self._make
        if source is None:
            registry.list_all_envs()  # loads what other packages register
            source = find_source(self._named, registry.python_tasks)
        if source is None:
            source = seat_maker(self._named.get("registered", ""), self.config)
        if source is None:
            named = next(iter(self._named.values()), self._task)
            raise ArgumentError(
                f"{shown(str(self._path))} is of {named}, which is not known here: import what has "
                "it, or call envpool.replay(path, make=...) with what the pool was made of"
            )
        if not isinstance(source, list | tuple):
            return source
        if len(source) != self.config.num_envs:
            raise ArgumentError(
                f"make has {len(source)} functions, expected {self.config.num_envs}, one for each "
                "environment of the recording"
            )
        return source[env]


def seed_of(config: Any, env: int) -> int:
    """The first seed of an environment of a pool with these options."""
    return int(seeds_for(config.env_seed or config.seed, [env], config.num_envs)[0])


def make_source(path: Path, header: Mapping[str, Any], make: Any) -> NativeSource | PythonSource:
    """What makes a recording's environments.

    Args:
        path: The recording's folder.
        header: What it says.
        make: See :func:`envpool.replay`.

    Raises:
        ArgumentError, UnknownTaskError: See :func:`envpool.replay`.
    """
    if "source" in header:
        return PythonSource(path, header, make)
    if make is not None:
        raise ArgumentError(
            f"make is {shown(make)}, expected None: {header['task']} is a native task"
        )
    source = NativeSource(path, header)
    here, engine = source.spec.engine, header.get("engine", "")
    if here != engine:
        raise ArgumentError(
            f"{path} was recorded with {engine or 'no engine'}, and here is {here or 'none'}: its "
            "episodes would be others"
        )
    return source
