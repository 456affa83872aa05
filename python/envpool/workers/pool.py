"""PythonPool: many environments written in Python, as a native pool has them."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from envpool import _core
from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.machine import cores
from envpool.workers.advice import Load, advise
from envpool.workers.calls import Calls
from envpool.workers.columns import describe
from envpool.workers.endings import PATIENCE_S, end_in_time
from envpool.workers.factories import Factory
from envpool.workers.options import PoolOptions
from envpool.workers.plain import to_plain
from envpool.workers.plans import MakePlans, gymnasium_plans
from envpool.workers.processes import LocalWorkers, Processes, raise_failures
from envpool.workers.results import ResultReader
from envpool.workers.spaces import SpaceLeaves
from envpool.workers.states import State
from envpool.workers.worker import Failures, Setup

__all__ = ["PoolOptions", "PythonPool"]

# Of what a recording has of a reset's options: those of Python environments, which it encodes.
RESET_OPTIONS = "options"


class PythonPool:
    """Environments written in Python, with the methods of :class:`envpool._core.Pool`.

    Args:
        factories: What makes each environment.
        options: How they are run.
        make_plans: Gives the plans of results for the leaves of the observation space, whose
            columns are named ``obs.`` and the leaf's name, and the names of the native infos, whose
            columns have ``info.`` in front. Unless they are dm_env's, results begin
            with the observation and end with the info, to which the environments' infos are added,
            in steps ``final_obs`` and ``final_info`` among them. The latter has also what a sixth
            entry of a step, ``(observation, info)``, has in its info.

    Attributes:
        observation_space: Environment 0's.
        action_space: Environment 0's.
        observation_spaces: Of each environment.
        action_spaces: Of each environment.
        possible_agents: That each environment can have; None if they are of one player.
        metadata: Environment 0's.
        render_mode: Environment 0's.
        spec: Environment 0's, or None.

    Raises:
        EnvironmentFailure: An environment was not made; ``__cause__`` is what its factory raised.
        ArgumentError: The environments have different spaces, or players that do not go with an
            option.
    """

    def __init__(
        self,
        factories: Sequence[Factory],
        options: PoolOptions,
        make_plans: MakePlans = gymnasium_plans,
    ) -> None:
        if len(factories) != options.num_envs:
            raise ArgumentError(
                f"there are {len(factories)} factories, expected num_envs = {options.num_envs}"
            )
        self._options = options
        self._worker_of = options.workers()
        self._restarting = threading.Lock()
        self._workers: LocalWorkers | Processes
        if options.num_workers == 0:
            self._workers = LocalWorkers(factories)
        else:
            self._workers = Processes(
                factories, self._worker_of, options.start_method, options.worker_threads
            )
        try:
            self._open(make_plans)
        except BaseException:
            self._workers.end(PATIENCE_S)
            raise

    def _open(self, make_plans: MakePlans) -> None:
        """Takes from the workers what they say of their environments, and makes them serve."""
        made, options = self._workers.made, self._options
        self.observation_spaces = [space for each in made for space in each.observation_spaces]
        self.action_spaces = [space for each in made for space in each.action_spaces]
        self._kinds = [kind for each in made for kind in each.kinds]
        self.observation_space = self.observation_spaces[0]
        self.action_space = self.action_spaces[0]
        self.metadata = made[0].metadata
        self.render_mode = made[0].render_mode
        self.spec = made[0].spec
        if not options.raw_infos:
            _require_equal("observation_space", self.observation_spaces)
            _require_equal("action_space", self.action_spaces)
        agents = [its for each in made for its in each.agents]
        _require_equal("possible_agents", agents)
        self.possible_agents = agents[0]
        self._observation = SpaceLeaves(self.observation_space, "obs")
        self._action = SpaceLeaves(self.action_space, "action")
        letters, has_players = self._workers.letters, self.possible_agents is not None
        described = describe(self._observation, self._action, options, self.possible_agents)
        self._native = _core.SharedPool(
            description=options.description() | described,
            plans=make_plans(self._observation, [field["name"] for field in described["info"]]),
            describe_end=self._workers.describe_end,
        )
        self._reader = ResultReader(
            self._observation, options, letters, has_players, self._native.lost_envs
        )
        self._calls = Calls(self._native, self._workers, self._worker_of)
        self._workers.connect(self._native, self._setup)
        self._on_core = self._workers.cpu_seconds()  # when counting began
        self._finalizer = end_in_time(self, self._native, self._workers)

    def _setup(self, worker: int) -> Setup:
        seeds = self._options.seeds or [None] * self._options.num_envs
        return Setup(
            worker=worker,
            description=self._native.description,
            seeds=[seeds[i] for i, its in enumerate(self._worker_of) if its == worker],
            observation_space=self.observation_space,
            action_space=self.action_space,
            with_infos=not self._options.time_step,
            pickles=self._options.snapshots == "pickle",
        )

    @property
    def environments(self) -> list[Any]:
        """The environments, if they are in this process."""
        if isinstance(self._workers, LocalWorkers):
            return self._workers.environments
        raise AttributeError("other processes have the environments")

    def step(self, action: Any, env_id: ArrayLike | None) -> Any:
        """Steps environments and waits for a batch; see :meth:`envpool.flavours.base.EnvPool.step`.

        Args:
            action: In the form that ``PoolOptions.check_actions`` says.
            env_id: The environments; None: all of them.

        Raises:
            EnvironmentFailure: An environment failed; ``__cause__`` is the first one's exception.
        """
        action = self._to_native(action)
        return self._reader.read(self._sending(action, env_id, self._native.step, action, env_id))

    def send(self, action: Any, env_id: ArrayLike | None) -> None:
        """Starts steps; arguments as for :meth:`step`."""
        action = self._to_native(action)
        self._sending(action, env_id, self._native.send, action, env_id)

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
            RuntimeError: The worker of one ended, and is not to be restarted.
        """
        letters = self._prepare_reset(env_id, seeds, options)
        return self._reader.read(
            self._sending(
                letters,
                env_id,
                self._native.reset,
                env_id,
                letters,
                observe_others,
                self._notes(seeds, options),
            )
        )

    def send_reset(
        self,
        env_id: ArrayLike | None,
        seeds: Sequence[int | None],
        options: dict[str, Any] | None,
    ) -> None:
        """Starts resets; arguments as for :meth:`reset`."""
        letters = self._prepare_reset(env_id, seeds, options)
        notes = self._notes(seeds, options)
        self._sending(letters, env_id, self._native.send_reset, env_id, letters, notes)

    def recv(self, is_reset: bool, timeout: float | None) -> Any:
        """Waits for the next batch; see :meth:`envpool.flavours.base.EnvPool.recv`."""
        return self._reader.read(self._native.recv(is_reset, timeout))

    def check_players(self, env_id: ArrayLike | None, owners: ArrayLike) -> None:
        """Sees whether these players are those who are to act.

        Args:
            env_id: The environments; None: all of them.
            owners: For each row of actions the id of its environment.

        Raises:
            ValueError: They are others.
            TypeError: They are no integers.
            RuntimeError: An environment cannot be stepped now.
        """
        self._native.check_players(env_id, owners)

    def skip_reset(self, env_ids: Sequence[int]) -> None:
        """Lets environments that were never reset be stepped, as if they had been.

        Their last observation is one of zeros then. Errors as for :meth:`call`.
        """
        if len(env_ids) == 0:
            return
        self._calls.ask(self._calls.ids(env_ids), "skip_reset", lambda _: ())
        self._native.reset(env_ids, [], False, None)

    def discard(self) -> None:
        """Waits for what is in flight, and drops it."""
        self._native.discard()

    def _to_native(self, action: Any) -> Any:
        """An array for each leaf of the action space; if that won't do, a letter for each row."""
        if not self._action.objects:
            if self._options.check_actions:
                return action if isinstance(action, tuple) else (action,)
            arrays = self._action.split_if_plain(action)
            if arrays is not None:
                return arrays
        rows = self._action.split_rows(action, self._options.num_envs)
        return [self._workers.letters.write(row) for row in rows]

    def _prepare_reset(
        self,
        env_id: ArrayLike | None,
        seeds: Sequence[int | None],
        options: dict[str, Any] | None,
    ) -> list[bytes | None]:
        """What the environments' resets are told. Workers that have ended are restarted."""
        self._restart(env_id)
        if options is None and all(seed is None for seed in seeds):
            return []
        count = self._options.num_envs if env_id is None else np.size(np.asarray(env_id))
        each = seeds or [None] * count
        return [self._workers.letters.write({"seed": s, "options": options}) for s in each]

    def _notes(
        self, seeds: Sequence[int | None], options: dict[str, Any] | None
    ) -> tuple[list[int | None], str, str] | None:
        """What a recording has of a reset: seeds, options as JSON, or why they cannot be that."""
        if not self._options.record:
            return None
        if options is None:
            return list(seeds), "", ""
        try:
            return list(seeds), json.dumps({RESET_OPTIONS: to_plain(options)}), ""
        except TypeError as error:
            return list(seeds), "", f"the options of its reset have {error}"
        except (ValueError, RecursionError) as error:
            return list(seeds), "", f"the options of its reset cannot be written down: {error}"

    def _note_lost(self, env_ids: ArrayLike | None, call: str) -> None:
        """Tells a recording that a call is about to change environments."""
        if self._options.record and (env_ids is None or np.size(env_ids)):
            self._native.note_lost(env_ids, f"{call} was called")

    def _restart(self, env_id: ArrayLike | None) -> None:
        """Restarts the workers of environments that have ended, if that is wanted."""
        self._native.check_idle([], True)  # of a closed pool all workers have ended
        with self._restarting:
            lost = self._native.lost_workers(env_id)
            if lost and self._options.on_worker_death == "raise":
                ends = "; ".join(map(self._workers.describe_end, lost))
                raise RuntimeError(f"{ends}: on_worker_death is 'raise', so it is not restarted")
            if lost:
                self._workers.restart(self._native, self._setup, lost)

    def _sending(
        self, letters: Any, env_id: ArrayLike | None, call: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Calls, and tells of environments that have failed with their worker in the meantime.

        Args:
            letters: What goes along, if it is a list of letters.
            env_id: To whom.
            call: What is called.
            *arguments: With what.

        Raises:
            EnvironmentFailure: One of these environments has. Nothing was done.
        """
        try:
            if isinstance(letters, list):
                return self._workers.letters.carry(letters, env_id, call, *arguments)
            return call(*arguments)
        except RuntimeError as error:
            lost = self._native.lost_envs()
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
        self._note_lost(self._calls.ids(env_ids), f"{name}()")
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
        ids = self._calls.ids(env_ids)
        return self._calls.begin(ids, "call", lambda _: (name, tuple(args), kwargs or {}))

    def get_attr(self, name: str, env_ids: ArrayLike | None = None) -> list[Any]:
        """Reads an attribute of environments; as :meth:`call`, but calls nothing."""
        return self._calls.ask(self._calls.ids(env_ids), "get_attr", lambda _: (name,))

    def set_attr(self, name: str, values: Sequence[Any], env_ids: ArrayLike | None = None) -> None:
        """Sets an attribute of environments; errors as for :meth:`call`.

        Args:
            name: The attribute, of whichever wrapper has it.
            values: One for each of the environments.
            env_ids: The environments; None: all of them.

        Raises:
            ValueError: There is a wrong number of values.
        """
        ids = self._calls.ids(env_ids)
        if len(values) != len(ids):
            raise ArgumentError(f"values has {len(values)} entries, expected {len(ids)}")
        value_of = dict(zip(ids, values, strict=True))
        self._note_lost(ids, "set_attr()")
        self._calls.ask(ids, "set_attr", lambda own: (name, [value_of[i] for i in own]))

    def get_state(self, env_ids: ArrayLike | None = None) -> list[bytes]:
        """Saves environments; see :meth:`envpool.flavours.base.EnvPool.get_state`.

        They are pickles: load none that come from somebody else.

        Raises:
            RuntimeError: One of them is in flight, or has failed.
            EnvironmentFailure: One failed, or has no states; see :mod:`envpool.workers.states`.
        """
        self._native.check_idle(env_ids, False)
        states = self._calls.ask(self._calls.ids(env_ids), "get_state", lambda _: ())
        return [State(*state).to_bytes() for state in states]

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
        ids = self._calls.ids(env_ids)
        if len(states) != len(ids):
            raise ArgumentError(f"there are {len(states)} states, expected {len(ids)}")
        state_of = {}
        for i, (env_id, given) in enumerate(zip(ids, states, strict=True)):
            state_of[env_id] = state = State.from_bytes(given, f"states[{i}]")
            if state.kind != self._kinds[env_id]:
                raise ArgumentError(
                    f"states[{i}] is of a {state.kind}, but environment {env_id} is a "
                    f"{self._kinds[env_id]}"
                )
        self._restart(env_ids)
        self._note_lost(ids, "set_state()")
        acting = self._calls.ask(ids, "set_state", lambda own: ([tuple(state_of[i]) for i in own],))
        self._native.set_over(env_ids, [state_of[env_id].is_over for env_id in ids], acting)

    def render(self, env_ids: ArrayLike | None = None) -> list[Any]:
        """What the environments' ``render`` returns; errors as for :meth:`call`."""
        return self.begin_call("render", env_ids=env_ids)(None)

    def stats(self, restart: bool) -> dict[str, Any]:
        """Numbers as :class:`envpool._core.Pool` has them, and more.

        Those are ``env_ns`` (inside of environments) and ``copy_ns`` (writing results), of each
        worker, and ``hint``; see :func:`envpool.workers.advice.advise`.
        """
        native = self._native.stats(restart)
        busy = [env + copy for env, copy in zip(native["env_ns"], native["copy_ns"], strict=True)]
        in_process = self._options.num_workers == 0
        on_core = self._workers.cpu_seconds()
        computed = sum(after - self._on_core.get(pid, 0.0) for pid, after in on_core.items())
        hint = advise(self._load(native, sum(busy) * 1e-9, computed))
        if restart:
            self._on_core = on_core
        return native | {
            "steps": sum(native["steps"]),
            "episodes": sum(native["episodes"]),
            "busy_ns": [] if in_process else busy,
            "idle_ns": [] if in_process else native["idle_ns"],
            "caller_busy_ns": sum(busy) if in_process else 0,
            "batch_age_ns": 0,
            "hint": hint,
        }

    def _load(self, native: dict[str, Any], work: float, computed: float) -> Load:
        options = self._options
        return Load(
            num_envs=options.num_envs,
            batch_size=options.batch_size,
            num_workers=0 if options.num_workers == 0 else max(self._worker_of) + 1,
            worker_threads=options.worker_threads,
            cores=cores(),
            elapsed=native["elapsed_ns"] * 1e-9,
            batches=native["batches"],
            work=work,
            computed=computed,
            waited=native["receive_wait_ns"] * 1e-9,
        )

    def close(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Closes the environments and ends their processes; may be called again.

        Args:
            timeout: Seconds to wait at most; environments that run or close for longer are ended
                with their processes. Then comes a warning if a recording may lack its end.
            terminate: End the processes at once, without closing environments.

        Raises:
            EnvironmentFailure: An environment failed to close. All processes have ended.
        """
        failures: Failures = []
        end = None if timeout is None else time.monotonic() + timeout
        if self._finalizer.alive:
            self._native.close()
            try:
                failures = self._workers.end(timeout, terminate)
            finally:
                self._finalizer.detach()
        if self._options.record:
            self._native.await_recording(None if end is None else max(0.0, end - time.monotonic()))
        if failures:
            raise_failures(self._workers.letters, failures)

    def begin_end(self) -> None:
        """Refuses all calls from now on, and ends those that wait."""
        self._native.close()

    def end(self, seconds: float) -> None:
        """Ends the processes; their environments have so many seconds to close."""
        with contextlib.suppress(Exception):
            self.close(timeout=seconds)


def _require_equal(name: str, each: Iterable[Any]) -> None:
    spaces = list(each)
    for i, space in enumerate(spaces):
        if space != spaces[0]:
            raise ArgumentError(
                f"environment {i} has another {name} than environment 0: {space}, "
                f"expected {spaces[0]}"
            )
