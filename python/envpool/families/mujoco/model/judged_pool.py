"""JudgedPool: a native pool whose rewards, ends and observations a task computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.families.mujoco.model.result_columns import ResultColumns
from envpool.families.mujoco.model.starting_pool import Options, Seeds
from envpool.families.mujoco.model.task import Batch, Memory, Task
from envpool.families.mujoco.model.verdict import Verdict, observation_of, verdict_of
from envpool.spec.infos import FAILURE_KEYS
from envpool.spec.plans import Plan, Plans

_PENDING = (
    "the rewards of an earlier batch could not be computed: recv() computes them again and returns "
    "it, and a reset of its environments drops it"
)
_BESIDE = "beside"  # what plans that are dicts have at their end
_LAST, _TERMINATED = 2, 0.0  # a step type and a discount of dm_env


def _with_last(plan: Plan, last: Plan) -> Plan:
    """A plan with another entry at its end; the others stay where they are."""
    if isinstance(plan, dict):
        return {**plan, _BESIDE: last}
    return (*plan, last)


def _without_last(results: Any) -> tuple[Any, Any]:
    """Results of such a plan, and that entry."""
    if isinstance(results, dict):
        last = results.pop(_BESIDE)
        return results, last
    return results[:-1], results[-1]


class JudgedPool:
    """Stands between a native pool and its face, and is called like the former.

    What the native pool returns, it completes: observations, rewards, terminations, statistics and
    infos are written into the results, whatever these look like, and the native pool is told of the
    ends. So the next step of an environment whose episode a reward has ended begins another one,
    and snapshots know of it.

    Args:
        make: Makes the native pool, given its plans.
        plans: What results of the face look like.
        task: Computes the rewards.
        columns: The arrays of a batch, with their columns.
        num_envs: How many environments there are.
    """

    def __init__(
        self,
        make: Callable[[Plans], _core.Pool],
        plans: Plans,
        task: Task,
        columns: Mapping[str, str],
        num_envs: int,
    ) -> None:
        arrays: Plan = {name: f"info.{column}" for name, column in columns.items()}
        own: Plan = {name: f"@{name}" for name in ("env_id", "elapsed_step", "truncated")}
        self._columns = ResultColumns(plans)
        self._task, self._num_envs = task, num_envs
        self._memory = {
            name: np.zeros((num_envs, *shape), np.float64) for name, shape in task.memory.items()
        }
        # What `_judge` was called with where rewards could not be computed; None: there is nothing.
        self._pending: tuple[Any, Any, Any] | None = None
        beside: Plan = (own, arrays)
        self._native = make(
            Plans(
                step=_with_last(plans["step"], beside),
                reset=_with_last(plans["reset"], beside),
                final_step=_with_last(plans["final_step"], beside),
            )
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def step(self, action: Any, env_id: Any) -> Any:
        """Steps environments, and judges the results."""
        self._require_none_pending()
        return self._judged_call(self._native.step, action, env_id)

    def send(self, action: Any, env_id: Any) -> None:
        """Starts steps."""
        self._require_none_pending()
        self._native.send(action, env_id)

    def recv(self, is_reset: bool, timeout: float | None) -> Any:
        """Waits for results, and judges them; those first that could not be judged before."""
        if self._pending is not None:
            return self._judge(*self._pending)
        return self._judged_call(self._native.recv, is_reset, timeout)

    def reset(self, env_id: Any, seeds: Seeds, options: Options, observe_others: bool) -> Any:
        """Resets environments. Of others that are only observed, nothing is judged."""
        self._drop_pending(env_id)
        rows = np.asarray(env_id) if observe_others and env_id is not None else None
        call = self._native.reset
        return self._judged_call(call, env_id, seeds, options, observe_others, rows=rows)

    def send_reset(self, env_id: Any, seeds: Seeds, options: Options) -> None:
        """Starts resets."""
        self._require_none_pending()
        self._native.send_reset(env_id, seeds, options)

    def has_open(self) -> bool:
        """True if :meth:`recv` has results of an earlier call."""
        return self._pending is not None or self._native.has_open()

    def discard(self) -> None:
        """Drops all results."""
        self._pending = None
        self._native.discard()

    def close(self) -> None:
        """Ends the threads."""
        self._pending = None
        self._native.close()

    def get_state(self, env_id: Any) -> list[bytes]:
        """Saves environments, with what the task remembers of them."""
        ids = np.arange(self._num_envs) if env_id is None else np.asarray(env_id)
        states = self._native.get_state(env_id)
        return [
            state + b"".join(array[i].tobytes() for array in self._memory.values())
            for state, i in zip(states, ids, strict=True)
        ]

    def set_state(self, states: list[Any], env_id: Any) -> None:
        """Puts environments into states, with what the task has remembered of them."""
        size = sum(array[0].nbytes for array in self._memory.values())
        whole = [bytes(state) for state in states] if size else states
        self._native.set_state([state[: len(state) - size] for state in whole], env_id)
        ids = range(self._num_envs) if env_id is None else np.asarray(env_id).tolist()
        for state, i in zip(whole, ids, strict=True):
            start = len(state) - size
            for array in self._memory.values():
                row = np.frombuffer(state, np.float64, array[0].size, start)
                array[i] = row.reshape(array[i].shape)
                start += array[0].nbytes

    def set_next(self, choices: Sequence[Any], env_id: Any) -> None:
        """Says what the next episodes begin with.

        Raises:
            ArgumentError: That is a state, and the task remembers something, which it has not.
        """
        if self._memory and any(state is not None for _, _, state in choices):
            raise ArgumentError(f"state is given, expected None for {self._task}, which has memory")
        self._native.set_next(choices, env_id)

    def open_port(self, *_: Any) -> NoReturn:
        """Refused: compiled programs cannot call the task.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            f"xla() is not available for {self._task}, whose rewards are computed in Python: use "
            "step() or send() and recv()"
        )

    def _require_none_pending(self) -> None:
        if self._pending is not None:
            raise RuntimeError(_PENDING)

    def _drop_pending(self, env_id: Any) -> None:
        """Forgets results that could not be judged, if all their environments are reset now."""
        if self._pending is None:
            return
        ids = self._pending[1][0]["env_id"]
        if env_id is not None and not np.isin(ids, np.asarray(env_id)).all():
            raise RuntimeError(_PENDING)
        self._pending = None

    def _judged_call(self, call: Callable[..., Any], *arguments: Any, rows: Any = None) -> Any:
        """The results of a method of the native pool, judged; also those beside failures."""
        try:
            results = call(*arguments)
        except EnvironmentFailure as failure:
            if failure.results is not None:
                failure.results = self._judge(*_without_last(failure.results), rows)
            raise
        return self._judge(*_without_last(results), rows)

    def _judge(self, face: Any, beside: Any, of_ids: Any) -> Any:
        """Completes results.

        Args:
            face: The native pool's.
            beside: What it has returned beside these.
            of_ids: The environments whose rows are to be judged; None: all of them.

        Raises:
            Exception: What the task raises. The results are kept then.
        """
        own, arrays = beside
        env_id, elapsed_step = own["env_id"], own["elapsed_step"]
        rows: Any = slice(None)
        if of_ids is not None:
            rows = np.flatnonzero(np.isin(env_id, of_ids))
            env_id, elapsed_step = env_id[rows], elapsed_step[rows]
            arrays = {name: array[rows] for name, array in arrays.items()}
        if not len(env_id):
            return face
        # Methods of arrays, such as all(), are Python around these.
        begins = None if np.minimum.reduce(elapsed_step) else elapsed_step == 0
        memory = Memory(self._memory, env_id, begins)
        batch = Batch(arrays, env_id, elapsed_step, memory)
        try:
            verdict = verdict_of(self._task, batch, begins)
            if self._task.observed_size:
                self._observe(face, beside)
        except BaseException as error:
            self._pending = face, beside, of_ids
            error.add_note(
                f"raised by {self._task} for a batch of {len(batch)} rows, which are not lost: "
                "recv() computes their rewards again"
            )
            raise
        self._pending = None
        memory.keep()
        infos = self._columns.infos(face)
        if infos is not None:
            for name, array in verdict.info.items():
                count = len(own["env_id"])
                infos[name] = array if of_ids is None else _spread(array, rows, count)
        if of_ids is None:  # otherwise they are resets among others, which the native pool knows of
            self._write(face, own, verdict, batch)
        return face

    def _observe(self, face: Any, beside: Any) -> None:
        """Writes what the task observes of all rows into results."""
        own, arrays = beside
        no_memory = Memory({}, own["env_id"], None)
        batch = Batch(arrays, own["env_id"], own["elapsed_step"], no_memory)
        column = "obs.obs" if "obs.obs" in self._columns else "obs.state"
        self._columns.of(face, column)[...] = observation_of(self._task, batch)

    def _write(self, face: Any, own: dict[str, Any], verdict: Verdict, batch: Batch) -> None:
        """Writes a verdict into the results of a step, and tells the native pool of it."""
        reward, terminated, _ = verdict
        infos = self._columns.infos(face)
        if infos is not None and FAILURE_KEYS[1] in infos:  # survived: that was no whole step
            failed = infos[FAILURE_KEYS[1]]
            reward[failed], terminated[failed] = 0.0, False
        returns = self._native.judge(batch.env_id, reward, terminated)
        if self._columns.is_reset(face):
            return
        self._columns.of(face, "@reward")[...] = reward
        if np.logical_or.reduce(terminated):
            ends = {
                "@terminated": True,
                "@step_type": _LAST,
                "@discount": _TERMINATED,
                "@episode_done": True,
                "@episode_length": batch.elapsed_step,
            }
            self._columns.write(face, ends, terminated)
        if "@episode_return" in self._columns:
            done = terminated | own["truncated"]
            self._columns.write(face, {"@episode_return": returns}, done)


def _spread(array: NDArray[Any], rows: NDArray[Any], count: int) -> NDArray[Any]:
    """An array of some rows as one of all of them, with zeros in the others."""
    every = np.zeros((count, *array.shape[1:]), array.dtype)
    every[rows] = array
    return every
