"""gymnasium-robotics as the oracle of ours; skips whoever imports it without the right versions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envpool.families.robotics.registration import TASKS
from helpers import OraclePair, assert_same_bytes, skip_without_upstream

skip_without_upstream("robotics")

import gymnasium_robotics as robotics  # noqa: E402, F401 - tests have it from here

from envpool.oracles.robotics import (  # noqa: E402
    KITCHEN,  # noqa: F401 - likewise
    Environments,
    make_theirs,
    robot_of,
)

SEEDS = [0, 42, 2**63]
SIZE = {"render_mode": "rgb_array", "width": 64, "height": 48}
ORACLE = Environments()
ALL = {task.id: task for task in TASKS}
ALIASES = {alias: task.id for task in TASKS for alias in task.aliases}


def ids_of(kind: str) -> list[str]:
    """The tasks whose environments' native names begin so, without older versions."""
    return [task.id for task in TASKS if task.kind.startswith(kind)]


def make_ours(name: str, seeds: list[int], **options: Any) -> Any:
    """A Gymnasium vector environment, where rewards are float64."""
    return gymnasium.make_vec(f"envpool/{name}", len(seeds), seed=seeds, **options)


def assert_same(ours: Any, theirs: Any, what: Any) -> None:
    """The same type, shape and bytes."""
    assert_same_bytes(np.asarray(ours), np.asarray(theirs), str(what))


def play(pair: OraclePair, steps: int) -> int:
    """Steps both by random actions, some beyond the bounds; returns how many episodes ended."""
    space, rng = pair.theirs.action_space, np.random.default_rng(0)
    actions = (rng.uniform(-1.2, 1.2, space.shape).astype(space.dtype) for _ in range(steps))
    return pair.play(steps, actions=actions)


def compare(name: str, seeds: list[int], steps: int, **kwargs: Any) -> int:
    """Plays episodes of a task; returns how many have ended."""
    return play(OraclePair(name, seeds, **kwargs), steps)


def make_drawing(name: str, **options: Any) -> tuple[Any, Any]:
    """Ours and theirs, reset alike, that draw quickly."""
    ours = gymnasium.make_vec(f"envpool/{name}", 1, **SIZE, **options)
    theirs = make_theirs(name, **SIZE, **options)
    ours.set_attr("render_shadow_size", 0)
    ours.set_attr("render_multisamples", 0)
    quality = robot_of(theirs).model.vis.quality
    quality.shadowsize = quality.offsamples = 0
    ours.reset(seed=3)
    theirs.reset(seed=3)
    theirs.action_space.seed(0)
    return ours, theirs
