"""Environments of JAX's packages: the bits of loops over their own functions.

The loops are those of ``python -m envpool verify``, in envpool.oracles.jax_packages.
"""

import sys

import numpy as np
import pytest

import envpool
from envpool.batched.ids import ENVPOOL_IDS, PACKAGES
from envpool.oracles.comparison import Plan, compare_tasks
from envpool.oracles.jax_packages import Functions, Loops
from envpool.oracles.upstreams import Upstream

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.slow


def assert_equals_upstream(task, steps=60):
    """Compares as ``python -m envpool verify`` does; returns how many episodes have ended."""
    pytest.importorskip(task.partition(":")[0])
    upstream = Upstream("envpool.oracles.jax_packages:Environments", {}, has_pictures=False)
    *_, outcome = compare_tasks(upstream, [task], Plan(steps, range(5, 8), pictures=False))
    assert (outcome.result, outcome.steps) == ("equal", 3 * steps), outcome.text
    return outcome.ends


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        ("pgx:connect_four", 60),
        ("pgx:2048", 300),  # of which no game has ended after 60
        ("jumanji:Snake-v1", 60),
        ("gymnax:CartPole-v1", 60),
    ],
)
def test_has_the_bits_of_upstream(task, steps):
    assert assert_equals_upstream(task, steps) > 0


@pytest.mark.parametrize(
    ("task", "options"),
    [("gymnax:CartPole-v1", {"force_mag": 5.0}), ("pgx:go_13x13", {"komi": 5.5})],
)
def test_options_are_those_of_the_originals(task, options):
    pytest.importorskip(task.partition(":")[0])
    env = envpool.make(task, num_envs=2, env_kwargs=options)
    assert env.spec.id == task


def test_envpools_ids_are_ids_of_the_packages():
    pgx, jumanji = pytest.importorskip("pgx"), pytest.importorskip("jumanji")
    known = {f"pgx:{name}" for name in (*pgx.available_envs(), "go_13x13")}
    known |= {f"jumanji:{name}" for name in jumanji.registered_environments()}
    assert {name for name in ENVPOOL_IDS.values() if "craftax" not in name} <= known


@pytest.mark.parametrize("env_type", ["gymnasium", "dm", "gym"])
def test_make_takes_envpools_ids(env_type):
    pytest.importorskip("pgx")
    env = envpool.make("TicTacToe-v1", env_type, num_envs=3)
    env.reset()
    env.step(np.zeros(3, int))
    assert env.config["num_envs"] == 3


@pytest.mark.parametrize("package", PACKAGES)
def test_a_missing_package_is_named_with_what_installs_it(package, monkeypatch):
    module = {"playground": "mujoco_playground"}.get(package, package)
    for name in list(sys.modules):
        if name.partition(".")[0] == module:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"pip install .*{package}"):
        envpool.make_batched(f"{package}:x", num_envs=2)


def assert_pools_are_equal(environment, functions, push):
    """A pool and a loop with the same actions, Box(-1, 1, (2,)), over both kinds of ends."""
    env = envpool.make_batched(environment, num_envs=3, seed=5)
    loops = Loops(functions, 3, env.action_space)
    (first, info), theirs = env.reset(), loops.reset(seed=range(5, 8))
    np.testing.assert_array_equal(first, theirs[0])
    kinds = np.zeros(2, int)
    for k in range(40):
        action = np.full((3, 2), push(k), np.float32)
        *ours, info = env.step(action)
        *expected, infos = loops.step(action)
        assert list(infos) == ["of_way"]
        pairs = zip([*ours, info["of_way"]], [*expected, infos["of_way"]], strict=True)
        for one, other in pairs:
            np.testing.assert_array_equal(one, other)
        kinds += np.sum(ours[2:], axis=1)
    assert kinds.all()


@pytest.mark.parametrize("task", ["pgx:connect_four", "pgx:2048", "gymnax:CartPole-v1"])
def test_vec_env_has_the_rows_of_the_pool(task):
    pytest.importorskip("stable_baselines3")
    pytest.importorskip(task.partition(":")[0])
    from envpool.sb3 import VecEnv

    env = VecEnv(task, num_envs=3, seed=5)
    pool = envpool.make(task, "gymnasium", num_envs=3, seed=5, autoreset_mode="SameStep")
    first, info = pool.reset()
    np.testing.assert_array_equal(env.reset(), first)
    has_masks = "action_mask" in info
    assert env.has_attr("action_masks") == has_masks
    for k in range(40):
        action = np.full(3, k % 2)
        if has_masks:
            np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
            action = (np.random.default_rng(k).random((3, 1)) * info["action_mask"]).argmax(axis=1)
        observation, reward, terminated, truncated, info = pool.step(action)
        rows, rewards, dones, infos = env.step(action)
        np.testing.assert_array_equal(rows, observation)
        np.testing.assert_array_equal(rewards, reward)
        np.testing.assert_array_equal(dones, terminated | truncated)
        for row in np.flatnonzero(dones):
            last = infos[row]["terminal_observation"]
            np.testing.assert_array_equal(last, info["final_obs"][row])
            assert infos[row]["episode"]["l"] == info["final_info"]["elapsed_step"][row]
    env.close()


def test_vec_env_without_a_seed_has_different_environments():
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("gymnax")
    from envpool.sb3 import VecEnv

    first = VecEnv("gymnax:CartPole-v1", num_envs=3).reset()
    again = VecEnv("gymnax:CartPole-v1", num_envs=3).reset()
    assert len(np.unique(np.concatenate([first, again]), axis=0)) == 6


def test_environments_of_brax_have_the_bits_of_their_own_functions():
    """One without physics, which takes Brax minutes to compile, in its own time limit."""
    envs = pytest.importorskip("brax.envs")
    jnp = jax.numpy

    class Point(envs.Env):
        observation_size, action_size, backend = 2, 2, "none"

        def reset(self, rng):
            place = jax.random.uniform(rng, (2,))
            return envs.State(None, place, 0.0 * place[0], jnp.float32(0), {"of/way": place[0]})

        def step(self, state, action):
            place = state.obs + jnp.sin(action)
            done = jnp.float32(jnp.abs(place).max() > 2)
            return state.replace(obs=place, reward=place.sum(), done=done)

    limited = envs.training.EpisodeWrapper(Point(), 7, 1)

    def told(state):
        truncated = state.info["truncation"] > 0
        terminated = (state.done > 0) & ~truncated
        infos = {"of_way": state.metrics["of/way"]}
        return state, state.obs, state.reward, terminated, truncated, infos

    def reset(key):
        state, observation, *_, infos = told(limited.reset(key))
        return state, observation, infos

    functions = Functions(reset, lambda state, action, _: told(limited.step(state, action)), False)
    assert_pools_are_equal(limited, functions, lambda k: 0.2 * (-1) ** (k // 9) + 0.01 * k)


def test_environments_of_playground_end_when_their_configuration_says():
    """One with the API of MuJoCo Playground, whose own ones take minutes to compile."""
    envs, registry = (
        pytest.importorskip(name) for name in ("brax.envs", "mujoco_playground._src.registry")
    )

    class Slide(registry.mjx_env.MjxEnv):
        action_size, xml_path, mj_model, mjx_model = 1, "", None, None

        def reset(self, rng):
            place = jax.random.uniform(rng, (2,))
            zero = jax.numpy.float32(0)
            return registry.mjx_env.State(None, {"state": place}, zero, zero, {"at": place[0]}, {})

        def step(self, state, action):
            return state.replace(obs={"state": state.obs["state"] + action}, reward=action[0])

    with pytest.MonkeyPatch.context() as patch:
        config = registry.dm_control_suite.cartpole.default_config()
        patch.setattr(registry, "get_default_config", lambda name: config)
        patch.setattr(registry, "load", lambda name, config: Slide(config))
        env = envpool.make("playground:Slide", num_envs=2, env_kwargs={"episode_length": 3})
    observation, _ = env.reset()
    for k in range(1, 4):
        after, reward, terminated, truncated, info = env.step(np.full((2, 1), 0.5, np.float32))
        np.testing.assert_allclose(after["state"], observation["state"] + 0.5 * k)
        assert (reward == 0.5).all() and not terminated.any() and truncated.all() == (k == 3)
    assert info["at"].shape == (2,)
    assert envs.training  # which limits its episodes


def test_environments_of_jaxmarl_have_a_part_for_each_agent():
    """One with JaxMARL's API: the second agent has to say what the first has said before."""
    spaces = pytest.importorskip("jaxmarl.environments.spaces")
    from jaxmarl.environments.multi_agent_env import MultiAgentEnv

    class Echo(MultiAgentEnv):
        def __init__(self):
            super().__init__(num_agents=2)
            first, second = self.agents
            self.action_spaces = {first: spaces.Discrete(2), second: spaces.Discrete(3)}
            self.observation_spaces = {each: spaces.Box(0, 9, (1,)) for each in self.agents}

        def reset(self, key):
            return self.seen({"word": jax.random.randint(key, (), 0, 2), "time": 0})

        def seen(self, state):
            values = {each: jax.numpy.float32(state["word"])[None] for each in self.agents}
            return values | {"world_state": values[self.agents[0]]}, state

        def step_env(self, key, state, actions):
            first, second = self.agents
            is_right = actions[second] == state["word"]
            is_over = {"__all__": state["time"] == 3, first: False, second: is_right}
            after = {"word": actions[first].astype(np.int32), "time": state["time"] + 1}
            rewards = {first: jax.numpy.float32(0.25), second: is_right.astype(np.float32)}
            dones = jax.tree.map(jax.numpy.asarray, is_over)
            return *self.seen(after), rewards, dones, {"is_right": is_right}

        def get_avail_actions(self, state):
            return {each: jax.numpy.arange(k + 2) < 2 for k, each in enumerate(self.agents)}

    env = envpool.make_batched(Echo(), num_envs=3, seed=5)
    observation, info = env.reset()
    assert sorted(observation) == ["agent_0", "agent_1"]
    assert info["action_mask"]["agent_1"].tolist() == [[1, 1, 0]] * 3
    for k in range(4):
        said = observation["agent_0"][:, 0].astype(int)
        action = {"agent_0": np.arange(3) % 2, "agent_1": said if k < 3 else np.full(3, 2)}
        observation, reward, terminated, truncated, info = env.step(action)
        is_right = action["agent_1"] == said
        np.testing.assert_array_equal(info["rewards"], np.stack([np.full(3, 0.25), is_right], 1))
        np.testing.assert_array_equal(info["dones"], np.stack([np.zeros(3), is_right], 1))
        np.testing.assert_array_equal(reward, 0.25 + is_right)
        assert (terminated == (k == 3)).all() and not truncated.any()
        assert observation["agent_1"][:, 0].tolist() == [0, 1, 0]
