"""What minigrid's wrappers make of observations, ours have by options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import envpool
from helpers import Pair
from minigrid import wrappers
from minigrid_oracle import Sorted, play

N = 3
TASKS = [
    "MiniGrid-DoorKey-6x6-v0",
    "MiniGrid-LavaGapS6-v0",
    "MiniGrid-RedBlueDoors-6x6-v0",
    "MiniGrid-UnlockPickup-v0",
]

Wrap = Callable[[gymnasium.Env[Any, Any]], gymnasium.Env[Any, Any]]

# Options, and the wrappers in the place of which they are, the first one next to the environment.
FORMS: list[tuple[dict[str, Any], list[Wrap]]] = [
    ({"image": "full"}, [wrappers.FullyObsWrapper]),
    ({"image": "one_hot"}, [wrappers.OneHotPartialObsWrapper]),
    ({"image": "symbolic"}, [wrappers.SymbolicObsWrapper]),
    ({"image": "rgb"}, [wrappers.RGBImgObsWrapper]),
    (
        {"image": "rgb", "image_tile_size": 5, "highlight": False},
        [partial(wrappers.RGBImgObsWrapper, tile_size=5)],
    ),
    ({"image": "rgb_partial"}, [wrappers.RGBImgPartialObsWrapper]),
    ({"observation": "image"}, [wrappers.ImgObsWrapper]),
    (
        {"observation": "image", "image": "symbolic"},
        [wrappers.SymbolicObsWrapper, wrappers.ImgObsWrapper],
    ),
    (
        {"observation": "image", "image": "rgb_partial"},
        [wrappers.RGBImgPartialObsWrapper, wrappers.ImgObsWrapper],
    ),
    ({"observation": "flat"}, [wrappers.FlatObsWrapper]),
    (
        {"observation": "flat", "image": "full"},
        [wrappers.FullyObsWrapper, wrappers.FlatObsWrapper],
    ),
    ({"mission_words": True}, [wrappers.DictObservationSpaceWrapper]),
    (
        {"agent_view_size": 5, "image": "one_hot"},
        [partial(wrappers.ViewSizeWrapper, agent_view_size=5), wrappers.OneHotPartialObsWrapper],
    ),
]


def make_theirs(task_id: str, wraps: list[Wrap], **options: Any) -> gymnasium.Env[Any, Any]:
    env: gymnasium.Env[Any, Any] = gymnasium.make(
        task_id, disable_env_checker=True, **options
    ).unwrapped
    for wrap in wraps:
        env = wrap(env)
    return Sorted(env) if isinstance(env.observation_space, gymnasium.spaces.Dict) else env


@pytest.mark.one_in(3)
@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize(("options", "wraps"), FORMS, ids=str)
def test_options_are_wrappers(options, wraps, task_id):
    shared = {"max_steps": 25} | {k: v for k, v in options.items() if k == "highlight"}
    make = partial(make_theirs, task_id, wraps, **shared)
    ours = gymnasium.make_vec(
        f"envpool/{task_id}",
        N,
        autoreset_mode=AutoresetMode.NEXT_STEP,
        **{"max_steps": 25} | options,
    )
    theirs = SyncVectorEnv([make] * N, autoreset_mode=AutoresetMode.NEXT_STEP)
    assert _without_text(ours.single_observation_space) == _without_text(
        theirs.single_observation_space
    )
    pair = Pair(ours, theirs)
    pair.call("reset", seed=11)
    assert play(pair, 30)[0] >= N


def _without_text(space: gymnasium.Space[Any]) -> Any:
    """A space but for missions, for which minigrid has a class of its own."""
    if not isinstance(space, gymnasium.spaces.Dict):
        return space
    return {
        key: part
        for key, part in space.items()
        if isinstance(part, gymnasium.spaces.Box | gymnasium.spaces.MultiDiscrete)
    }


def test_images_that_are_no_bytes_are_not_flat():
    with pytest.raises(ValueError, match="expected an image of bytes"):
        envpool.make("MiniGrid-Empty-5x5-v0", "gymnasium", observation="flat", image="symbolic")


def test_all_missions_have_words():
    for task_id in (name for name in envpool.list_all_envs() if name.startswith("MiniGrid-")):
        pool = envpool.make(task_id, "gymnasium", num_envs=20, mission_words=True)
        assert pool.reset()[0]["mission"].max() <= 51
