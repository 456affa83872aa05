"""Pools with environments of several tasks."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from helpers import assert_same_bytes, leaves, needs_ale, needs_dm_control

EMPTY, OBSTACLES, KEY = (
    "MiniGrid-Empty-5x5-v0",
    "MiniGrid-Dynamic-Obstacles-5x5-v0",
    "MiniGrid-DoorKey-5x5-v0",
)
GRIDS = {EMPTY: 2, OBSTACLES: 3, KEY: 2}
GAMES = {"Breakout-v5": 2, "Pong-v5": 2, "MontezumaRevenge-v5": 1, "Freeway-v5": 1}
WALKERS = {"WalkerWalk-v1": 2, "WalkerRun-v1": 2}


def make(tasks=GRIDS, env_type="gymnasium", **kwargs):
    return envpool.make_multi(tasks, env_type, num_threads=2, **kwargs)


def ids_of(tasks):
    return [task for task, count in tasks.items() for _ in range(count)]


def actions_for(pool, steps):
    """``[step, env]`` actions that all environments have."""
    rng = np.random.default_rng(0)
    if pool.action_masks is None:
        return rng.uniform(-1, 1, (steps, len(pool), *pool.spec.action_space.shape))
    most = pool.action_masks.sum(axis=1)[pool.task_of_env]
    return rng.integers(most, size=(steps, len(most)))


def rows_of(result, task_ids):
    """The rows of a result by the ids of their environments, without what only tells of tasks."""
    found = dict(leaves(result))
    ids = next(array for path, array in found.items() if path.endswith("/env_id"))
    rows = {}
    for row, env in enumerate(ids.tolist()):
        rows[env] = {
            path: array[row]
            for path, array in found.items()
            if not path.endswith(("env_id", "/task"))
        }
    for path, array in found.items():
        if path.endswith("/task"):
            assert array.dtype == np.int32
            tasks = list(dict.fromkeys(task_ids))
            assert [tasks[task] for task in array] == [task_ids[env] for env in ids]
    return rows


def as_leaves(result):
    """A result of any flavour in tuples and dicts."""
    if hasattr(result, "step_type"):
        observation = result.observation
        named = {"step_type": result.step_type, "reward": result.reward}
        return (named | {"discount": result.discount}, as_leaves(observation))
    if hasattr(result, "_asdict"):
        return {key: as_leaves(value) for key, value in result._asdict().items()}
    return result


def assert_same_rows(ours, theirs):
    for path in theirs:
        assert_same_bytes(np.asarray(ours[path]), np.asarray(theirs[path]), path)


@pytest.mark.parametrize(
    "tasks",
    [
        GRIDS,
        {"CartPole-v1": 2, "CartPole-v0": 2},
        pytest.param(GAMES, marks=needs_ale),
        pytest.param(WALKERS, marks=needs_dm_control),
    ],
    ids=lambda tasks: next(iter(tasks)),
)
@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_rows_are_those_of_pools_of_one_task(tasks, env_type):
    pool = make(tasks, env_type, seed=7)
    task_ids = ids_of(tasks)
    actions = actions_for(pool, 40)
    assert list(pool.tasks) == list(tasks)
    found = [pool.reset(), *(pool.step(each) for each in actions)]
    for task in tasks:
        ids = [env for env, each in enumerate(task_ids) if each == task]
        single = envpool.make(task, env_type, num_envs=len(ids), seed=[7 + env for env in ids])
        expected = [single.reset(), *(single.step(each[ids]) for each in actions)]
        for ours, theirs in zip(found, expected, strict=True):
            our_rows = rows_of(as_leaves(ours), task_ids)
            their_rows = rows_of(as_leaves(theirs), [task] * len(ids))
            for i, env in enumerate(ids):
                assert_same_rows(our_rows[env], their_rows[i])


# --- what it tells of its tasks ---------------------------------------------------------------


def test_tasks_are_told():
    pool = make([KEY, OBSTACLES, KEY])
    assert pool.tasks == (KEY, OBSTACLES)
    assert pool.task_of_env.tolist() == [0, 1, 0]
    _, info = pool.reset()
    assert info["task"].tolist() == [0, 1, 0]
    assert info["task"].dtype == np.int32
    assert pool.config["num_envs"] == 3
    assert pool.config["tasks"] == (KEY, OBSTACLES, KEY)
    assert envpool.make_multi({EMPTY: 1}, "gymnasium").reset()[1]["task"].tolist() == [0]


def test_all_flavours_take_it():
    assert make(env_type="gym").reset()[1]["task"].tolist() == [0, 0, 1, 1, 1, 2, 2]
    step = make(env_type="dm").reset()
    assert step.observation.task.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert isinstance(make(), gymnasium.vector.VectorEnv)
    pool = make(record_episode_statistics=True, autoreset_mode="SameStep")
    pool.reset()
    assert "episode" in pool.step(np.zeros(7, np.int32))[-1]


def test_actions_that_a_task_lacks_are_refused():
    pool = make()
    assert pool.action_space == gymnasium.spaces.Discrete(7)
    assert [space.n for space in pool.action_spaces] == [7, 3, 7]
    assert pool.action_masks.tolist() == [[True] * 7, [True] * 3 + [False] * 4, [True] * 7]
    pool.reset()
    actions = np.array([6, 6, 2, 2, 3, 6, 6])
    refusal = r"action\[4\] is 3, expected an integer from 0 to 2, as environment 4 is "
    with pytest.raises(ValueError, match=refusal + OBSTACLES):
        pool.step(actions)
    actions[4] = 2
    pool.step(actions)
    with pytest.raises(ValueError, match=f"is 7, .* 0 to 6, as environment 6 is {KEY}"):
        pool.step(np.array([7]), [6])


def test_time_limits_are_the_tasks_own():
    pool = make({"CartPole-v1": 1, "CartPole-v0": 1}, tau=1e-6)
    pool.reset()
    truncated = [pool.step(np.array([i % 2, i % 2]))[3].tolist() for i in range(200)]
    assert truncated[198:] == [[False, False], [False, True]]
    pool = make({"CartPole-v1": 1, "CartPole-v0": 1}, max_episode_steps=3)
    pool.reset()
    assert [pool.step(np.zeros(2, np.int64))[3].tolist() for _ in range(3)][2] == [True, True]


# --- options, states, pictures ----------------------------------------------------------------


def test_options_can_be_given_per_environment():
    tasks = ["CartPole-v1", "CartPole-v0", "CartPole-v1"]
    pool = make(tasks, gravity=[1.0, 2.0, 3.0], seed=[5, 6, 7])
    pool.reset()
    results = [pool.step(np.ones(3, np.int64)) for _ in range(5)]
    for env, (gravity, seed) in enumerate([(1.0, 5), (2.0, 6), (3.0, 7)]):
        single = envpool.make(tasks[env], "gymnasium", gravity=gravity, seed=seed)
        single.reset()
        for result in results:
            assert_same_bytes(result[0][env], single.step(np.ones(1, np.int64))[0][0])
    with pytest.raises(ValueError, match="gravity has 2 values, expected one, or one for each"):
        make(tasks, gravity=[1.0, 2.0])


def test_reset_options_are_those_of_all_tasks():
    pool = make({"CartPole-v1": 1, "CartPole-v0": 1})
    observation, _ = pool.reset(options={"low": 0.01, "high": 0.02})
    assert ((observation > 0.009) & (observation < 0.021)).all()
    observation, info = pool.reset(options={"reset_mask": np.array([False, True])})
    assert info["task"].tolist() == [1]


def test_states_go_to_environments_of_the_same_task():
    pool = make(seed=3)
    pool.reset()
    states = pool.get_state()
    actions = actions_for(pool, 5)
    expected = [pool.step(each) for each in actions]
    other = make(seed=9)
    other.set_state(states)
    for each, result in zip(actions, expected, strict=True):
        ours, theirs = (rows_of(found, ids_of(GRIDS)) for found in (other.step(each), result))
        assert_same_rows(ours[4], theirs[4])
    single = envpool.make(KEY, "gymnasium", num_envs=1)
    single.set_state([states[5]])
    with pytest.raises(ValueError, match=r"states\[0\] was saved "):
        other.set_state([states[0]], [6])


def test_pictures_are_of_each_task():
    pool = make(render_mode="rgb_array", seed=1)
    pool.reset()
    pictures = pool.render([1, 4, 5])
    for env, picture in zip([1, 4, 5], pictures, strict=True):
        task = ids_of(GRIDS)[env]
        single = envpool.make(task, "gymnasium", seed=[1 + env], render_mode="rgb_array")
        single.reset()
        assert_same_bytes(picture, single.render()[0])


def test_specs_make_pools_elsewhere():
    spec = make(seed=5).spec
    assert copy.deepcopy(spec) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert spec.changed(seed=6) != spec
    pool = pickle.loads(pickle.dumps(spec)).make(seed=6, batch_size=7)
    assert_same_bytes(pool.reset()[0]["image"], make(seed=6).reset()[0]["image"])
    assert spec.make("dm").reset().observation.task.tolist() == [0, 0, 1, 1, 1, 2, 2]
    with pytest.raises(ValueError, match="num_envs is 8, and the tasks have 7 environments"):
        spec.make(num_envs=8)


def test_specs_tell_what_others_do():
    spec = make({"CartPole-v1": 1, "CartPole-v0": 2}, gravity=[1.0, 2.0, 3.0]).spec
    single = envpool.make_spec("CartPole-v1")
    for name in dir(type(single)):
        if not name.startswith("__") and name != "env_type":  # there is none that all have
            getattr(spec, name)  # raises nothing
    assert [spec.options.given_of(env)["gravity"] for env in range(3)] == [1.0, 2.0, 3.0]
    assert [options["gravity"] for options in spec.options.each()] == [1.0, 2.0, 3.0]
    assert [spec.options.of(env)["gravity"] for env in range(3)] == [1.0, 2.0, 3.0]
    assert spec.known.describe() == single.known.describe()
    assert spec.pictures.modes == single.pictures.modes == ["human", "rgb_array"]
    assert spec.known.own_names({"max_steps": 3}) == single.known.own_names({"max_steps": 3})
    assert spec.pool_methods() == ()


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (
            {"CartPole-v1": 1, "Acrobot-v1": 1},
            r"CartPole-v1 and Acrobot-v1 don't go together in one pool: the shape of the "
            r"observation 'obs' is \(4,\) in the one and \(6,\) in the other",
        ),
        ({"CartPole-v1": 1, "Pendulum-v1": 1}, "the shape of the observation 'obs'"),
        ({"CartPole-v1": 1, "gymnasium:CartPole-v1": 1}, "is written in Python, and make_multi"),
        ({}, "tasks is empty"),
        ([], "tasks is empty"),
        ({"CartPole-v1": 0}, r"tasks\['CartPole-v1'\] is 0, expected 1 <= "),
        ({"CartPole-v1": 2, "testing/Counting-v0": 1}, "don't go together"),
    ],
)
def test_tasks_that_do_not_go_together_are_refused(tasks, message):
    with pytest.raises(ValueError, match=message):
        make(tasks)


def test_bad_arguments_are_refused():
    with pytest.raises(envpool.UnknownTaskError, match="there is no task 'CartPool-v1'"):
        make({"CartPool-v1": 1})
    for tasks in ("CartPole-v1", 3, None):
        with pytest.raises(TypeError, match="expected a dict of numbers of environments by id, or"):
            make(tasks)
    with pytest.raises(envpool.UnknownTaskError, match="there is no task 3"):
        make(["CartPole-v1", 3])
    with pytest.raises(TypeError, match=r"tasks\['CartPole-v1'\] is 1\.5, expected an integer"):
        make({"CartPole-v1": 1.5})
    with pytest.raises(TypeError, match="has no option 'gravty'"):
        make({"CartPole-v1": 1}, gravty=3)
    with pytest.raises(MemoryError, match="a pool of 1000000000 environments needs"):
        make({"CartPole-v1": 10**9})
    with pytest.raises(ValueError, match="num_envs is 3, and the tasks have 7 environments"):
        make(num_envs=3)
    with pytest.raises(ValueError, match="batch_size is 8, expected 0 <= batch_size <= 7"):
        make(batch_size=8)
    with pytest.raises(ValueError, match="expected 0 <= seed"):
        make(seed=2**64)


@needs_ale
def test_games_have_pictures_of_one_size_if_it_is_given():
    games = {"Pong-v5": 1, "JourneyEscape-v5": 1}
    with pytest.raises(ValueError, match="give render_width and render_height"):
        make(games, render_mode="rgb_array")
    pool = make(games, render_mode="rgb_array", render_width=160, render_height=210)
    pool.reset()
    assert pool.render([0, 1]).shape == (2, 210, 160, 3)
