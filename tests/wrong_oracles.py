"""Oracles that are wrong in ways that a comparison must tell of."""

from __future__ import annotations

import os
from typing import Any, NoReturn

import gymnasium

from envpool.oracles import classic_control, toy_text
from envpool.oracles.upstreams import Upstream

FAULTY = {"envpool.families.classic_control": Upstream("wrong_oracles:Faulty", {})}


class Generous(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Pays more in its seventh step."""

    steps = 0

    def step(self, action: Any) -> Any:
        obs, reward, *rest = self.env.step(action)
        self.steps += 1
        return obs, float(reward) + (self.steps == 7), *rest


class Fragile(gymnasium.Wrapper[Any, Any, Any, Any]):
    def step(self, action: Any) -> Any:
        raise ZeroDivisionError("upstream's own")


class Undrawn(gymnasium.Wrapper[Any, Any, Any, Any]):
    def render(self) -> Any:
        raise RuntimeError("no paint")


class Faulty(classic_control.Environments):
    """CartPole-v1 is generous, Pendulum-v1 crashes, and so on."""

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        if task_id == "Pendulum-v1":
            os.abort()
        if task_id == "Pendulum-v0":
            raise ImportError("no libpendulum")
        wrapper = {"CartPole-v1": Generous, "Acrobot-v1": Fragile, "CartPole-v0": Undrawn}
        return wrapper.get(task_id, gymnasium.Wrapper)(super().make(task_id, seed, **options))


class Restless(toy_text.Environments):
    """It does not say which actions to take."""

    def actions(self, space: Any, seed: int) -> NoReturn:
        raise RuntimeError("no actions")
