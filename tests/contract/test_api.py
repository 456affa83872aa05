"""What programs written for EnvPool rely on."""

import copy
import gc
import importlib
import importlib.metadata
import inspect
import pickle
import typing
import warnings

import dm_env
import gymnasium
import numpy as np
import pytest

import envpool
from helpers import GYMNASIUM, actions_by_env, assert_same_results, leaves, make

if GYMNASIUM >= (1, 0):
    from gymnasium.wrappers import vector as wrappers
else:  # one class for single and for vector environments
    from gymnasium import wrappers

N = 4
ALL = np.zeros(N, np.int32)


@pytest.fixture
def pool():
    return make("CartPole-v1", N, seed=1)


# --- the module -------------------------------------------------------------------------------


def test_module():
    classes = "DMEnvPool EnvPool EnvSpec GymnasiumEnvPool"
    functions = "list_all_envs make make_dm make_gym make_gymnasium make_spec register"
    for name in [*classes.split(), *functions.split()]:
        assert name in envpool.__all__
        assert hasattr(envpool, name)
    assert envpool.__version__
    assert {"CartPole-v1", "Pendulum-v1", "Acrobot-v1"} <= set(envpool.list_all_envs())


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (
            "envpool.registration",
            "make make_spec list_all_envs register registry base_path asset_base_path",
        ),
        ("envpool.entry", ""),
        ("envpool.python", "envpool protocol"),
        ("envpool.python.api", ""),
        ("envpool.python.data", ""),
        ("envpool.python.dm_envpool", "DMEnvPoolMixin"),
        ("envpool.python.env_spec", "EnvSpecMixin"),
        ("envpool.python.envpool", "EnvPoolMixin"),
        ("envpool.python.gymnasium_envpool", "GymnasiumEnvPoolMixin"),
        ("envpool.python.lax", "XlaMixin"),
        ("envpool.python.protocol", "EnvPool EnvSpec DMEnvPool GymnasiumEnvPool"),
        ("envpool.python.xla_template", ""),
        (
            "envpool.classic_control",
            "CartPoleEnvSpec CartPoleGymnasiumEnvPool CartPoleDMEnvPool PendulumEnvSpec",
        ),
        ("envpool.classic_control.registration", ""),
        ("envpool.mujoco.dmc.registration", "dmc_mujoco_envs"),
        ("envpool.mujoco.gym.registration", "gym_mujoco_envs"),
        ("envpool.atari.registration", "atari_game_list"),
    ],
)
def test_paths_that_clients_import(path, names):
    module = importlib.import_module(path)
    for name in names.split():
        assert hasattr(module, name)


def test_makers_agree():
    makers = [
        envpool.make_gym,
        envpool.make_gymnasium,
        lambda task_id, **kw: envpool.make(task_id, "gym", **kw),
        lambda task_id, **kw: envpool.make(task_id, env_type="gymnasium", **kw),
        lambda task_id, **kw: envpool.make(task_id=task_id, env_type="gym", **kw),
    ]
    for maker in makers:
        made = maker("CartPole-v1", num_envs=2, gym_reset_return_info=True)
        assert type(made) is envpool.classic_control.CartPoleGymnasiumEnvPool
        assert made.num_envs == 2
    assert isinstance(envpool.make_dm("CartPole-v1"), envpool.classic_control.CartPoleDMEnvPool)
    assert envpool.make_dm("CartPole-v1").config["num_envs"] == 1


@pytest.mark.parametrize("version", [None, "0.26.2", "1.0"])
def test_gym_is_gymnasium_without_an_old_gym(monkeypatch, version):
    def version_of(package):
        if version is None:
            raise importlib.metadata.PackageNotFoundError(package)
        return version

    monkeypatch.setattr(importlib.metadata, "version", version_of)
    ours, theirs = (make("CartPole-v1", N, env_type, seed=3) for env_type in ("gym", "gymnasium"))
    assert type(ours) is type(theirs)
    assert ours.config == theirs.config
    assert_same_results(ours.reset(), theirs.reset())
    for batch in actions_by_env("CartPole-v1", N, 50):
        assert_same_results(ours.step(batch), theirs.step(batch))
    with pytest.raises(ValueError, match="gym_reset_return_info"):
        envpool.make_gym("CartPole-v1", gym_reset_return_info=False)


def test_register():
    classes = ["CartPoleEnvSpec", "CartPoleDMEnvPool", "CartPoleGymnasiumEnvPool"]
    envpool.register(
        "Short-v0", "envpool.classic_control", *classes, aliases=["Kurz-v0"], max_episode_steps=7
    )
    try:
        for name in ("Short-v0", "Kurz-v0"):
            assert name in envpool.list_all_envs()
            assert make(name).spec.config.max_episode_steps == 7
        assert make("Short-v0", max_episode_steps=9).spec.config.max_episode_steps == 9
    finally:
        for name in ("Short-v0", "Kurz-v0"):
            del envpool.registration.registry.tasks[name]


# --- attributes -------------------------------------------------------------------------------


def test_types(pool):
    assert isinstance(pool, gymnasium.Env)
    assert isinstance(pool, gymnasium.vector.VectorEnv)
    assert not isinstance(pool, dm_env.Environment)
    names = [cls.__name__ for cls in type(pool).__mro__]
    assert names[0] == "CartPoleGymnasiumEnvPool"
    assert names.index("EnvPool") < names.index("VectorEnv") < names.index("Env")


@pytest.mark.parametrize("task_id", ["CartPole-v1", "FrozenLake-v1", "LunarLander-v3"])
def test_direct_bases(task_id):
    """Where skrl, for one, looks for what it knows."""
    bases = type(envpool.make_gymnasium(task_id)).__bases__
    assert bases == (envpool.GymnasiumEnvPool, gymnasium.vector.VectorEnv, gymnasium.Env)
    bases = type(envpool.make_dm(task_id)).__bases__
    assert bases == (envpool.DMEnvPool, dm_env.Environment)


def test_type_hints():
    hints = {
        name: typing.get_type_hints(getattr(envpool, name))
        for name in envpool.__all__
        if inspect.isroutine(getattr(envpool, name))
    }
    assert {"make", "make_spec", "register", "list_all_envs"} <= set(hints)
    assert hints["make_spec"]["return"] is envpool.EnvSpec
    assert hints["make_gymnasium"]["return"] is envpool.GymnasiumEnvPool
    assert hints["make_dm"] == {"task_id": str, "kwargs": typing.Any, "return": envpool.DMEnvPool}
    for method in (envpool.registration.registry.make_spec, envpool.registration.registry.find):
        assert typing.get_type_hints(method)["task_id"] is str


def test_configs_make_the_same_again():
    """jax-baseline, for one, takes options from there."""
    for task_id in ("CartPole-v1", "FrozenLake8x8-v1", "CarRacing-v3", "NChain-v0"):
        spec = envpool.make_spec(task_id, num_envs=3, seed=[3, 1, 2])
        again = envpool.make_spec(
            task_id, **dict(zip(spec._config_keys, spec._config_values, strict=True))
        )
        assert again == spec
        assert type(spec)(spec.config) == spec


def test_attributes(pool):
    assert pool.num_envs == len(pool) == N
    assert pool.is_vector_env is True
    assert pool.is_async is False
    assert pool.render_mode is None
    assert pool.closed is False
    assert pool.unwrapped is pool
    assert pool.all_env_ids.dtype == np.int32
    assert pool.all_env_ids.tolist() == [0, 1, 2, 3]
    if GYMNASIUM >= (1, 1):
        assert pool.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    assert "render_modes" in pool.metadata
    assert pool.spec.reward_threshold == 475.0
    assert pool.spec.config.max_episode_steps == 500
    assert pool.spec.config.num_envs == N


def test_spaces_are_those_of_one_environment(pool):
    assert pool.observation_space is pool.single_observation_space
    assert pool.action_space is pool.single_action_space
    assert pool.observation_space is pool.observation_space
    assert pool.observation_space.shape == (4,)
    assert pool.observation_space.dtype == np.float32
    assert pool.action_space == gymnasium.spaces.Discrete(2)
    assert make("Pendulum-v1").action_space.shape == (1,)


def test_config(pool):
    config = pool.config
    assert isinstance(config, dict)
    expected = {
        "num_envs": N,
        "batch_size": N,
        "num_threads": 2,
        "max_num_players": 1,
        "thread_affinity_offset": -1,
        "seed": 1,
        "env_seed": [],
        "gym_reset_return_info": True,
        "max_episode_steps": 500,
        "reward_threshold": 475.0,
    }
    assert expected.items() <= config.items()
    assert "base_path" in config
    assert envpool.make_gym("CartPole-v1", num_threads=0).config["num_threads"] == 0
    assert make("CartPole-v1", seed=[5, 6, 7, 8]).config["env_seed"] == [5, 6, 7, 8]


@pytest.mark.parametrize(("batch_size", "is_async"), [(0, False), (N, False), (3, True)])
def test_is_async(batch_size, is_async):
    pool = make("CartPole-v1", N, batch_size=batch_size)
    assert pool.is_async is is_async
    assert pool.config["batch_size"] == (batch_size or N)


def test_gymnasiums_api_is_the_default():
    makers = (
        envpool.make,
        envpool.registration.registry.make,
        lambda name: envpool.make_multi([name]),
    )
    assert all(isinstance(maker("CartPole-v1"), envpool.GymnasiumEnvPool) for maker in makers)


def test_repr(pool):
    """With what differs from the defaults, as max_episode_steps does in each task."""
    assert repr(pool).startswith("CartPoleGymnasiumEnvPool(num_envs=4, ")
    assert str(pool) == repr(pool)
    assert "gravity" not in repr(pool)
    assert repr(pool.spec).startswith("CartPoleEnvSpec(num_envs=4, ")
    assert repr(make("CartPole-v1", env_type="dm")).startswith("CartPoleDMEnvPool(num_envs=4, ")
    other = envpool.make_spec("CartPole-v1", num_envs=4, batch_size=2, gravity=1.6)
    assert repr(other) == (
        "CartPoleEnvSpec(num_envs=4, batch_size=2, max_episode_steps=500, "
        "reward_threshold=475.0, gravity=1.6)"
    )
    assert other != envpool.make_spec("CartPole-v1", num_envs=4, batch_size=2, gravity=1.5)


SETTABLE = (
    "num_envs is_vector_env spec name closed render_mode metadata "
    "observation_space action_space single_observation_space single_action_space"
)


@pytest.mark.parametrize("name", SETTABLE.split())
def test_attributes_can_be_set(pool, name):
    old = getattr(pool, name, "no such attribute")
    setattr(pool, name, old)
    assert getattr(pool, name) == old
    value = object()
    setattr(pool, name, value)
    assert getattr(pool, name) is value


# --- the spec ---------------------------------------------------------------------------------


def test_spec():
    spec = envpool.make_spec("CartPole-v1", num_envs=3, seed=7)
    assert spec.config._fields[:2] == ("num_envs", "batch_size")
    assert type(spec.config).__name__ == "Config"
    assert (spec.config.num_envs, spec.config.batch_size, spec.config.seed) == (3, 3, 7)
    assert spec.observation_space == spec.gymnasium_observation_space
    assert spec.action_space == spec.gymnasium_action_space
    assert envpool.make_spec("Pendulum-v1").reward_threshold is None
    assert type(spec).gen_config(num_envs=5).num_envs == 5
    keys = spec._config_keys
    assert list(spec.config._fields) == list(keys)
    assert spec._config_values == tuple(spec.config)


def test_array_specs():
    spec = envpool.make_spec("Pendulum-v1")
    obs = spec.state_array_spec["obs"]
    assert (obs.dtype, obs.shape) == (np.float32, (3,))
    np.testing.assert_array_equal(obs.maximum, [1, 1, 8])
    action = spec.action_array_spec["action"]
    assert (action.minimum, action.maximum, action.is_discrete) == (-2.0, 2.0, False)
    assert {"env_id", "players.env_id", "action"} == set(spec.action_array_spec)
    assert envpool.make_spec("CartPole-v1").action_array_spec["action"].is_discrete


def test_dm_specs():
    spec = envpool.make_spec("Pendulum-v1")
    assert spec.action_spec() == dm_env.specs.BoundedArray((1,), np.float32, -2.0, 2.0, "action")
    assert spec.observation_spec().obs.shape == (3,)
    discrete = envpool.make_spec("CartPole-v1").action_spec()
    assert isinstance(discrete, dm_env.specs.DiscreteArray)
    assert discrete.num_values == 2


@pytest.mark.parametrize(
    "clone", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy]
)
def test_copies_of_specs(clone):
    spec = envpool.make_spec("CartPole-v1", num_envs=3, gravity=[1.0, 2.0, 3.0], seed=[7, 8, 9])
    copied = clone(spec)
    assert copied == spec
    assert hash(copied) == hash(spec)
    assert copied.config == spec.config
    assert copied.id == spec.id == "CartPole-v1"
    assert copied != envpool.make_spec("CartPole-v1", num_envs=3)
    ours, theirs = (envpool.classic_control.CartPoleGymnasiumEnvPool(s) for s in (copied, spec))
    assert_same_results(ours.reset(), theirs.reset())
    assert_same_results(ours.step(ALL[:3]), theirs.step(ALL[:3]))


def test_signatures():
    assert list(inspect.signature(envpool.make).parameters)[:2] == ["task_id", "env_type"]
    assert next(iter(inspect.signature(envpool.make_spec).parameters)) == "task_id"


# --- results ----------------------------------------------------------------------------------


def test_one_array_keeps_its_memory_alone():
    """Of each batch another array survives, as a view at that."""
    pool = make("Pendulum-v1", 2)
    pool.reset()
    actions = actions_by_env("Pendulum-v1", 2, 500)
    kept = []
    for i, batch in enumerate(actions):
        array = list(leaves(pool.step(batch)))[i % 7][1][::-1]
        kept.append((array, array.copy()))
    del pool
    gc.collect()
    for array, expected in kept:
        assert array.tobytes() == expected.tobytes()


# --- step -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert",
    [
        lambda a: a.astype(np.float64),
        lambda a: a.astype(np.float16),
        lambda a: a.astype(np.longdouble),
        lambda a: a.astype(np.int64),
        lambda a: a.astype(bool),
        lambda a: a.astype(">f4"),
        lambda a: np.asfortranarray(np.repeat(a, 2, axis=1))[:, :1],
        lambda a: a.tolist(),
    ],
)
def test_box_actions_convert(convert):
    pool, twin = make("Pendulum-v1"), make("Pendulum-v1")
    pool.reset()
    twin.reset()
    for batch in actions_by_env("Pendulum-v1", N, 30):
        converted = convert(batch)
        assert_same_results(pool.step(converted), twin.step(np.array(converted, np.float32)))


def test_ids_of_players_may_be_nested(pool):
    pool.reset()
    for _ in range(3):
        players = {"env_id": np.arange(N)}
        results = pool.step({"action": ALL, "env_id": np.arange(N), "players": players})
    assert results[-1]["elapsed_step"].tolist() == [3] * N


def test_more_actions_than_ids_takes_the_first_rows():
    pool, twin = make("CartPole-v1"), make("CartPole-v1")
    pool.reset()
    twin.reset()
    actions = np.array([1, 0, 1, 1], np.int32)
    ids = np.array([3, 1])
    with pytest.warns(UserWarning, match="first rows"):
        results = pool.step(actions, ids)
    assert_same_results(results, twin.step(actions[:2], ids))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns once
        assert_same_results(pool.step(actions, ids), twin.step(actions[:2], ids))


# --- close ------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_use_after_close(env_type):
    """Some clients make a pool, close it, and go on."""
    pool, twin = make("CartPole-v1", N, env_type), make("CartPole-v1", N, env_type)
    assert_same_results(pool.reset(), twin.reset())
    for _ in range(3):
        pool.close()
        pool.close(anything="goes")
        assert pool.closed
        assert_same_results(pool.step(ALL), twin.step(ALL))
    pool.close()
    assert_same_results(pool.reset(), twin.reset())


# --- dm_env -----------------------------------------------------------------------------------


def test_dm():
    pool = make("CartPole-v1", N, "dm", seed=1)
    twin = make("CartPole-v1", N, seed=1)
    assert isinstance(pool, dm_env.Environment)
    assert not isinstance(pool, gymnasium.Env)
    step = pool.reset()
    assert isinstance(step, dm_env.TimeStep)
    described = [(array.dtype, array.shape) for array in step[:3]]
    assert described == [(np.int32, (N,)), (np.float32, (N,)), (np.float32, (N,))]
    assert type(step.observation).__name__ == "State"
    assert step.observation._fields[:3] == ("env_id", "players", "obs")
    np.testing.assert_array_equal(step.observation.players.env_id, np.arange(N))
    obs, _ = twin.reset()
    np.testing.assert_array_equal(step.observation.obs, obs)
    assert step.first().tolist() == [True] * N
    assert step.reward.tolist() == [0.0] * N
    assert step.discount.tolist() == [1.0] * N
    step = pool.step(ALL)
    assert step.mid().all() and not (step.first() | step.last()).any()


def test_dm_specs_of_a_pool():
    pool = make("Pendulum-v1", 2, "dm")
    pool.action_spec().validate(np.zeros(1, np.float32))
    step = pool.reset()
    spec = pool.observation_spec()
    assert spec._fields == step.observation._fields
    for row in range(2):
        spec.obs.validate(step.observation.obs[row])
        spec.env_id.validate(step.observation.env_id[row])
        spec.players.env_id.validate(step.observation.players.env_id[row])
    assert pool.reward_spec() is not None
    assert pool.discount_spec() is not None


# --- gymnasium's wrappers ---------------------------------------------------------------------


WRAPPERS = [
    wrappers.RecordEpisodeStatistics,
    wrappers.NormalizeReward,
    wrappers.NormalizeObservation,
    wrappers.ClipAction,
    lambda env: wrappers.TransformReward(env, lambda reward: reward * 2),
]
if GYMNASIUM >= (1, 0):
    WRAPPERS += [
        wrappers.FlattenObservation,
        wrappers.DictInfoToList,
        lambda env: wrappers.ClipReward(env, -1, 1),
    ]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_vector_wrappers(wrap):
    task_id = "Pendulum-v1"  # which ClipAction needs
    env = wrap(make(task_id, N))
    obs, _ = env.reset(seed=1)
    assert len(obs) == N
    for batch in actions_by_env(task_id, N, 10):
        obs, reward, terminated, truncated, _ = env.step(batch)
        assert len(obs) == len(reward) == len(terminated) == len(truncated) == N
    env.close()


def test_record_episode_statistics_wrapper():
    """It counts what the pool itself counts, but takes the reset for a step."""
    env = wrappers.RecordEpisodeStatistics(make("CartPole-v1", N))
    own = make("CartPole-v1", N, record_episode_statistics=True)
    env.reset(seed=1)
    own.reset(seed=1)
    finished = 0
    for batch in actions_by_env("CartPole-v1", N, 200):
        info, expected = env.step(batch)[-1], own.step(batch)[-1]
        done = expected["_episode"]
        if done.any():
            np.testing.assert_array_equal(info["_episode"], done)
            np.testing.assert_allclose(info["episode"]["r"][done], expected["episode"]["r"][done])
            if GYMNASIUM >= (1, 0):  # before, it counts the auto-reset
                np.testing.assert_array_equal(
                    info["episode"]["l"][done], expected["episode"]["l"][done]
                )
        finished += done.sum()
    assert finished > N


def test_plain_wrappers(pool):
    class Doubled(gymnasium.Wrapper):
        def step(self, action):
            obs, reward, *rest = self.env.step(action)
            return obs, 2 * reward, *rest

    env = Doubled(pool)
    assert env.unwrapped is pool
    assert env.action_space is pool.action_space
    env.reset()
    assert env.step(ALL)[1].tolist() == [2.0] * N
    env.close()
