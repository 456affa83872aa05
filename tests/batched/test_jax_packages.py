"""Environments of pgx, Jumanji, gymnax and Craftax: the bits of loops over their own functions.

The loops call upstream's functions with the keys that our documentation promises; nothing of our
adapters is in them.
"""

import dataclasses
import sys

import numpy as np
import pytest

import envpool
from envpool.batched.ids import ENVPOOL_IDS, PACKAGES

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.slow


class Loop:
    """Some environments one after the other, by jitted functions of upstream.

    Args:
        reset: Takes a key, returns a state.
        step: Takes a state, an action and a key, returns a state.
        read: Makes of a state what is observed, the reward, and whether that was the end.
        takes_keys: Whether a step draws random numbers.
    """

    def __init__(self, reset, step, read, takes_keys):
        self.reset, self.takes_keys = jax.jit(lambda key: read(reset(key), None)), takes_keys
        self.step = jax.jit(lambda state, action, key: read(step(state, action, key), state))

    def run(self, seed, actions):
        key, is_over, rows = jax.random.PRNGKey(seed), True, []
        for action in (None, *actions):
            if is_over:
                key, its = jax.random.split(key)
                state, observation, _, _ = self.reset(its)
                reward, is_over = 0.0, False
            else:
                its = None
                if self.takes_keys:
                    key, its = jax.random.split(key)
                state, observation, reward, is_over = self.step(state, action, its)
            rows.append((jax.tree.leaves(observation), np.float32(reward), bool(is_over)))
        return rows


def loop_of_pgx(name):
    pgx = pytest.importorskip("pgx")
    game = pgx.make(name)
    takes_keys = name in {"2048", "backgammon"} or name.startswith("minatar")

    def read(state, before):
        reward = 0.0 if before is None else state.rewards[before.current_player]
        return state, state.observation, reward, state.terminated | state.truncated

    step = game.step if takes_keys else lambda state, action, _: game.step(state, action)
    return Loop(game.init, step, read, takes_keys)


def fields_of(value):
    """Named tuples and data classes as dicts, whose leaves JAX sorts by their names."""
    if not hasattr(value, "_asdict") and not dataclasses.is_dataclass(value):
        return value
    fields = value._asdict() if hasattr(value, "_asdict") else vars(value)
    return {name: fields_of(part) for name, part in fields.items()}


def loop_of_jumanji(name):
    jumanji = pytest.importorskip("jumanji")
    environment = jumanji.make(name)

    def read(returned, _):
        state, timestep = returned
        return state, fields_of(timestep.observation), timestep.reward.sum(), timestep.last()

    return Loop(
        environment.reset, lambda state, action, _: environment.step(state, action), read, False
    )


def loop_of_gymnax(name):
    gymnax = pytest.importorskip("gymnax")
    environment, params = gymnax.make(name)

    def reset(key):
        observation, state = environment.reset_env(key, params)
        return observation, state, 0.0, False

    def step(state, action, key):
        observation, state, reward, terminated, _ = environment.step_env(key, state, action, params)
        return observation, state, reward, terminated | environment.is_truncated(state, params)

    def read(returned, _):
        observation, state, reward, is_over = returned
        return state, observation, reward, is_over

    return Loop(reset, step, read, True)


def loop_of_craftax(name):
    craftax = pytest.importorskip("craftax.craftax_env")
    environment = craftax.make_craftax_env_from_name(name, auto_reset=False)
    params = environment.default_params

    def reset(key):
        observation, state = environment.reset(key, params)
        return observation, state, 0.0, False

    def step(state, action, key):
        return environment.step(key, state, action, params)[:4]

    def read(returned, _):
        observation, state, reward, is_over = returned
        return state, observation, reward, is_over

    return Loop(reset, step, read, True)


LOOPS = {
    "pgx": loop_of_pgx,
    "jumanji": loop_of_jumanji,
    "gymnax": loop_of_gymnax,
    "craftax": loop_of_craftax,
}


def leaves_of(observation, row):
    return [rows[row] for rows in jax.tree.leaves(observation)]


def assert_equals_upstream(task, num_envs=3, steps=60):
    """Returns how many episodes have ended."""
    package, _, name = task.partition(":")
    loop = LOOPS[package](name)
    env = envpool.make_batched(task, num_envs=num_envs, seed=5)
    space = env.action_space
    space.seed(0)
    observation, info = env.reset()
    taken, results = [], [(observation, np.zeros(num_envs), np.zeros(num_envs, bool))]
    for k in range(steps):
        action = np.stack([space.sample() for _ in range(num_envs)])
        if "action_mask" in info and k % 7:  # mostly legal moves
            chances = np.random.default_rng(k).random(info["action_mask"].shape)
            action = (chances * info["action_mask"]).argmax(axis=1)
        taken.append(action)
        observation, reward, terminated, truncated, info = env.step(action)
        results.append((observation, reward, terminated | truncated))
    for row in range(num_envs):
        theirs = loop.run(5 + row, [action[row] for action in taken])
        for k, (expected, reward, is_over) in enumerate(theirs):
            ours = leaves_of(results[k][0], row)
            assert len(ours) == len(expected)
            for one, other in zip(ours, expected, strict=True):
                assert one.tobytes() == np.asarray(other).tobytes(), (task, row, k)
            assert results[k][1][row] == reward
            assert results[k][2][row] == is_over
    return sum(int(result[2].sum()) for result in results)


@pytest.mark.parametrize(
    "task",
    ["pgx:connect_four", "pgx:2048", "jumanji:Snake-v1", "gymnax:CartPole-v1"],
)
def test_has_the_bits_of_upstream(task):
    assert_equals_upstream(task)


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
    for name in list(sys.modules):
        if name.partition(".")[0] == package:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install .*{package}"):
        envpool.make_batched(f"{package}:x", num_envs=2)


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
    loop = Loop(
        limited.reset,
        lambda state, action, _: limited.step(state, action),
        lambda state, _: (state, state.obs, state.reward, state.done),
        takes_keys=False,
    )
    env = envpool.make_batched(limited, num_envs=3, seed=5)
    first, info = env.reset()
    np.testing.assert_array_equal(info["of_way"], first[:, 0])
    rows, taken = [(first, np.zeros(3), np.zeros(3, bool), np.zeros(3, bool))], []
    for k in range(40):
        taken.append(np.full((3, 2), 0.2 * (-1) ** (k // 9) + 0.01 * k, np.float32))
        rows.append(env.step(taken[-1])[:4])
    assert any(row[2].any() for row in rows) and any(row[3].any() for row in rows)
    for i in range(3):
        for row, expected in zip(rows, loop.run(5 + i, [each[i] for each in taken]), strict=True):
            np.testing.assert_array_equal(row[0][i], expected[0][0])
            assert (row[1][i], row[2][i] or row[3][i]) == expected[1:]
