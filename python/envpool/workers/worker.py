"""Worker: environments of a pool, in the process that runs them."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gymnasium import spaces

from envpool import _core
from envpool.workers.factories import Factory, make_environment
from envpool.workers.letters import Letters, Reply
from envpool.workers.parallel import ParallelEnvironment, agents_of
from envpool.workers.spaces import SpaceLeaves
from envpool.workers.states import State, kind_of, restore, save

# What a worker answers about one environment: a value, or an exception.
Answer = tuple[bool, bytes]
# What a worker has to say of environments that failed, by their ids.
Failures = list[tuple[int, bytes]]


class Made(NamedTuple):
    """What a pool has to know of a worker's environments.

    Attributes:
        observation_spaces: Theirs. Equal ones are the same object.
        action_spaces: Likewise.
        agents: Those that each of them can have; None if it is of one player.
        kinds: Theirs; see :func:`envpool.workers.states.kind_of`.
        metadata: Of the first.
        render_mode: Of the first.
        spec: Of the first; None if it has none, or none that can be pickled.
    """

    observation_spaces: list[spaces.Space[Any]]
    action_spaces: list[spaces.Space[Any]]
    agents: list[tuple[Any, ...] | None]
    kinds: list[str]
    metadata: dict[str, Any]
    render_mode: str | None
    spec: Any


class Setup(NamedTuple):
    """What a worker has to know of its pool.

    Attributes:
        worker: Its number.
        description: What the native pool says of itself.
        seeds: For the first reset of each of the environments.
        observation_space: What the pool takes for the space of one observation.
        action_space: And for that of an action.
        with_infos: Does anybody read infos?
        pickles: Are the states of environments these as a whole?
    """

    worker: int
    description: Any
    seeds: list[int | None]
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    with_infos: bool
    pickles: bool


class FactoryError(Exception):
    """A factory failed.

    Args:
        env_id: Whose.
        error: What it raised.
    """

    def __init__(self, env_id: int, error: BaseException) -> None:
        super().__init__(env_id, error)
        self.env_id = env_id
        self.error = error


class Begun:
    """Passes for an environment that the pool has reset: its next reset reaches nobody.

    Args:
        environment: The environment.
        observation: What that reset returns.
    """

    def __init__(self, environment: Any, observation: Any) -> None:
        self.step = environment.step
        self._environment = environment
        self._observation = observation

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
        """Later ones are the environment's own."""
        self.reset = self._environment.reset  # type: ignore[method-assign]
        return self._observation, {}


class Worker:
    """The environments of one worker.

    Args:
        env_ids: Their ids.
        factories: What makes them.
        letters: How the pool and this worker write to each other.

    Raises:
        FactoryError: One of them was not made. The others were closed.
    """

    def __init__(
        self, env_ids: Sequence[int], factories: Sequence[Factory], letters: Letters
    ) -> None:
        self._environments: dict[int, Any] = {}
        self._letters = letters
        # States are bytes in any case: they outlive environments.
        self._pickles = letters if type(letters) is Letters else Letters()
        self._station: _core.Station | None = None
        self._setup: Setup | None = None
        for env_id, factory in zip(env_ids, factories, strict=True):
            try:
                self._environments[env_id] = make_environment(factory)
            except BaseException as error:  # SystemExit, too
                self.close()
                raise FactoryError(env_id, error) from error

    @property
    def environments(self) -> list[Any]:
        """The environments in the order of their ids."""
        return list(self._environments.values())

    def made(self) -> Made:
        """What the pool has to know."""
        environments = list(self._environments.values())
        first = environments[0]
        return Made(
            _unified([environment.observation_space for environment in environments]),
            _unified([environment.action_space for environment in environments]),
            [agents_of(environment) for environment in environments],
            [kind_of(environment) for environment in environments],
            dict(getattr(first, "metadata", None) or {}),
            getattr(first, "render_mode", None),
            getattr(first, "spec", None),
        )

    def make_station(self, setup: Setup, files: tuple[int, int, int]) -> _core.Station:
        """What runs the environments when the pool asks for it.

        Args:
            setup: What there is to know of the pool.
            files: The pool's exchange, its inbox and this worker's outbox.
        """
        observation = SpaceLeaves(setup.observation_space, "obs")
        action = SpaceLeaves(setup.action_space, "action")
        is_plain = len(action.leaves) == 1 and action.leaves[0].path == ()
        self._empty = observation.empty()
        self._setup = setup
        self._station = _core.Station(
            description=setup.description,
            worker=setup.worker,
            files=files,
            environments=list(self._environments.values()),
            seeds=setup.seeds,
            observation_paths=[leaf.path for leaf in observation.arrays],
            assemble_action=None if is_plain else action.assemble,
            read_letter=self._letters.read,
            write_letter=self._writer(observation, setup.with_infos),
            always_write=bool(observation.objects),
            write_error=lambda _, error: self._letters.write_error(error),
        )
        return self._station

    def skip_reset(self, env_ids: Sequence[int]) -> list[Answer]:
        """Has the next reset of environments do nothing."""
        return [self._answer(env_id, self._skipper(env_id)) for env_id in env_ids]

    def _skipper(self, env_id: int) -> Callable[[Any], None]:
        def skip(environment: Any) -> None:
            assert self._station
            self._station.replace(env_id, Begun(environment, self._empty))

        return skip

    def _writer(self, observation: SpaceLeaves, with_infos: bool) -> Callable[..., bytes | None]:
        write = self._letters.write_reply
        pick = observation.pick_objects if observation.objects else None

        def write_letter(
            env_id: int,
            value: Any,
            info: dict[str, Any],
            final_value: Any,
            final_info: dict[str, Any] | None,
        ) -> bytes | None:
            if not with_infos and pick is None:
                return None
            objects = pick(value) if pick else ()
            return write(env_id, Reply(info, objects, final_info, final_value))

        return write_letter

    def call(
        self, env_ids: Sequence[int], name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> list[Answer]:
        """Calls a method of environments, or reads what is no method."""

        def answer(environment: Any) -> Any:
            attribute = _read(environment, name)
            return attribute(*args, **kwargs) if callable(attribute) else attribute

        return [self._answer(env_id, answer) for env_id in env_ids]

    def get_attr(self, env_ids: Sequence[int], name: str) -> list[Answer]:
        """Reads an attribute of environments."""
        return [self._answer(env_id, lambda env: _read(env, name)) for env_id in env_ids]

    def set_attr(self, env_ids: Sequence[int], name: str, values: Sequence[Any]) -> list[Answer]:
        """Sets an attribute of environments to a value each."""
        value_of = dict(zip(env_ids, values, strict=True))
        return [
            self._answer(env_id, functools.partial(_write, name=name, value=value_of[env_id]))
            for env_id in env_ids
        ]

    def get_state(self, env_ids: Sequence[int]) -> list[Answer]:
        """Saves environments."""
        return [self._answer(env_id, functools.partial(self._save, env_id)) for env_id in env_ids]

    def set_state(self, env_ids: Sequence[int], states: Sequence[State]) -> list[Answer]:
        """Puts environments into a saved state each; answers how many players go on."""
        state_of = dict(zip(env_ids, states, strict=True))
        return [
            self._answer(env_id, functools.partial(self._restore, env_id, State(*state_of[env_id])))
            for env_id in env_ids
        ]

    def _save(self, env_id: int, environment: Any) -> State:
        assert self._station and self._setup
        content = save(environment, self._pickles, self._setup.pickles)
        return State(kind_of(environment), *self._station.get_episode(env_id), content)

    def _restore(self, env_id: int, state: State, environment: Any) -> int:
        assert self._station and self._setup
        restored = restore(environment, state.content, self._pickles, self._setup.pickles)
        if restored is not environment:
            self._environments[env_id] = restored
            self._station.replace(env_id, restored)
            with contextlib.suppress(Exception):  # nobody has it any more
                _close(environment)
        self._station.set_episode(env_id, state.elapsed_step, state.episode_return, state.is_over)
        if not isinstance(restored, ParallelEnvironment):
            return 1
        return 0 if state.is_over else restored.find_agents()

    def _answer(self, env_id: int, of: Callable[[Any], Any]) -> Answer:
        try:
            return True, self._letters.write(of(self._environments[env_id]))
        except BaseException as error:
            return False, self._letters.write_error(error)

    def close(self) -> Failures:
        """Closes all environments; tells which of them failed to."""
        failures = []
        for env_id, environment in self._environments.items():
            try:
                _close(environment)
            except BaseException as error:
                failures.append((env_id, self._letters.write_error(error)))
        self._environments.clear()
        return failures


def serve_threads(station: _core.Station, count: int) -> list[threading.Thread]:
    """Has more threads serve the station, until the pool is closed."""
    threads = [threading.Thread(target=station.serve, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def _close(environment: Any) -> None:
    if callable(getattr(environment, "close", None)):
        environment.close()


def _read(environment: Any, name: str) -> Any:
    """An attribute, of whichever wrapper has it."""
    if hasattr(environment, "get_wrapper_attr"):
        return environment.get_wrapper_attr(name)
    return getattr(environment, name)


def _write(environment: Any, name: str, value: Any) -> None:
    if hasattr(environment, "set_wrapper_attr"):
        environment.set_wrapper_attr(name, value)
    else:
        setattr(environment, name, value)


def _unified(each: list[spaces.Space[Any]]) -> list[spaces.Space[Any]]:
    """The same spaces; those that equal the first one are that one, so that pickles are small."""
    return [each[0] if space == each[0] else space for space in each]
