"""RLlib on our tasks trains as on Gymnasium's own, and the examples for Ray do what they say."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import envpool

pytest.importorskip("ray.rllib.algorithms.ppo", reason="needs ray[rllib], which pins a Gymnasium")

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig

ROOT = Path(__file__).parents[2]
OURS = ("envpool:envpool/CartPole-v1", "vector_entry_point")
THEIRS = ("CartPole-v1", "sync")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """As many processors as the tests need, whether they are there or not."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more of them slow down small networks
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"ENVPOOL_NUM_THREADS": "1"}},
    )
    yield
    ray.shutdown()
    torch.set_num_threads(threads)


def load(script):
    spec = importlib.util.spec_from_file_location(script, ROOT / "examples" / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[script] = module
    spec.loader.exec_module(module)
    ray.cloudpickle.register_pickle_by_value(module)  # workers do not have it
    return module


def train(environment, mode, runners, iterations=2):
    """Each iteration's episodes: their mean return, longest one, and how many there were."""
    config = (
        PPOConfig()
        .environment(environment)
        .env_runners(
            num_env_runners=runners, num_envs_per_env_runner=8, gym_env_vectorize_mode=mode
        )
        .training(train_batch_size_per_learner=1000, minibatch_size=250, num_epochs=2, lr=1e-3)
        .debugging(seed=7)
    )
    algorithm = config.build_algo()
    table = []
    for _ in range(iterations):
        runs = algorithm.train()["env_runners"]
        names = ("episode_return_mean", "episode_len_max", "num_episodes")
        table.append([float(runs[name]) for name in names])
    algorithm.stop()
    return table


def test_trains_as_on_gymnasiums_own():
    ours, theirs = train(*OURS, 0, 3), train(*THEIRS, 0, 3)
    assert ours == theirs
    assert theirs[0] != theirs[-1]


@pytest.fixture(scope="module")
def with_runners():
    """With two remote runners: Gymnasium's own twice, because they need not agree, and ours.

    A fixture, because to start all of these processes takes longer than a test may.
    """
    return [train(*environment, 2) for environment in (THEIRS, THEIRS, OURS)]


def test_trains_as_on_gymnasiums_own_with_remote_runners(with_runners):
    theirs, again, ours = with_runners
    if theirs != again:
        pytest.skip("two runs of Gymnasium's own differ")
    assert ours == theirs


def test_evaluate_in_a_callback():
    """As docs/evaluate.md says."""
    page = (ROOT / "docs" / "evaluate.md").read_text()
    snippet = page[page.index("def evaluated(") :]
    names = {"torch": torch, "envpool": envpool}
    exec(snippet[: snippet.index("\n\n\n")], names)  # the function
    config = (
        PPOConfig()
        .environment(OURS[0])
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8, gym_env_vectorize_mode=OURS[1])
        .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
        .callbacks(on_train_result=names["evaluated"])
    )
    algorithm = config.build_algo()
    result = algorithm.train()
    module = algorithm.get_module()

    def best(observation):
        with torch.no_grad():
            output = module.forward_inference({"obs": torch.from_numpy(observation)})
        return output["action_dist_inputs"].argmax(1).numpy()

    assert result["evaluation"] == {
        "episode_return_mean": envpool.evaluate(best, "CartPole-v1", 100).mean
    }
    algorithm.stop()


# --- the examples -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seeds_of_runners():
    """A fixture for the reason of `with_runners`, as the next one is."""
    example = load("rllib_ppo")
    config = example.make_config("CartPole-v1", runners=2, num_envs=8, seed=7)
    config.training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
    algorithm = config.build_algo()
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] >= 200
    seeds = algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.env.unwrapped.np_random_seed, local_env_runner=False
    )
    algorithm.stop()
    return seeds


def test_no_two_environments_of_runners_have_the_same_seed(seeds_of_runners):
    assert [len(of_runner) for of_runner in seeds_of_runners] == [8, 8]
    assert len({seed for of_runner in seeds_of_runners for seed in of_runner}) == 16


@pytest.fixture(scope="module")
def searches_by_actors():
    example = load("ray_actors")
    return example, [example.search(actors, 32, 3, seed=1) for actors in (1, 3)]


def test_rollouts_do_not_depend_on_the_actors(searches_by_actors):
    example, tables = searches_by_actors
    np.testing.assert_array_equal(*tables)
    alone = example.Player(envpool.make_spec("CartPole-v1"), 32)
    seeds = np.random.SeedSequence([1, 0]).generate_state(32).tolist()
    policies = np.random.default_rng(1).standard_normal((32, 4))
    np.testing.assert_array_equal(alone.returns(policies, seeds), tables[0][0])
    assert tables[0][-1].mean() > tables[0][0].mean()
