"""What the tests of vector environments run, and makers for it that workers can unpickle."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces, wrappers

import envpool.vector
import plain_envs

Factory = Callable[[], Any]


class Spoken(spaces.Space):
    """A space that Gymnasium does not know how to batch: of words."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(None, None, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return f"word {self.np_random.integers(1000)}"

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and x.startswith("word ")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spoken)

    def __repr__(self) -> str:
        return "Spoken()"

    def __hash__(self) -> int:
        return 0


class Sampling(gymnasium.Env):
    """Observes samples of a space, and tells in its infos which actions it was given.

    Args:
        space: Of its observations and actions.
        length: Of an episode.
        actions: The space of its actions, if that is another one.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium's own

    def __init__(
        self, space: spaces.Space, length: int = 3, actions: spaces.Space | None = None
    ) -> None:
        self.observation_space = space
        self.action_space = actions or space
        self.length = length

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        if seed is not None:
            self.observation_space.seed(seed)
        self.count = 0
        return self.observation_space.sample(), {"options": options}

    def step(self, action: Any) -> Any:
        self.count += 1
        is_over = self.count >= self.length
        return self.observation_space.sample(), self.count, is_over, False, {"action": [action]}


class Talkative(gymnasium.Env):
    """Has an info of each kind, not all of them in every step."""

    metadata = {"render_modes": []}  # noqa: RUF012
    observation_space = spaces.Discrete(100)
    action_space = spaces.Discrete(5)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        self.count = int(self.np_random.integers(4))
        return self.count, {"start": self.count}

    def step(self, action: Any) -> Any:
        self.count += 1
        infos = {
            "number": self.count,
            "fraction": np.float32(self.count / 3),
            "is_even": self.count % 2 == 0,
            "text": "x" * self.count,
            "array": np.full((2, 2), self.count, np.int16),
            "nested": {"deep": {"number": self.count}, "nothing": None},
            "list": [self.count],
            "action": action,
        }
        said = {key: value for i, (key, value) in enumerate(infos.items()) if (self.count + i) % 3}
        return self.count, float(action), self.count >= 9, self.count == 7, said


class Failing(gymnasium.Env):
    """Raises what it is told to: a reset with the seed 13, a step with an action above 1."""

    metadata = {"render_modes": []}  # noqa: RUF012
    fails_to_close = False
    observation_space = spaces.Box(0, 9, (1,))
    action_space = spaces.Discrete(5)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        if seed == 13:
            raise KeyError("a seed")
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        if action == 4:
            raise TimeoutError("a server")
        if action == 3:
            raise SystemExit("enough")
        if action == 2:
            raise ZeroDivisionError("a step")
        return np.ones(1, np.float32), 1.0, False, False, {}

    def close(self) -> None:
        if self.fails_to_close:
            raise OSError("a file")


MEETING = threading.Barrier(4)  # of threads of a worker
HANG_S = 60  # as in helpers, whose many imports would be those of each worker


class Waiting(gymnasium.Env):
    """Waits in a step with action 9 until a file is there; with 8, for three others.

    Args:
        gate: The file.
    """

    metadata = {"render_modes": []}  # noqa: RUF012
    observation_space = spaces.Box(0, np.inf, ())
    action_space = spaces.Discrete(10)

    def __init__(self, gate: Path | None = None) -> None:
        self.gate = gate

    @property
    def pid(self) -> int:
        return os.getpid()

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        return np.float32(0), {}

    def step(self, action: Any) -> Any:
        if action == 9:
            self.wait()
        if action == 8:
            MEETING.wait(HANG_S)
        return np.float32(action), 0.0, False, False, {}

    def wait(self) -> bool:
        while self.gate and not self.gate.exists():
            time.sleep(0.001)
        return True


class Statistics(wrappers.RecordEpisodeStatistics):
    """Without the time that an episode took, which differs."""

    def step(self, action: Any) -> Any:
        *step, info = super().step(action)
        info.get("episode", {}).pop("t", None)
        return *step, info


def made(task_id: str, *wrapped: Callable[[Any], Any], **kwargs: Any) -> Factory:
    """A function that makes one of Gymnasium's environments, inside of wrappers."""

    def make() -> Any:
        environment = gymnasium.make(task_id, **kwargs)
        for wrapper in wrapped:
            environment = wrapper(environment)
        return environment

    return make


def doubled(reward: float) -> float:
    return 2 * reward


ENVIRONMENTS: dict[str, Factory] = {
    **{
        task_id: made(task_id)
        for task_id in (
            "CartPole-v1",
            "Pendulum-v1",
            "Acrobot-v1",
            "MountainCar-v0",
            "MountainCarContinuous-v0",
            "FrozenLake-v1",
            "Taxi-v4",
            "CliffWalking-v1",
            "Blackjack-v1",
            "LunarLander-v3",
            "BipedalWalker-v3",
            "Ant-v5",
            "HalfCheetah-v5",
            "Hopper-v5",
            "HumanoidStandup-v5",
            "InvertedDoublePendulum-v5",
            "InvertedPendulum-v5",
            "Pusher-v5",
            "Reacher-v5",
            "Swimmer-v5",
            "Walker2d-v5",
        )
    },
    "CartPole of 7 steps": made("CartPole-v1", max_episode_steps=7),
    "FrozenLake 8x8": made("FrozenLake-v1", map_name="8x8", is_slippery=False),
    "with statistics": made("CartPole-v1", Statistics, max_episode_steps=9),
    "with the time": made("MountainCar-v0", wrappers.TimeAwareObservation, max_episode_steps=5),
    "stacked": made("Pendulum-v1", functools.partial(wrappers.FrameStackObservation, stack_size=3)),
    "rescaled": made(
        "Pendulum-v1",
        functools.partial(wrappers.RescaleAction, min_action=-1.0, max_action=1.0),
        functools.partial(wrappers.TransformReward, func=doubled),
    ),
    "normalized": made("LunarLander-v3", wrappers.NormalizeObservation),
    "Counting": functools.partial(plain_envs.Counting, episode_length=4),
    "Picture": plain_envs.Picture,
    "Structured": plain_envs.Structured,
    "Structured as a tuple": functools.partial(plain_envs.Structured, as_tuple=True),
    "Lives": plain_envs.Lives,
    "Talkative": Talkative,
}

_POINT = spaces.Box(-1.0, 1.0, (2,))
SPACES: list[spaces.Space] = [
    _POINT,
    spaces.Box(0, 255, (3, 4), np.uint8),
    spaces.Box(-1.0, 1.0, (), np.float64),
    spaces.Box(-1.0, 1.0, (3,), np.float16),
    spaces.Discrete(4, start=-2),
    spaces.MultiDiscrete([[2, 3], [4, 5]]),
    spaces.MultiBinary((2, 3)),
    spaces.Text(8),
    spaces.Sequence(_POINT),
    spaces.Sequence(spaces.Discrete(4), stack=True),
    spaces.Graph(_POINT, spaces.Discrete(3)),
    spaces.OneOf([_POINT, spaces.Discrete(3)]),
    spaces.Tuple([spaces.Discrete(3), _POINT, spaces.Tuple([spaces.MultiBinary(2)])]),
    spaces.Tuple([spaces.Text(5), _POINT]),
    spaces.Dict({"b": _POINT, "a": spaces.Dict({"x": spaces.Discrete(3)})}),
    spaces.Dict({"said": spaces.Text(5), "seen": _POINT}),
    Spoken(),
    spaces.Tuple([Spoken(), spaces.Discrete(2)]),
]


def sampling(space: spaces.Space, *arguments: Any) -> Factory:
    """A function that makes a Sampling environment."""
    return functools.partial(Sampling, space, *arguments)


def sync(env_fns: list[Factory], **kwargs: Any) -> Any:
    """Ours, in this process."""
    return envpool.vector.SyncVectorEnv(env_fns, **kwargs)


def in_two_processes(env_fns: list[Factory], **kwargs: Any) -> Any:
    """Ours, by as few processes as there can be several of; forked, because that is quick."""
    given = {"shared_memory": False, "num_workers": 2, "context": "fork"} | kwargs
    return envpool.vector.AsyncVectorEnv(env_fns, **given)


def in_two_spawned_processes(env_fns: list[Factory], **kwargs: Any) -> Any:
    """Ours, by processes that know nothing but what they unpickle."""
    return in_two_processes(env_fns, context="spawn", **kwargs)
