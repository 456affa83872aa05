"""Each task is its original, bit for bit, as ``python -m envpool verify`` compares them.

What random actions with default options hardly reach is in the families' own tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import envpool
from envpool.oracles.comparison import Outcome, Plan, compare_tasks
from envpool.oracles.opengl import find_backend
from envpool.oracles.session import chosen_tasks, family_of
from envpool.oracles.upstreams import UPSTREAMS, Oracle, require
from envpool.tasks.registry import gymnasium_id, registry
from helpers import OraclePair, assert_same_bytes, leaves
from opengl import let_dm_control_draw

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


class Effort(NamedTuple):
    """How much of a family is compared: every day, one in so many tasks."""

    one_in: int = 6
    steps: int = 20
    long_steps: int = 300


EFFORTS = {
    "classic_control": Effort(3, 450, 3000),
    "toy_text": Effort(5, 300, 2000),
    "box2d": Effort(4, 100, 2000),
    "mujoco.gym": Effort(6, 60, 1100),
    "dm_control": Effort(10, 10, 1002),
    "robotics": Effort(22, 8, 300),
    "highway": Effort(8, 4, 130),
    "metaworld": Effort(12, 14, 510),
    "minigrid": Effort(12, 60, 400),
    "atari": Effort(26, 60, 2000),
    # Continuous integration has stages for these.
    "procgen": Effort(1, 100, 3000),
    "vizdoom": Effort(1, 80, 3000),
    "gfootball": Effort(1, 12, 700),
}
TASKS = chosen_tasks([])
ENDLESS = 2**31 - 1  # the max_episode_steps of what has no limit
# Tasks without an original that Gymnasium's API can play: the families have tests of them.
WITHOUT = {
    *("MiniGrid-Map-v0", "NChain-v0", "Catch-v0", "VizdoomCustom-v1"),
    *(f"intersection-multi-agent-v{version}" for version in range(3)),
}
# Whose originals take no render_mode.
UNDRAWN = ("lane-keeping-v0", "parking-ActionRepeat-v0", "parking-parked-v0")


def short(task_id: str) -> str:
    return family_of(task_id).removeprefix("envpool.families.")


def draws_by_its_own(task_id: str) -> bool:
    """True if all its random numbers are of the generator that Gymnasium knows as its own."""
    others = ("dm_control", "metaworld", "vizdoom", "gfootball")
    return short(task_id) not in others and not task_id.startswith("FrankaKitchen")


def effort(task_id: str) -> Effort:
    return EFFORTS.get(short(task_id), Effort())


def everyday_and_long() -> list[Any]:
    """The tasks, of which one in so many of a family is for every day."""
    counts: Counter[str] = Counter()
    params = []
    for task_id in TASKS:
        family = short(task_id)
        one_in = effort(task_id).one_in
        is_everyday = counts[family] % one_in == one_in // 2
        if "-WFC-" in task_id:  # whose levels take minigrid two seconds each
            is_everyday = False
        else:
            counts[family] += 1
        marks = () if is_everyday else pytest.mark.long
        params.append(pytest.param(task_id, marks=marks, id=f"{family}-{task_id}"))
    return params


def oracle_of(task_id: str) -> Oracle:
    """What makes the original; skips where what it needs is not installed."""
    family = family_of(task_id)
    try:
        require(family)
    except ImportError as error:
        pytest.skip(str(error))
    oracle = UPSTREAMS[family].load()
    if lack := oracle.lack(task_id):
        assert task_id in WITHOUT or lack.startswith("needs "), lack
        pytest.skip(lack)
    return oracle


def compare(task_id: str, steps: int, seeds: Sequence[int], pictures: bool) -> None:
    oracle_of(task_id)
    plan = Plan(steps, seeds, pictures and task_id not in UNDRAWN)
    *_, outcome = compare_tasks(UPSTREAMS[family_of(task_id)], [task_id], plan)
    assert isinstance(outcome, Outcome)
    assert (outcome.result, outcome.text) == ("equal", "")


def test_all_of_gymnasiums_environments_are_here():
    theirs = {
        name
        for name, spec in gymnasium.registry.items()
        if str(spec.entry_point).startswith("gymnasium.envs.")
    }
    assert {"CartPole-v1", "Taxi-v4", "LunarLander-v3", "Ant-v5"} <= theirs <= set(registry.tasks)


def test_all_families_are_compared():
    assert {f"envpool.families.{family}" for family in EFFORTS} <= set(UPSTREAMS)
    families = {task.import_path for task in registry.tasks.values()}
    compared = {name for name in UPSTREAMS if "." in name}  # the others are packages of JAX
    assert families - {"envpool.families.testing"} == compared


@pytest.mark.parametrize("task_id", everyday_and_long())
def test_every_task_is_its_original(task_id):
    """With pictures, if a step is not much quicker than a picture by OpenGL."""
    upstream = UPSTREAMS[family_of(task_id)]
    compare(task_id, effort(task_id).steps, [0, 42], not upstream.draws)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2**31 - 3])
@pytest.mark.parametrize("task_id", TASKS, ids=lambda name: f"{short(name)}-{name}")
def test_long_play_is_the_originals(task_id, seed, monkeypatch):
    upstream, (backend, _) = UPSTREAMS[family_of(task_id)], find_backend()
    monkeypatch.setenv("MUJOCO_GL", backend)
    if short(task_id) == "dm_control" and backend:
        oracle_of(task_id)  # skips where dm_control is not
        let_dm_control_draw(monkeypatch, backend)
    pictures = bool(backend) or not upstream.draws
    compare(task_id, effort(task_id).long_steps, [seed], pictures)


@pytest.mark.parametrize("task_id", everyday_and_long())
def test_single_environments_are_the_originals(task_id):
    """With the same spaces, limit and threshold. Only types of single numbers may be others."""
    oracle = oracle_of(task_id)
    options = oracle.options(task_id)
    name = registry.tasks[task_id].gymnasium.get("id") or gymnasium_id(task_id)
    ours, theirs = gymnasium.make(name, **options), oracle.make(task_id, 3, **options)
    if short(task_id) != "minigrid":  # whose missions are in a space of their own
        assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    if theirs.spec is not None:
        assert ours.spec.reward_threshold == theirs.spec.reward_threshold
        limit = theirs.spec.max_episode_steps or ENDLESS
        assert envpool.make_spec(task_id, **options).config.max_episode_steps == limit
    theirs.action_space.seed(0)
    assert_same_numbers(ours.reset(seed=3), theirs.reset(seed=3))
    for _ in range(effort(task_id).steps // 4):
        action = theirs.action_space.sample()
        results = ours.step(action)
        assert_same_numbers(results, theirs.step(action))
        if results[2] or results[3]:
            assert_same_numbers(ours.reset(), theirs.reset())
    if draws_by_its_own(task_id):
        states = [env.np_random.bit_generator.state for env in (ours, theirs)]
        assert states[0] == states[1]
    ours.close(), theirs.close()


def assert_same_numbers(ours: Any, theirs: Any) -> None:
    """The same arrays and other values under the same keys; observations have ours in order."""
    assert list(ours[-1]) == list(theirs[-1])  # infos
    mine = dict(leaves(ours))
    assert mine.keys() == dict(leaves(theirs)).keys()
    for path, their in leaves(theirs):
        if isinstance(their, np.ndarray):
            assert_same_bytes(np.asarray(mine[path]), their, path)
        else:
            assert mine[path] == their, path


# How its episodes end within some steps, and how many of these.
LIMIT = {"max_episode_steps": 4}
MODES = [
    ("FrozenLake-v1", {}, 60),
    ("LunarLander-v3", {"max_episode_steps": 40}, 100),
    ("CarRacing-v3", {"max_episode_steps": 8}, 20),
    ("Hopper-v5", {"max_episode_steps": 12}, 30),
    ("AdroitHandPen-v1", LIMIT, 10),
    ("AntMaze_Open-v4", LIMIT, 10),
    ("FetchPickAndPlace-v4", LIMIT, 8),
    ("HandReach-v3", LIMIT, 8),
    ("HandManipulatePen-v1", LIMIT, 8),
    ("MiniGrid-DoorKey-5x5-v0", {"max_steps": 20}, 70),
    ("BabyAI-GoTo-v0", {"max_steps": 20}, 50),
    ("merge-v0", {}, 30),
    ("racetrack-v0", {}, 30),
    ("StarpilotEasy-v0", {}, 300),
    ("FruitbotHard-v0", {}, 300),
    ("DeadlyCorridor-v1", {}, 300),
    ("VizdoomPredictPosition-v1", {}, 300),
    ("gfootball/academy_empty_goal_close-v1", {}, 60),
    ("Pong-v5", {"gray_scale": False, "stack_num": 2, "max_episode_steps": 25}, 60),
    ("Breakout-v5", {"terminal_on_life_loss": True, "max_episode_steps": 25}, 60),
    ("Qbert-v5", {"repeat_action_probability": 0.25, "full_action_space": True} | LIMIT, 20),
]


class InOrder(SyncVectorEnv):
    """Its last observations have their keys in the order of the space's, as all others have."""

    def step(self, actions: Any) -> Any:
        *results, info = super().step(actions)
        last = info.get("final_obs", ())
        for i, obs in enumerate(last):
            last[i] = dict(sorted(obs.items())) if isinstance(obs, dict) else obs
        return *results, info


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(
    ("task_id", "options", "steps"),
    [pytest.param(*case, id=f"{short(case[0])}-{case[0]}") for case in MODES],
)
@pytest.mark.one_in(4)
def test_all_results_are_the_originals_in_each_mode(task_id, options, steps, mode):
    """Also spaces and generators, at resets of all and of some, with seeds and without."""
    options = oracle_of(task_id).options(task_id) | options
    pair = OraclePair(task_id, (3, 4), mode, InOrder, **options)
    for space in ("observation_space", "single_observation_space", "action_space"):
        if short(task_id) != "minigrid":  # whose missions are in a space of their own
            assert getattr(pair.ours, space) == getattr(pair.theirs, space)
    assert pair.play_as_oracle(steps, partial_resets=False) >= 2
    resets: list[tuple[Any, list[bool]]] = [
        (seed, [True] * 2) for seed in (None, [5, 6], [7, None])
    ]
    if not task_id.startswith("AntMaze"):  # whose infos are in another order then
        resets += [([8, None], [True, False]), (None, [False, True]), ([None, 9], [False, True])]
    for seed, mask in resets:
        pair.call("reset", seed=seed, options={"reset_mask": np.array(mask)})
        pair.play_as_oracle(3, partial_resets=False)
    if draws_by_its_own(task_id):
        pair.assert_same_generators()
    pair.ours.close(), pair.theirs.close()
