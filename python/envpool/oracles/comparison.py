"""Plays our tasks and upstream's side by side, in a process that may crash."""

from __future__ import annotations

import contextlib
import copy
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from envpool.differences import first_difference
from envpool.errors import described
from envpool.oracles.upstreams import Oracle, Upstream

_PICTURES = 5  # of each environment, spread over its steps
_TELL_EVERY_S = 0.1
_FIELDS = ("observation", "reward", "terminated", "truncated", "info")


@dataclass(frozen=True)
class Plan:
    """The length and kind of a comparison.

    Attributes:
        steps: Of each environment, resets included.
        seeds: The environments' seeds.
        pictures: True if there are to be some.
    """

    steps: int
    seeds: Sequence[int]
    pictures: bool


class Progress(NamedTuple):
    """A task's comparison has done so many of the plan's steps."""

    task_id: str
    step: int


@dataclass
class Outcome:
    """The result of comparing a task.

    Attributes:
        task_id: The task.
        result: ``"equal"``, ``"different"``, ``"failed"`` if ours could not be played or the
            comparison itself did not come to its end, or ``"not compared"`` if upstream's could
            not be played.
        steps: How many steps of environments were equal.
        ends: How many episodes ended in them.
        pictures: How many pictures were equal.
        text: The first difference, or why there is nothing to tell of.
        remark: Why there are no pictures, if some were wanted.
        seconds: How long it took.
    """

    task_id: str
    result: str = "equal"
    steps: int = 0
    ends: int = 0
    pictures: int = 0
    text: str = ""
    remark: str = ""
    seconds: float = 0.0


class _Stop(Exception):  # noqa: N818 - the end of a comparison is no error
    """A comparison is over: its result, and what is to be told."""

    def __init__(self, result: str, text: str) -> None:
        super().__init__(result, text)
        self.result, self.text = result, text


def compare_tasks(upstream: Upstream, task_ids: Sequence[str], plan: Plan) -> Iterator[Any]:
    """Compares tasks of a family; yields Progress and an Outcome for each.

    Args:
        upstream: What they are compared with.
        task_ids: The tasks.
        plan: How.
    """
    # Engines write their logs wherever they are.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for task_id in task_ids:
            yield Progress(task_id, 0)
            started = time.perf_counter()
            outcome = Outcome(task_id)
            try:
                with _blaming("not compared", "upstream's package does not load"):
                    oracle = upstream.load()
                if lack := oracle.lack(task_id):
                    raise _Stop("not compared", lack)
                with contextlib.closing(_Pair(oracle, task_id, plan)) as pair:
                    yield from pair.play(plan, outcome)
            except _Stop as stop:
                outcome.result, outcome.text = stop.result, stop.text
            except Exception as error:  # of the comparison itself
                outcome.result = "failed"
                outcome.text = f"its comparison raises {described(error)}"
            outcome.seconds = time.perf_counter() - started
            yield outcome


class _Pair:
    """Ours and upstream's, as Gymnasium's vector environments, with equal options and seeds."""

    def __init__(self, oracle: Oracle, task_id: str, plan: Plan) -> None:
        self._oracle = oracle
        options = oracle.options(task_id)
        if plan.pictures:
            options = options | {"render_mode": "rgb_array"}
        with _blaming("not compared", "upstream's environment cannot be made"):
            self._theirs = oracle.theirs(task_id, plan.seeds, **options)
        with _blaming("failed", "our environment cannot be made"):
            self._ours = oracle.ours(task_id, len(plan.seeds), **options)
        self._draws = plan.pictures
        self._draws_always = any(part in task_id for part in oracle.always_drawn)
        self._draws_last = any(part in task_id for part in oracle.drawn_last)

    def close(self) -> None:
        for env in (self._ours, self._theirs):
            with contextlib.suppress(Exception):  # it has done what it was made for
                env.close()

    def play(self, plan: Plan, outcome: Outcome) -> Iterator[Progress]:
        """Steps both; a difference ends it."""
        num_envs = len(plan.seeds)
        drawn = {plan.steps}
        if not self._draws_last:
            drawn |= set(np.linspace(0, plan.steps, _PICTURES, dtype=int).tolist())
        told = time.perf_counter()
        self._call("reset", "in the reset", seed=list(plan.seeds))
        if 0 in drawn:
            self._compare_pictures("after the reset", outcome)
        actions = self._oracle.actions(self._theirs.action_space, plan.seeds[0])
        for step in range(1, plan.steps + 1):
            when = f"in step {step}"
            result = self._call("step", when, next(actions))
            outcome.steps += num_envs
            outcome.ends += int((result[2] | result[3]).sum())
            if step in drawn:
                self._compare_pictures(when, outcome)
            elif self._draws_always:
                self._their_pictures(outcome)
            if time.perf_counter() - told > _TELL_EVERY_S:
                told = time.perf_counter()
                yield Progress(outcome.task_id, step)

    def _call(self, method: str, when: str, *args: Any, **kwargs: Any) -> Any:
        """Calls both with copies of the arguments, and compares the results."""
        results = []
        for env, result, whose in (
            (self._theirs, "not compared", "upstream's environment raises"),
            (self._ours, "failed", "our environment raises"),
        ):
            own_args, own_kwargs = copy.deepcopy((args, kwargs))
            with _blaming(result, f"{when} {whose}"):
                results.append(getattr(env, method)(*own_args, **own_kwargs))
        theirs, ours = results
        names = (_FIELDS[0], _FIELDS[-1]) if method == "reset" else _FIELDS
        for name, mine, other in zip(names, ours, theirs, strict=True):
            self._require_same(mine, other, name, when)
        return ours

    def _their_pictures(self, outcome: Outcome) -> list[Any]:
        """Upstream's, or none from the first one on that it cannot draw."""
        if not self._draws:
            return []
        try:
            return [self._oracle.picture(env) for env in self._theirs.envs]
        except Exception as error:
            self._draws = False
            outcome.remark = f"no pictures: upstream's environment raises {described(error)}"
            return []

    def _compare_pictures(self, when: str, outcome: Outcome) -> None:
        theirs = self._their_pictures(outcome)
        if not theirs:
            return
        with _blaming("failed", f"{when} our environment draws no picture, but raises"):
            ours = self._ours.render()
        assert ours is not None
        self._require_same(np.stack(ours), np.stack(theirs), "picture", when)
        outcome.pictures += len(theirs)

    def _require_same(self, ours: Any, theirs: Any, name: str, when: str) -> None:
        difference = first_difference(ours, theirs, name)
        if difference is not None:
            raise _Stop("different", f"{when} {difference}")


@contextlib.contextmanager
def _blaming(result: str, what: str) -> Iterator[None]:
    """Ends the comparison with this result if something is raised."""
    try:
        yield
    except ImportError as error:  # of an engine, say
        raise _Stop("not compared", f"{what}: {described(error)}") from None
    except Exception as error:
        raise _Stop(result, f"{what}: {described(error)}") from None
