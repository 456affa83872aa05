"""torchrl's own classes for EnvPool, as they are. They take the spaces of a gym before 0.26."""

import pytest

import envpool
from helpers import assert_same_results, make

pytest.importorskip("torchrl", reason="needs torchrl and treevalue")
pytest.importorskip("treevalue")

import torch
from torchrl.collectors import Collector
from torchrl.envs.libs.envpool import MultiThreadedEnv, MultiThreadedEnvWrapper
from torchrl.envs.utils import check_env_specs

N = 4
# In the call, as docs/old_gym.md says.
OLD_GYM = {"old_gym": True}
TASKS = ["CartPole-v1", "Pendulum-v1"]


@pytest.mark.parametrize("task_id", TASKS)
def test_its_own_check(task_id):
    env = MultiThreadedEnv(num_workers=N, env_name=task_id, create_env_kwargs=dict(OLD_GYM))
    check_env_specs(env)
    env.close()


@pytest.mark.parametrize("task_id", TASKS)
def test_rollouts_are_the_pools(task_id):
    options = {"max_episode_steps": 20}
    env = MultiThreadedEnv(num_workers=N, env_name=task_id, create_env_kwargs=OLD_GYM | options)
    env.set_seed(3)
    steps = env.rollout(60, break_when_any_done=False)
    plain = make(task_id, N, seed=3, **options)
    assert_same_results(steps["observation"][:, 0].numpy(), plain.reset()[0])
    ended = 0
    for i in range(60):
        obs, reward, terminated, truncated, _ = plain.step(steps["action"][:, i].numpy())
        results = {key: value.numpy() for key, value in steps["next"][:, i].items()}
        done = terminated | truncated
        assert_same_results(results["observation"], obs)
        assert_same_results(results["reward"], reward)
        # An old gym does not tell one from the other, but for a limit of time.
        assert_same_results(results["done"], done)
        assert_same_results(results["terminated"], done)
        assert_same_results(results["truncated"], truncated & ~terminated)
        ended += done.sum()
    assert ended > N
    env.close()


def test_partial_resets():
    env = MultiThreadedEnv(num_workers=N, env_name="CartPole-v1", create_env_kwargs=dict(OLD_GYM))
    first = env.reset()
    which = torch.tensor([False, True, False, True])
    before = first["observation"].clone()  # it is overwritten
    second = env.reset(first.set("_reset", which))
    changed = (second["observation"] != before).any(-1)
    assert changed.tolist() == which.tolist()
    env.close()


def test_its_collector():
    pool = envpool.make(
        "CartPole-v1", env_type="gym", num_envs=N, gym_reset_return_info=True, **OLD_GYM
    )
    collector = Collector(
        MultiThreadedEnvWrapper(pool), None, frames_per_batch=64, total_frames=256
    )
    assert [batch.numel() for batch in collector] == [64] * 4
    collector.shutdown()
