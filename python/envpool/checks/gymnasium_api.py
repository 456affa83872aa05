"""Checks of environments in Python without a pool: Gymnasium's own, and what those leave out."""

from __future__ import annotations

import contextlib
import copy
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import env_checker, passive_env_checker

from envpool import differences
from envpool.checks.python_native import comparable
from envpool.checks.report import Found, remark, skipped
from envpool.checks.subject import SEED, Subject
from envpool.spec import masks
from envpool.spec.fields import map_leaves
from envpool.workers.worker_side.parallel import ParallelEnvironment

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_WARN = "WARN: "  # how Gymnasium's own warnings begin

# A call in words, and what it returned.
Result = tuple[str, tuple[Any, ...]]


@contextlib.contextmanager
def _bare(subject: Subject) -> Iterator[Any]:
    """One environment, which is closed at last."""
    env = subject.make_bare()
    try:
        yield env
    finally:
        if callable(getattr(env, "close", None)):
            env.close()


def _sample(space: gymnasium.Space[Any], observation: Any, info: Any) -> Any:
    """A random action, of those that are allowed."""
    place, sizes = masks.find(observation, info), masks.sizes_of(space)
    if place is None or sizes is None:
        return space.sample()
    mask = masks.stacked([place[masks.NAME]])[0].astype(np.int8)
    parts = tuple(np.split(mask, np.cumsum(sizes)[:-1]))
    return space.sample(parts[0] if isinstance(space, gymnasium.spaces.Discrete) else parts)


def _results(env: Any, steps: int) -> Iterator[Result]:
    """What a reset and steps return; after the end of an episode there is another reset."""
    space = copy.deepcopy(env.action_space)
    space.seed(SEED)
    result = env.reset(seed=SEED)
    yield "reset()", result
    is_over = False
    for number in range(1, steps + 1):
        if is_over:
            result, is_over = env.reset(), False
            yield f"reset() before step {number}", result
        result = env.step(_sample(space, result[0], result[-1]))
        is_over = bool(result[2] or result[3])
        yield f"step {number}", result


def of_gymnasium(subject: Subject) -> Iterator[Found]:
    """Gymnasium's checks of single calls, of all of them in some episodes; and its check_env."""
    with _bare(subject) as env, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(env, ParallelEnvironment) or not isinstance(env, gymnasium.Env):
            yield skipped("it is no gymnasium.Env")
            return
        for what, _ in _results(_checked(env), subject.steps):
            texts = _texts(caught)
            if texts:
                yield f"{what}: {texts[0]}"
                return
        if masks.find(*env.reset()) is None:  # it takes any action
            env_checker.check_env(env.unwrapped, skip_render_check=True)
    yield from map(remark, dict.fromkeys(_texts(caught)))


def _texts(caught: Iterable[warnings.WarningMessage]) -> list[str]:
    """What Gymnasium warns of, without what environments and others do."""
    texts = [_COLOURS.sub("", str(warning.message)) for warning in caught]
    return [text.removeprefix(_WARN) for text in texts if text.startswith(_WARN)]


def _checked(env: Any) -> Any:
    """The environment, whose calls are looked at by Gymnasium."""
    reset = partial(passive_env_checker.env_reset_passive_checker, env)
    step = partial(passive_env_checker.env_step_passive_checker, env)
    return SimpleNamespace(action_space=env.action_space, reset=reset, step=step)


def buffers(subject: Subject) -> Iterator[Found]:
    """Returns that change later, and actions that are changed or kept."""
    with _bare(subject) as env, _bare(subject) as other:
        if isinstance(env, ParallelEnvironment):
            yield skipped("it looks at environments of one agent")
            return
        overwriting = _Overwriting(other)
        kept: list[tuple[str, Any, Any]] = []  # the last call, its result, and what that was
        both = (_results(each, subject.steps) for each in (env, overwriting))
        for (what, result), (_, others) in zip(*both, strict=False):
            yield overwriting.changed
            for name, returned, was in kept:
                difference = differences.first_difference(comparable(returned), was, name)
                yield difference and f"what was returned changes in {what}: {difference}"
            pair = comparable(others), comparable(result)
            difference = differences.first_difference(*pair, f"the result of {what}")
            yield difference and (
                f"{difference} (where the arrays of earlier actions hold something else by now)"
            )
            kept = [(f"the result of {what}", result, comparable(result))]


class _Overwriting:
    """An environment after whose steps the memory of their actions holds something else.

    Attributes:
        changed: What it did to an action itself, in words.
    """

    def __init__(self, env: Any) -> None:
        self.reset, self._env = env.reset, env
        self.action_space = env.action_space
        self.changed = ""

    def step(self, action: Any) -> Any:
        given = copy.deepcopy(action)
        result = self._env.step(given)
        difference = differences.first_difference(given, action, "the action that it was given")
        self.changed = self.changed or (difference and f"{difference} after its step") or ""
        map_leaves(_clear, given)
        return result


def _clear(part: Any) -> None:
    if isinstance(part, np.ndarray):
        part[...] = 0
