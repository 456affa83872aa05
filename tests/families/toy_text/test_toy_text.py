"""Toy text computes what Gymnasium does, from the same seeds, in all modes and with all options."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

import envpool
from envpool.oracles import toy_text
from helpers import Each, OraclePair, Pair, assert_same_bytes, make, random_actions

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")

TASKS, LIMITS = toy_text.Environments.tasks, toy_text.Environments.limits
N = 5


def plugin_name(task_id):
    return f"envpool/{task_id.replace('/', '-')}"


def make_pair(task_id, seed=0, **options):
    """Ours and Gymnasium's, reset from this seed on."""
    options = toy_text.Environments().options(task_id) | options
    return OraclePair(task_id, range(seed, seed + N), **options)


def deliver(pair, steps):
    """Steps a pair of Taxis by random actions that change something; counts deliveries."""
    rng = np.random.default_rng(1)
    _, info = pair.call("reset", seed=7)
    delivered = 0
    for _ in range(steps):
        actions = (info["action_mask"] * rng.random((N, 6))).argmax(axis=1)
        _, reward, _, _, info = pair.call("step", actions)
        delivered += (reward == 20).sum()
    return delivered


# --- rollouts ---------------------------------------------------------------------------------


MAPS = (["SFFF", "FHFH", "FFFH", "HFFG"], ["SFSH", "FFFH", "HFFS", "GFHF"])
SHAPES = (["FFFSFFFH", "FFFFFFFG"], ["SFFF", "FHFH", "FFFH", "HFFG"])
RANDOM_MAPS = tuple(generate_random_map(6, seed=seed) for seed in range(N))

OPTIONS = [
    ("FrozenLake-v1", {"map_name": "8x8"}),
    ("FrozenLake8x8-v1", {"map_name": "4x4", "is_slippery": False}),
    ("FrozenLake-v1", {"is_slippery": Each(True, False, True, False, True)}),
    ("FrozenLake-v1", {"success_rate": Each(0.0, 0.3, 0.8, 1.0, 1.0 / 3.0)}),
    ("FrozenLake-v1", {"success_rate": 0.1, "reward_schedule": [2.5, -1.25, 0.1]}),
    ("FrozenLake-v1", {"reward_schedule": Each(*([1.0 + i, -i / 2, 0.1 * i] for i in range(N)))}),
    ("FrozenLake-v1", {"desc": ["SFG"], "success_rate": 0.7}),
    ("FrozenLake-v1", {"desc": MAPS[1], "map_name": None}),
    ("FrozenLake-v1", {"desc": Each(MAPS[0], MAPS[1], MAPS[1], MAPS[0], MAPS[1])}),
    ("FrozenLake-v1", {"desc": Each(*SHAPES, *SHAPES, SHAPES[0])}),
    ("FrozenLake8x8-v1", {"desc": Each(*RANDOM_MAPS)}),
    ("CliffWalking-v1", {"is_slippery": Each(True, False, True, False, True)}),
    ("CliffWalkingSlippery-v1", {"is_slippery": False}),
    *(
        ("Blackjack-v1", {"natural": natural, "sab": sab})
        for natural in (False, True)
        for sab in (False, True)
    ),
    (
        "Blackjack-v1",
        {
            "natural": Each(True, False, True, True, False),
            "sab": Each(False, False, True, False, True),
        },
    ),
    ("Taxi-v4", {"is_rainy": True}),
    ("Taxi-v4", {"fickle_passenger": True}),
    ("Taxi-v4", {"is_rainy": True, "rainy_probability": Each(0.0, 0.1, 0.5, 0.9, 1.0)}),
    (
        "Taxi-v3",
        {
            "is_rainy": Each(True, False, True, True, False),
            "fickle_passenger": Each(True, True, False, True, True),
            "fickle_probability": Each(1.0, 1.0, 0.5, 0.7, 0.0),
        },
    ),
]


@pytest.mark.parametrize(("task_id", "options"), OPTIONS, ids=str)
@pytest.mark.one_in(12)
def test_options(task_id, options):
    pair = make_pair(task_id, 1000, **options)
    assert pair.ours.single_observation_space == pair.theirs.single_observation_space
    for seed in (1000, 1):
        pair.call("reset", seed=seed)
        assert pair.play(700) >= N
    pair.assert_same_generators()


@pytest.mark.parametrize(
    "options",
    [{}, {"is_rainy": True}, {"fickle_passenger": True, "fickle_probability": 0.9}],
    ids=str,
)
@pytest.mark.one_in(3)
def test_taxi_delivers(options):
    assert deliver(make_pair("Taxi-v4", **options), 1500) >= N


def test_cliff_walking_to_the_goal():
    pair = make_pair("CliffWalking-v1")
    way = [0] + [1] * 11 + [2]
    for action in [*way, 3, *way, 3, 1, 1]:  # after the goal, the action is not looked at
        _, reward, terminated, _, _ = pair.call("step", np.full(N, action))
    assert (reward == -100).all()
    assert not terminated.any()


# --- EnvPool's dialect ------------------------------------------------------------------------

INFOS = {"CliffWalking": ["prob"], "Taxi": ["prob", "action_mask"]}  # as EnvPool 1.2.7 has them


@pytest.mark.parametrize("task_id", TASKS)
def test_dialect(task_id):
    """The numbers of Gymnasium's own API, in EnvPool's types and with EnvPool's infos."""
    limits = {"max_episode_steps": 30}
    pool = make(task_id, N, seed=3, **limits)
    strict = gymnasium.make_vec(plugin_name(task_id), N, seed=3, **limits)
    rng = np.random.default_rng(0)
    (obs, info), (expected, their_info) = pool.reset(), strict.reset()
    for step in range(200):
        if step > 0:
            actions = random_actions(pool, rng)
            obs, reward, *flags, info = pool.step(actions)
            expected, their_reward, *their_flags, their_info = strict.step(actions)
            assert_same_bytes(reward, their_reward.astype(np.float32))
            for ours, theirs in zip(flags, their_flags, strict=True):
                assert_same_bytes(ours, theirs)
        if isinstance(expected, tuple):
            expected = np.stack(expected, axis=1)
        assert_same_bytes(obs, expected.astype(np.int32))
        shown = next((INFOS[name] for name in INFOS if name in task_id), [])
        assert list(info) == ["env_id", "players", *shown, "elapsed_step"]
        for name in shown:
            if their_info[name].dtype != np.int64:  # to which SyncVectorEnv has cut it
                assert_same_bytes(info[name], their_info[name].astype(info[name].dtype))


@pytest.mark.parametrize("task_id", TASKS)
def test_specs_are_envpools(task_id):
    spec = envpool.make_spec(task_id)
    obs = spec.state_array_spec["obs"]
    is_discrete = "Blackjack" not in task_id
    assert (obs.is_discrete, obs.dtype) == (is_discrete, np.int32)
    if not is_discrete:
        assert spec.observation_space == gymnasium.spaces.Box(0, 31, (3,), np.int32)


@pytest.mark.parametrize(
    ("task_id", "expected"),
    [
        ("FrozenLake-v1", {"size": 4}),
        ("FrozenLake8x8-v1", {"size": 8}),
        ("CliffWalking-v0", {"is_slippery": False}),
        ("CliffWalkingSlippery-v1", {"is_slippery": True}),
        ("tabular/Blackjack-v0", {"sab": True, "natural": False}),
        ("Catch-v0", {"height": 10, "width": 5}),
    ],
)
def test_options_of_tasks(task_id, expected):
    config = envpool.make_spec(task_id).config._asdict()
    assert {name: config[name] for name in expected} == expected


MAP = ["SFH", "FFG"]


@pytest.mark.parametrize(
    "desc",
    [
        MAP,
        tuple(MAP),
        [row.encode() for row in MAP],
        [list(row) for row in MAP],
        np.array(MAP),
        np.array([list(row) for row in MAP]),
        np.asarray(MAP, dtype="c"),
        [np.array(list(row)) for row in MAP],
    ],
    ids=lambda desc: f"{type(desc).__name__} of {type(desc[0]).__name__}",
)
def test_forms_of_a_map(desc):
    """Those of Gymnasium and some more; also when there are as many environments as rows."""
    expected = envpool.make_spec("FrozenLake-v1", num_envs=2, desc=MAP)
    spec = envpool.make_spec("FrozenLake-v1", num_envs=2, desc=desc)
    assert list(spec.options.each()) == list(expected.options.each())
    per_env = envpool.make_spec("FrozenLake-v1", num_envs=2, desc=[desc, desc])
    assert list(per_env.options.each()) == list(expected.options.each()) * 2
    env = gymnasium.make_vec("envpool/FrozenLake-v1", 2)
    with pytest.raises(ValueError, match="spaces"):
        env.set_attr("desc", [desc, desc])


def test_lists_in_lists():
    deep = "S"
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(TypeError, match=r"desc is \[\[.*\], expected a list of strings"):
        envpool.make_spec("FrozenLake-v1", desc=deep)


def test_maps_of_one_column():
    make_pair("FrozenLake-v1", desc=[["S"], ["F"], ["G"]]).play(50)


def test_names_of_maps_per_environment():
    spec = envpool.make_spec("FrozenLake-v1", num_envs=2, map_name=["8x8", "8x8"])
    assert spec.observation_space.n == 64
    with pytest.raises(ValueError, match=r"other spaces than environment 0's: map_name$"):
        make("FrozenLake-v1", 2, map_name=["8x8", "4x4"])


# --- options that are refused -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        ("FrozenLake-v1", {"size": 5}, "size is 5, expected 4 or 8"),
        ("FrozenLake-v1", {"map_name": "5x5"}, "map_name is '5x5', expected '4x4' or '8x8'"),
        ("FrozenLake-v1", {"map_name": None}, "map_name is None and there is no desc"),
        ("FrozenLake-v1", {"map_name": "4x4", "size": 8}, "map_name is '4x4' and size is 8"),
        ("FrozenLake-v1", {"desc": ["SF", "FGF"]}, "desc has a row of 3 tiles"),
        ("FrozenLake-v1", {"desc": [""]}, "desc has a row of 0 tiles"),
        ("FrozenLake-v1", {"desc": ["SX"]}, "desc has the tile 'X', expected 'S', 'F', 'H' or"),
        ("FrozenLake-v1", {"desc": ["FG"]}, "desc has no start"),
        ("FrozenLake-v1", {"desc": ["S\u00c9"]}, "desc has a tile that is no ASCII letter"),
        ("FrozenLake-v1", {"desc": ["S\0"]}, "desc has a tile that is no ASCII letter"),
        ("FrozenLake-v1", {"reward_schedule": [1, 0, np.nan]}, r"reward_schedule is \[1, 0, nan\]"),
        ("Catch-v0", {"height": 2**70}, "height is 1180591620717411303424, expected an integer"),
        (
            "FrozenLake-v1",
            {"success_rate": 1.5},
            "success_rate is 1.50* *, expected 0 <= success_rate",
        ),
        ("FrozenLake-v1", {"success_rate": -0.1}, "success_rate is -0.1"),
        ("FrozenLake-v1", {"reward_schedule": [1, 0]}, "reward_schedule has 2 numbers, expected 3"),
        ("Taxi-v4", {"rainy_probability": 2}, "rainy_probability is 2"),
        ("Taxi-v4", {"fickle_probability": -1}, "fickle_probability is -1"),
        ("Catch-v0", {"height": 1}, "height is 1, expected 2 <= height <= 1000"),
        ("Catch-v0", {"width": 0}, "width is 0, expected 1 <= width <= 1000"),
        ("Catch-v0", {"width": 1001}, "width is 1001"),
    ],
    ids=str,
)
def test_bad_options(task_id, options, message):
    with pytest.raises(ValueError, match=message):
        make(task_id, N, **options)


@pytest.mark.parametrize("desc", [5, "SFFG", [5], [[5]], [["S", 5]]])
def test_what_is_no_map(desc):
    with pytest.raises(TypeError, match=r"desc is .*, expected a list of strings"):
        make("FrozenLake-v1", 1, desc=desc)


def test_environments_of_different_sizes_are_refused():
    with pytest.raises(ValueError, match="space"):
        make("FrozenLake-v1", 2, desc=[["SG"], ["SFG"]])


def test_set_attr():
    """A changed option takes effect in the middle of an episode."""
    pair = make_pair("FrozenLake-v1", 1)
    pair.ours.set_attr("desc", [MAPS[1]] * N)
    pair.ours.set_attr("is_slippery", False)
    other = make_pair("FrozenLake-v1", 1, desc=MAPS[1], is_slippery=False)
    for ours, theirs in zip(pair.theirs.envs, other.theirs.envs, strict=True):
        theirs.unwrapped.s = ours.unwrapped.s
        theirs.unwrapped.np_random = copy.deepcopy(ours.unwrapped.np_random)
    changed = Pair(pair.ours, other.theirs)
    assert changed.play(100) > N
