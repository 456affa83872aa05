"""The flavour for an old gym. It needs one, so the other tests' pytest run does not collect this.

pip install "gym==0.23.1" ".[test]" jax && pytest tests/flavours/old_gym
"""

import pickle

import gym
import gym.vector  # before 0.22 gym does not import it by itself
import gym.wrappers
import gymnasium
import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.errors import EnvironmentFailure
from helpers import actions_by_env, assert_same_results, leaves

N = 4
ALL = np.zeros(N, np.int32)
VERSION = tuple(int(part) for part in gym.__version__.split(".")[:2])

pytestmark = pytest.mark.filterwarnings("ignore:.*step API.*:DeprecationWarning")


def make(task_id, num_envs=N, env_type="gymnasium", **kwargs):
    """Like the helper of this name, but with the environment type in the third place."""
    return envpool.make(task_id, env_type, num_envs=num_envs, num_threads=2, **kwargs)


def make_pair(task_id, **kwargs):
    """The same pool for gym and for Gymnasium."""
    return make(task_id, N, "gym", **kwargs), make(task_id, N, "gymnasium", **kwargs)


# --- who gets it ------------------------------------------------------------------------------

CALLS = [
    "envpool.make('CartPole-v1', 'gym')",
    "envpool.make('CartPole-v1', env_type='gym')",
    "envpool.make_gym('CartPole-v1')",
    "envpool.registration.make('CartPole-v1', 'gym')",
    "envpool.registration.make_gym('CartPole-v1')",
    "envpool.registration.registry.make('CartPole-v1', env_type='gym')",
]


@pytest.mark.parametrize("call", CALLS)
def test_scripts_for_an_old_gym(call):
    pool = eval(call)
    assert isinstance(pool, gym.Env)
    assert pool.reset().shape == (1, 4)
    assert len(pool.step(np.zeros(1, int))) == 4


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("value", [None, "", "0"])
def test_others_have_gymnasiums_semantics(monkeypatch, value, call):
    """Though an old gym is installed, and this module has imported it."""
    if value is None:
        monkeypatch.delenv("ENVPOOL_OLD_GYM")
    else:
        monkeypatch.setenv("ENVPOOL_OLD_GYM", value)
    pool = eval(call)
    assert isinstance(pool, gymnasium.vector.VectorEnv)
    observation, _info = pool.reset()
    assert observation.shape == (1, 4)
    assert len(pool.step(np.zeros(1, int))) == 5


@pytest.mark.parametrize("value", ["0", "1"])
def test_callers_can_say_so(monkeypatch, value):
    monkeypatch.setenv("ENVPOOL_OLD_GYM", value)
    for make_it in (envpool.make_gym, lambda name, **kw: envpool.make_spec(name).make("gym", **kw)):
        assert isinstance(make_it("CartPole-v1", old_gym=True), gym.Env)
        assert isinstance(make_it("CartPole-v1", old_gym=False), gymnasium.Env)


def test_other_types_are_not_concerned():
    assert isinstance(envpool.make("CartPole-v1"), gymnasium.Env)
    assert isinstance(envpool.make("CartPole-v1", "gymnasium"), gymnasium.Env)
    assert not isinstance(envpool.make("CartPole-v1", "dm"), gym.Env)


def test_environments_in_python():
    pool = envpool.make_python("CartPole-v1", "gym", num_workers=0)
    assert isinstance(pool, gym.Env)
    assert pool.reset().shape == (1, 4)
    assert len(pool.step(np.zeros(1, int))) == 4


def test_several_tasks():
    pool = envpool.make_multi({"CartPole-v0": 1, "CartPole-v1": 2}, "gym")
    assert isinstance(pool, gym.Env)
    assert isinstance(pool.action_space, gym.spaces.Discrete)
    assert pool.reset().shape == (3, 4)
    *_, info = pool.step(np.zeros(3, np.int32))
    assert info["task"].tolist() == [0, 1, 1]
    assert "TimeLimit.truncated" in info
    assert isinstance(pool.spec.make("gym"), gym.Env)


# --- types and attributes ---------------------------------------------------------------------


def test_gym_is_old():
    assert VERSION < (0, 26)


def test_types():
    pool = envpool.make_gym("CartPole-v1", num_envs=N)
    assert isinstance(pool, gym.Env)
    assert isinstance(pool, envpool.python.envpool.EnvPoolMixin)
    assert not isinstance(pool, gymnasium.Env)
    assert type(pool).__name__ == "CartPoleGymEnvPool"
    assert type(pool).__module__ == "envpool.families.classic_control"
    assert type(pool) is type(envpool.make("CartPole-v1", env_type="gym"))
    assert not isinstance(envpool.make_gymnasium("CartPole-v1"), gym.Env)
    assert gym.Env in type(pool).__bases__
    assert str(pool).startswith("CartPoleGymEnvPool(num_envs=4, ")


def test_attributes():
    pool = make("CartPole-v1", N, "gym")
    assert pool.is_vector_env is True
    assert pool.num_envs == len(pool) == N
    assert pool.reward_range == (-np.inf, np.inf)
    modes = ["human", "rgb_array"]
    assert pool.metadata == {
        "render_modes": modes,
        "render.modes": modes,
        "render_fps": 50,
        "video.frames_per_second": 50,
    }
    assert pool.unwrapped is pool
    assert pool.config["gym_reset_return_info"] is False
    assert pool.spec.id == "CartPole-v1"
    assert pool.spec.reward_threshold == 475.0
    with pytest.warns(UserWarning, match="seed"):
        pool.seed(1)


def test_spaces():
    pool = make("CartPole-v1", N, "gym")
    assert pool.action_space == gym.spaces.Discrete(2)
    assert pool.action_space is pool.single_action_space
    assert isinstance(pool.observation_space, gym.spaces.Box)
    assert pool.observation_space is pool.single_observation_space
    assert pool.observation_space.dtype == np.float32
    # EnvPool's spec had gym's as well, and torchrl looks there.
    assert pool.spec.observation_space is pool.observation_space
    assert pool.spec.action_space is pool.action_space
    theirs = envpool.make_spec("CartPole-v1").observation_space
    assert isinstance(theirs, gymnasium.spaces.Box)
    np.testing.assert_array_equal(pool.observation_space.low, theirs.low)
    np.testing.assert_array_equal(pool.observation_space.high, theirs.high)


def test_spaces_of_structures():
    space = make("testing/Structured-v0", N, "gym").action_space
    assert isinstance(space, gym.spaces.Dict)
    assert set(space.spaces) == {"body", "lamps", "dials"}
    assert space["lamps"].shape == (3,)
    assert isinstance(space["lamps"], gym.spaces.MultiBinary)
    assert space["dials"] == gym.spaces.MultiDiscrete([2, 9])
    gear = space["body"]["gear"]  # begins at -1, which not every gym can say of a Discrete
    assert (gear.low, gear.high, gear.shape, gear.dtype.kind) == (-1, 3, (), "i")
    as_tuple = make("testing/Structured-v0", N, "gym", as_tuple=True).action_space
    assert isinstance(as_tuple, gym.spaces.Tuple)
    assert len(as_tuple.spaces) == 4


# --- results ----------------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "MountainCar-v0", "Acrobot-v1"])
def test_episodes_are_those_of_gymnasium(task_id):
    ours, theirs = make_pair(task_id, seed=3, max_episode_steps=30)
    assert_same_results(ours.reset(), theirs.reset()[0])
    episodes = 0
    for action in actions_by_env(task_id, N, 100):
        observation, reward, done, info = ours.step(action)
        *expected, terminated, truncated, their_info = theirs.step(action)
        their_info["TimeLimit.truncated"] = truncated & ~terminated
        assert_same_results((observation, reward), tuple(expected))
        assert_same_results(done, terminated | truncated)
        assert_same_results(info, their_info)
        episodes += done.sum()
    assert episodes > N


def test_time_limit_truncated_is_false_where_the_episode_terminated():
    """As with gym's own TimeLimit, also if it terminates in the very last step."""
    pool, other = make_pair("CartPole-v1", seed=3)
    other.reset()
    terminated = np.zeros(N, bool)
    length = 0
    while not terminated.any():
        terminated = other.step(ALL)[2]
        length += 1
    assert not terminated.all()
    pool = make("CartPole-v1", N, "gym", seed=3, max_episode_steps=length)
    pool.reset()
    for _ in range(length):
        _, _, done, info = pool.step(ALL)
    assert done.all()
    np.testing.assert_array_equal(info["TimeLimit.truncated"], ~terminated)


def test_final_observations_of_episodes_that_were_reset_in_the_same_step():
    env = envpool.make(
        "CartPole-v1", "gym", num_envs=2, max_episode_steps=3, autoreset_mode="SameStep"
    )
    env.reset()
    for step in range(1, 4):
        _, _, done, info = env.step(np.zeros(2, int))
        assert ("final_obs" in info) == done.all() == (step == 3)
    assert info["final_info"]["elapsed_step"].tolist() == [3, 3]


def test_reset_of_some_environments():
    pool, other = make_pair("CartPole-v1")
    assert_same_results(pool.reset(np.array([2, 0])), other.reset(np.array([2, 0]))[0])
    assert pool.reset(np.array([], np.int64)).shape == (0, 4)
    assert_same_results(pool.reset(seed=5), other.reset(seed=5)[0])
    mask = {"reset_mask": np.array([True, False, True, False])}
    assert_same_results(pool.reset(options=mask), other.reset(options=mask)[0])


def test_reset_with_info():
    """Some clients ask EnvPool for the info, whatever the API."""
    pool, other = make("CartPole-v1", N, "gym", gym_reset_return_info=True), make("CartPole-v1")
    assert_same_results(pool.reset(), other.reset())
    pool.async_reset()
    assert len(pool.recv(reset=True)) == 2
    assert len(pool.step(ALL)) == 4


def test_other_flavours_still_refuse_to_leave_the_info_out():
    for maker in (envpool.make_spec, envpool.make_gymnasium, envpool.make_dm):
        with pytest.raises(ValueError, match="gym_reset_return_info"):
            maker("CartPole-v1", gym_reset_return_info=False)
    spec = make("CartPole-v1", N, "gym").spec
    for name in ("CartPoleGymnasiumEnvPool", "CartPoleDMEnvPool"):
        with pytest.raises(ValueError, match="gym_reset_return_info"):
            getattr(envpool.families.classic_control, name)(spec)


def test_spec_makes_the_same_pool_again():
    pool = make("CartPole-v1", N, "gym", seed=2)
    again = type(pool)(pickle.loads(pickle.dumps(pool.spec)))
    assert_same_results(pool.reset(), again.reset())


def test_async():
    pool = make("CartPole-v1", 6, "gym", batch_size=2)
    pool.async_reset()
    seen = set()
    for _ in range(100):
        observation, _, _, info = pool.recv()
        assert observation.shape == (2, 4)
        seen |= set(info["env_id"].tolist())
        pool.send(np.zeros(2, np.int64), info["env_id"])
    assert seen == set(range(6))
    assert pool.recv(reset=True).shape == (2, 4)


def test_use_after_close():
    pool, twin = make("CartPole-v1", N, "gym"), make("CartPole-v1", N, "gym")
    pool.close()
    assert_same_results(pool.reset(), twin.reset())


def test_failures_have_this_flavours_results():
    places = {"num_envs": 3, "place": ["never", "step", "never"], "fail_at": 1}
    pool = envpool.make("testing/Failing-v0", "gym", **places)
    pool.reset()
    with pytest.raises(EnvironmentFailure) as caught:
        pool.step(ALL[:3])
    _, _, done, info = caught.value.results
    assert done.tolist() == [False, False]
    assert info["env_id"].tolist() == [0, 2]
    assert info["TimeLimit.truncated"].tolist() == [False, False]
    places["place"] = ["never", "reset", "never"]
    pool = envpool.make("testing/Failing-v0", "gym", **places)
    with pytest.raises(EnvironmentFailure) as caught:
        pool.reset()
    assert caught.value.results.shape == (2, 1)


# --- gym's wrappers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        gym.Wrapper,
        gym.wrappers.NormalizeObservation,
        gym.wrappers.NormalizeReward,
        gym.wrappers.ClipAction,
        gym.wrappers.RecordEpisodeStatistics,
        lambda env: gym.wrappers.TransformReward(env, lambda reward: reward * 2),
        lambda env: gym.wrappers.TransformObservation(env, lambda observation: observation / 2),
        lambda env: gym.wrappers.RescaleAction(env, -1.0, 1.0),
    ],
)
def test_wrappers(wrap):
    env = wrap(make("Pendulum-v1", N, "gym"))
    assert env.num_envs == N
    assert env.is_vector_env
    assert env.reset().shape == (N, 3)
    for action in actions_by_env("Pendulum-v1", N, 10):
        observation, reward, done, _ = env.step(action / 2)  # of 2, which RescaleAction wants
        assert observation.shape == (N, 3)
        assert reward.shape == done.shape == (N,)
    env.close()


def test_normalized_rewards_and_observations():
    """The numbers of what CleanRL's continuous scripts wrap around a vector environment."""
    plain = make("Pendulum-v1", N, "gym")
    env = gym.wrappers.NormalizeObservation(make("Pendulum-v1", N, "gym"))
    seen = [plain.reset()]
    env.reset()
    for action in actions_by_env("Pendulum-v1", N, 20):
        seen.append(plain.step(action)[0])
        observation = env.step(action)[0]
    seen = np.concatenate(seen)
    expected = (seen[-N:] - seen.mean(0)) / seen.std(0)
    np.testing.assert_allclose(observation, expected, rtol=0.01, atol=0.01)


@pytest.mark.skipif(VERSION < (0, 24), reason="gym < 0.24 wants a tuple of infos, not a dict")
def test_record_episode_statistics():
    env = gym.wrappers.RecordEpisodeStatistics(make("CartPole-v1", N, "gym"))
    own = make("CartPole-v1", N, "gym", record_episode_statistics=True)
    env.reset()
    own.reset()
    expected = []
    for action in actions_by_env("CartPole-v1", N, 100):
        env.step(action)
        _, _, done, info = own.step(action)
        expected += info["episode"]["r"][done].tolist()
    assert len(expected) > N
    assert list(env.return_queue) == expected


# --- a training loop --------------------------------------------------------------------------


class RecordReturns(gym.Wrapper):
    """What legacy scripts wrap around EnvPool: it adds ``r`` and ``l`` to the infos."""

    def reset(self, **kwargs):
        observations = super().reset(**kwargs)
        self.returns = np.zeros(self.num_envs, np.float32)
        self.lengths = np.zeros(self.num_envs, np.int32)
        return observations

    def step(self, action):
        observations, rewards, dones, infos = super().step(action)
        self.returns += rewards
        self.lengths += 1
        self.lengths[infos["elapsed_step"] == 0] = 0  # the auto-reset took the step
        infos["r"] = self.returns.copy()
        infos["l"] = self.lengths.copy()
        self.returns *= 1 - dones
        self.lengths *= 1 - dones
        return observations, rewards, dones, infos


def train(num_envs=16, num_steps=64, updates=30, gamma=0.98, learning_rate=0.5):
    """Policy gradient with a linear policy; returns the episodes' returns, in their order."""
    rng = np.random.default_rng(1)
    envs = envpool.make("CartPole-v1", env_type="gym", num_envs=num_envs, seed=1)
    envs.num_envs = num_envs
    envs.single_action_space = envs.action_space
    envs.single_observation_space = envs.observation_space
    envs.is_vector_env = True
    envs = RecordReturns(envs)
    assert isinstance(envs.action_space, gym.spaces.Discrete)

    weights = np.zeros((*envs.single_observation_space.shape, envs.single_action_space.n))
    shape = (num_steps, num_envs)
    obs = np.zeros((*shape, *envs.single_observation_space.shape))
    actions, rewards, dones = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape)
    probabilities = np.zeros((*shape, envs.single_action_space.n))
    episodes = []
    next_obs = envs.reset()
    next_done = np.zeros(num_envs)
    for _ in range(updates):
        for step in range(num_steps):
            obs[step], dones[step] = next_obs, next_done
            scores = np.exp(next_obs @ weights)
            probabilities[step] = scores / scores.sum(1, keepdims=True)
            actions[step] = rng.random(num_envs) < probabilities[step, :, 1]
            next_obs, rewards[step], next_done, info = envs.step(actions[step])
            for i in np.flatnonzero(next_done & (info["elapsed_step"] > 0)):
                assert info["r"][i] == info["l"][i]
                episodes.append(info["r"][i])
        advantages = np.zeros(shape)
        following = np.zeros(num_envs)
        for step in reversed(range(num_steps)):
            # A step after an episode's end is the reset of the next one.
            following = (rewards[step] + gamma * following) * (1 - dones[step])
            advantages[step] = following
        advantages = (advantages - advantages.mean()) / advantages.std()
        gradient = np.eye(2)[actions] - probabilities
        weights += learning_rate * np.einsum("tno,tna,tn->oa", obs, gradient, advantages) / 64
    envs.close()
    return np.array(episodes)


def test_training_loop_like_cleanrl():
    episodes = train()
    first, last = episodes[:50].mean(), episodes[-50:].mean()
    assert first < 40
    assert last > 3 * first


def test_what_such_loops_do_to_infos():
    pool, untouched = make("CartPole-v1", N, "gym"), make("CartPole-v1", N, "gym")
    pool.reset()
    untouched.reset()
    for action in actions_by_env("CartPole-v1", N, 50):
        results = pool.step(action)
        assert_same_results(results, untouched.step(action))
        results[-1]["r"] = 1
        for _, array in leaves(results[:3]):
            array[...] = 1
