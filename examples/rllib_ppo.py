"""RLlib's PPO with a pool in each of its runners, in which all environments have different seeds.

    pip install "envpool-next[ray]"
    python examples/rllib_ppo.py
    python examples/rllib_ppo.py --task Acrobot-v1 --runners 4 --num-envs 16
    python examples/rllib_ppo.py --help

RLlib finds our tasks in Gymnasium's registry: ``.environment("envpool:envpool/CartPole-v1")`` does.
Then runner w resets its environments with the seeds s + w, s + w + 1, ..., as with Gymnasium's own.
So two consecutive runners with eight environments each have seven seeds in common, and the first
episodes with these start alike. Here a function makes the pool, with a wrapper that draws seeds.
"""

from __future__ import annotations

from typing import Annotated, Any

import gymnasium
import numpy as np
import typer
from gymnasium.vector import VectorEnv, VectorWrapper

try:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.tune.registry import register_env
except ImportError as error:
    raise SystemExit(f'{error}: this example needs pip install "envpool-next[ray]"') from error


class OwnSeeds(VectorWrapper):
    """Draws a seed for each environment from the one for all, in the place of counting on."""

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """See :meth:`gymnasium.vector.VectorEnv.reset`."""
        if seed is not None:
            seed = np.random.SeedSequence(seed).generate_state(self.num_envs).tolist()
        return super().reset(seed=seed, options=options)


def make_env(context: Any) -> VectorEnv[Any, Any, Any]:
    """What a runner calls; see RLlib's ``register_env``."""
    pool = gymnasium.make_vec(
        f"envpool:envpool/{context['task']}",
        num_envs=context["num_envs"],
        vectorization_mode="vector_entry_point",
    )
    return OwnSeeds(pool)


def make_config(task: str, runners: int, num_envs: int, seed: int) -> PPOConfig:
    """PPO on a task of ours.

    Args:
        task: Its id, such as ``"CartPole-v1"``.
        runners: How many processes step environments; 0: this one does.
        num_envs: Environments of each.
        seed: Of everything.
    """
    register_env("task", make_env)
    return (
        PPOConfig()
        .environment("task", env_config={"task": task})
        .env_runners(
            num_env_runners=runners,
            num_envs_per_env_runner=num_envs,
            gym_env_vectorize_mode="vector_entry_point",
        )
        .training(train_batch_size_per_learner=4000, minibatch_size=256, num_epochs=6, lr=1e-3)
        .debugging(seed=seed)
    )


def main(
    task: Annotated[str, typer.Option(help="A task: python -m envpool list.")] = "CartPole-v1",
    runners: Annotated[int, typer.Option(min=0, help="Processes that step environments.")] = 2,
    num_envs: Annotated[int, typer.Option(min=1, help="Environments per runner.")] = 8,
    iterations: Annotated[int, typer.Option(min=1, help="Training iterations.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything.")] = 7,
) -> None:
    """Trains, and says how it goes."""
    algorithm = make_config(task, runners, num_envs, seed).build_algo()
    for iteration in range(iterations):
        runs = algorithm.train()["env_runners"]
        print(f"iteration {iteration}: mean return {runs['episode_return_mean']:.1f}")
    algorithm.stop()


if __name__ == "__main__":
    typer.run(main)
