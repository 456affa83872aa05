"""Pools over objects that step a batch: as the object driven by hand, and clear failures."""

import os

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

import envpool


class Walks:
    """Random walks in NumPy, each with a generator of its own; one ends at either wall."""

    observation_space = spaces.Dict(
        {"place": spaces.Box(-20, 20, (2,), np.float32), "steps": spaces.Discrete(100)}
    )
    action_space = spaces.Discrete(2)
    info_space = spaces.Dict({"left": spaces.Box(0, 1, (), np.bool_)})

    def __init__(self, num_envs, wall=5):
        self.wall = wall
        self.places, self.steps = np.zeros((2, num_envs), int)
        self.generators = [np.random.default_rng()] * num_envs
        self.calls = []

    def observe(self, ids):
        places = np.stack([self.places[ids], 2 * self.places[ids]], 1).astype(np.float32)
        return {"place": places, "steps": self.steps[ids]}, {"left": self.places[ids] < 0}

    def reset(self, seeds, ids):
        self.calls.append(("reset", ids.tolist()))
        for env_id, seed in zip(ids, seeds, strict=True):
            if seed is not None:
                self.generators[env_id] = np.random.default_rng(seed)
            self.places[env_id] = self.generators[env_id].integers(-3, 4)
        self.steps[ids] = 0
        return self.observe(ids)

    def step(self, actions, ids):
        self.calls.append(("step", ids.tolist()))
        self.places[ids] += 2 * actions - 1
        self.steps[ids] += 1
        observation, info = self.observe(ids)
        is_over = np.abs(self.places[ids]) >= self.wall
        return observation, self.places[ids] / 10, is_over, np.zeros(len(ids), bool), info


class Walk(gymnasium.Env):
    """One of them as an environment of Gymnasium."""

    observation_space, action_space = Walks.observation_space, Walks.action_space

    def __init__(self):
        self.walks = Walks(1)
        self.only = np.zeros(1, int)

    def reset(self, *, seed=None, options=None):
        observation, info = self.walks.reset([seed], self.only)
        return {key: rows[0] for key, rows in observation.items()}, {"left": info["left"][0]}

    def step(self, action):
        observation, *columns, info = self.walks.step(np.array([action]), self.only)
        reward, terminated, truncated = (column[0] for column in columns)
        observation = {key: rows[0] for key, rows in observation.items()}
        return observation, reward, terminated, truncated, {"left": info["left"][0]}


def assert_same(one, other):
    if isinstance(one, dict):
        for key in one.keys() & other.keys():
            assert_same(one[key], other[key])
    elif isinstance(one, tuple | list):
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, np.ndarray) and one.dtype == object:
        assert_same(list(one), list(other))
    else:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_is_the_same_as_environments_one_by_one(mode):
    options = {"num_envs": 5, "seed": 3, "autoreset_mode": mode, "max_episode_steps": 9}
    options["record_episode_statistics"] = True
    batched = envpool.make_batched(Walks, **options)
    single = envpool.make_python(Walk, num_workers=0, **options)
    assert_same(batched.reset(), single.reset())
    random = np.random.default_rng(0)
    for _ in range(60):
        action = random.integers(2, size=5)
        assert_same(batched.step(action), single.step(action))


def test_steps_and_resets_are_one_call_each():
    made = []

    def make(num_envs):
        made.append(Walks(num_envs))
        return made[0]

    env = envpool.make_batched(make, num_envs=4, autoreset_mode="SameStep", seed=3)
    env.reset()
    for _ in range(3):
        env.step(np.ones(4, int))
    everyone = list(range(4))
    assert made[0].calls == [("reset", everyone), *[("step", everyone)] * 3, ("reset", [0, 1])]


def test_asynchronous_pools_step_groups():
    made = []
    env = envpool.make_batched(lambda n: made.append(Walks(n)) or made[0], num_envs=6, batch_size=2)
    single = envpool.make_python(Walk, num_envs=6, batch_size=2, num_workers=0)
    for pool in (env, single):
        pool.async_reset()
    for _ in range(40):
        ours, theirs = env.recv(), single.recv()
        assert_same(ours, theirs)
        for pool in (env, single):
            pool.send(ours[-1]["env_id"] % 2, ours[-1]["env_id"])
    assert max(len(ids) for _, ids in made[0].calls) == 2


def test_chosen_seeds_and_next_episodes():
    env = envpool.make_batched(Walks, num_envs=3, seed=[7, 7, 8])
    observation, _ = env.reset()
    assert observation["place"][0, 0] == observation["place"][1, 0]
    env.next_episode(seed=[11, None, 12], env_id=[0, 1, 2])
    again = envpool.make_batched(Walks, num_envs=1, seed=11)
    for _ in range(12):
        observation, _, terminated, *_ = env.step(np.ones(3, int))
        if terminated[0]:
            break
    observation, *_ = env.step(np.ones(3, int))
    assert observation["place"][0, 0] == again.reset()[0]["place"][0, 0]


def test_a_recording_has_its_episodes(tmp_path):
    env = envpool.make_batched(
        Walks, num_envs=3, seed=1, record=tmp_path / "r", env_kwargs={"wall": 4}
    )
    env.reset()
    for _ in range(30):
        env.step(np.ones(3, int))
    env.close()
    episodes = envpool.replay(tmp_path / "r").episodes
    assert len(episodes) > 3


def test_in_dm_envs_api_infos_are_observed():
    time_step = envpool.make_batched(Walks, "dm", num_envs=4, seed=3).reset()
    observation, info = envpool.make_batched(Walks, num_envs=4, seed=3).reset()
    assert_same(time_step.observation.place, observation["place"])
    assert_same(time_step.observation.left, info["left"])


def test_evaluate_takes_such_a_pool():
    env = envpool.make_batched(Walks, num_envs=4, record_episode_statistics=True)
    result = envpool.evaluate(lambda observation: np.ones(len(observation["steps"]), int), env, 9)
    places = [np.random.default_rng(seed).integers(-3, 4) for seed in result.seeds]
    assert list(result.lengths) == [5 - place for place in places]


def test_a_vector_environment_is_as_driven_by_hand():
    env = envpool.make_batched(CartPoleVectorEnv, num_envs=6, seed=5)
    theirs = CartPoleVectorEnv(6)
    assert_same(env.reset()[0], theirs.reset(seed=5)[0])
    random = np.random.default_rng(0)
    for _ in range(200):
        action = random.integers(2, size=6)
        assert_same(env.step(action)[:4], theirs.step(action)[:4])


def test_a_vector_environment_whose_episodes_end_together():
    make = lambda n: CartPoleVectorEnv(n, max_episode_steps=3)  # noqa: E731
    env, theirs = envpool.make_batched(make, num_envs=2, seed=5), make(2)
    assert_same(env.reset()[0], theirs.reset(seed=5)[0])
    for _ in range(10):
        action = np.array([0, 1])
        assert_same(env.step(action)[:4], theirs.step(action)[:4])


def test_a_vector_environment_refuses_what_it_cannot_do():
    for options in ({"autoreset_mode": "SameStep"}, {"max_episode_steps": 9}, {"batch_size": 2}):
        with pytest.raises(envpool.ArgumentError, match="a VectorEnv decides itself"):
            envpool.make_batched(CartPoleVectorEnv, num_envs=4, **options)
    with pytest.raises(envpool.ArgumentError, match="has 3 environments, expected num_envs = 4"):
        envpool.make_batched(lambda _: CartPoleVectorEnv(3), num_envs=4)
    env = envpool.make_batched(CartPoleVectorEnv, num_envs=4)
    env.reset()
    with pytest.raises(envpool.EnvironmentFailure, match="resets all of its environments at once"):
        env.reset(np.array([1]))
    env.reset()
    env.step(np.zeros(4, int))


class Failing(Walks):
    """Raises where a walk has come to 4."""

    def step(self, actions, ids):
        returned = super().step(actions, ids)
        if (self.places[ids] == 4).any():
            raise KeyError("four")
        return returned


def test_a_failure_is_that_of_all_in_the_call():
    env = envpool.make_batched(Failing, num_envs=3, seed=3)
    env.reset()
    with pytest.raises(envpool.EnvironmentFailure, match="KeyError: 'four'") as caught:
        for _ in range(4):
            env.step(np.ones(3, int))
    assert caught.value.env_ids == [0, 1, 2]
    assert isinstance(caught.value.__cause__, KeyError)
    env.reset()
    env.step(np.zeros(3, int))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_failures_can_be_survived(mode):
    env = envpool.make_batched(Failing, num_envs=3, seed=3, on_failure="reset", autoreset_mode=mode)
    env.reset()
    for _ in range(4):
        *_, truncated, info = env.step(np.ones(3, int))
        if truncated.any():
            break
    assert truncated.all()
    assert "failure" in info
    env.step(np.zeros(3, int))


class Wrong(Walks):
    """Returns something else than it says."""

    def __init__(self, num_envs, **wrong):
        super().__init__(num_envs)
        self.wrong = wrong

    def step(self, actions, ids):
        observation, reward, *others = super().step(actions, ids)
        observation |= {key: value for key, value in self.wrong.items() if key in observation}
        return observation, self.wrong.get("reward", reward), *others


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"place": np.zeros((2, 1))}, r"as place an array of shape \(2, 1\), expected \(2, 2\)"),
        ({"steps": np.zeros(2)}, "as steps an array of float64, expected int64"),
        ({"reward": np.zeros(3)}, r"step\(\) returned as reward an array of shape \(3,\)"),
    ],
)
def test_results_that_do_not_fit_are_named(wrong, text):
    env = envpool.make_batched(Wrong, num_envs=2, env_kwargs=wrong)
    env.reset()
    with pytest.raises(envpool.EnvironmentFailure, match=text):
        env.step(np.zeros(2, int))


def test_bad_sources_and_options():
    with pytest.raises(TypeError, match="expected an object with the methods reset"):
        envpool.make_batched(lambda _: 3, num_envs=2)
    with pytest.raises(TypeError, match="expected a function of num_envs"):
        envpool.make_batched(3, num_envs=2)
    with pytest.raises(TypeError, match="num_workers is not an option of environments that step"):
        envpool.make_batched(Walks, num_envs=2, num_workers=2)
    with pytest.raises(TypeError, match="one object has them all"):
        envpool.make_batched(Walks, num_envs=2, env_kwargs=[{}, {}])
    with pytest.raises(envpool.ArgumentError, match=r"expected an id such as 'pgx:go_9x9'"):
        envpool.make_batched("pgx_go", num_envs=2)

    class Texts(Walks):
        observation_space = spaces.Text(5)

    with pytest.raises(envpool.ArgumentError, match="has a part Text"):
        envpool.make_batched(Texts, num_envs=2)


class Saved(Walks):
    """They can be saved."""

    def get_state(self, env_id):
        return self.places[env_id], self.steps[env_id], self.generators[env_id]

    def set_state(self, env_id, state):
        self.places[env_id], self.steps[env_id], self.generators[env_id] = state


def test_snapshots_are_the_objects_affair():
    env = envpool.make_batched(Saved, num_envs=3, seed=1)
    env.reset()
    states = env.get_state()
    expected = [env.step(np.ones(3, int)) for _ in range(20)]
    env.set_state(states)
    for results in expected:
        assert_same(env.step(np.ones(3, int)), results)
    env = envpool.make_batched(Walks, num_envs=3)
    env.reset()
    with pytest.raises(envpool.EnvironmentFailure, match=r"Walks.* has no attribute 'get_state'"):
        env.get_state()


def test_a_forked_child_is_refused():
    env = envpool.make_batched(Walks, num_envs=2)
    env.reset()
    pid = os.fork()
    if pid == 0:
        try:
            env.step(np.zeros(2, int))
        except RuntimeError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    env.step(np.zeros(2, int))


def test_a_pool_in_a_pool():
    class Nested(Walks):
        def __init__(self, num_envs):
            super().__init__(num_envs)
            self.inner = envpool.make_batched(Walks, num_envs=3)
            self.inner.reset()

        def step(self, actions, ids):
            self.inner.step(np.zeros(3, int))
            return super().step(actions, ids)

    options = {"num_envs": 4, "seed": 2}
    nested, plain = (envpool.make_batched(kind, **options) for kind in (Nested, Walks))
    assert_same(nested.reset()[0], plain.reset()[0])
    for _ in range(20):
        action = np.array([0, 1, 1, 0])
        assert_same(nested.step(action)[:4], plain.step(action)[:4])
