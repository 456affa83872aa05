"""Which infos there are: EnvPool's in its dialects, Gymnasium's in its own API."""

import runpy
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.flavours.native import make_native
from envpool.spec.infos import InfoRules
from envpool.spec.plans import envpool_plans
from envpool.tasks.registry import registry
from helpers import GYMNASIUM, make, needs_mujoco, skipping_without_engine

# What EnvPool has beside the ids and elapsed_step, by the native names of environments, with the
# arrays' types; and the environments that have more in its dialect. Each family's tests say it.
ENVPOOL, HAVE_MORE = {}, set()
for path in Path(__file__).parents[1].glob("families/*/infos.py"):
    said = runpy.run_path(str(path))
    ENVPOOL |= said["ENVPOOL"]
    HAVE_MORE |= said.get("HAVE_MORE", set())


TASKS = [task_id for task_id in envpool.list_all_envs() if not task_id.startswith("testing/")]


@pytest.mark.parametrize("task_id", skipping_without_engine(TASKS))
@pytest.mark.one_in(6)
def test_envpools_infos_are_there(task_id):
    spec = envpool.make_spec(task_id)
    name = spec.env_type.name
    expected = ENVPOOL.get(name, {})
    keys = dict(spec.spaces.info_keys)
    for common in ("env_id", "players.env_id", "elapsed_step"):
        assert keys.pop(common) == "int32 ()"
    assert {key: keys.get(key) for key in expected} == expected
    assert set(keys) == set(expected) or name in HAVE_MORE
    assert {f"info:{key}" for key in keys} <= set(spec.state_array_spec)


def types_of(env, seed):
    """The types of each info in an episode, or in the first hundred steps of it."""
    found = {}

    def see(info, when):
        for key, value in info.items():
            kind = (type(value), getattr(value, "dtype", None), np.shape(value))
            found.setdefault((key, when), set()).add(kind)

    see(env.reset(seed=seed)[1], "reset")
    env.action_space.seed(seed)
    for _ in range(100):
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        see(info, "step")
        if terminated or truncated:
            break
    return found


def _with_gymnasiums_own():
    """Our tasks that Gymnasium has itself as well, and can run."""
    for task_id, theirs in gymnasium.registry.items():
        task = registry.tasks.get(task_id)
        is_own = str(theirs.entry_point).startswith("gymnasium.")
        if task is None or not is_own or "/" in task_id:  # those need JAX
            continue
        is_robot = task.import_path == "envpool.families.mujoco.gym"
        is_old = task_id.endswith(("-v2", "-v3")) or task_id == "Pusher-v4"
        if not (is_robot and is_old):  # those need an old MuJoCo
            yield task_id


@pytest.mark.skipif(GYMNASIUM < (1, 4), reason="follows Gymnasium 1.4")
@pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")
@pytest.mark.parametrize("task_id", skipping_without_engine(_with_gymnasiums_own()))
@pytest.mark.one_in(12)
def test_single_environments_have_infos_of_gymnasiums_types(task_id):
    theirs = gymnasium.make(task_id, disable_env_checker=True)
    ours = gymnasium.make(f"envpool/{task_id}", disable_env_checker=True)
    for seed in range(3):
        assert types_of(ours, seed) == types_of(theirs, seed)


def test_acrobots_angles():
    """As the observation has them, by their sines and cosines."""
    pool = make("Acrobot-v1", 4)
    obs, info = pool.reset()
    for _ in range(50):
        angles = info["state"]
        assert (angles.dtype, angles.shape) == (np.float32, (4, 2))
        np.testing.assert_allclose(np.cos(angles), obs[:, [0, 2]], atol=1e-6)
        np.testing.assert_allclose(np.sin(angles), obs[:, [1, 3]], atol=1e-6)
        obs, *_, info = pool.step(np.array([0, 1, 2, 0]))
    state = make("Acrobot-v1", 4, "dm").reset().observation.state
    assert (state.dtype, state.shape) == (np.float32, (4, 2))


# --- rules ------------------------------------------------------------------------------------


def test_rules():
    rules = InfoRules(
        only_envpool=("b32",),
        only_gymnasium=("b",),
        renamed={"b32": "b"},
        aliases={"a": ("x", "y")},
    )
    infos = ["a", "b", "b32", "c"]
    rules.check(infos)
    assert list(rules.in_envpool(infos).items()) == [
        ("a", "a"),
        ("x", "a"),
        ("y", "a"),
        ("b", "b32"),
        ("c", "c"),
    ]
    assert list(rules.in_gymnasium(infos).items()) == [("a", "a"), ("b", "b"), ("c", "c")]
    with pytest.raises(ValueError, match=r"only_gymnasium has 'b', but there is no such info"):
        rules.check(["a", "b32"])


@needs_mujoco
@pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")
def test_environments_of_a_pool_follow_the_same_rules():
    """Of which infos there are; here only with contact forces in Gymnasium's own API."""
    with pytest.raises(ValueError, match="options that give it other infos than environment 0's"):
        make("Humanoid-v4", 2, use_contact_forces=[True, False])
    env = gymnasium.make_vec("envpool/Humanoid-v4", 2)
    env.reset()
    with pytest.raises(ValueError, match="these options would change the infos of GymHumanoid"):
        env.set_attr("use_contact_forces", True)


# --- plans ------------------------------------------------------------------------------------


def test_plans_may_be_any_trees_of_columns():
    spec = envpool.make_spec("CartPole-v1", num_envs=3)
    step = {"a": ("obs.obs", {"b": "@reward"}), "c": "@elapsed_step", "a again": "obs.obs"}
    pool = make_native(spec, {"step": step, "reset": "obs.obs", "final_step": step})
    assert pool.reset(None, [], {}, False).shape == (3, 4)
    result = pool.step(np.zeros(3, int), None)
    assert list(result) == ["a", "c", "a again"]
    obs, rewards = result["a"]
    assert obs.shape == (3, 4)
    assert rewards["b"].tolist() == [1, 1, 1]
    assert result["c"].tolist() == [1, 1, 1]
    np.testing.assert_array_equal(result["a again"], obs)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("obs", "there is no column 'obs', but obs.obs, @env_id, "),
        (("@reward", {"a": "info.a"}), "there is no column 'info.a'"),
        ("@step_type", "there is no column '@step_type'"),
    ],
)
def test_wrong_plans(tree, message):
    spec = envpool.make_spec("CartPole-v1")
    plans = envpool_plans(spec.spaces.contents)
    for kind in ("step", "reset"):
        with pytest.raises(ValueError, match=message):
            make_native(spec, plans | {kind: tree})


def test_missing_plans():
    spec = envpool.make_spec("CartPole-v1", autoreset_mode="SameStep")
    plans = envpool_plans(spec.spaces.contents)
    for kind in plans:
        with pytest.raises(KeyError, match=kind):
            make_native(spec, {key: value for key, value in plans.items() if key != kind})


def test_unknown_layouts():
    spec = envpool.make_spec("CartPole-v1")
    with pytest.raises(ValueError, match="there is no 'float16'"):
        make_native(spec, envpool_plans(spec.spaces.contents), reward_dtype="float16")
