"""PythonPool: many environments written in Python, as a native pool has them."""

from __future__ import annotations

import atexit
import contextlib
import functools
import multiprocessing.util  # noqa: F401 - so that its exit function comes after ours
import os
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from envpool import _core
from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.spec.plain import NO_NOTES, reset_notes
from envpool.spec.plans import Contents, Plans, bare_plans
from envpool.workers.factories import Factory
from envpool.workers.letters import Failures, Letters, Reply, raise_failures
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.local_workers import LocalWorkers
from envpool.workers.pool_side.players import PlayerReader, require_players
from envpool.workers.pool_side.processes import Processes
from envpool.workers.pool_side.results import ResultReader
from envpool.workers.pool_side.workers import Workers
from envpool.workers.spaces import SpaceLeaves, describe
from envpool.workers.worker_side.worker import Made, Setup, State

# For how long collection and the interpreter's exit wait for environments to close.
_PATIENCE_S = 0.5


class PythonPool:
    """Environments written in Python, with the methods of :class:`envpool._core.Pool`.

    Args:
        factories: What makes each environment.
        options: How they are run.
        make_plans: Gives the plans of results. Unless they are dm_env's, results begin with the
            observation and end with the info, to which the environments' infos are added, in steps
            ``final_obs`` and ``final_info`` among them. The latter has also what a sixth entry of a
            step, ``(observation, info)``, has in its info.

    Attributes:
        observation_space: Environment 0's.
        action_space: Environment 0's.
        observation_spaces: Of each environment.
        action_spaces: Of each environment.
        action_leaves: The leaves of the action space.
        native: The native pool, whose calls with letters are this one's.
        possible_agents: That each environment can have; None if they are of one player.
        metadata: Environment 0's.
        render_mode: Environment 0's.
        spec: Environment 0's, or None.
        info_space: The space of infos that come as arrays; None: all come by letter.

    Raises:
        EnvironmentFailure: An environment was not made; ``__cause__`` is what its factory raised.
        ArgumentError: The environments have different spaces, or players that do not go with an
            option.
    """

    def __init__(
        self,
        factories: Sequence[Factory],
        options: PoolOptions,
        make_plans: Callable[[Contents], Plans] = bare_plans,
    ) -> None:
        self._options = options
        in_process = options.num_workers == 0
        self._workers: Workers = (
            LocalWorkers(factories) if in_process else Processes(factories, options)
        )
        try:
            self._workers.start()
            self._take_over(self._workers.made)
            self._open(make_plans)
        except BaseException:
            self._workers.end(_PATIENCE_S)
            raise

    def _take_over(self, made: Sequence[Made]) -> None:
        """Takes from the workers what they say of their environments."""
        self.observation_spaces = [space for each in made for space in each.observation_spaces]
        self.action_spaces = [space for each in made for space in each.action_spaces]
        self._kinds = [kind for each in made for kind in each.kinds]
        agents = [its for each in made for its in each.agents]
        if not self._options.raw_infos:
            _require_equal("observation_space", self.observation_spaces)
            _require_equal("action_space", self.action_spaces)
        _require_equal("possible_agents", agents)
        self.possible_agents = agents[0]
        self.observation_space = self.observation_spaces[0]
        self.action_space = self.action_spaces[0]
        first = made[0]
        self.metadata, self.render_mode, self.spec = first.metadata, first.render_mode, first.spec
        self.info_space = first.info_space

    def _open(self, make_plans: Callable[[Contents], Plans]) -> None:
        """Makes the native pool, and has the workers serve it."""
        options, agents = self._options, self.possible_agents
        observation = SpaceLeaves(self.observation_space, "obs")
        action = self.action_leaves = SpaceLeaves(self.action_space, "action")
        if agents is not None:
            require_players(observation, action, options)
        num_agents = None if agents is None else len(agents)
        infos = SpaceLeaves(self.info_space, "info") if self.info_space else None
        bounds = options.check_actions
        arrays = describe(observation, action, num_agents, with_bounds=bounds, infos=infos)
        if action.objects:  # all of an action goes by letter
            arrays["action"] = []
        contents = Contents(
            observation=observation.plan(),
            final_observation={},  # the last observations of episodes come as letters
            observation_names=[leaf.name for leaf in observation.arrays],
            infos=[field["name"] for field in arrays["info"]],
            has_statistics=options.record_episode_statistics,
        )
        self.native = _core.ProcessPool(
            description=options.description() | arrays,
            plans=make_plans(contents),
            describe_end=self._workers.describe_end,
            write_choice=functools.partial(
                _choice_letter, self._workers.letters, bool(options.record)
            ),
        )
        self.survived_failures = self.native.survived_failures
        reader = ResultReader if agents is None else PlayerReader
        self._reader = reader(self.native, observation, options, self._workers.letters)
        setup = Setup(
            description=self.native.description,
            seeds=options.seeds or [None] * options.num_envs,
            observation_space=self.observation_space,
            action_space=self.action_space,
            with_infos=not options.time_step,
            casts=options.cast_observations,
            pickles=options.snapshots == "pickle",
        )
        self.discard, self.has_open = self.native.discard, self.native.has_open
        self.stats, self.choose_by = self.native.stats, self.native.choose_by
        self.idle_ids, self.set_next = self.native.idle_ids, self.native.set_next
        self._workers.connect(self.native, setup)
        self._owner = os.getpid()  # a child that is forked leaves all to its parent
        self._finalizer = weakref.finalize(self, _finish, self.native, self._workers, self._owner)
        self._finalizer.atexit = False  # all at once is quicker: _end_all
        _living.add(self)

    @property
    def environments(self) -> list[Any]:
        """The environments, if they are in this process."""
        if isinstance(self._workers, LocalWorkers):
            return self._workers.worker.environments
        raise AttributeError("other processes have the environments")

    def step(self, action: Any, env_id: ArrayLike | None) -> Any:
        """Steps environments and waits for a batch; see :meth:`envpool.flavours.base.EnvPool.step`.

        Args:
            action: A batch of the action space's elements.
            env_id: The environments; None: all of them.

        Raises:
            EnvironmentFailure: An environment failed; ``__cause__`` is the first one's exception.
        """
        action = self._to_native(action, env_id)
        return self._reader.read(self._sending(env_id, self.native.step, action, env_id))

    def send(self, action: Any, env_id: ArrayLike | None) -> None:
        """Starts steps; arguments as for :meth:`step`."""
        action = self._to_native(action, env_id)
        self._sending(env_id, self.native.send, action, env_id)

    def reset(
        self,
        env_id: ArrayLike | None,
        seeds: Sequence[int | None],
        options: dict[str, Any] | None,
        observe_others: bool,
    ) -> Any:
        """Starts new episodes and waits for a batch of their first observations.

        Args:
            env_id: The environments; None: all of them.
            seeds: For each of them, or none at all.
            options: What their ``reset`` is called with.
            observe_others: Have a row for all environments: for others their last observation.

        Raises:
            EnvironmentFailure: An environment failed; or it was not made when its worker was
                restarted, and then there are no results, and none of them was reset.
        """
        call = self.native.reset
        return self._reader.read(self._sent_reset(call, env_id, seeds, options, observe_others))

    def send_reset(
        self,
        env_id: ArrayLike | None,
        seeds: Sequence[int | None],
        options: dict[str, Any] | None,
        observe_others: bool = False,
    ) -> None:
        """Starts resets; arguments as for :meth:`reset`."""
        self._sent_reset(self.native.send_reset, env_id, seeds, options, observe_others)

    def recv(self, is_reset: bool, timeout: float | None) -> Any:
        """Waits for the next batch; see :meth:`envpool.flavours.base.EnvPool.recv`."""
        return self._reader.read(self.native.recv(is_reset, timeout))

    def recv_apart(self, is_reset: bool, timeout: float | None) -> tuple[Any, dict[int, Reply]]:
        """The same without merging infos; see :meth:`ResultReader.read_apart`."""
        return self._reader.read_apart(self.native.recv(is_reset, timeout))

    def _to_native(self, action: Any, env_id: ArrayLike | None) -> Any:
        """An array for each leaf of the action space; if that won't do, a letter for each row.

        Raises:
            TypeError, ValueError: It is no batch with a row for each of these environments.
        """
        leaves = self.action_leaves
        if not leaves.objects:
            if self._options.check_actions:
                return (action,) if leaves.is_leaf else leaves.split(action)
            arrays = leaves.split_if_plain(action)
            if arrays is not None:
                return arrays
        rows = leaves.split_rows(action, self._options.num_envs)
        count = self._options.num_envs if env_id is None else np.size(np.asarray(env_id))
        if len(rows) != count:
            raise ArgumentError(f"action has {len(rows)} rows, expected {count}, one per env_id")
        return [self._workers.letters.write(row) for row in rows]

    def _sent_reset(
        self,
        call: Callable[..., Any],
        env_id: ArrayLike | None,
        seeds: Sequence[int | None],
        options: dict[str, Any] | None,
        observe_others: bool,
    ) -> Any:
        """Calls with what environments' resets are told, and what a recording has of it.

        Workers that have ended are restarted.
        """
        self._workers.before_reset(self.native, env_id)
        notes = reset_notes(seeds, options) if self._options.record else NO_NOTES
        letters: list[bytes] = []
        if options is not None or any(seed is not None for seed in seeds):
            count = self._options.num_envs if env_id is None else np.size(np.asarray(env_id))
            write = self._workers.letters.write_reset
            letters = [
                b"" if seed is None and options is None else write(seed, options)
                for seed in seeds or [None] * count
            ]
        return self._sending(env_id, call, env_id, letters, observe_others, notes)

    def episodes(self, env_id: ArrayLike | None) -> list[tuple[int, Any]]:
        """How many episodes have begun, and the seed and options that the last one was given."""
        told = []
        for count, letter in self.native.episodes(env_id):
            given = self._workers.letters.read(letter) if letter else {}
            told.append((count, (given.get("seed"), given.get("options"))))
        return told

    def _sending(self, env_id: ArrayLike | None, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls, and tells of environments that have failed with their worker in the meantime.

        Args:
            env_id: Whom it is for.
            call: What is called.
            *arguments: With what.

        Raises:
            EnvironmentFailure: One of these environments has. Nothing was done.
        """
        try:
            return call(*arguments)
        except RuntimeError as error:
            lost = self.native.lost_envs()
            if env_id is not None:
                asked = set(np.asarray(env_id).ravel().tolist())
                lost = [(lost_id, end) for lost_id, end in lost if lost_id in asked]
            if not lost:
                raise
            failure = EnvironmentFailure(lost, None)
            failure.tracebacks = failure.messages
            raise failure from error

    def call(
        self,
        name: str,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        env_ids: ArrayLike | None = None,
        timeout: float | None = None,
    ) -> list[Any]:
        """Calls a method of environments, or reads what is no method.

        Args:
            name: The method, of whichever wrapper has it.
            args: What it is called with.
            kwargs: What it is called with by name.
            env_ids: The environments; None: all of them.
            timeout: Seconds to wait at most.

        Returns:
            What it returns, in the order of ``env_ids``.

        Raises:
            RuntimeError: One of them is in flight.
            TimeoutError: The time is over. The environments are called nevertheless.
            EnvironmentFailure: One failed, or its worker ended.
        """
        return self.begin_call(name, args, kwargs, env_ids)(timeout)

    def begin_call(
        self,
        name: str,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        env_ids: ArrayLike | None = None,
    ) -> Callable[[float | None], list[Any]]:
        """Begins a :meth:`call`, which comes before all calls that are begun after it.

        Returns:
            What waits for its end: it takes the seconds to wait at most, None for no end, and
            returns and raises what the call does.
        """
        ids = self.idle_ids(env_ids)
        self._note_lost(ids, name)
        arguments = [(name, tuple(args), kwargs or {})] * len(ids)
        return self._workers.ask(self.native, ids, "call", arguments)

    def _ask(self, ids: list[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Calls a method of workers for environments; each argument has a value for each of them.

        Raises:
            EnvironmentFailure: An environment failed, or its worker ended.
        """
        each = zip(*arguments, strict=True) if arguments else [()] * len(ids)
        return self._workers.ask(self.native, ids, method, each)(None)

    def _note_lost(self, ids: list[int], method: str) -> None:
        """Tells a recording that a call is about to change environments."""
        if self._options.record and ids and method != "render":
            self.native.note_lost(ids, f"{method}() was called")

    def get_attr(self, name: str, env_ids: ArrayLike | None = None) -> list[Any]:
        """Reads an attribute of environments; as :meth:`call`, but calls nothing."""
        ids = self.idle_ids(env_ids)
        return self._ask(ids, "get_attr", [name] * len(ids))

    def has_attr(self, name: str, env_ids: ArrayLike | None = None) -> list[bool]:
        """Says of environments if they have such an attribute; errors as for :meth:`call`."""
        ids = self.idle_ids(env_ids)
        return self._ask(ids, "has_attr", [name] * len(ids))

    def wrappers(self, env_ids: ArrayLike | None = None) -> list[set[str]]:
        """The names of the classes of environments' wrappers, and of the bases of these."""
        return self._ask(self.idle_ids(env_ids), "wrappers")

    def set_attr(self, name: str, values: Sequence[Any], env_ids: ArrayLike | None = None) -> None:
        """Sets an attribute of environments; errors as for :meth:`call`.

        Args:
            name: The attribute, of whichever wrapper has it.
            values: One for each of the environments.
            env_ids: The environments; None: all of them.

        Raises:
            ValueError: There is a wrong number of values.
        """
        ids = self.idle_ids(env_ids)
        if len(values) != len(ids):
            raise ArgumentError(f"values has {len(values)} entries, expected {len(ids)}")
        self._note_lost(ids, "set_attr")
        self._ask(ids, "set_attr", [name] * len(ids), values)

    def get_state(self, env_ids: ArrayLike | None = None) -> list[bytes]:
        """Saves environments; see :meth:`envpool.flavours.base.EnvPool.get_state`.

        They are pickles: load none that come from somebody else.

        Raises:
            RuntimeError: One of them is in flight, or has failed.
            EnvironmentFailure: One failed, or has no states; see
                :mod:`envpool.workers.worker_side.worker`.
        """
        ids = self.idle_ids(env_ids, mended=False)
        return [state.to_bytes() for state in self._ask(ids, "get_state")]

    def set_state(self, states: Sequence[Any], env_ids: ArrayLike | None = None) -> None:
        """Puts environments into saved states, and heals those that have failed.

        Args:
            states: One for each of the environments.
            env_ids: The environments; None: all of them.

        Raises:
            TypeError: A state is no bytes.
            ValueError: One is damaged, or another kind of environment's; or there is a wrong number
                of them. Nothing was changed then.
            RuntimeError: One of the environments is in flight.
            EnvironmentFailure: One did not take its state, and is to be reset.
        """
        ids = self.idle_ids(env_ids)
        if len(states) != len(ids):
            raise ArgumentError(f"there are {len(states)} states, expected {len(ids)}")
        read = [State.from_bytes(given, f"states[{i}]") for i, given in enumerate(states)]
        for i, (env_id, state) in enumerate(zip(ids, read, strict=True)):
            if state.kind != self._kinds[env_id]:
                raise ArgumentError(
                    f"states[{i}] is of a {state.kind}, but environment {env_id} is a "
                    f"{self._kinds[env_id]}"
                )
        self._workers.before_reset(self.native, env_ids)
        self._note_lost(ids, "set_state")
        acting = self._ask(ids, "set_state", read)
        self.native.set_over(env_ids, [state.is_over for state in read], acting)

    def close(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Closes the environments and ends their processes; may be called again.

        Args:
            timeout: Seconds to wait at most; environments that run or close for longer are ended
                with their processes. Then comes a warning if a recording may lack its end. Steps
                and resets that take longer than ``step_timeout`` are not waited for in any case.
            terminate: End the processes at once, without closing environments.

        Raises:
            EnvironmentFailure: An environment failed to close. All processes have ended.
        """
        failures: Failures = []
        end = None if timeout is None else time.monotonic() + timeout
        if self._finalizer.alive:
            self.native.close()
            if os.getpid() == self._owner:
                failures = self._workers.end(timeout, terminate, self.native.late_workers)
            self._finalizer.detach()  # unless Ctrl-C came: another call goes on then
        if self._options.record:
            self.native.await_recording(None if end is None else max(0.0, end - time.monotonic()))
        if failures:
            raise_failures(self._workers.letters, failures)


# Pools that are not collected yet.
_living: weakref.WeakSet[PythonPool] = weakref.WeakSet()


def _finish(native: _core.ProcessPool, workers: Workers, owner: int) -> None:
    """Ends the pool when nobody has it any more."""
    if os.getpid() == owner:
        native.close()
        workers.end(_PATIENCE_S)


@atexit.register
def _end_all() -> None:
    """Ends all pools before the interpreter exits; their environments have the same time."""
    pools = list(_living)
    with contextlib.suppress(KeyboardInterrupt):
        for pool in pools:
            pool.native.close()
        for pool in pools:
            with contextlib.suppress(Exception):
                pool.close(timeout=_PATIENCE_S)


def _choice_letter(
    letters: Letters, records: bool, seed: int | None, options: Any, state: None
) -> tuple[bytes, str]:
    """A letter of what an episode begins with, and what a recording says of it.

    Raises:
        ArgumentError: That cannot be written down.
    """
    noted = ""
    if records:
        _, text, lost = reset_notes([seed], options)
        if lost:
            raise ArgumentError(f"what is recorded cannot be chosen: {lost}")
        noted = f"[{'null' if seed is None else seed}, {text or 'null'}]"
    return letters.write_reset(seed, options), noted


def _require_equal(name: str, each: Sequence[Any]) -> None:
    for i, its in enumerate(each):
        if its != each[0]:
            raise ArgumentError(
                f"environment {i} has another {name} than environment 0: {its}, expected {each[0]}"
            )
