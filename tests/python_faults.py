"""Environments in Python with one thing wrong each, which the checks must find."""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces


class Good(gymnasium.Env):
    """Goes left and right, for about ten steps."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 10}
    observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-0.1, 0.1)
        return self.observe(), {}

    def observe(self) -> Any:
        return np.float32([self.place, -self.place])

    def step(self, action: Any) -> Any:
        self.place = float(np.clip(self.place + 0.1 * action[0], -1.0, 1.0))
        return self.observe(), self.place, self.is_over(), False, {"place": self.place}

    def is_over(self) -> bool:
        return bool(self.np_random.random() < 0.1)

    def render(self) -> Any:
        return np.full((8, 8, 3), int(100 * (self.place + 1)), np.uint8)

    def get_state(self) -> Any:
        return self.place

    def set_state(self, state: Any) -> None:
        self.place = state


class Constructor(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        raise OSError("there is no licence")


class Throws(Good):
    def is_over(self) -> bool:
        raise ValueError("failed on purpose")


class Warns(Good):
    def is_over(self) -> bool:
        warnings.warn("it wobbles", stacklevel=1)
        return super().is_over()


class Exits(Good):
    def is_over(self) -> bool:
        os._exit(3)


class OutOfBounds(Good):
    def observe(self) -> Any:
        return np.float32([self.place, 1.5 if self.np_random.random() < 0.1 else 0.0])


class RewardIsNan(Good):
    def step(self, action: Any) -> Any:
        observation, _, *others = super().step(action)
        return observation, np.nan, *others


class OtherGenerator(Good):
    def is_over(self) -> bool:
        return bool(np.random.random() < 0.1)


class CountsEpisodes(Good):
    episodes = 0

    def reset(self, **kwargs: Any) -> Any:
        CountsEpisodes.episodes += 1
        return super().reset(**kwargs)[0], {"episode": CountsEpisodes.episodes}


class OtherType(Good):
    def observe(self) -> Any:
        return super().observe().astype(np.float64)


class EndIsNumber(Good):
    def is_over(self) -> Any:
        return int(super().is_over())


class ReusesObservation(Good):
    memory = None

    def observe(self) -> Any:
        self.memory = np.zeros(2, np.float32) if self.memory is None else self.memory
        self.memory[:] = self.place, -self.place
        return self.memory


class ReusesInfo(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.info: dict[str, Any] = {}

    def step(self, action: Any) -> Any:
        *others, info = super().step(action)
        self.info |= info
        return *others, self.info


class ChangesAction(Good):
    def step(self, action: Any) -> Any:
        action *= 0.5
        return super().step(action)


class KeepsAction(Good):
    def reset(self, **kwargs: Any) -> Any:
        self.last = np.zeros(1)
        return super().reset(**kwargs)

    def step(self, action: Any) -> Any:
        mean, self.last = (action + self.last) / 2, action
        return super().step(mean)

    def get_state(self) -> Any:
        return self.place, self.last.copy()

    def set_state(self, state: Any) -> None:
        self.place, self.last = state


class InfoOfTwoTypes(Good):
    def step(self, action: Any) -> Any:
        *others, info = super().step(action)
        return *others, info | {"side": 0 if self.place > 0 else self.place}


class InfoIsNone(Good):
    def step(self, action: Any) -> Any:
        *others, _ = super().step(action)
        return *others, {"side": None if self.place > 0 else self.place}


class InfoIsHidden(Good):
    def step(self, action: Any) -> Any:
        *others, info = super().step(action)
        return *others, info | {"env_id": 7}


class DependsOnOrder(Good):
    last = None

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        self.number = getattr(self, "number", seed)
        DependsOnOrder.last = self.number
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        *others, info = super().step(action)
        before, DependsOnOrder.last = DependsOnOrder.last, self.number
        return *others, info | {"again": before == self.number}


class CountsEnvironments(Good):
    count = 0

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        CountsEnvironments.count += 1

    def reset(self, **kwargs: Any) -> Any:
        return super().reset(**kwargs)[0], {"environments": CountsEnvironments.count}

    def close(self) -> None:
        CountsEnvironments.count -= 1


class OrderOfSets(Good):
    def reset(self, **kwargs: Any) -> Any:
        observation, _ = super().reset(**kwargs)
        return observation, {"names": list({f"thing {i}" for i in range(20)})}


class InfoInOneProcess(Good):
    def step(self, action: Any) -> Any:
        *others, info = super().step(action)
        return *others, info | {"lock": threading.Lock()}


class SumStays(Good):
    sum = 0.0

    def step(self, action: Any) -> Any:
        self.sum += float(action[0])
        *others, info = super().step(action)
        return *others, info | {"sum": self.sum}

    def get_state(self) -> Any:
        return self.place, self.sum

    def set_state(self, state: Any) -> None:
        self.place, self.sum = state


class IgnoresSeeds(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self._np_random = np.random.default_rng(0)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        return super().reset()


class ForgetsInSnapshots(Good):
    steps = 0

    def reset(self, **kwargs: Any) -> Any:
        self.steps = 0
        return super().reset(**kwargs)

    def step(self, action: Any) -> Any:
        self.steps += 1
        *others, info = super().step(action)
        return *others, info | {"steps": self.steps}


class NoSnapshots(Good):
    get_state = set_state = property(lambda self: self.nothing)

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.lock = threading.Lock()


class EdgeOfActions(Good):
    def step(self, action: Any) -> Any:
        _, *others = super().step(action)
        at_edge = abs(action[0]) == 1.0
        return np.float32([1.5 if at_edge else 0.0, 0.0]), *others


class WildActionsStay(SumStays):
    def step(self, action: Any) -> Any:
        self.sum = self.sum if abs(action[0]) <= 1 else 1.0
        observation, *others, _ = Good.step(self, np.clip(action, -1, 1))
        return observation, *others, {"sum": self.sum}


class DrawingChangesIt(Good):
    def render(self) -> Any:
        self.place *= 0.99
        return super().render()


class DrawingDiffers(Good):
    drawn = 0

    def render(self) -> Any:
        self.drawn += 1
        return super().render() * 0 + np.uint8(self.drawn % 200)


class KeepsEpisodes(Good):
    kept: ClassVar[list[Any]] = []

    def reset(self, **kwargs: Any) -> Any:
        result = super().reset(**kwargs)
        self.kept.append([result])
        return result


class LeavesFileOpen(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.file = os.open(os.devnull, os.O_RDONLY)


class Endless(Good):
    def is_over(self) -> bool:
        return False
