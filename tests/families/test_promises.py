"""What every family promises of each task, whatever it computes.

``tests/contract`` has the same for tasks without an engine, and in more depth.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space

import envpool
from envpool.families.record import records
from envpool.families.robotics.registration import TASKS as ROBOTS
from envpool.oracles import classic_control, toy_text
from envpool.oracles.session import family_of
from envpool.tasks.gymnasium_makers import make_vector_env
from envpool.tasks.registry import registry
from helpers import (
    assert_same_bytes,
    assert_same_results,
    begun,
    leaves,
    make,
    random_actions,
    run_python,
    skipping_without_engine,
)
from opengl import FAST


def cases(*table: tuple[str, dict[str, Any]]) -> list[Any]:
    """Parameters of a test of tasks with options, which skips those without their engine."""
    params = skipping_without_engine(name for name, _ in table)
    return [
        pytest.param(
            *param.values,
            options,
            marks=param.marks,
            id="-".join([family_of(name), name, *options]),
        )
        for param, (name, options) in zip(params, table, strict=True)
    ]


def plain(*task_ids: str) -> list[tuple[str, dict[str, Any]]]:
    return [(name, {}) for name in task_ids]


def tasks_of(family: str) -> list[str]:
    return [name for name, task in registry.tasks.items() if task.import_path.endswith(family)]


def actions_of(pool: Any, rows: int, seed: int = 0) -> Iterator[Any]:
    """Batches of random actions without end, each for a few steps, so that something happens."""
    space = batch_space(pool.action_space, rows)
    space.seed(seed)
    while True:
        yield from [space.sample()] * 3


# --- environments that have not begun -----------------------------------------------------------

SHOWN = [record.shown for record in records().values()]
UNBEGUN = cases(*plain(*SHOWN, "CarRacing-v3", "highway-v0", "parking-v0", "intersection-v0"))


@pytest.mark.parametrize(("task_id", "options"), UNBEGUN)
def test_what_has_not_begun_is_not_observed(task_id, options):
    """A reset of one environment has rows of zeros for others, which begin like any later."""
    env, whole = (make_vector_env(task_id, 2, seed=7, **options) for _ in range(2))
    expected = whole.reset()[0]
    env.allow_single_resets()
    for i in (0, 1):
        observation = env.reset(options={"reset_mask": np.arange(2) == i})[0]
        for path, leaf in leaves(observation):
            if isinstance(leaf, np.ndarray):  # and no text of a single environment
                assert i == 1 or not np.any(leaf[1]), path
                assert_same_bytes(leaf[i], dict(leaves(expected))[path][i])
        env.set_state(env.get_state())
    env.close()


# Calls that may come first, for any face: a method, and what it gets beside the action.
FIRST_CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("step", (), {}),
    ("send", (), {}),
    ("recv", (), {}),
    ("async_reset", (), {}),
    ("reset", (), {}),
    ("reset", ([1],), {}),
    ("reset", (), {"options": {"reset_mask": np.array([False, True])}}),
    ("env_method", ("reset",), {"indices": [1]}),
    ("env_method", ("render",), {"indices": [0]}),
    ("call", ("render",), {}),
    ("render", (), {}),
    ("render", ([0],), {}),
    ("get_images", (), {}),
    ("get_state", ([1],), {}),
    ("set_state", (), {}),
    ("get_attr", ("max_episode_steps",), {}),
    ("set_attr", ("reward_threshold", 1.0), {}),
    ("stats", (), {}),
    ("seed", (3,), {}),
    ("close", (), {}),
]
# What a face may say: it has no such argument, or it comes too early.
REFUSALS = (RuntimeError, TypeError, ValueError, AttributeError, ImportError, gymnasium.error.Error)


def make_sb3(*args, **options):
    """A vector environment of Stable-Baselines3's kind, if that is installed."""
    pytest.importorskip("stable_baselines3")
    return envpool.sb3.VecEnv(*args, **options)


FACES: dict[str, Callable[..., Any]] = {
    "gymnasium": make,
    "dm": functools.partial(make, env_type="dm"),
    "vector": make_vector_env,
    "sb3": make_sb3,
}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(("task_id", "options"), cases(*plain(*SHOWN)))
@pytest.mark.one_in(6)
def test_first_calls_in_any_order(task_id, options, face):
    """None ends the process, hangs or fails an environment, and a reset begins as it always does.

    ``robustness/test_fuzz.py`` has the same for one task, and knows what each call returns.
    """
    plain = make(task_id, 2)
    modes, actions = plain.metadata["render_modes"], actions_of(plain, 2)
    options = options | {"render_mode": "rgb_array" if "rgb_array" in modes else None}
    # Vector environments and SB3's stay closed.
    calls = FIRST_CALLS if face in ("gymnasium", "dm") else FIRST_CALLS[:-1]
    chosen = np.random.default_rng([ord(letter) for letter in task_id + face])
    for _ in range(3):
        env, fresh = (FACES[face](task_id, 2, seed=seed, **options) for seed in (1, 2))
        for number in chosen.integers(len(calls), size=8):
            name, args, kwargs = calls[number]
            try:
                if name in ("step", "send"):
                    args = (next(actions),)
                elif name == "set_state":
                    args = (env.get_state(),)
                getattr(env, name)(*args, **kwargs)
            except REFUSALS as error:
                assert not isinstance(error, envpool.EnvironmentFailure), (name, args, error)
        with contextlib.suppress(*REFUSALS):
            while True:
                env.recv()
        if face == "sb3":
            env.seed(5)
            fresh.seed(5)
            ours, theirs = env.reset(), fresh.reset()
        else:
            ours, theirs = env.reset(seed=5), fresh.reset(seed=5)
        for (path, leaf), (_, other) in zip(leaves(ours), leaves(theirs), strict=True):
            assert np.array_equal(leaf, other), path
        env.close()
        fresh.close()


# --- states, threads, dialects ------------------------------------------------------------------

LIMIT = 9  # steps of an episode
BOTH_TEAMS = {
    "number_of_left_players_agent_controls": 2,
    "number_of_right_players_agent_controls": 2,
}
STICKY = {"repeat_action_probability": 0.25, "episodic_life": True}
LIDAR = {"type": "LidarObservation"}
# Those of Meta-World whose classes have more state than all have, and one that has none.
WITH_STATE = (
    *("BinPicking", "ButtonPress", "DialTurn", "PegInsertSide", "StickPull", "WindowOpen"),
    "Basketball",
)
STATES = [
    *plain(*tasks_of("mujoco.gym")),
    *((name, STICKY) for name in tasks_of("atari")),
    *plain(*tasks_of("dm_control")),
    *plain(*dict.fromkeys(task.id for task in {task.kind: task for task in ROBOTS}.values())),
    *plain("FetchPickAndPlaceDense-v4", "HandReachDense-v3", "HandManipulatePenDense-v1"),
    *plain(*(f"MetaWorld/{name}-v3" for name in WITH_STATE)),
    *plain(*(f"{name}Hard-v0" for name in ("Coinrun", "Starpilot", "Bossfight", "Jumper"))),
    # In other scenarios the engine itself draws the weapon otherwise, in one of an episode's first
    # frames, if another episode came before; see docs/vizdoom.md.
    *plain("Basic-v1", "DefendTheLine-v1", "VizdoomTakeCover-v1"),
    ("gfootball/academy_empty_goal_close-v1", {"stacked": True, "rewards": "scoring,checkpoints"}),
    ("gfootball/5_vs_5-v1", BOTH_TEAMS | {"representation": "raw"}),
    ("LunarLanderContinuous-v3", {"enable_wind": True}),
    ("CarRacing-v3", {"domain_randomize": True, "continuous": False}),
    ("racetrack-oval-v0", {"length": 0.0}),
    ("highway-fast-v0", {"config": {"observation": LIDAR}}),
    ("highway-fast-v0", {"observation_type": "GrayscaleObservation"}),
]


@pytest.mark.parametrize(("task_id", "options"), cases(*STATES))
@pytest.mark.one_in(12)
def test_a_state_goes_on_elsewhere(task_id, options):
    """In a new pool and in another one's episode; from before a reset, within and at an end."""
    pool, new, busy = (
        make(task_id, 2, seed=seed, max_episode_steps=LIMIT, **options) for seed in (1, 50, 100)
    )
    busy.reset()
    pool_actions = None
    for steps in (None, 0, 3, LIMIT - 5, 4):
        if steps == 0:
            rows = len(pool.reset()[1]["players"]["env_id"])
            pool_actions = pool_actions or actions_of(pool, rows)
        for _ in range(steps or 0):
            pool.step(next(pool_actions))
        states = pool.get_state()
        for other in (new, busy):
            other.set_state(states)
        for _ in range(0 if steps is None else 5):
            action = next(pool_actions)
            expected = pool.step(action)
            for other in (new, busy):
                assert_same_results(other.step(action), expected)
    assert_same_results(pool.reset(), new.reset())


SOME_OF_EACH = cases(
    *plain("CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0", "Acrobot-v1"),
    *plain("Ant-v5", "Hopper-v4", "Humanoid-v5", "InvertedPendulum-v5", "Reacher-v5"),
    ("SpaceInvaders-v5", STICKY),
    *plain("CheetahRun-v1", "AdroitHandPen-v1", "FetchPush-v4", "MetaWorld/Reach-v3"),
    *plain("FruitbotEasy-v0", "DefendTheCenter-v1", "gfootball/5_vs_5-v1"),
    *plain("LunarLander-v3", "BipedalWalkerHardcore-v3"),
)


def streams(task_id: str, steps: int, num_envs: int = 4, **options: Any) -> list[list[Any]]:
    """What each environment of a pool returned, in its own order."""
    pool = make(task_id, num_envs, seed=5, max_episode_steps=LIMIT, **options)
    batches = actions_of(pool, 4)
    actions = [next(batches) for _ in range(steps)]
    received: list[list[Any]] = [[] for _ in range(num_envs)]
    pool.async_reset()
    while min(map(len, received)) < steps:
        results = pool.recv()
        ids = results[-1]["env_id"].tolist()
        for row, env in enumerate(ids):
            received[env].append(
                {path: array[row].tobytes() for path, array in leaves(results) if "_id" not in path}
            )
        pool.send(np.stack([actions[len(received[env]) % steps][env] for env in ids]), ids)
    return [stream[:steps] for stream in received]


@pytest.mark.parametrize(("task_id", "options"), SOME_OF_EACH)
@pytest.mark.one_in(3)
def test_threads_batches_and_sizes_do_not_matter(task_id, options):
    expected = streams(task_id, 20, num_threads=1, **options)
    for envs, threads, batch in ((4, 2, 4), (4, 4, 4), (2, 1, 2), (4, 1, 1), (4, 3, 3)):
        size = {"num_envs": envs, "num_threads": threads, "batch_size": batch}
        assert streams(task_id, 20, **size, **options) == expected[:envs], size


@pytest.mark.parametrize(("task_id", "options"), SOME_OF_EACH)
@pytest.mark.one_in(3)
def test_dm_has_the_same_columns(task_id, options):
    """And they are in the space of observations."""
    dm, pool = (
        make(task_id, 3, env_type, seed=5, max_episode_steps=LIMIT, **options)
        for env_type in ("dm", "gymnasium")
    )
    time_step, results = dm.reset(), pool.reset()
    actions = actions_of(pool, 3)
    for _ in range(2 * LIMIT):
        obs, info = results[0], results[-1]
        seen = time_step.observation._asdict()
        assert obs in batch_space(pool.observation_space, 3)
        columns = obs if isinstance(obs, dict) else {"obs": obs}
        columns |= {key: info[key] for key in seen if key in info and key != "players"}
        assert seen.keys() - {"players"} == columns.keys()
        for key, column in columns.items():
            if not hasattr(seen[key], "_fields"):
                assert_same_bytes(seen[key], column, key)
        action = next(actions)
        time_step, results = dm.step(action), pool.step(action)
        _, reward, terminated, truncated, _ = results
        assert_same_bytes(time_step.reward, reward)
        np.testing.assert_array_equal(time_step.step_type == 2, terminated | truncated)
        np.testing.assert_array_equal(time_step.step_type == 0, results[-1]["elapsed_step"] == 0)
        np.testing.assert_array_equal(time_step.discount, np.where(terminated, 0, 1))


# --- options and arguments ----------------------------------------------------------------------

STACKED = cases(
    *plain("Hopper-v5", "Humanoid-v4", "WalkerWalk-v1", "AdroitHandPen-v1", "FetchReach-v4"),
    *plain("MetaWorld/Reach-v3"),
)


@pytest.mark.parametrize(("task_id", "options"), STACKED)
def test_stacked_observations(task_id, options):
    """Also over ends of episodes, each of which begins with one observation only."""
    shared = {"seed": 5, "max_episode_steps": 4} | options
    stacked, single = (make(task_id, 3, frame_stack=size, **shared) for size in (3, 1))
    ours, results = stacked.reset(), single.reset()
    frames = {path: [array] * 3 for path, array in leaves(results[0])}
    actions = actions_of(single, 3)
    for _ in range(10):
        for path, array in leaves(ours[0]):
            assert_same_bytes(array, np.stack(frames[path], axis=1), path)
        assert_same_results(ours[1:], results[1:])
        action = next(actions)
        ours, results = stacked.step(action), single.step(action)
        has_begun = results[-1]["elapsed_step"] == 0
        for path, array in leaves(results[0]):
            begun = has_begun.reshape(-1, *[1] * (array.ndim - 1))
            frames[path] = [np.where(begun, array, old) for old in frames[path][1:]] + [array]


OWN = cases(
    ("AdroitHandRelocate-v1", {"reward_type": ["sparse", "dense"], "frame_skip": [5, 2]}),
    ("FetchReach-v4", {"reward_type": ["sparse", "dense"]}),
    ("PointMaze_UMaze-v3", {"maze_map": ["LARGE_MAZE", ["000", "111", "0r0"]]}),
    ("MetaWorld/Reach-v3", {"task_name": ["reach-v3", "hammer-v3"]}),
    ("highway-fast-v0", {"vehicles_count": [3, 9]}),
    ("CoinrunEasy-v0", {"num_levels": [1, 1], "start_level": [5, 50], "distribution_mode": [0, 1]}),
    ("Basic-v1", {"frame_skip": [1, 4]}),
    (
        "Breakout-v5",
        {
            "repeat_action_probability": [0.25, 1.0],
            "frame_skip": [4, 1],
            "noop_max": [0, 30],
            "mode": [0, 4],
            "difficulty": [0, 1],
            "terminal_on_life_loss": [False, True],
        },
    ),
)


@pytest.mark.parametrize(("task_id", "options"), OWN)
def test_each_environment_has_its_own_options(task_id, options):
    pool = make(task_id, 2, seed=[5, 5], **options)
    alone = [
        make(task_id, 1, seed=5, **{name: values[i] for name, values in options.items()})
        for i in range(2)
    ]
    results, expected = pool.reset(), [each.reset() for each in alone]
    for action in itertools.islice(actions_of(pool, 2), 5):
        for i, own in enumerate(expected):
            for path, array in leaves(own):
                if "env_id" not in path:
                    assert_same_bytes(dict(leaves(results))[path][i], array[0], path)
        results = pool.step(action)
        expected = [each.step(action[i : i + 1]) for i, each in enumerate(alone)]


NUMBERS = cases(
    *plain("Ant-v5", "Pusher-v4", "CheetahRun-v1", "LqrLqr21-v1", "AdroitHandPen-v1"),
    *plain("PointMaze_UMaze-v3", "LunarLanderContinuous-v3", "CarRacing-v3", "parking-v0"),
)


@pytest.mark.parametrize(("task_id", "options"), NUMBERS)
@pytest.mark.one_in(2)
def test_what_is_no_number_is_no_action(task_id, options):
    """Upstream passes it on to the engine. Ours refuses it before anything happens."""
    for make_it in (make, make_vector_env):
        env, other = (make_it(task_id, 2, seed=1, **options) for _ in range(2))
        assert_same_results(env.reset(), other.reset())
        action = next(actions_of(envpool.make_spec(task_id, **options), 2))
        for dtype in (np.float32, np.float64):
            wrong = action.astype(dtype)
            wrong[1, 0] = np.nan
            with pytest.raises(ValueError, match=r"action\[1, 0\] is nan, expected a number"):
                env.step(wrong)
            assert_same_results(env.step(action), other.step(action))


@pytest.mark.parametrize(
    ("task_id", "options"),
    cases(
        ("HalfCheetah-v5", {"task_id": "Ant-v5"}),
        ("HalfCheetah-v5", {"frame_skip": 2}),
        ("CheetahRun-v1", {"task_id": "WalkerRun-v1"}),
        ("AdroitHandPen-v1", {"task_id": "AdroitHandDoor-v1"}),
        ("Breakout-v5", {"task_id": "Pong-v5"}),
        ("MazeEasy-v0", {"task_id": "CoinrunEasy-v0"}),
        ("Basic-v1", {"task_id": "SimplerBasic-v1"}),
        ("Basic-v1", {"use_combined_action": True}),
    ),
)
@pytest.mark.one_in(2)
def test_states_of_others_are_refused(task_id, options):
    pool, other = make(task_id, 1), make(**{"task_id": task_id, "num_envs": 1} | options)
    pool.reset(), other.reset()
    states = pool.get_state()
    with pytest.raises(ValueError, match="was saved "):
        pool.set_state(other.get_state())
    assert pool.get_state() == states


# --- pictures by OpenGL -------------------------------------------------------------------------

OBSERVED = cases(
    *plain("Hopper-v5", "ReacherEasy-v1", "AdroitHandDoor-v1", "PointMaze_Medium-v3"),
    *plain("FetchPickAndPlace-v4", "HandManipulateBlockRotateZ-v1", "MetaWorld/Hammer-v3"),
)
SMALL = FAST | {"render_mode": "rgb_array", "render_width": 40, "render_height": 30}


@pytest.mark.usefixtures("opengl")
@pytest.mark.parametrize(("task_id", "options"), OBSERVED)
@pytest.mark.one_in(3)
def test_pictures_can_be_observed(task_id, options):
    """They are those of a pool that draws, and drawing changes nothing; so of a snapshot."""
    pool, drawn, other = (
        make(task_id, 2, seed=seed, max_episode_steps=2, from_pixels=observed, **SMALL, **options)
        for seed, observed in ((1, True), (1, False), (9, True))
    )
    results, others = pool.reset(), drawn.reset()
    for action in itertools.islice(actions_of(drawn, 2), 4):  # the third step resets
        pictures = np.moveaxis(drawn.render([0, 1]), -1, 1)
        assert (pictures[0] != pictures[1]).any()  # each has its own goal, or place
        assert_same_bytes(results[0], np.ascontiguousarray(pictures))
        assert_same_results(results[1:], others[1:])
        results, others = pool.step(action), drawn.step(action)
    other.set_state(pool.get_state())
    assert_same_results(other.step(action), pool.step(action))


# --- pictures that Gymnasium's renderers draw ---------------------------------------------------

# Ours, and Gymnasium's tasks whose renderers draw them.
THEIRS = (
    classic_control.Environments.tasks
    | toy_text.Environments.tasks
    | {name: name for name in tasks_of("box2d")}
)
DRAWN = [name for name, theirs in THEIRS.items() if theirs in gymnasium.registry]


def skip_without_drawer(task_id: str) -> None:
    for module in ("pygame", *(["Box2D"] if task_id in tasks_of("box2d") else [])):
        pytest.importorskip(module)


@pytest.mark.parametrize("task_id", DRAWN)
def test_what_is_known_of_pictures(task_id):
    skip_without_drawer(task_id)
    pool = make(task_id, 1)
    env = begun(gymnasium.make(THEIRS[task_id], render_mode="rgb_array"))
    assert pool.spec.pictures.size == env.render().shape[1::-1]
    assert pool.metadata["render_fps"] == env.metadata["render_fps"]
    assert pool.metadata["render_modes"] == ["human", "rgb_array"]


# With an engine's pictures, which show more than a state of the physics.
BY_ENGINES = cases(
    ("Pong-v5", {}),
    *((name, SMALL) for name in ("FingerTurnEasy-v1", "AdroitHandRelocate-v1")),
    ("PointMaze_Medium-v3", SMALL),
)
RESTORED = cases(*plain(*(name for name in DRAWN if not name.startswith("CarRacing"))))


@pytest.mark.parametrize(("task_id", "options"), [*RESTORED, *BY_ENGINES])
@pytest.mark.one_in(4)
def test_pictures_of_restored_states(task_id, options, request):
    if options:
        request.getfixturevalue("opengl")
    elif task_id != "Pong-v5":
        skip_without_drawer(task_id)
    pool, other = (make(task_id, 2, **({"render_mode": "rgb_array"} | options)) for _ in range(2))
    rng = np.random.default_rng(0)
    pool.reset(seed=3)
    for _ in range(12):
        other.set_state(pool.get_state())
        np.testing.assert_array_equal(other.render([0, 1]), pool.render([0, 1]))
        pool.step(random_actions(pool, rng))


OWN_PROCESS = """
import os, sys
import gymnasium  # sets a variable of its own
before = dict(os.environ)
sys.modules.update(dict.fromkeys({missing!r}))
import envpool
pool = envpool.make({task_id!r}, num_envs=2, render_mode="rgb_array")
pool.reset()
assert "pygame" in {missing!r} or "pygame" not in sys.modules
try:
    pool.render([0, 1])
except ImportError as error:
    print(error)
pool.async_reset()
pool.recv()
if "pygame" not in {missing!r}:
    import pygame
    assert not pygame.display.get_init()
assert dict(os.environ) == before
pool.close()
"""


@pytest.mark.parametrize(
    ("task_id", "missing"),
    [
        ("Pendulum-v1", ""),
        ("CartPole-v1", "pygame"),
        ("FrozenLake-v1", ""),
        ("FrozenLake-v1", "pygame"),
        ("CliffWalking-v1", "pygame"),
        ("Taxi-v4", "pygame"),
        ("Blackjack-v1", "pygame"),
        ("LunarLander-v3", ""),
        ("LunarLander-v3", "pygame"),
        ("BipedalWalker-v3", "Box2D"),
    ],
)
@pytest.mark.parametrize("display", ["", ":7613"])
@pytest.mark.one_in(5)
def test_drawing_touches_nothing_but_pygame(task_id, missing, display):
    """It prints and opens nothing, loads it late, and says what is missing."""
    skip_without_drawer(task_id)
    program = OWN_PROCESS.format(task_id=task_id, missing=[missing] * bool(missing))
    done = run_python(program, DISPLAY=display)
    assert (done.returncode, done.stderr) == (0, "")
    needed = f'needs {missing}: pip install "envpool-next[render]"' if missing else ""
    assert needed in done.stdout and bool(done.stdout) == bool(missing)


# --- the next episode ---------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("task_id", skipping_without_engine([*SHOWN, "CarRacing-v3"]))
def test_a_chosen_episode_begins_as_by_hand(task_id, mode):
    """Whatever was played before, it has the bytes of a new environment that is reset so."""
    seeds = np.array([[11, 12, 13], [21, 22, 23]])
    with make(task_id, 2, autoreset_mode=mode, episodes=seeds, max_episode_steps=4) as pool:
        pool.reset()
        actions = list(itertools.islice(actions_of(pool, 2), 12))
        results = [pool.step(action) for action in actions]
    for env_id, index in ((0, 1), (1, 2)):
        begins = [i for i, each in enumerate(results) if each[-1]["elapsed_step"][env_id] == 0]
        seed = [int(seeds[env_id, index])]
        with make(task_id, 1, autoreset_mode="Disabled", max_episode_steps=4) as twin:
            theirs = [twin.reset(seed=seed)[0]]
            begin = begins[index - 1]
            theirs.append(twin.step(actions[begin + 1][env_id : env_id + 1])[0])
        for ours, expected in zip(results[begin:], theirs, strict=False):
            for path, leaf in leaves(ours[0]):
                if isinstance(leaf, np.ndarray):
                    assert_same_bytes(leaf[env_id], dict(leaves(expected))[path][0])
