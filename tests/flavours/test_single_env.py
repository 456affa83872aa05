"""gymnasium.make("envpool/...") is a plain Gymnasium environment."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import HumanRendering, RenderCollection, StickyAction, TimeLimit

import plain_envs
from envpool.oracles import classic_control
from envpool.spec.fields import row_of
from envpool.tasks.registry import registry
from helpers import Pair, assert_identical, skipping_without_engine
from opengl import FAST, find_backend

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")

# Ours, and what Gymnasium calls it.
CLASSIC_CONTROL = {
    f"envpool/{name.replace('/', '-')}": theirs
    for name, theirs in classic_control.Environments.tasks.items()
}
TESTING = {
    "envpool/testing-Counting-v0": plain_envs.Counting,
    "envpool/testing-Lives-v0": plain_envs.Lives,
    "envpool/testing-Picture-v0": plain_envs.Picture,
    "envpool/testing-Structured-v0": plain_envs.Structured,
}
MUJOCO = {
    name
    for name, task in registry.tasks.items()
    if task.import_path.startswith("envpool.families.mujoco")
}
# Two go on counting when they are seeded again, which the checker takes for randomness.
# Another refuses random actions.
UNCHECKED = {f"envpool/testing-{name}-v0" for name in ("Counting", "Failing", "Masked", "Players")}
# Gymnasium's environments have one player.
UNCHECKED |= {
    f"envpool/{name}"
    for name, task in registry.tasks.items()
    if task.spec_cls.startswith("IntersectionMultiAgent")
}
# One class makes all of Atari's games.
ATARI = {name for name, task in registry.tasks.items() if task.import_path.endswith(".atari")}
UNCHECKED |= {f"envpool/{name}" for name in ATARI - {"Pong-v5", "AirRaid-v5"}}
# Of dm_control's and the robots, one name is enough, and one task of each kind of environment.
SUITE = {
    name: task
    for name, task in registry.tasks.items()
    if task.spec_cls.startswith(("Dmc", "GymnasiumRobotics", "MetaWorld"))
}
ONE_OF_SUITE = set(
    {
        task.spec_cls: name
        for name, task in SUITE.items()
        if "/" not in name or name.startswith("MetaWorld/")
    }.values()
)
UNCHECKED |= {f"envpool/{name.replace('/', '-')}" for name in SUITE.keys() - ONE_OF_SUITE}
CHECKED = {name for name in gymnasium.registry if name.startswith("envpool/")} - UNCHECKED


# --- Gymnasium's checker ----------------------------------------------------------------------


def warnings_of_checker(env):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped, skip_render_check=True, skip_close_check=True)
    return {str(warning.message) for warning in caught}


@pytest.mark.parametrize("task_id", skipping_without_engine(sorted(CHECKED)))
@pytest.mark.usefixtures("screen")  # it renders in all modes that there are
@pytest.mark.usefixtures("scratch_directory")  # Gymnasium's half cheetah writes a file
@pytest.mark.one_in(16)
def test_checker(task_id):
    said = warnings_of_checker(gymnasium.make(task_id))
    name = task_id.removeprefix("envpool/")
    is_mujoco = name in MUJOCO
    theirs = name if is_mujoco and name[-1] in "45" else CLASSIC_CONTROL.get(task_id)
    if theirs and theirs != "Pusher-v4":  # which refuses MuJoCo 3
        assert said == warnings_of_checker(gymnasium.make(theirs, disable_env_checker=True))
    # Once more with all of it: it makes and closes an environment itself.
    options = {"render_width": 16, "render_height": 16, **FAST} if is_mujoco else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(
            gymnasium.make(task_id, **options).unwrapped,
            skip_render_check=is_mujoco and not find_backend()[0],
        )


def test_players_are_refused():
    with pytest.raises(ValueError, match="one player"):
        gymnasium.make("envpool/testing-Players-v0")


def test_a_single_number_is_in_its_space():
    batch = {"speed": np.float32([1, 2]), "gear": np.array([3, 4]), "on": np.array([True, False])}
    row = row_of(batch, 1)
    box = spaces.Box(0, 2, (), np.float32)
    parts = {"speed": box, "gear": spaces.Discrete(5), "on": spaces.Box(0, 1, (), np.bool_)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as Gymnasium gives for Python's numbers
        assert spaces.Dict(parts).contains(row)
    assert row == {"speed": 2, "gear": 4, "on": False}
    assert type(row["gear"]) is int
    batch["speed"][1] = 0
    assert row["speed"] == 2, "it is a copy"


# --- the same as Gymnasium's ------------------------------------------------------------------


def rollout(env, steps):
    """All results, with the types that Gymnasium's documentation gives."""
    env.action_space.seed(0)
    yield env.reset(seed=42)
    for _ in range(steps):
        obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
        yield obs, float(reward), bool(terminated), bool(truncated), info
        if terminated or truncated:
            yield env.reset()


@pytest.mark.parametrize("task_id", ["envpool/Pendulum-v1", "envpool/testing-Counting-v0"])
def test_types(task_id):
    env = gymnasium.make(task_id)
    obs, info = env.reset(seed=1)
    assert (type(obs), type(info)) == (np.ndarray, dict)
    result = env.step(env.action_space.sample())
    assert [type(part) for part in result] == [np.ndarray, float, bool, bool, dict]
    assert isinstance(env.unwrapped, gymnasium.Env)
    assert isinstance(env.unwrapped.metadata["render_modes"], list)


@pytest.mark.parametrize("task_id", TESTING)
def test_infos_images_and_structures(task_id):
    """In SyncVectorEnv, which makes arrays of Python's and NumPy's numbers alike."""
    pair = Pair(
        *(
            SyncVectorEnv([lambda make=make: TimeLimit(make(), 4)] * 2, autoreset_mode="SameStep")
            for make in (lambda: gymnasium.make(task_id), TESTING[task_id])
        )
    )
    pair.call("reset", seed=1)
    assert pair.play(20) >= 8


def test_time_limit():
    env = gymnasium.make("envpool/testing-Counting-v0", max_episode_steps=3, episode_length=5)
    for _ in range(2):
        env.reset()
        assert [env.step(0)[2:4] for _ in range(3)] == [(False, False)] * 2 + [(False, True)]
        assert env.unwrapped.elapsed_step == 3
    assert gymnasium.make("envpool/MountainCar-v0").spec.max_episode_steps == 200
    env = gymnasium.make("envpool/MountainCar-v0", max_episode_steps=-1)  # no limit
    env.reset()
    assert not any(env.step(1)[3] for _ in range(1500))


@pytest.mark.parametrize("mode", AutoresetMode)
def test_sync_vector_env(mode):
    pair = Pair(
        *(
            gymnasium.make_vec(
                task_id,
                3,
                vectorization_mode="sync",
                vector_kwargs={"autoreset_mode": mode},
                max_episode_steps=15,
            )
            for task_id in ("envpool/Pendulum-v1", "Pendulum-v1")
        )
    )
    assert isinstance(pair.ours, SyncVectorEnv)
    pair.call("reset", seed=42)
    pair.play(20)
    pair.call("set_attr", "g", [9.81, 1.62, 0.0])
    assert pair.call("get_attr", "g") == (9.81, 1.62, 0.0)
    assert pair.play(20) >= 3
    pair.assert_same_generators()
    pair.call("close")


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_async_vector_env(context):
    ours = gymnasium.make_vec(
        "envpool/Pendulum-v1",
        2,
        vectorization_mode="async",
        vector_kwargs={"context": context},
        max_episode_steps=15,
    )
    assert isinstance(ours, AsyncVectorEnv)
    pair = Pair(ours, gymnasium.make_vec("Pendulum-v1", 2, "sync", max_episode_steps=15))
    pair.call("reset", seed=42)
    pair.play(10)
    pair.call("set_attr", "g", [9.81, 1.62])
    assert pair.call("get_attr", "g") == (9.81, 1.62)
    assert pair.play(30) >= 2
    pair.assert_same_generators()
    pair.call("close")


# --- attributes -------------------------------------------------------------------------------


def test_options_are_attributes():
    ours, theirs = (gymnasium.make(f"{prefix}Pendulum-v1", g=9.81) for prefix in ("envpool/", ""))
    for env in (ours, theirs):
        assert env.unwrapped.g == env.get_wrapper_attr("g") == 9.81
        assert env.unwrapped.m == 1.0
    first = next(rollout(ours, 1))
    assert_identical(first, next(rollout(theirs, 1)))
    for value in (1.62, 24.79):  # goes on in mid-episode
        for env in (ours, theirs):
            assert env.set_wrapper_attr("g", value)
            env.unwrapped.m = value / 10
            assert (env.get_wrapper_attr("g"), env.unwrapped.m) == (value, value / 10)
        obs = [env.step(np.array([1.0], np.float32))[0] for env in (ours, theirs)]
        assert_identical(*obs)
    base = ours.unwrapped
    with pytest.raises(TypeError, match="g"):
        base.g = "heavy"
    assert base.g == 24.79


def test_other_attributes():
    base = gymnasium.make("envpool/CartPole-v1").unwrapped
    base.note = "mine"  # as in any Python object
    assert base.note == "mine"
    assert base.render_mode is None
    assert not hasattr(base, "gravty")
    with pytest.raises(AttributeError, match="did you mean 'gravity'"):
        _ = base.gravty


@pytest.mark.parametrize(
    "option",
    [
        {"num_envs": 2},
        {"batch_size": 1},
        {"num_threads": 2},
        {"autoreset_mode": "SameStep"},
        {"record_episode_statistics": True},
    ],
)
def test_options_of_pools_are_refused(option):
    with pytest.raises(TypeError, match=f"{next(iter(option))} is an option of pools"):
        gymnasium.make("envpool/CartPole-v1", **option)


def test_an_option_that_torchrl_tries_is_refused_as_it_expects():
    """Its GymEnv leaves it out then."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make("envpool/CartPole-v1", frameskip=1)


def test_lists_of_pictures():
    """As Gymnasium makes them of its own."""
    ours, theirs = (
        gymnasium.make(name + "CartPole-v1", render_mode="rgb_array_list")
        for name in ("envpool/", "")
    )
    for env in (ours, theirs):
        assert isinstance(env, RenderCollection)
        assert env.unwrapped.render_mode == "rgb_array"
        env.reset(seed=1)
        env.step(0)
    assert_identical(ours.render(), theirs.render())
    assert ours.render() == []


@pytest.mark.filterwarnings("ignore:.*render")
@pytest.mark.usefixtures("screen")
def test_human_mode_is_our_own():
    env = gymnasium.make("envpool/CartPole-v1", render_mode="human")
    assert not isinstance(env, HumanRendering)
    assert env.unwrapped.render_mode == "human"


@pytest.mark.filterwarnings("ignore:.*render")
def test_render_modes_are_refused():
    with pytest.raises(ValueError, match="render_mode is 'rgb_array', expected None"):
        gymnasium.make("envpool/testing-Counting-v0", render_mode="rgb_array")
    for render_mode in ("ansi", "ansi_list", "human_list_list"):
        with pytest.raises(ValueError, match=f"render_mode is '{render_mode}', expected one of"):
            gymnasium.make("envpool/CartPole-v1", render_mode=render_mode)


def test_generator_and_seed():
    env = gymnasium.make("envpool/CartPole-v1", seed=5)
    assert env.np_random_seed == 5
    assert env.np_random.bit_generator.state == np.random.default_rng(5).bit_generator.state
    env.reset(seed=6)
    expected = np.random.default_rng(6)
    expected.uniform(size=4)
    assert env.np_random.bit_generator.state == expected.bit_generator.state
    env.reset()
    assert env.np_random_seed == 6


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "Hopper-v5"])
def test_wrappers_draw_from_the_environments_generator(task_id):
    if task_id == "Hopper-v5":
        pytest.importorskip("mujoco")
    pair = [
        StickyAction(gymnasium.make(prefix + task_id), repeat_action_probability=0.5)
        for prefix in ("envpool/", "")
    ]
    pair[0].action_space.seed(1)
    for _ in range(4):
        reset = [env.reset(seed=3) for env in pair]
        assert_identical(reset[0][0], reset[1][0])
        for _ in range(30):
            action = pair[0].action_space.sample()
            ours, theirs = (env.step(action) for env in pair)
            np.testing.assert_array_equal(ours[0], theirs[0])
            assert ours[1:4] == theirs[1:4]
            if ours[2] or ours[3]:
                np.testing.assert_array_equal(*(env.reset()[0] for env in pair))


def test_states_of_generators():
    env = gymnasium.make("envpool/CartPole-v1", seed=5).unwrapped
    rng = env.np_random
    rng.integers(5, dtype=np.uint32)  # half of a draw
    copies = [copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))]
    state = rng.bit_generator.state
    drawn = rng.random(3).tolist()
    assert [one.random(3).tolist() for one in copies] == [drawn, drawn]
    assert isinstance(copies[0].bit_generator, np.random.PCG64)
    rng.bit_generator.state = state
    assert env.np_random.random(3).tolist() == drawn
    with pytest.raises(ValueError, match="state must be for a PCG64"):
        rng.bit_generator.state = np.random.MT19937(1).state
    env.close()
    assert rng.random() < 1.0  # of the last state


def test_without_a_seed_it_is_random():
    first = [gymnasium.make("envpool/CartPole-v1").reset()[0].tobytes() for _ in range(2)]
    assert first[0] != first[1]


# --- snapshots, pickles -----------------------------------------------------------------------


def test_spec_makes_the_same_again():
    env = gymnasium.make("envpool/Pendulum-v1", g=1.62, max_episode_steps=9)
    specs = [pickle.loads(pickle.dumps(env.spec)), type(env.spec).from_json(env.spec.to_json())]
    for spec in specs:
        again = gymnasium.make(spec)
        assert again.spec == env.spec
        assert again.unwrapped.g == 1.62
        assert_identical(list(rollout(again, 20)), list(rollout(env, 20)))


def copies_of(env):
    return copy.deepcopy(env), pickle.loads(pickle.dumps(env))


# Those whose engine is missing are skipped, and games have all the same class.
COPIED = sorted(
    name
    for name in gymnasium.registry
    if name.startswith("envpool/") and name not in UNCHECKED - {"envpool/testing-Counting-v0"}
)


@pytest.mark.parametrize("task_id", skipping_without_engine(COPIED))
@pytest.mark.one_in(15)
def test_copies_go_on(task_id):
    """With the same bytes, wherever the environment is."""
    env = gymnasium.make(task_id)
    env.action_space.seed(3)

    def assert_goes_on(env, copies, steps):
        for _ in range(steps):
            action = env.action_space.sample()
            result = env.step(action)
            for each in copies:
                assert_identical(each.step(action), result)
            if result[2] or result[3]:
                break
        result = env.reset()  # the generator goes on, too
        for each in copies:
            assert_identical(each.reset(), result)
            assert each.unwrapped.np_random_seed == env.unwrapped.np_random_seed

    fresh = copies_of(env)
    for each in (env, *fresh):
        each.reset(seed=5)
    assert_goes_on(env, fresh, 3)
    if any(env.step(env.action_space.sample())[2:4]):
        env.reset()
    assert_goes_on(env, copies_of(env), 10)
    env.close()
    for each in copies_of(env):
        with pytest.raises(ClosedEnvironmentError):
            each.unwrapped.step(env.action_space.sample())


def test_copies_of_what_was_changed():
    env = gymnasium.make("envpool/Pendulum-v1", seed=7).unwrapped
    env.g = 1.62
    env.note = "mine"
    for each in (*copies_of(env), *copies_of(copies_of(env)[0])):
        assert (each.g, each.note, each.np_random_seed) == (1.62, "mine", 7)
        with pytest.raises(ResetNeeded):
            each.step(np.zeros(1, np.float32))
    env.reset()
    env.step(np.zeros(1))  # float64, which has an effect on infos elsewhere
    (other,) = copies_of(env)[:1]
    env.close()
    other.step(np.zeros(1))
    assert not other.unwrapped._vector_env.closed


def test_copies_of_vector_environments():
    """They go with their single environments; Gymnasium's can be copied as well."""
    envs = gymnasium.make_vec("envpool/CartPole-v1", 3, autoreset_mode="SameStep")
    envs.reset(seed=3)
    copies = copies_of(envs)
    envs.action_space.seed(1)
    for _ in range(60):
        action = envs.action_space.sample()
        result = envs.step(action)
        for each in copies:
            assert_identical(each.step(action), result)


# --- order of calls ---------------------------------------------------------------------------


def test_a_finished_episode_is_not_stepped():
    env = gymnasium.make("envpool/testing-Counting-v0", episode_length=1)
    for _ in range(2):
        env.reset()
        assert env.step(3)[1:3] == (3.0, True)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="has no episode to step"):
                env.step(3)


def test_reset_comes_first():
    env = gymnasium.make("envpool/CartPole-v1")
    for each in (env, env.unwrapped):
        with pytest.raises(ResetNeeded):
            each.step(0)


def test_close():
    with gymnasium.make("envpool/CartPole-v1") as env:
        env.reset()
    env.close()
    for call in (lambda: env.step(0), env.reset, env.unwrapped.get_state):
        with pytest.raises(ClosedEnvironmentError, match="after close"):
            call()
    with pytest.raises(ClosedEnvironmentError):
        _ = env.unwrapped.gravity


# What Gymnasium's environments compute with once, and ours at every step; or cannot be set there.
COUNTS_AT_ONCE = {"length", "masspole", "masscart", "is_slippery", "enable_wind", "healthy_reward"}


# What reads as another object, as what can be drawn, or as the option that was given.
READS_OTHERWISE = {
    "np_random",
    "_np_random",
    "spec",
    "unwrapped",
    "metadata",
    "desc",
    "camera_name",
}


def something_else(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float | np.number | np.ndarray) and np.asarray(value).dtype != "S1":
        return value + 1
    return None if value is not None else 1


def outcome(env):
    """What an environment does from here on; None if it fails."""
    try:
        return [repr(result) for result in rollout(env.unwrapped, 8)]
    except Exception:
        return None


@pytest.mark.parametrize(
    "task_id",
    [
        *("CartPole-v1", "Pendulum-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1"),
        *("FrozenLake-v1", "Taxi-v4", "CliffWalking-v1", "Blackjack-v1"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("LunarLander-v3", "Hopper-v5")),
    ],
)
def test_every_attribute_of_the_original_counts_or_is_refused(task_id):
    """As it is read and set; methods are only read."""
    if task_id == "Hopper-v5":
        pytest.importorskip("mujoco")
    original = gymnasium.make(task_id)
    original.reset(seed=1)
    names = [name for name in dir(original.unwrapped) if not name.startswith("__")]
    refused = set()
    for name in names:
        ours, theirs = (gymnasium.make(prefix + task_id) for prefix in ("envpool/", ""))
        for env in (ours, theirs):
            env.reset(seed=1)
        value = getattr(theirs.unwrapped, name)
        if not hasattr(ours.unwrapped, name):
            with pytest.raises(AttributeError, match=name):
                getattr(ours.unwrapped, name)
        if callable(value):
            continue
        if hasattr(ours.unwrapped, name) and name not in READS_OTHERWISE:
            np.testing.assert_equal(getattr(ours.unwrapped, name), value)
        try:
            setattr(ours.unwrapped, name, something_else(value))
        except (AttributeError, TypeError, ValueError) as error:
            assert name in str(error)
            assert (
                "cannot be" in str(error)
                or "has no setter" in str(error)
                or "expected" in str(error)
            )
            refused.add(name)
            continue
        assert getattr(ours.unwrapped, name) is not value
        if name not in COUNTS_AT_ONCE:
            setattr(theirs.unwrapped, name, something_else(value))
            assert outcome(ours) == outcome(theirs), name
    assert {"np_random", "_np_random", "np_random_seed", "render_mode"} <= refused


def test_what_is_read_and_cannot_be_set():
    env = gymnasium.make("envpool/CartPole-v1")
    env.reset(seed=1)
    rng = np.random.default_rng(3)
    with pytest.raises(AttributeError, match=r"np_random cannot be set: .*bit_generator.state"):
        env.np_random = rng
    env.np_random.bit_generator.state = rng.bit_generator.state
    assert env.np_random.random() == rng.random()
    for name, instead in {
        "elapsed_step": "set_state",
        "render_mode": "make",
        "closed": "close",
    }.items():
        with pytest.raises(AttributeError, match=rf"{name} cannot be set: .*{instead}\("):
            setattr(env.unwrapped, name, 5)
    with pytest.raises(AttributeError, match="`python -m envpool show CartPole-v1` lists"):
        _ = env.unwrapped.x_threshold
    with pytest.raises(TypeError, match="set_state"):
        env.unwrapped.set_state(np.zeros(2), np.zeros(2))


def test_originals_in_namespaces_are_found():
    """Those of packages that Gymnasium's registry knows, such as ALE's."""

    class Original(plain_envs.Counting):
        lives_left = 3

    gymnasium.register("somewhere/Counting-v0", Original)
    try:
        env = gymnasium.make("envpool/testing-Counting-v0").unwrapped
        with pytest.raises(AttributeError, match="lives_left cannot be set"):
            env.lives_left = 4
    finally:
        del gymnasium.registry["somewhere/Counting-v0"]


def test_what_only_gymnasiums_environment_has_cannot_be_set():
    env = gymnasium.make("envpool/Taxi-v4")
    env.reset(seed=1)
    message = r"s cannot be set: Gymnasium's own Taxi-v4 has it, .* can be set: .*is_rainy"
    for set_it in (
        lambda: setattr(env.unwrapped, "s", 100),
        lambda: env.set_wrapper_attr("s", 100),
    ):
        with pytest.raises(AttributeError, match=message):
            set_it()
    env.unwrapped.note = env.unwrapped.render_mode = None  # these are everybody's
    env.set_wrapper_attr("is_rainy", True)
    assert env.unwrapped.is_rainy


def test_states_are_read_only():
    env = gymnasium.make("envpool/CartPole-v1").unwrapped
    env.reset(seed=1)
    with pytest.raises(ValueError, match="read-only"):
        env.state[0] = 1.5
    env.state = [1.5, *env.state[1:]]
    assert env.state[0] == 1.5
