"""An episode whose reset chooses its level is that of an environment made with the level."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import envpool
from envpool.curriculum import Episode
from helpers import assert_same_bytes, assert_same_results, leaves, skipping_without_engine

VECTORS = [[0.1 * i - 0.1, 0.6, 0.02, 0.05 * i, 0.8, 0.2] for i in range(3)]
GOALS = {"partially_observable": False, "task_vectors": [x for vector in VECTORS for x in vector]}
ROOM = ["##########", "##>>....##", "##....GG##", "##########"]
OTHER_ROOM = ["##########", "##AR..VV##", "##GG..VR##", "##########"]


class Level(NamedTuple):
    """A level of a task.

    Attributes:
        task_id: The task.
        options: Those of the pool that has many levels.
        chosen: The reset options that choose the level.
        made: The options of a pool that has only this one.
    """

    task_id: str
    options: dict[str, Any]
    chosen: dict[str, Any]
    made: dict[str, Any]


LEVELS = {
    "procgen": Level("CoinrunEasy-v0", {}, {"level": 77}, {"start_level": 77, "num_levels": 1}),
    "procgen, few levels": Level(
        *("MazeHard-v0", {"start_level": 5, "num_levels": 3}, {"level": 0}, {"num_levels": 1})
    ),
    "procgen, generated": Level(
        "StarpilotEasy-v0",
        {"use_generated_assets": True},
        {"level": 2**31 - 2},
        {"use_generated_assets": True, "start_level": 2**31 - 2, "num_levels": 1},
    ),
    "atari": Level("Breakout-v5", {}, *[{"mode": 12, "difficulty": 1}] * 2),
    "atari, difficulty": Level(
        *("Pong-v5", {"mode": 1}, {"difficulty": 3}, {"mode": 1, "difficulty": 3})
    ),
    "metaworld": Level(
        *("MetaWorld/Reach-v3", GOALS, {"goal": 1}, GOALS | {"task_vectors": VECTORS[1]})
    ),
    "driving": Level(
        *("highway-fast-v0", {"lanes_count": 4}, {"config": {"vehicles_count": 5, "duration": 9}}),
        {"lanes_count": 4, "vehicles_count": 5, "duration": 9},
    ),
    "driving, roads": Level(
        *("intersection-v2", {}, {"spawn_probability": 1.0}, {"spawn_probability": 1.0})
    ),
    "minigrid": Level("MiniGrid-Map-v0", {"map": ROOM}, {"map": OTHER_ROOM}, {"map": OTHER_ROOM}),
}  # fmt: skip
each_level = pytest.mark.parametrize(
    "level",
    [
        pytest.param(level, marks=param.marks, id=name)
        for (name, level), param in zip(
            LEVELS.items(),
            skipping_without_engine(level.task_id for level in LEVELS.values()),
            strict=True,
        )
    ],
)
STEPS = 12  # of an episode
SEED = 1234


def make(level: Level, num_envs: int = 2, made: bool = False, **options: Any) -> Any:
    """A pool of a level's task, or one that has only the level."""
    options |= level.made if made else level.options
    options.setdefault("max_episode_steps", STEPS)
    return envpool.make(level.task_id, "gymnasium", num_envs=num_envs, **options)


class Shown(NamedTuple):
    """What an environment shows.

    Attributes:
        arrays: By their paths in observations and infos, and the reward.
        ends: True if the episode ends.
    """

    arrays: dict[str, np.ndarray]
    ends: bool


def shown(result: Any, row: int = 0) -> Shown:
    """An environment's part of what a reset or step returned."""
    observation, *rest, info = result
    arrays = {
        path: array[row]
        for path, array in leaves({"observation": observation, "info": info})
        if "env_id" not in path and "final" not in path
    }
    if not rest:
        return Shown(arrays, False)
    return Shown(arrays | {"reward": rest[0][row]}, bool(rest[1][row] or rest[2][row]))


def assert_alike(ours: Shown, theirs: Shown, is_first: bool = False) -> None:
    """The same bytes; a step that begins an episode also tells of the one before."""
    assert is_first or ours.ends == theirs.ends
    for path, array in theirs.arrays.items():
        if not (is_first and "prev_level" in path):
            assert_same_bytes(ours.arrays[path], array, path)


def actions_of(pool: Any, index: int) -> np.ndarray:
    """The same one for all environments: a function of the index."""
    pool.action_space.seed(index)
    return np.stack([pool.action_space.sample()] * pool.num_envs)


def assert_plays_alike(
    pool: Any, first: Shown, expected: list[Shown], is_whole: bool = True
) -> None:
    """Environment 1 shows the expected episode, of which it has shown the first observation.

    Args:
        pool: Where it is.
        first: What it has shown.
        expected: The episode.
        is_whole: False if the last step shows the first observation of the next episode.
    """
    assert_alike(first, expected[0], is_first=True)
    for index, theirs in enumerate(expected[1:] if is_whole else expected[1:-1]):
        assert_alike(shown(pool.step(actions_of(pool, index)), 1), theirs)


def alone(level: Level, seed: int) -> list[Shown]:
    """An episode of a pool that has only this level."""
    with make(level, 1, made=True, autoreset_mode="Disabled") as pool:
        episode = [shown(pool.reset(seed=seed))]
        while not episode[-1].ends:
            episode.append(shown(pool.step(actions_of(pool, len(episode) - 1))))
    return episode


def begin(pool: Any, mode: str) -> Shown:
    """Plays until environment 1 has begun another episode; returns what it shows then."""
    for index in range(STEPS):
        begun = shown(pool.step(actions_of(pool, index)), 1)
        if begun.ends:
            return begun if mode == "SameStep" else shown(pool.step(actions_of(pool, 0)), 1)
    raise AssertionError("no episode has ended")


# --- equality -----------------------------------------------------------------------------------


@each_level
def test_a_level_is_another_one_than_usual(level):
    with make(level) as pool:
        pool.reset(seed=SEED)
        with pytest.raises(AssertionError):
            assert_plays_alike(pool, shown(pool.reset(seed=[SEED] * 2), 1), alone(level, SEED))


@each_level
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_the_next_episode_has_the_level(level, mode):
    with make(level, autoreset_mode=mode) as pool:
        pool.reset(seed=5)
        pool.next_episode([1], seed=[SEED], options=level.chosen)
        assert_plays_alike(pool, begin(pool, mode), alone(level, SEED), mode != "SameStep")


@each_level
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_schedule_of_levels(level, mode):
    """Every second episode has the level, and the ones between are as without a schedule."""

    def schedule(env_id: int, index: int) -> Episode:
        return Episode(seed=SEED + index, options=level.chosen if index % 2 else None)

    with make(level, autoreset_mode=mode, episodes=schedule) as pool, make(level) as usual:
        first = shown(pool.reset(), 1)
        for index in range(4):
            if index % 2:
                expected = alone(level, SEED + index)
                assert_alike(first, expected[0], is_first=True)
            else:
                assert_alike(first, shown(usual.reset(seed=SEED + index), 0), is_first=True)
            first = begin(pool, mode)


@each_level
def test_a_reset_in_an_episode_has_the_level(level):
    with make(level) as pool:
        pool.reset(seed=5)
        for index in range(3):
            pool.step(actions_of(pool, index))
        expected = alone(level, SEED)
        first = shown(pool.reset(seed=[SEED, SEED], options=level.chosen), 1)
        assert_plays_alike(pool, first, expected)


@each_level
def test_one_reset_alone_has_it(level):
    """The next one has what is usual again."""
    with make(level) as pool, make(level) as usual:
        for one in (pool, usual):
            one.reset(seed=SEED, options=level.chosen if one is pool else None)
        firsts = [shown(one.reset(seed=SEED), 1) for one in (pool, usual)]
        assert_alike(*firsts)


@each_level
def test_states_and_recordings_have_it(level, tmp_path):
    record = tmp_path / "recording"
    with make(level, record=record) as pool, make(level) as other:
        other.reset(seed=9)
        first = shown(pool.reset(seed=[7, SEED], options=level.chosen), 1)
        played = [first, shown(pool.step(actions_of(pool, 0)), 1)]
        if "use_generated_assets" not in level.options:
            other.set_state(pool.get_state())
        for index in range(1, 2 * STEPS):
            results = [one.step(actions_of(one, index)) for one in (pool, other)]
            played.append(shown(results[0], 1))
            if "use_generated_assets" not in level.options:
                assert_same_results(*results)
    episode = next(each for each in envpool.replay(record) if each.env == 1)
    observations = dict(leaves({"observation": episode.rollout().observations}))
    for path, array in observations.items():
        for step, seen in enumerate(array):
            assert_same_bytes(seen, played[step].arrays[path], path)
