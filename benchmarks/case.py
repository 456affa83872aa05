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


CLASSIC = [
    *(Case("CartPole-v1", n, vector_entry_point=True) for n in (1, 8, 64, 1024)),
    Case("CartPole-v1", 64, batch_size=16),
    Case("CartPole-v1", 1024, batch_size=256),
    Case("Pendulum-v1", 64),
    Case("Acrobot-v1", 64),
]

TOY_TEXT = [
    *(Case(task, 1024) for task in ("FrozenLake-v1", "Taxi-v3", "CliffWalking-v1", "Blackjack-v1")),
    *(Case(task, 1024, without=("gymnasium",)) for task in ("NChain-v0", "Catch-v0")),
]

BOX2D = [
    simulator_case("LunarLander-v3", 1, num_threads=1),
    simulator_case("LunarLander-v3", 64),
    simulator_case("LunarLander-v3", 64, batch_size=16, num_threads=2),
    simulator_case("BipedalWalker-v3", 64, without=("ceiling",)),
    simulator_case("CarRacing-v3", 64, without=("ceiling",)),
]

MUJOCO = [
    case
    for task in ("Ant-v5", "HalfCheetah-v5", "Humanoid-v5")
    for case in (
        *(simulator_case(task, n) for n in (1, 8, 64)),
        simulator_case(task, 64, batch_size=16, num_threads=2),
    )
]

DM_CONTROL = [
    simulator_case(task, num_envs, without=() if num_envs == 1 else ("dm_control",))
    for task in ("WalkerWalk-v1", "CheetahRun-v1", "HumanoidRun-v1", "QuadrupedWalk-v1")
    for num_envs in (1, 64)
]

ROBOTICS = [
    simulator_case(task, num_envs)
    for task in (
        "FetchReach-v4",
        "FetchPush-v4",
        "HandManipulateBlock-v1",
        "AdroitHandDoor-v1",
        "PointMaze_Large-v3",
    )
    for num_envs in (1, 64)
]

MINIGRID = [
    Case("MiniGrid-DoorKey-8x8-v0", 1),
    *(
        Case(task, 64)
        for task in (
            "MiniGrid-DoorKey-8x8-v0",
            "MiniGrid-Dynamic-Obstacles-8x8-v0",
            "MiniGrid-KeyCorridorS6R3-v0",
            "MiniGrid-MultiRoom-N6-v0",
            "BabyAI-GoToLocal-v0",
            "BabyAI-BossLevel-v0",
        )
    ),
]

RENDERING = [
    # Four environments, so that two threads have something to share.
    Case("Ant-v5", 4, frames=Frames(call, size))
    for call in ("render", "step")
    for size in (84, 480)
]

ATARI = [
    *(simulator_case("Pong-v5", n) for n in (1, 8, 64)),
    simulator_case("Pong-v5", 64, batch_size=16),
    simulator_case("Breakout-v5", 64),
    simulator_case("Breakout-v5", 64, batch_size=16),
]
