"""Subject: the task that is checked, and how it is made and played for that."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from envpool.spec.config import INT_MAX
from envpool.spec.env_spec import EnvSpec
from envpool.tasks.registration import registry
from envpool.testing.actions import Actions, Choose, uniform
from envpool.testing.probe import Event, Play, Probe

SEED = 1000
NUM_ENVS = 4

# What the checks set themselves.
RESERVED = (
    "autoreset_mode",
    "batch_size",
    "env_seed",
    "gym_reset_return_info",
    "num_envs",
    "num_threads",
    "record",
    "record_episode_statistics",
    "render_mode",
    "seed",
    "thread_affinity_offset",
    "thread_pool",
)
_SHORT = 12  # steps, so that episodes end while few steps are played


@dataclasses.dataclass(frozen=True)
class Subject:
    """What is checked.

    Attributes:
        task_id: The task.
        options: Those that it is made with.
        quick: Look less closely?
    """

    task_id: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    quick: bool = False

    @property
    def steps(self) -> int:
        """How many results of each environment are looked at."""
        return 40 if self.quick else 160

    def spec(self, **options: Any) -> EnvSpec:
        """The task's spec, with further options."""
        defaults = {"num_envs": NUM_ENVS, "num_threads": 1, "seed": SEED}
        return registry.make_spec(self.task_id, **(defaults | dict(self.options) | options))

    def spec_with_ends(self, **options: Any) -> EnvSpec:
        """The same, with a time limit that ends episodes after a few steps."""
        limit = min(self.options.get("max_episode_steps", INT_MAX), _SHORT)
        return self.spec(**({"max_episode_steps": limit} | options))


def played(
    spec: EnvSpec, steps: int, choose: Choose = uniform, one_by_one: bool = False
) -> list[list[Event]]:
    """What each environment of a new pool returns from its first reset and so many results more.

    Args:
        spec: What to make.
        steps: How many.
        choose: Makes the actions.
        one_by_one: Run one environment at a time?
    """
    with Probe(spec) as probe:
        return Play(probe, Actions(spec, choose), one_by_one).start().run(steps).events
