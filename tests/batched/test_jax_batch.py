"""Environments of JAX: the same bits as a loop over their functions, and clear failures."""

import numpy as np
import pytest
from gymnasium import spaces

import envpool

jax = pytest.importorskip("jax")
jnp = jax.numpy
batched = pytest.importorskip("envpool.batched")
pytestmark = pytest.mark.slow


class Ball(batched.JaxEnv):
    """A ball that gets pushed at random, too; it is lost outside of a field."""

    observation_space = spaces.Dict(
        {"ball": spaces.Box(-9, 9, (2,), np.float32), "time": spaces.Box(0, 99, (), np.int32)}
    )
    action_space = spaces.Discrete(3)
    info_space = spaces.Dict({"far": spaces.Box(0, 1, (), np.bool_)})
    takes_keys = True

    def __init__(self, push=0.3):
        self.push = push

    def reset(self, key):
        state = {"ball": jax.random.uniform(key, (2,)), "time": jnp.int32(0)}
        return state, state, {"far": jnp.bool_(False)}

    def step(self, state, action, key):
        push = self.push * jax.random.normal(key, (2,)) + (action - 1) * 0.1
        ball = state["ball"] + jnp.sin(push)
        state = {"ball": ball, "time": state["time"] + 1}
        is_far = jnp.abs(ball).max() > 1
        return (
            state,
            state,
            ball.sum(),
            jnp.abs(ball).max() > 1.5,
            jnp.bool_(False),
            {"far": is_far},
        )


class ByHand:
    """One environment, in a loop over jitted functions, as a user of JAX would write it."""

    reset_it, step_it = jax.jit(Ball().reset), jax.jit(Ball().step)

    def __init__(self, seed):
        self.key = jax.random.PRNGKey(seed)
        self.is_over = True

    def split(self):
        self.key, its = jax.random.split(self.key)
        return its

    def step(self, action):
        if self.is_over:
            self.is_over = False
            self.state, *first = ByHand.reset_it(self.split())
            return first[0], 0.0, False, False, first[1]
        self.state, *results = ByHand.step_it(self.state, action, self.split())
        self.is_over = bool(results[2] or results[3])
        return tuple(results)


def assert_row(results, row, by_hand):
    observation, reward, terminated, truncated, info = results
    theirs = by_hand[0] if isinstance(by_hand[0], dict) else {"": by_hand[0]}
    ours = observation if isinstance(observation, dict) else {"": observation}
    for name, value in theirs.items():
        assert ours[name][row].tobytes() == np.asarray(value, ours[name].dtype).tobytes(), name
    assert reward[row] == np.float32(by_hand[1])
    assert (terminated[row], truncated[row]) == (bool(by_hand[2]), bool(by_hand[3]))
    for name, value in by_hand[4].items():
        np.testing.assert_array_equal(info[name][row], value)


@pytest.mark.parametrize("loops", [False, True])
def test_has_the_bits_of_a_loop(loops, monkeypatch):
    monkeypatch.setattr(Ball, "loops", loops)
    env = envpool.make_batched(Ball, num_envs=5, seed=11)
    loops = [ByHand(11 + i) for i in range(5)]
    observation, info = env.reset()
    none = np.zeros(5, bool)
    for row, loop in enumerate(loops):
        assert_row((observation, none, none, none, info), row, loop.step(0))
    random = np.random.default_rng(0)
    ends = 0
    for _ in range(80):
        action = random.integers(3, size=5)
        results = env.step(action)
        for row, loop in enumerate(loops):
            assert_row(results, row, loop.step(action[row]))
        ends += results[2].sum()
    assert ends > 5


@pytest.mark.parametrize("loops", [False, True])
def test_groups_have_the_same_episodes(loops, monkeypatch):
    monkeypatch.setattr(Ball, "loops", loops)
    whole = envpool.make_batched(Ball, num_envs=6, seed=1)
    first, _ = whole.reset()
    groups = envpool.make_batched(Ball, num_envs=6, batch_size=2, seed=1)
    groups.async_reset()
    steps = [whole.step(np.full(6, k % 3)) for k in range(30)]
    done = np.zeros(6, int)
    for _ in range(60):
        observation, *_, info = groups.recv()
        for row, env_id in enumerate(info["env_id"]):
            expected = first if done[env_id] == 0 else steps[done[env_id] - 1][0]
            assert (observation["ball"][row] == expected["ball"][env_id]).all()
        groups.send(done[info["env_id"]] % 3, info["env_id"])
        done[info["env_id"]] += 1


def test_two_programs_are_compiled_whatever_is_stepped():
    env = envpool.make_batched(Ball, num_envs=5, seed=11)
    env.reset()
    batch = env._pool.environments[0].envpool_group.batch
    for _ in range(60):
        env.step(np.zeros(5, int))
    env.reset(np.array([1, 3]))
    env.step(np.zeros(1, int), np.array([4]))
    assert batch._run_steps._cache_size() == batch._run_resets._cache_size() == 1


class Branches(Ball):
    """What no batch can be compiled of."""

    def step(self, state, action, key):
        if action > 0:
            return super().step(state, action, key)
        return super().step(state, -action, key)


class Grows(Ball):
    """Its state has another shape after each step."""

    def step(self, state, action, key):
        state, *results = super().step(state, action, key)
        return {**state, "ball": jnp.append(state["ball"], 0.0)}, *results


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Branches, "cannot be compiled for a batch.*TracerBoolConversionError"),
        (Grows, r"after a step the state\['ball'\] is float32 of shape \(3,\)"),
    ],
)
def test_what_cannot_be_compiled_is_refused(kind, text):
    with pytest.raises(envpool.ArgumentError, match=text):
        envpool.make_batched(kind, num_envs=2)


def test_options_of_a_class_and_an_object():
    for source, options in ((Ball, {"env_kwargs": {"push": 0.0}}), (Ball(0.0), {})):
        env = envpool.make_batched(source, num_envs=2, **options)
        before, _ = env.reset()
        after, *_ = env.step(np.ones(2, int))
        np.testing.assert_array_equal(before["ball"], after["ball"])


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_snapshots_go_on_as_they_would_have(mode):
    env = envpool.make_batched(Ball, num_envs=3, seed=1, autoreset_mode=mode)
    env.reset()
    for k in range(20):
        env.step(np.full(3, k % 3))
    states = env.get_state()
    expected = [env.step(np.full(3, k % 3)) for k in range(40)]
    assert sum(results[2].sum() for results in expected) > 3
    env.set_state(states)
    for k, results in enumerate(expected):
        again = env.step(np.full(3, k % 3))
        for part, other in zip(again[:4], results[:4], strict=True):
            jax.tree.map(np.testing.assert_array_equal, part, other)
    # Of another pool's environment, and in another place.
    other = envpool.make_batched(Ball, num_envs=2, seed=99, autoreset_mode=mode)
    with pytest.raises(envpool.EnvironmentFailure, match="expected a reset before set_state"):
        other.set_state(states[2:], np.array([0]))
    other.reset()
    other.set_state(states[2:], np.array([0]))
    ball = other.step(np.array([0, 0]))[0]["ball"]
    np.testing.assert_array_equal(ball[0], expected[0][0]["ball"][2])


class Square(Ball):
    """It has another state."""

    def reset(self, key):
        state, observation, info = super().reset(key)
        return {**state, "corners": jnp.zeros(4)}, observation, info

    def step(self, state, action, key):
        after, observation, *results = super().step(state, action, key)
        return {**after, "corners": state["corners"]}, observation, *results


def test_states_of_other_environments_are_refused():
    one, other = (envpool.make_batched(kind, num_envs=1) for kind in (Ball, Square))
    one.reset()
    other.reset()
    with pytest.raises(envpool.EnvironmentFailure, match="state is one of other environments"):
        other.set_state(one.get_state())
