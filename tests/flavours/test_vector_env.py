"""gymnasium.make_vec("envpool/...") does what SyncVectorEnv does with Gymnasium's environments."""

import copy
import importlib
import pickle
import types
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers as single
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import TimeLimit
from gymnasium.wrappers import vector as wrappers

import envpool.families.testing.registration  # noqa: F401 - adds the tasks
import plain_envs
from envpool.errors import EnvironmentFailure
from helpers import Pair, assert_identical

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode
N = 3

CLASSIC_CONTROL = [
    "CartPole-v0",
    "CartPole-v1",
    "MountainCar-v0",
    "MountainCarContinuous-v0",
    "Pendulum-v1",
    "Acrobot-v1",
]
TESTING = {
    "testing-Counting-v0": plain_envs.Counting,
    "testing-Picture-v0": plain_envs.Picture,
    "testing-Structured-v0": plain_envs.Structured,
}


def make_ours(task_id, mode=NEXT_STEP, limit=None, **options):
    if limit is not None:
        options["max_episode_steps"] = limit
    name = f"envpool/{task_id}"
    return gymnasium.make_vec(name, N, autoreset_mode=mode, num_threads=2, **options)


def make_one_of_theirs(task_id, limit, options):
    if task_id not in TESTING:
        env = gymnasium.make(task_id, max_episode_steps=limit, disable_env_checker=True)
        for name, value in options.items():
            env.set_wrapper_attr(name, value)
        return env
    env = TESTING[task_id](**options)
    return env if limit is None else TimeLimit(env, limit)


def make_theirs(task_id, mode=NEXT_STEP, limit=None, **options):
    each = [
        {name: value[i] if isinstance(value, list) else value for name, value in options.items()}
        for i in range(N)
    ]
    return SyncVectorEnv(
        [partial(make_one_of_theirs, task_id, limit, own) for own in each], autoreset_mode=mode
    )


def make_pair(task_id, mode=NEXT_STEP, limit=None, **options):
    return Pair(
        make_ours(task_id, mode, limit, **options), make_theirs(task_id, mode, limit, **options)
    )


def refuse_alike(pair, error, method, *args, **kwargs):
    for env in (pair.ours, pair.theirs):
        with pytest.raises(error):
            getattr(env, method)(*copy.deepcopy(args), **copy.deepcopy(kwargs))


# --- rollouts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("task_id", CLASSIC_CONTROL)
@pytest.mark.one_in(3)
def test_classic_control(task_id, mode):
    pair = make_pair(task_id, mode, limit=40)
    pair.call("reset", seed=42)
    assert pair.play(250) >= 15
    pair.assert_same_generators()


TESTING_CASES = [
    ("testing-Counting-v0", {"episode_length": [1, 3, 4]}, 3),
    ("testing-Counting-v0", {"episode_length": [4, 3, 1]}, 3),
    ("testing-Picture-v0", {"episode_length": [2, 5, 9]}, 7),
    ("testing-Structured-v0", {}, 4),
    ("testing-Structured-v0", {"as_tuple": True}, 4),
]


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(("task_id", "options", "limit"), TESTING_CASES)
def test_infos_images_and_structures(task_id, options, limit, mode):
    pair = make_pair(task_id, mode, limit, **options)
    pair.call("reset", seed=42)
    assert pair.play(40) >= 15
    pair.assert_same_generators()


# --- reset ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", AutoresetMode)
def test_seeds(mode):
    pair = make_pair("CartPole-v1", mode, 15)
    for seed in (0, 2**40, [5, 3, 2**63], (1, 1, 1), None, [None, 9, None], None):
        pair.call("reset", seed=seed)
        pair.assert_same_generators()
        assert pair.ours.np_random_seed == pair.theirs.np_random_seed
        assert pair.ours.get_attr("np_random_seed") == pair.theirs.get_attr("np_random_seed")
        assert pair.play(30) > 0
    for seed in ([1, 2], [1] * 4, []):
        refuse_alike(pair, ValueError, "reset", seed=seed)
    assert pair.play(30) > 0


def test_reset_without_a_seed_is_random_at_first():
    first = [make_ours("CartPole-v1").reset()[0].tobytes() for _ in range(2)]
    assert first[0] != first[1]
    env = make_ours("CartPole-v1", seed=42)
    assert_identical(env.reset(), make_ours("CartPole-v1").reset(seed=42))
    assert env.np_random_seed == (42, 43, 44)


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {"low": -0.01, "high": 0.2}),
        ("Pendulum-v1", {"x_init": 0.3, "y_init": 2.0}),
        ("testing-Counting-v0", {"start": 2}),
    ],
)
def test_reset_options_hold_for_one_reset(task_id, options):
    pair = make_pair(task_id, SAME_STEP, 5)
    pair.call("reset", seed=1, options=options)
    assert pair.play(12) >= N
    mask = {"reset_mask": np.array([True, False, True])}
    pair.call("reset", seed=[4, None, None], options=options | mask)
    assert pair.play(12) >= N


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("task_id", ["CartPole-v1", *TESTING])
def test_partial_resets(task_id, mode):
    """At any time: in the middle of episodes, at their ends, several times in a row."""
    pair = make_pair(task_id, mode, 4)
    pair.call("reset", seed=0)
    rng = np.random.default_rng(0)
    partial_resets = 0
    for _ in range(40):
        if rng.random() < 0.5:
            mask = rng.random(N) < 0.5
            if mask.any():
                seed = [int(s) if rng.random() < 0.5 else None for s in rng.integers(100, size=N)]
                pair.call("reset", seed=seed, options={"reset_mask": mask})
                partial_resets += not mask.all()
        pair.play(1)
    assert partial_resets > 5
    pair.assert_same_generators()
    assert pair.ours.np_random_seed == pair.theirs.np_random_seed


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        (np.array([True, False]), ValueError),
        (np.array([[True] * N]), ValueError),
        (np.array([False] * N), ValueError),
        (np.array([1, 0, 1]), TypeError),
        *((mask, (TypeError, ValueError, AssertionError)) for mask in (None, True, [1, 0, 1])),
    ],
)
def test_wrong_reset_masks(mask, error):
    pair = make_pair("CartPole-v1")
    pair.call("reset", seed=0)
    refuse_alike(pair, error, "reset", options={"reset_mask": mask})
    pair.play(3)


def test_before_the_first_reset():
    pair = make_pair("CartPole-v1")
    refuse_alike(pair, ResetNeeded, "step", np.zeros(N, int))
    with pytest.raises(ResetNeeded, match="all environments before only some"):
        pair.ours.reset(options={"reset_mask": np.array([True, False, True])})
    pair.call("reset", seed=0, options={"reset_mask": np.ones(N, bool)})
    pair.play(3)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_episode_statistics(mode):
    """The option counts what Gymnasium's wrapper counts, but has its keys in every step."""
    own = make_ours("CartPole-v1", mode, record_episode_statistics=True)
    wrapped = wrappers.RecordEpisodeStatistics(make_theirs("CartPole-v1", mode))
    _, info = own.reset(seed=1)
    assert list(info) == ["episode", "_episode"]
    wrapped.reset(seed=1)
    wrapped.action_space.seed(1)
    episodes = 0
    for _ in range(250):
        action = wrapped.action_space.sample()
        _, _, terminated, truncated, info = own.step(action)
        expected = wrapped.step(action)[-1].get(
            "episode", {"r": np.zeros(N), "l": np.zeros(N, int)}
        )
        ended = terminated | truncated
        assert_identical(info["_episode"], ended)
        assert_identical(info["episode"], {key: expected[key] for key in "rl"})
        episodes += int(ended.sum())
        if mode is DISABLED and ended.any():
            own.reset()  # all of them: with a reset_mask the wrapper forgets the others' episodes
            wrapped.reset()
    assert episodes > 10


# --- attributes -------------------------------------------------------------------------------


def assert_same_spaces(pair):
    for name in ("observation_space", "action_space"):
        assert getattr(pair.ours, name) == getattr(pair.theirs, name)
        assert getattr(pair.ours, f"single_{name}") == getattr(pair.theirs, f"single_{name}")


@pytest.mark.parametrize("task_id", [*CLASSIC_CONTROL, *TESTING])
def test_spaces(task_id):
    pair = make_pair(task_id)
    assert_same_spaces(pair)
    assert pair.call("get_attr", "observation_space")[0] == pair.ours.single_observation_space
    assert pair.call("get_attr", "action_space")[0] == pair.ours.single_action_space


def test_types():
    env = make_ours("CartPole-v1")
    assert isinstance(env, VectorEnv)
    assert not isinstance(env, gymnasium.Env)
    assert env.unwrapped is env
    assert (env.num_envs, env.render_mode, env.closed) == (N, None, False)
    assert repr(env) == str(env) == "EnvPoolVectorEnv(envpool/CartPole-v1, num_envs=3)"


def test_every_attribute_of_gymnasiums_vector_environments():
    """It has the same value, or is refused; what would not count cannot be set."""
    pair = make_pair("CartPole-v1", SAME_STEP)
    pair.call("reset", seed=1)
    settled = {"copy": False, "observation_mode": "different", "render_mode": "rgb_array"}
    settled["autoreset_mode"] = NEXT_STEP
    for name in dir(pair.theirs):
        if name.startswith("_") or name in ("spec", "unwrapped", "np_random"):
            continue
        value = getattr(pair.theirs, name)
        if name in ("envs", "env_fns"):
            assert not hasattr(pair.ours, name)
        elif not callable(value):
            assert getattr(pair.ours, name) == value, name
        if name in settled:
            with pytest.raises(AttributeError, match=f"{name} cannot be set"):
                setattr(pair.ours, name, settled[name])
            setattr(pair.ours, name, value)
        elif name == "np_random_seed":
            refuse_alike(pair, AttributeError, "__setattr__", name, (1,) * N)
    refuse_alike(pair, AttributeError, "__setattr__", "np_random", ())
    for _ in range(2):
        drawn = [[rng.random() for rng in env.np_random] for env in (pair.ours, pair.theirs)]
        assert drawn[0] == drawn[1]


@pytest.mark.parametrize("mode", AutoresetMode)
def test_metadata(mode):
    env = make_ours("CartPole-v1", mode)
    modes = {"render_modes": ["human", "rgb_array"], "render_fps": 50}
    assert env.metadata == modes | {"autoreset_mode": mode}
    assert env.get_attr("metadata") == (env.metadata,) * N


def test_spec_makes_the_same_again():
    env = make_ours("Pendulum-v1", SAME_STEP, 7, g=[1.0, 2.0, 3.0], seed=5)
    assert env.spec.id == "envpool/Pendulum-v1"
    assert env.spec.kwargs["vectorization_mode"] == "vector_entry_point"
    again = gymnasium.make_vec(pickle.loads(pickle.dumps(env.spec)))
    assert again.spec == env.spec
    assert again.get_attr("g") == (1.0, 2.0, 3.0)
    pair = Pair(env, again)
    pair.call("reset")
    assert pair.play(10) == N


def test_render_is_refused():
    env = make_ours("CartPole-v1")
    env.reset()
    with pytest.raises(RuntimeError, match="render_mode"):
        env.render()
    for mode in ("rgb_array", "human"):
        with pytest.raises(ValueError, match=f"render_mode is '{mode}', expected None"):
            make_ours("testing-Counting-v0", render_mode=mode)


def test_asynchronous_pools_and_several_players_are_refused():
    with pytest.raises(ValueError, match="batch_size is 2, expected num_envs"):
        make_ours("CartPole-v1", batch_size=2)
    with pytest.raises(ValueError, match="one player"):
        make_ours("testing-Players-v0")


@pytest.mark.parametrize(
    ("task_id", "name", "values"),
    [
        ("CartPole-v1", "gravity", [9.8, 1.62, 20.0]),
        ("CartPole-v1", "force_mag", 20.0),
        ("CartPole-v1", "tau", (0.02, 0.01, 0.04)),
        ("CartPole-v1", "kinematics_integrator", "semi-implicit euler"),
        ("Pendulum-v1", "g", [9.81, 1.62, 5.0]),
        ("Pendulum-v1", "m", 0.5),
        ("MountainCar-v0", "force", [0.001, 0.002, 0.003]),
        ("MountainCarContinuous-v0", "goal_velocity", 0.01),
        ("Acrobot-v1", "book_or_nips", ["nips", "book", "nips"]),
        ("Acrobot-v1", "torque_noise_max", 0.5),
    ],
)
def test_set_attr_in_mid_episode(task_id, name, values):
    pair, unchanged = (make_pair(task_id, NEXT_STEP, 20) for _ in range(2))
    for each in (pair, unchanged):
        each.call("reset", seed=0)
        each.play(7)
    assert pair.call("set_attr", name, values) is None
    expected = tuple(values) if isinstance(values, list | tuple) else (values,) * N
    assert pair.call("get_attr", name) == pair.call("call", name) == expected
    assert pair.play(40) >= N
    unchanged.play(40)
    obs = [each.call("step", each.theirs.action_space.sample())[0] for each in (pair, unchanged)]
    assert (obs[0] != obs[1]).any() or name == "goal_velocity"


def test_refused_set_attr_changes_nothing():
    pair = make_pair("Pendulum-v1", limit=9)
    pair.call("reset", seed=0)
    pair.play(2)
    for name, values, error in [
        ("gg", 1.0, AttributeError),
        ("elapsed_step", 0, AttributeError),
        ("g", "heavy", TypeError),
        ("g", None, TypeError),
        ("g", [1.0, 2.0, "heavy"], TypeError),
    ]:
        with pytest.raises(error, match=rf"\b{name}\b"):
            pair.ours.set_attr(name, values)
    for values in ([1.0, 2.0], (1.0,) * 4, []):
        refuse_alike(pair, ValueError, "set_attr", "g", values)
    assert pair.call("get_attr", "g") == (10.0,) * N
    assert pair.play(20) >= N


def test_set_attr_may_not_change_the_spaces():
    env = make_ours("testing-Structured-v0")
    with pytest.raises(ValueError, match="change the spaces of Structured"):
        env.set_attr("as_tuple", True)
    assert env.get_attr("as_tuple") == (False,) * N


def test_get_attr():
    env = make_ours("testing-Counting-v0", episode_length=[1, 2, 3])
    env.reset()
    elapsed = []
    for _ in range(4):
        elapsed.append(env.get_attr("elapsed_step"))
        env.step(np.zeros(N, int))
    assert elapsed == [(0, 0, 0), (1, 1, 1), (0, 2, 2), (1, 0, 3)]
    assert env.get_attr("render_mode") == (None,) * N
    assert env.get_attr("spec") == (env.spec,) * N
    for call in (env.get_attr, env.call):
        with pytest.raises(AttributeError, match="did you mean 'episode_length'"):
            call("episode_lenght")
    for name in (3, None):
        with pytest.raises(AttributeError, match=f"Counting has no attribute {name}$"):
            env.get_attr(name)
    with pytest.raises(TypeError, match="episode_length is a value and takes no arguments"):
        env.call("episode_length", 3)


def test_generators_are_the_environments_own():
    pair = make_pair("CartPole-v1")
    pair.call("reset", seed=0)
    for env in (pair.ours, pair.theirs):
        for rng in env.np_random:
            rng.random(100)
    pair.assert_same_generators()
    pair.call("reset")


def test_states_forget_the_seed():
    env = make_ours("CartPole-v1")
    env.set_state(make_ours("CartPole-v1", seed=7).get_state()[:1], [1])
    assert env.np_random_seed[1] == -1
    env.set_state(env.get_state())
    assert env.np_random_seed == (-1,) * N


# --- close ------------------------------------------------------------------------------------


@pytest.mark.parametrize("close", [VectorEnv.close, lambda env: env.close_extras()])
def test_closed(close):
    env = make_ours("Pendulum-v1")
    env.reset()
    state = env.get_state()
    close(env)
    close(env)
    env.close()
    env.close_extras()
    assert env.closed
    action = np.zeros((N, 1), np.float32)
    for name, args in {
        "reset": (),
        "step": (action,),
        "get_attr": ("g",),
        "call": ("elapsed_step",),
        "set_attr": ("g", 1.0),
        "get_state": (),
        "set_state": (state,),
        "stats": (),
    }.items():
        with pytest.raises(ClosedEnvironmentError, match="after close"):
            getattr(env, name)(*args)
    with pytest.raises(ClosedEnvironmentError, match="after close"):
        _ = env.np_random


def test_no_parts():
    """Every call is about all environments."""
    env = make_ours("CartPole-v1")
    env.reset()
    with pytest.raises(RuntimeError, match="no call was interrupted"):
        env.recv()
    with pytest.raises(ValueError, match="has the key 'env_id'"):
        env.step({"action": np.zeros(1, int), "env_id": np.zeros(1, int)})


def test_seed_of_none():
    first = gymnasium.make_vec("envpool/CartPole-v1", num_envs=2, seed=None)
    second = gymnasium.make_vec("envpool/CartPole-v1", num_envs=2)
    assert len({*first.np_random_seed, *second.np_random_seed}) == 4
    assert gymnasium.make("envpool/CartPole-v1", seed=None).reset()[0].shape == (4,)


def test_far_too_many_are_refused_at_once():
    with pytest.raises(ValueError, match="num_envs is 2147483648"):
        gymnasium.make_vec("envpool/CartPole-v1", num_envs=2**31)


# --- failures ---------------------------------------------------------------------------------


def masked_resets(resets, mask):
    return {"resets": np.array(resets), "_resets": np.array(mask)}


def test_failing_step():
    env = make_ours("testing-Failing-v0", SAME_STEP, 2, place=["step", "never", "never"])
    env.reset()
    env.step(np.zeros(N, int))
    with pytest.raises(EnvironmentFailure, match="0: failed on purpose in step") as caught:
        env.step(np.zeros(N, int))
    expected = gymnasium.make_vec(
        "envpool/testing-Failing-v0", 2, autoreset_mode=SAME_STEP, max_episode_steps=2
    )
    expected.reset()
    expected.step(np.zeros(2, int))
    assert_identical(caught.value.results, expected.step(np.zeros(2, int)))
    assert "final_info" in caught.value.results[-1]

    with pytest.raises(RuntimeError, match="environment 0 has failed: reset it first"):
        env.step(np.zeros(N, int))
    obs, info = env.reset(options={"reset_mask": np.array([True, False, False])})
    assert obs.tolist() == [[0], [0], [0]]
    assert_identical(info, masked_resets([2, 0, 0], [True, False, False]))
    assert env.step(np.zeros(N, int))[0].tolist() == [[1], [1], [1]]


def test_failing_reset():
    env = make_ours("testing-Failing-v0", place=["never", "reset", "never"])
    with pytest.raises(EnvironmentFailure) as caught:
        env.reset(seed=[3, 4, 5])
    assert caught.value.env_ids == [1]
    obs, info = caught.value.results
    assert obs.tolist() == [[0], [0]]
    assert_identical(info, masked_resets([1, 1], [True, True]))
    assert env.np_random_seed == (3, 4, 5)
    # The others were reset, so it may be tried again with only some of them.
    with pytest.raises(EnvironmentFailure) as caught:
        env.reset(options={"reset_mask": np.array([False, True, True])})
    obs, info = caught.value.results
    assert obs.tolist() == [[0], [0]]
    assert_identical(info, masked_resets([0, 2], [False, True]))


# --- Gymnasium's wrappers ---------------------------------------------------------------------


ALL = tuple(AutoresetMode)
NOT_SAME_STEP = (NEXT_STEP, DISABLED)

PENDULUM_ACTIONS = gymnasium.spaces.Box(-9.0, 9.0, (1,), np.float32)

# Where each is tried, the modes in which it works, and its arguments.
WRAPPERS = {
    "TransformObservation": ("CartPole-v1", NOT_SAME_STEP, {"func": lambda obs: 2 * obs}),
    "VectorizeTransformObservation": (
        "testing-Structured-v0",
        NOT_SAME_STEP,
        {"wrapper": single.FilterObservation, "filter_keys": ["lamps"]},
    ),
    "FilterObservation": (
        "testing-Structured-v0",
        NOT_SAME_STEP,
        {"filter_keys": ["body", "dials"]},
    ),
    "FlattenObservation": ("testing-Structured-v0", NOT_SAME_STEP, {}),
    "GrayscaleObservation": ("testing-Picture-v0", NOT_SAME_STEP, {"keep_dim": True}),
    "ResizeObservation": ("testing-Picture-v0", NOT_SAME_STEP, {"shape": (8, 6)}),
    "ReshapeObservation": ("testing-Picture-v0", NOT_SAME_STEP, {"shape": (24, 24)}),
    "RescaleObservation": (
        "Pendulum-v1",
        NOT_SAME_STEP,
        {"min_obs": np.float32(-1.0), "max_obs": np.float32(1.0)},
    ),
    "DtypeObservation": ("testing-Picture-v0", NOT_SAME_STEP, {"dtype": np.float32}),
    "NormalizeObservation": ("CartPole-v1", (NEXT_STEP,), {}),
    "TransformAction": ("Pendulum-v1", ALL, {"func": lambda action: action / 2}),
    "VectorizeTransformAction": (
        "Pendulum-v1",
        ALL,
        {"wrapper": single.TransformAction, "func": np.tanh, "action_space": PENDULUM_ACTIONS},
    ),
    "ClipAction": ("Pendulum-v1", ALL, {}),
    "RescaleAction": (
        "Pendulum-v1",
        ALL,
        {"min_action": np.float32(-1.0), "max_action": np.float32(1.0)},
    ),
    "TransformReward": ("Pendulum-v1", ALL, {"func": lambda reward: reward**2}),
    "VectorizeTransformReward": (
        "Pendulum-v1",
        ALL,
        {"wrapper": single.TransformReward, "func": lambda reward: reward / 2},
    ),
    "ClipReward": ("Pendulum-v1", ALL, {"min_reward": -2.0, "max_reward": -0.5}),
    "NormalizeReward": ("Pendulum-v1", ALL, {}),
    "RecordEpisodeStatistics": ("testing-Picture-v0", ALL, {}),
    "DictInfoToList": ("testing-Picture-v0", ALL, {}),
    # They need a render_mode: test_render.py has them.
    "RecordVideo": ("CartPole-v1", (), {"video_folder": "unused"}),
    "HumanRendering": ("CartPole-v1", (), {}),
    # They cannot convert final_obs, an array of objects. Gymnasium's CartPole takes no JAX arrays.
    "ArrayConversion": (
        "CartPole-v1",
        NOT_SAME_STEP,
        {"env_xp": "numpy", "target_xp": "jax.numpy"},
    ),
    "JaxToNumpy": ("Pendulum-v1", NOT_SAME_STEP, {}),
    "JaxToTorch": ("Pendulum-v1", NOT_SAME_STEP, {}),
    "NumpyToTorch": ("CartPole-v1", NOT_SAME_STEP, {}),
}
NEEDS = {
    "ResizeObservation": ("cv2",),
    "ArrayConversion": ("array_api_compat", "jax"),
    "JaxToNumpy": ("array_api_compat", "jax"),
    "JaxToTorch": ("array_api_compat", "jax", "torch"),
    "NumpyToTorch": ("array_api_compat", "torch"),
}


def test_every_wrapper_is_tried():
    assert set(WRAPPERS) == set(wrappers.__all__)


def wrap(name, arguments, env):
    modules = {key: importlib.import_module(arguments[key]) for key in arguments if "_xp" in key}
    return getattr(wrappers, name)(env, **(arguments | modules))


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.one_in(4)
def test_wrappers(name, mode, monkeypatch):
    for module in NEEDS.get(name, ()):
        pytest.importorskip(module, reason=f"{name} needs it: pip install '.[wrappers]'")
    clock = types.SimpleNamespace(perf_counter=lambda: 0.0)
    monkeypatch.setattr("gymnasium.wrappers.vector.common.time", clock)
    task_id, modes, arguments = WRAPPERS[name]
    makers = [partial(make, task_id, mode, limit=7) for make in (make_ours, make_theirs)]
    if mode not in modes:
        refusals = []
        for make in makers:
            with pytest.raises((ValueError, BufferError)) as caught:
                wrapped = wrap(name, arguments, make())
                wrapped.reset(seed=1)
                for _ in range(7):
                    wrapped.step(wrapped.action_space.sample())
            refusals.append((caught.type, str(caught.value)))
        assert refusals[0] == refusals[1]
        return
    pair = Pair(*(wrap(name, arguments, make()) for make in makers))
    assert_same_spaces(pair)
    pair.call("reset", seed=1)
    # Those that convert from JAX would convert a reset_mask, too.
    assert pair.play(40, partial_resets="Jax" not in name) >= 4 * N
    pair.assert_same_generators()
