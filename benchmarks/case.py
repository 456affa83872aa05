"""What is timed: a task, a number of environments, and a way of calling them."""

from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Literal

Group = Literal["ours", "envpool", "gymnasium", "dm_control", "sb3", "ale", "ceiling"]
"""Contenders that are the same package, or the same ceiling."""


@dataclass(frozen=True)
class Frames:
    """Pictures `size` pixels wide and high: of `render`, or as the observation of `step`."""

    call: Literal["render", "step"]
    size: int


What = Literal["step", "start", "idle"]
"""Calls are timed, or making and resetting everything, or CPU time is taken while nobody calls."""


@dataclass(frozen=True)
class Case:
    """One workload, the same for every contender.

    A sync case times `step` calls on all `num_envs` environments; a case with a `batch_size`
    times pairs of `recv` and `send` on that many of them. `frames` may replace `step` by `render`.
    """

    task: str
    num_envs: int
    batch_size: int | None = None
    vector_entry_point: bool = False
    """Whether Gymnasium has a NumPy-vectorised version of the task."""
    num_threads: int | None = None
    """Only contenders with so many threads enter; None lets everyone in."""
    action_batches: int = 16
    """Enough for varied behaviour; where a step is cheap, few enough to stay in the cache."""
    ageing: int = 0
    """Untimed steps of each environment after the reset, where young episodes step faster."""
    frames: Frames | None = None
    without: tuple[Group, ...] = ()
    """Groups that do not have the task."""
    what: What = "step"
    contenders: tuple[str, ...] = ()
    """The names of those that enter; empty: all that can."""

    @property
    def is_async(self) -> bool:
        return self.batch_size is not None

    @property
    def steps_per_call(self) -> int:
        """Environment steps, or frames, in one timed call."""
        return self.batch_size or self.num_envs

    @property
    def name(self) -> str:
        if self.frames:
            call = {"render": "render", "step": "from_pixels step"}[self.frames.call]
            return f"{self.task} {call} {self.frames.size}x{self.frames.size}"
        if self.is_async:
            return f"{self.task} async {self.num_envs}/{self.batch_size}"
        return f"{self.task} {'sync' if self.what == 'step' else self.what} {self.num_envs}"

    def matches(self, pattern: str) -> bool:
        """Whether the shell-style pattern occurs in the name."""
        return fnmatch(self.name.lower(), f"*{pattern.lower()}*")


def simulator_case(
    task: str,
    num_envs: int,
    batch_size: int | None = None,
    num_threads: int | None = None,
    without: tuple[Group, ...] = (),
) -> Case:
    """A case of a simulator: actions that do not repeat within a round, episodes under way.

    A Humanoid falls within some 25 random steps and is quicker to step while it still stands, so
    the first few episodes, which all start together, are left out. A game of Atari shows more
    after a while than at its start.
    """
    return Case(
        task,
        num_envs,
        batch_size,
        num_threads=num_threads,
        action_batches=512,
        ageing=100,
        without=without,
    )
