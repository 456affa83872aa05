"""Gymnasium's stack of wrappers around ``ale_py``'s games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from ale_py.env import AtariEnv
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation, TimeLimit
from numpy.typing import NDArray

from envpool.families.atari.registration import MAX_EPISODE_STEPS, atari_game_list
from envpool.oracles.upstreams import Oracle, repeated

TASKS = {
    "".join(word.capitalize() for word in game.split("_")) + "-v5": game for game in atari_game_list
}
# Gymnasium refuses no-ops where action 0 is none.
NO_NOOP = ("Backgammon-v5", "VideoCheckers-v5")

# Options that the environment takes, and Gymnasium's names of those that its wrapper takes.
_ENV = (
    "repeat_action_probability", "full_action_space", "mode", "difficulty", "render_mode",
    "continuous", "continuous_action_threshold",
)  # fmt: skip
_WRAPPER = {
    "noop_max": "noop_max",
    "frame_skip": "frame_skip",
    "terminal_on_life_loss": "terminal_on_life_loss",
    "gray_scale": "grayscale_obs",
}
_DIMENSIONS_IN_COLOURS = 4


def defaults(task_id: str, **options: Any) -> dict[str, Any]:
    """Our options for what Gymnasium can do, too: it knows no fire at a reset.

    Args:
        task_id: The task.
        **options: More of ours.
    """
    noops = {"noop_max": 0} if task_id in NO_NOOP else {}
    return {"use_fire_reset": False} | noops | options


def as_planes(obs: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Frames of rows of pixels of colours as ours are: frames of planes.

    Args:
        obs: ``[frame, height, width]``, in colours with another axis.
    """
    if obs.ndim == _DIMENSIONS_IN_COLOURS:
        obs = obs.transpose(0, 3, 1, 2).reshape(-1, *obs.shape[1:3])
    return np.ascontiguousarray(obs)


class OurForm(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment of Gymnasium's with our order of colours, and without the info "seeds"."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        theirs: Any = env.observation_space
        shape = as_planes(np.empty(theirs.shape, np.uint8)).shape
        self.observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """See Gymnasium."""
        obs, info = self.env.reset(**kwargs)
        info.pop("seeds", None)
        return as_planes(obs), info

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        obs, *rest = self.env.step(action)
        return as_planes(obs), *rest


class LoadedOnce(AtariEnv):
    """Loading a game is most of a short test's time: this is ready for its first reset, by a seed.

    AtariEnv loads its game when it is made, and again in each reset with a seed.
    """

    def __init__(self, seed: int, *args: Any, **kwargs: Any) -> None:
        self.first_seed, self.is_fresh = seed, False
        super().__init__(*args, **kwargs)

    def seed_game(self, seed: int | None = None) -> Any:
        """See ale_py."""
        return super().seed_game(self.first_seed if seed is None else seed)

    def load_game(self) -> None:
        """See ale_py."""
        if not self.is_fresh:
            super().load_game()
        self.is_fresh = True

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """See ale_py."""
        assert not self.is_fresh or seed == self.first_seed
        result = super().reset(seed=seed, options=options)
        self.is_fresh = False
        return result


def upstream(
    task_id: str, first_seed: int | None = None, **options: Any
) -> gymnasium.Env[Any, Any]:
    """Gymnasium's environment with the same options, by our names.

    Args:
        task_id: The task.
        first_seed: What it will first be reset with, if that is known.
        **options: Ours.
    """
    options = dict(options)
    assert not options.pop("use_fire_reset")
    env_options = {name: options.pop(name) for name in _ENV if name in options}
    wrapper_options = {
        theirs: options.pop(ours) for ours, theirs in _WRAPPER.items() if ours in options
    }
    size = (options.pop("img_width", 84), options.pop("img_height", 84))
    steps, frames = options.pop("max_episode_steps", MAX_EPISODE_STEPS), options.pop("stack_num", 4)
    assert not options
    env_options = {"repeat_action_probability": 0.0, "frameskip": 1} | env_options
    game = TASKS[task_id]
    env: gymnasium.Env[Any, Any]
    if first_seed is None:
        env = AtariEnv(game, **env_options)
    else:
        env = LoadedOnce(first_seed, game, **env_options)
    env = AtariPreprocessing(env, screen_size=size, **wrapper_options)
    return OurForm(FrameStackObservation(TimeLimit(env, steps), frames))


class Environments(Oracle):
    """The games that ALE supports for one player."""

    def options(self, task_id: str) -> dict[str, Any]:
        """See :class:`Oracle`."""
        return defaults(task_id)

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return upstream(task_id, seed, **options)

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Each for some steps."""
        return repeated(space, seed)
