"""How each package makes the environments of a case; runs inside the worker.

What is here only prepares: it imports the package and returns a function that makes them, so that
the time which that takes can be told from the time of an import.
"""

import ctypes
import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

SEED = 0

# Gymnasium's names of tasks that EnvPool has by an older one; what they do is the same.
GYMNASIUM_NAMES = {"Taxi-v3": "Taxi-v4"}

Make = Callable[[], Any]
Json = dict[str, Any]


@dataclass(frozen=True)
class Order:
    """What is asked for: the fields are those of a `Case`, and a contender's options."""

    task: str
    num_envs: int
    batch_size: int | None
    options: Json
    frames: Json | None
    action_batches: int

    @property
    def steps_per_call(self) -> int:
        return self.batch_size or self.num_envs

    def refuse(self, who: str, *, frames: bool = False, batches: bool = False) -> None:
        """Raises an error if the order is for what `who` does not have."""
        if frames and self.frames:
            raise ValueError(f"{who} does not render")
        if batches and self.batch_size is not None:
            raise ValueError(f"{who} has no batches smaller than num_envs")


Maker = Callable[[Order], Make]


def envpool(order: Order) -> Make:
    """Environments of whichever `envpool` this interpreter has."""
    pictures: Json = {}
    if order.frames:
        renders = order.frames["call"] == "render"
        pictures = {"render_mode": "rgb_array"} if renders else {"from_pixels": True}
        pictures |= dict.fromkeys(("render_width", "render_height"), order.frames["size"])
    load_qt()
    package = importlib.import_module("envpool")
    package.make_spec(order.task)  # Ours imports a family, and Gymnasium, with their first use.
    return partial(package.make, order.task, **pool_options(order), **pictures)


def load_qt() -> None:
    """Loads the Qt that is beside the real EnvPool, which then does not look for the system's."""
    for name in ("Core", "Gui"):
        for folder in map(Path, sys.path):
            library = folder / f"PyQt5/Qt5/lib/libQt5{name}.so.5"
            if library.exists():
                ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)


def pool_options(order: Order) -> Json:
    """Arguments of both envpools' `make`, and of `make_python`."""
    sizes = {"num_envs": order.num_envs, "batch_size": order.steps_per_call}
    return {"env_type": "gymnasium", "seed": SEED, **sizes, **order.options}


def gymnasium(order: Order) -> Make:
    """Gymnasium's vectorised environments."""
    order.refuse("Gymnasium", batches=True)
    make_vec = importlib.import_module("gymnasium").make_vec
    options = order.options
    if order.frames:
        os.environ.setdefault("MUJOCO_GL", "egl")  # Needs no display.
        size = order.frames["size"]
        options = {**options, "render_mode": "rgb_array", "width": size, "height": size}
        if order.frames["call"] == "step":
            wrappers = importlib.import_module("gymnasium.wrappers")
            options["wrappers"] = [wrappers.AddRenderObservation]
    task = GYMNASIUM_NAMES.get(order.task, order.task)
    return partial(make_vec, task, order.num_envs, **options)


def factories(order: Order) -> Any:
    """What makes environments written in Python."""
    return importlib.import_module("suites.python.tasks").factories(order.task, order.num_envs)


def envpool_python(order: Order) -> Make:
    """Our pool of environments written in Python."""
    make_python = importlib.import_module("envpool").make_python
    return partial(make_python, factories(order), **pool_options(order))


def vector(order: Order) -> Make:
    """A class of Gymnasium's vector environments, or of ours in its place."""
    module = importlib.import_module(order.options["module"])
    return partial(getattr(module, order.options["name"]), factories(order))


def sb3(order: Order) -> Make:
    """Stable-Baselines3's processes, started as Gymnasium's are: by forking."""
    make = importlib.import_module("stable_baselines3.common.vec_env").SubprocVecEnv
    return lambda: Sb3(make(factories(order), start_method="fork"))


class Sb3:
    """What the others have, under the names that they have it by."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self.action_space = self.single_action_space = env.action_space
        self.step, self.close = env.step, env.close

    def reset(self, seed: int) -> None:
        self._env.seed(seed)
        self._env.reset()


MAKERS: dict[str, Maker] = {
    make.__name__: make for make in (envpool, gymnasium, envpool_python, vector, sb3)
}


def maker(package: str) -> Maker | None:
    """What prepares to make a package's environments; None for a suite's ceiling.

    Args:
        package: Of :data:`MAKERS`, or a module of a suite, whose function ``make`` does it.
    """
    if package in MAKERS:
        return MAKERS[package]
    found: Maker | None = getattr(importlib.import_module(package), "make", None)
    return found


def action_dtype(env: Any) -> np.dtype[Any]:
    """The type of actions that an environment takes without converting them."""
    # The `action_space` of envpool says another one (int64 for Discrete).
    space = env.spec.action_array_spec["action"] if is_envpool(env) else env.action_space
    dtype: np.dtype[Any] = np.dtype(space.dtype)
    return dtype


def is_envpool(env: Any) -> bool:
    """Whether an environment has the methods of envpool, and its seed already."""
    return hasattr(env, "async_reset")
