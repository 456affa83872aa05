"""How each package makes the environments of a case; runs inside the worker.

What is here only prepares: it imports the package and returns a function that makes them, so that
the time which that takes can be told from the time of an import.
"""

import importlib
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

SEED = 0

# Gymnasium's names of tasks that EnvPool has by an older one; what they do is the same.
GYMNASIUM_NAMES = {"Taxi-v3": "Taxi-v4"}

Make = Callable[[], Any]
Json = dict[str, Any]


def envpool(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """Environments of whichever `envpool` this interpreter has."""
    if frames:
        renders = frames["call"] == "render"
        options = {
            **options,
            **({"render_mode": "rgb_array"} if renders else {"from_pixels": True}),
            "render_width": frames["size"],
            "render_height": frames["size"],
        }
    package = importlib.import_module("envpool")
    package.make_spec(task)  # Ours imports a family, and Gymnasium, with their first use.
    return partial(
        package.make,
        task,
        env_type="gymnasium",
        num_envs=num_envs,
        batch_size=batch_size or num_envs,
        seed=SEED,
        **options,
    )


def gymnasium(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """Gymnasium's vectorised environments."""
    if batch_size is not None:
        raise ValueError("gymnasium has no batches smaller than num_envs")
    make_vec = importlib.import_module("gymnasium").make_vec
    if frames:
        os.environ.setdefault("MUJOCO_GL", "egl")  # Needs no display.
        size = frames["size"]
        options = {**options, "render_mode": "rgb_array", "width": size, "height": size}
        if frames["call"] == "step":
            wrappers = importlib.import_module("gymnasium.wrappers")
            options["wrappers"] = [wrappers.AddRenderObservation]
    return partial(make_vec, GYMNASIUM_NAMES.get(task, task), num_envs, **options)


def gymnasium_atari(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """Gymnasium's vectorised games of Atari, with wrappers that do what envpool's options do."""
    importlib.import_module("ale_py")  # Registers the games.
    wrappers = importlib.import_module("gymnasium.wrappers")
    stack = [wrappers.AtariPreprocessing, partial(wrappers.FrameStackObservation, stack_size=4)]
    # It is the wrapper that repeats actions, and nothing does at random.
    settings = {"frameskip": 1, "repeat_action_probability": 0.0, "wrappers": stack}
    return gymnasium(f"ALE/{task}", num_envs, batch_size, {**options, **settings}, frames)


def gymnasium_minigrid(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """Gymnasium's vectorised grid worlds of minigrid."""
    importlib.import_module("minigrid")  # Registers them.
    return gymnasium(task, num_envs, batch_size, options, frames)


def gymnasium_robotics(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """Gymnasium's vectorised environments of gymnasium-robotics."""
    importlib.import_module("robotics_tasks").register()
    return gymnasium(task, num_envs, batch_size, options, frames)


def ale(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """ALE's own vectorised environments, whose other defaults are those of envpool."""
    if frames:
        raise ValueError("ALE's vectorised environments do not render")
    vector_env = importlib.import_module("ale_py").AtariVectorEnv
    game = importlib.import_module("gymnasium").spec(f"ALE/{task}").kwargs["game"]
    return partial(
        vector_env,
        game,
        num_envs,
        batch_size=batch_size or num_envs,
        reward_clipping=False,
        **options,
    )


def factories(task: str, num_envs: int) -> Any:
    """What makes environments written in Python."""
    return importlib.import_module("python_tasks").factories(task, num_envs)


def envpool_python(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """Our pool of environments written in Python."""
    return partial(
        importlib.import_module("envpool").make_python,
        factories(task, num_envs),
        "gymnasium",
        num_envs=num_envs,
        batch_size=batch_size or num_envs,
        seed=SEED,
        **options,
    )


def vector(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """A class of Gymnasium's vector environments, or of ours in its place."""
    module = importlib.import_module(options["module"])
    return partial(getattr(module, options["name"]), factories(task, num_envs))


def sb3(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """Stable-Baselines3's processes, started as Gymnasium's are: by forking."""
    make = importlib.import_module("stable_baselines3.common.vec_env").SubprocVecEnv
    return lambda: Sb3(make(factories(task, num_envs), start_method="fork"))


def dm_control(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> Make:
    """dm_control's own environments, in a loop."""
    if frames or batch_size is not None:
        raise ValueError("the loop over dm_control's environments steps all, and does not render")
    return partial(importlib.import_module("dm_control_tasks").Loop, task, num_envs, SEED)


class Sb3:
    """What the others have, under the names that they have it by."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self.action_space = self.single_action_space = env.action_space
        self.step, self.close = env.step, env.close

    def reset(self, seed: int) -> None:
        self._env.seed(seed)
        self._env.reset()


MAKERS = {
    "envpool": envpool,
    "gymnasium": gymnasium,
    "gymnasium_atari": gymnasium_atari,
    "gymnasium_minigrid": gymnasium_minigrid,
    "gymnasium_robotics": gymnasium_robotics,
    "ale": ale,
    "envpool_python": envpool_python,
    "vector": vector,
    "sb3": sb3,
    "dm_control": dm_control,
}


def action_dtype(env: Any) -> np.dtype[Any]:
    """The type of actions that an environment takes without converting them."""
    # The `action_space` of envpool says another one (int64 for Discrete).
    space = env.spec.action_array_spec["action"] if is_envpool(env) else env.action_space
    dtype: np.dtype[Any] = np.dtype(space.dtype)
    return dtype


def is_envpool(env: Any) -> bool:
    """Whether an environment has the methods of envpool, and its seed already."""
    return hasattr(env, "async_reset")
