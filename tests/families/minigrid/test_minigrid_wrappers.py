"""What minigrid's wrappers make of observations, ours have by options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool
from envpool.oracles.minigrid import Sorted
from helpers import Pair, begun, pair_with
from minigrid import wrappers
from minigrid_oracle import play

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
    ({"observation": "flat", "image": "full"}, [wrappers.FullyObsWrapper, wrappers.FlatObsWrapper]),
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


def make_pair(
    task_id: str,
    wraps: list[Wrap],
    mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    **options: Any,
) -> Pair:
    """Ours with options, and minigrid's with wrappers and those of the options that it has."""
    known = {name: options[name] for name in ("max_steps", "highlight") if name in options}
    makers = [partial(make_theirs, task_id, wraps, **known)] * N
    return pair_with(task_id, makers, mode, **options)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize(("options", "wraps"), FORMS, ids=str)
def test_options_are_wrappers(options, wraps, task_id):
    pair = make_pair(task_id, wraps, max_steps=25, **options)
    spaces = [env.single_observation_space for env in (pair.ours, pair.theirs)]
    assert _without_text(spaces[0]) == _without_text(spaces[1])
    pair.call("reset", seed=11)
    assert play(pair, 30) >= N


def _without_text(space: gymnasium.Space[Any]) -> Any:
    """A space but for missions, for which minigrid has a class of its own."""
    if not isinstance(space, gymnasium.spaces.Dict):
        return space
    return {
        key: part
        for key, part in space.items()
        if isinstance(part, gymnasium.spaces.Box | gymnasium.spaces.MultiDiscrete)
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(
    ("bonus", "wrap"), [("position", wrappers.PositionBonus), ("action", wrappers.ActionBonus)]
)
@pytest.mark.parametrize("task_id", [*TASKS[:2], "MiniGrid-Dynamic-Obstacles-Random-5x5-v0"])
def test_a_bonus_is_counted_through_all_episodes(task_id, bonus, wrap, mode):
    pair = make_pair(task_id, [wrap], mode, bonus=bonus, max_steps=15)
    for seed in (2, 3, None):
        pair.call("reset", seed=seed)
        play(pair, 40)


def test_a_bonus_goes_on_from_a_snapshot():
    options: Any = {"num_envs": 2, "bonus": "position"}
    pool, other = (
        begun(envpool.make("MiniGrid-Empty-5x5-v0", "gymnasium", **options)) for _ in range(2)
    )
    left = np.zeros(2, int)
    rewards = [float(pool.step(left)[1][0]) for _ in range(4)]
    assert rewards == [1.0, float(np.float32(0.5**0.5)), float(np.float32(3**-0.5)), 0.5]
    other.set_state(pool.get_state())
    assert other.step(left)[1][0] == np.float32(5**-0.5)


def test_images_that_are_no_bytes_are_not_flat():
    with pytest.raises(ValueError, match="expected an image of bytes"):
        envpool.make("MiniGrid-Empty-5x5-v0", "gymnasium", observation="flat", image="symbolic")


# What BabyAI's missions have beside the words of DictObservationSpaceWrapper, in our order.
BABYAI_WORDS = ["next", "after", "on", "in", "your", "left", "right", "front", "behind"]
LEVELS = sorted(name for name in gymnasium.registry if name.startswith(("MiniGrid-", "BabyAI-")))


@pytest.mark.parametrize("family", ["MiniGrid-", "BabyAI-"])
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_all_missions_have_words(family):
    """Of each level many missions, whose numbers say the same words as the mission's text."""
    words = ["", *wrappers.DictObservationSpaceWrapper.get_minigrid_words(), *BABYAI_WORDS]
    for task_id in (name for name in LEVELS if name.startswith(family)):
        make = partial(envpool.make, task_id, "gymnasium", num_envs=25, num_threads=1)
        pool: Any = make(mission_words=True)
        texts: Any = make()
        space = pool.observation_space["mission"]
        numbers = pool.reset()[0]["mission"]
        assert space.nvec.max() == len(words) - (len(BABYAI_WORDS) if family == "MiniGrid-" else 0)
        assert (numbers < space.nvec).all()
        for mission, row in zip(
            envpool.minigrid.decode_mission(texts.reset()[0]["mission"]), numbers, strict=True
        ):
            said = " ".join(words[number] for number in row).rstrip().replace(" ,", ",")
            assert said == mission


@pytest.mark.parametrize("task_id", ["BabyAI-BossLevel-v0", "BabyAI-GoToDoor-v0"])
def test_words_of_babyai_are_the_wrappers_with_more_words(task_id):
    words = [*wrappers.DictObservationSpaceWrapper.get_minigrid_words(), *BABYAI_WORDS]
    numbers = {word: number for number, word in enumerate(words)}
    wrap = partial(wrappers.DictObservationSpaceWrapper, max_words_in_mission=72, word_dict=numbers)
    pair = make_pair(task_id, [wrap], mission_words=True)
    pair.call("reset", seed=3)
    play(pair, 5)


def test_a_mission_longer_than_minigrids_has_words():
    options = {"action_kinds": "putnext", "instr_kinds": "seq", "locked_room_prob": 0.0}
    pool: Any = envpool.make(
        "BabyAI-BossLevel-v0", "gymnasium", num_envs=1000, mission_words=True, **options
    )
    assert (pool.reset()[0]["mission"] > 0).sum(axis=1).max() >= 50


# Only what is made of the world shows, right after a reset, that the agent already has an object.
@pytest.mark.parametrize("image", ["one_hot", "full", "symbolic", "rgb", "rgb_partial"])
def test_an_agent_that_starts_with_an_object(image):
    forms = {options["image"]: wraps for options, wraps in FORMS if list(options) == ["image"]}
    task_id = "BabyAI-PutNextS5N2Carrying-v0"
    pair = make_pair(task_id, forms[image], image=image, max_steps=9)
    pair.call("reset", seed=3)
    play(pair, 25)
