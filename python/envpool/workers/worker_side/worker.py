"""Worker: environments of a pool, in the process that runs them; and their states.

An environment has a state if it has these methods, or one of its wrappers::

    def get_state(self) -> Any: ...          # whatever its next steps depend on, to be pickled
    def set_state(self, state: Any) -> None: ...

Its ``np_random``, and what the wrappers of ``gymnasium.make`` count, is saved beside that.
Environments without these methods can be pickled as a whole.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import gymnasium
from gymnasium import spaces

from envpool import _core
from envpool.errors import ArgumentError
from envpool.workers.factories import Factory, make_environment
from envpool.workers.letters import Failures, Letters, Reply, describe_error, own_results
from envpool.workers.spaces import SpaceLeaves
from envpool.workers.worker_side.parallel import agents_of, count_acting

_HEADER = b"envpool state of a Python environment, 3\n"
# Of gymnasium.make's wrappers: how many steps there were, and whether there was a reset.
_OF_WRAPPERS = ("_elapsed_steps", "_has_reset")

# What a worker answers about one environment: a value, or an exception.
Answer = tuple[bool, Any]


class Made(NamedTuple):
    """The facts about a worker's environments that its pool needs.

    Attributes:
        observation_spaces: Theirs. Equal ones are the same object.
        action_spaces: Likewise.
        agents: Those that each of them can have; None if it is one itself.
        kinds: Theirs; see :func:`kind_of`.
        metadata: Of the first.
        render_mode: Of the first.
        spec: Of the first; None if it has none, or none that can be pickled.
        info_space: Of the infos that come as arrays; None: all come by letter.
    """

    observation_spaces: list[spaces.Space[Any]]
    action_spaces: list[spaces.Space[Any]]
    agents: list[tuple[Any, ...] | None]
    kinds: list[str]
    metadata: dict[str, Any]
    render_mode: str | None
    spec: Any
    info_space: spaces.Dict | None


class Setup(NamedTuple):
    """The facts about a pool that its workers need.

    Attributes:
        description: What the native pool says of itself.
        seeds: For the first reset of each environment of the pool.
        observation_space: What the pool takes for the space of one observation.
        action_space: And for that of an action.
        with_infos: True if somebody reads infos.
        casts: See :attr:`envpool.workers.options.PoolOptions.cast_observations`.
        pickles: True if the states of environments are these as a whole.
    """

    description: Any
    seeds: Sequence[int | None]
    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    with_infos: bool
    casts: bool
    pickles: bool


class State(NamedTuple):
    """A state.

    Attributes:
        kind: The kind of environment; see :func:`kind_of`.
        elapsed_step: Steps of the episode, as the pool counts them.
        episode_return: Rewards of the episode.
        is_over: True if the next step begins another one.
        content: The environment's own, pickled.
    """

    kind: str
    elapsed_step: int
    episode_return: float
    is_over: bool
    content: bytes

    def to_bytes(self) -> bytes:
        """As callers get it."""
        return _HEADER + pickle.dumps(tuple(self))

    @classmethod
    def from_bytes(cls, given: Any, name: str) -> State:
        """Of what a caller gives.

        Raises:
            TypeError: It is no bytes.
            ArgumentError: It is no state of this version, or damaged.
        """
        if not isinstance(given, bytes | bytearray | memoryview):
            raise TypeError(f"{name} is a {type(given).__name__}, expected bytes")
        given = bytes(given)
        if not given.startswith(_HEADER):
            raise ArgumentError(
                f"{name} is no state of an environment written in Python, or of another version"
            )
        try:
            return cls(*pickle.loads(given[len(_HEADER) :]))
        except Exception as error:
            raise ArgumentError(f"{name} is damaged: {error}") from error


class Farewell(NamedTuple):
    """The last word of a worker, which may be the answer to a question that came too late.

    Attributes:
        failures: The environments that failed to close.
    """

    failures: Failures


@contextlib.contextmanager
def ending_children() -> Iterator[None]:
    """Code of environments runs; a child that it forks and that comes back ends here.

    Such a child has the pool's worker for a parent, and must not do that one's work again.
    """
    pid = os.getpid()
    try:
        yield
    except BaseException as error:
        if os.getpid() != pid:
            end_child(error)
        raise
    if os.getpid() != pid:
        end_child(None)


def end_child(error: BaseException | None) -> NoReturn:
    """Ends a process that an environment has forked, because of an exception or without one.

    That is done as Python does it, but without exit functions, which are the worker's.
    """
    status = 0 if error is None else 1
    try:
        if isinstance(error, SystemExit) and isinstance(error.code, int | None):
            status = (error.code or 0) & 255
        elif error is not None:
            traceback.print_exception(error)
    finally:
        os._exit(status)


class Worker:
    """The environments of one worker.

    Args:
        number: Which of the pool's workers it is.
        env_ids: Their ids.
        factories: What makes them.
        letters: How the pool and this worker write to each other.
        in_process: Is it no process of its own, but the caller's? Ctrl-C is that one's, then, and
            so are the children that environments fork.

    Attributes:
        failed: The environment that was not made, if there is one. The others were closed then.
    """

    def __init__(
        self,
        number: int,
        env_ids: Sequence[int],
        factories: Sequence[Factory],
        letters: Letters,
        in_process: bool = False,
    ) -> None:
        self._number = number
        # What is an environment's failure, whatever it raises; what else comes out of a call.
        self._caught = Exception if in_process else BaseException
        self._running = contextlib.nullcontext if in_process else ending_children
        self._environments: dict[int, Any] = {}
        self._letters = letters
        self.failed: Failures = []
        self._serving: tuple[_core.Station, Setup]  # once it serves a pool
        for env_id, factory in zip(env_ids, factories, strict=True):
            try:
                with self._running():
                    self._environments[env_id] = make_environment(factory)
            except BaseException as error:
                self.close()
                if not isinstance(error, self._caught):
                    raise
                self.failed = [(env_id, letters.write_error(error))]
                return

    @property
    def environments(self) -> list[Any]:
        """The environments in the order of their ids."""
        return list(self._environments.values())

    def made(self) -> Made:
        """Returns the facts that the pool needs."""
        environments = self.environments
        first = environments[0]
        return Made(
            _unified([environment.observation_space for environment in environments]),
            _unified([environment.action_space for environment in environments]),
            [agents_of(environment) for environment in environments],
            [kind_of(environment) for environment in environments],
            dict(getattr(first, "metadata", None) or {}),
            getattr(first, "render_mode", None),
            getattr(first, "spec", None),
            getattr(group_of(first), "info_space", None),
        )

    def make_station(self, setup: Setup, files: Sequence[int]) -> _core.Station:
        """Runs the environments when the pool asks for it.

        Args:
            setup: What there is to know of the pool.
            files: The pool's exchange, its inbox and this worker's outbox.
        """
        observation = SpaceLeaves(setup.observation_space, "obs")
        action = SpaceLeaves(setup.action_space, "action")
        write_error = self._letters.write_error  # without this worker, which has the station
        station = _core.Station(
            description=setup.description,
            worker=self._number,
            files=files,
            environments=[(i, its, setup.seeds[i]) for i, its in self._environments.items()],
            observation_paths=[leaf.path for leaf in observation.arrays],
            assemble_action=None if action.is_leaf else action.assemble,
            read_letter=self._letters.read,
            write_letter=self._writer(observation, setup),
            always_write=bool(observation.objects),
            write_error=lambda env_id, error: write_error(error, env_id),
            own_results=own_results,
            casts=setup.casts,
            end_child=end_child,
            describe=describe_error,
            group=group_of(self.environments[0]),
        )
        self._serving = station, setup
        return station

    def _writer(self, observation: SpaceLeaves, setup: Setup) -> Callable[..., bytes | None]:
        """What writes letters that go along with rows; without infos nobody reads any."""
        if not setup.with_infos:
            return lambda *_: None
        write, pick, casts = self._letters.write_reply, observation.pick_objects, setup.casts
        return lambda env_id, value, info, final_value, final_info: write(
            env_id, Reply(info, pick(value, casts), final_info, final_value)
        )

    def answer(self, method: str, requests: Iterable[tuple[int, Any]]) -> list[Answer]:
        """Calls a method for environments: one of the following.

        Args:
            method: Its name.
            requests: An environment's id each, and what it is called with.
        """
        answers = []
        for env_id, arguments in requests:
            try:
                with self._running():
                    value = getattr(self, method)(env_id, *arguments)
                    answer = True, self._letters.write_answer(value)
            except self._caught as error:
                answer = False, self._letters.write_error(error)
            answers.append(answer)
        return answers

    def call(self, env_id: int, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Calls a method of an environment, or reads what is no method."""
        attribute = self.get_attr(env_id, name)
        return attribute(*args, **kwargs) if callable(attribute) else attribute

    def get_attr(self, env_id: int, name: str) -> Any:
        """Reads an attribute of an environment."""
        return _read(self._environments[env_id], name)

    def has_attr(self, env_id: int, name: str) -> bool:
        """True if an environment has such an attribute, be it one that cannot be pickled."""
        try:
            self.get_attr(env_id, name)
        except AttributeError:
            return False
        return True

    def wrappers(self, env_id: int) -> set[str]:
        """The names of the classes of an environment's wrappers, and of their bases."""
        wrappers = _wrappers(self._environments[env_id])
        return {class_name(kind) for wrapper in wrappers for kind in type(wrapper).mro()}

    def set_attr(self, env_id: int, name: str, value: Any) -> None:
        """Sets an attribute of an environment."""
        environment = self._environments[env_id]
        if hasattr(environment, "set_wrapper_attr"):
            environment.set_wrapper_attr(name, value)
        else:
            setattr(environment, name, value)

    def get_state(self, env_id: int) -> State:
        """Saves an environment."""
        station, setup = self._serving
        environment = self._environments[env_id]
        content = self._letters.write(environment if setup.pickles else _content_of(environment))
        return State(kind_of(environment), *station.get_episode(env_id), content)

    def set_state(self, env_id: int, state: State) -> int:
        """Puts an environment into a saved state; returns how many agents go on."""
        station, setup = self._serving
        environment, content = self._environments[env_id], self._letters.read(state.content)
        if setup.pickles:
            self._environments[env_id] = content
            station.replace(env_id, content)
            with contextlib.suppress(Exception):  # nobody has it any more
                _close(environment)
            environment = content
        else:
            _set_content(environment, *content)
            if group_of(environment) is None:  # whose rows are elsewhere
                station.replace(env_id, environment)  # its first reset's seed is no more for it
        station.set_episode(env_id, (state.elapsed_step, state.episode_return, state.is_over))
        return count_acting(environment, state.is_over)

    def close(self) -> Failures:
        """Closes all environments; tells which of them failed to.

        Those that are left if Ctrl-C ends it are closed by the next call.
        """
        failures: Failures = []
        while self._environments:
            env_id = next(iter(self._environments))
            environment = self._environments.pop(env_id)
            try:
                with self._running():
                    _close(environment)
            except self._caught as error:
                failures.append((env_id, self._letters.write_error(error)))
        return failures


def _close(environment: Any) -> None:
    if callable(getattr(environment, "close", None)):
        environment.close()


def _read(environment: Any, name: str) -> Any:
    """An attribute, of whichever wrapper has it."""
    if hasattr(environment, "get_wrapper_attr"):
        return environment.get_wrapper_attr(name)
    return getattr(environment, name)


def _unified(each: list[spaces.Space[Any]]) -> list[spaces.Space[Any]]:
    """The same spaces; those that equal the first one are that one, so that pickles are small."""
    return [each[0] if space == each[0] else space for space in each]


def group_of(environment: Any) -> Any:
    """What steps this environment and all others as a batch; None if nothing does."""
    return getattr(environment, "envpool_group", None)


def kind_of(environment: Any) -> str:
    """Returns a key that is equal for environments that can exchange states."""
    return class_name(type(getattr(environment, "unwrapped", environment)))


def class_name(kind: type) -> str:
    """A class's name with its module's."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _content_of(environment: Any) -> tuple[Any, ...]:
    """Returns the content for :func:`_set_content`: the environment does the same from there on.

    Raises:
        RuntimeError: It does not have the methods.
    """
    generator = getattr(getattr(environment, "unwrapped", environment), "_np_random", None)
    return (
        _method(environment, "get_state")(),
        None if generator is None else generator.bit_generator.state,
        [
            {name: value for name, value in vars(wrapper).items() if name in _OF_WRAPPERS}
            for wrapper in _wrappers(environment)
        ],
    )


def _set_content(
    environment: Any, state: Any, generator: Any, counts: Sequence[dict[str, Any]]
) -> None:
    if generator is not None:
        environment.unwrapped.np_random.bit_generator.state = generator
    _method(environment, "set_state")(state)
    for wrapper, its_counts in zip(_wrappers(environment), counts, strict=True):
        vars(wrapper).update(its_counts)


def _method(environment: Any, name: str) -> Any:
    try:
        return _read(environment, name)
    except AttributeError:
        raise RuntimeError(
            f"{kind_of(environment)} has no {name}(): it needs get_state() and set_state(), or "
            "snapshots='pickle', which pickles environments as a whole"
        ) from None


def _wrappers(environment: Any) -> Iterator[Any]:
    while isinstance(environment, gymnasium.Wrapper):
        yield environment
        environment = environment.env
