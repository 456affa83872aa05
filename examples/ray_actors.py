"""The cross-entropy method on CartPole with Ray actors, on one or many machines, each with a pool.

    pip install "envpool-next[ray]"
    python examples/ray_actors.py
    python examples/ray_actors.py --actors 4 --num-envs 256
    python examples/ray_actors.py --help

Each round draws a population of linear policies, plays an episode with each, and draws the next
population around the best ones. A pool cannot be sent to another process; its spec can, and each
actor makes a pool of its share of the environments. An environment's seed depends on the round and
on its number in the whole population, not on its actor. So the returns do not depend on the number
of actors, nor on where Ray puts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import envpool
from envpool import EnvSpec

try:
    import ray
except ImportError as error:
    raise SystemExit(f'{error}: this example needs pip install "envpool-next[ray]"') from error

Array = NDArray[Any]

TASK = "CartPole-v1"
ELITE = 0.2  # of a population, the best, around which the next one is drawn
LEAST_STD = 0.05  # so that the search does not end too early


class Player:
    """An actor: plays episodes, as many at a time as there are environments in its pool."""

    def __init__(self, spec: EnvSpec, num_envs: int) -> None:
        self.pool = spec.make("gymnasium", num_envs=num_envs)

    def returns(self, policies: Array, seeds: Sequence[int]) -> Array:
        """The return of one episode with each policy.

        Args:
            policies: A row of weights for each environment, ``(num_envs, 4)``.
            seeds: Each environment's.
        """
        obs, _ = self.pool.reset(seed=seeds)
        returns = np.zeros(len(policies))
        is_first = np.ones(len(policies), bool)  # is it still the first episode?
        while is_first.any():
            action = ((obs * policies).sum(axis=1) > 0).astype(np.int32)
            obs, reward, terminated, truncated, _ = self.pool.step(action)
            returns += np.where(is_first, reward, 0.0)
            is_first &= ~(terminated | truncated)
        return returns


def search(actors: int, num_envs: int, rounds: int, seed: int) -> list[Array]:
    """The returns of all policies, round by round."""
    spec = envpool.make_spec(TASK)
    shares = np.array_split(np.arange(num_envs), actors)
    player = ray.remote(num_cpus=1)(Player)
    players = [player.remote(spec, len(share)) for share in shares]
    rng = np.random.default_rng(seed)
    mean, std = np.zeros(4), np.ones(4)
    history = []
    for number in range(rounds):
        policies = mean + std * rng.standard_normal((num_envs, 4))
        seeds = np.random.SeedSequence([seed, number]).generate_state(num_envs)
        parts = [
            one.returns.remote(policies[share], seeds[share].tolist())
            for one, share in zip(players, shares, strict=True)
        ]
        returns = np.concatenate(ray.get(parts))
        best = policies[np.argsort(-returns, kind="stable")[: max(1, int(ELITE * num_envs))]]
        mean, std = best.mean(axis=0), np.maximum(best.std(axis=0), LEAST_STD)
        history.append(returns)
        print(f"round {number}: mean return {returns.mean():5.1f}, best {returns.max():5.1f}")
    return history


def main(
    actors: Annotated[int, typer.Option(min=1, help="How many, each with a pool.")] = 2,
    num_envs: Annotated[int, typer.Option(min=1, help="Policies per round, in total.")] = 128,
    rounds: Annotated[int, typer.Option(min=1, help="How often to draw a population.")] = 6,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything.")] = 1,
) -> None:
    """Looks for a policy that balances the pole."""
    if actors > num_envs:
        raise typer.BadParameter(f"{actors} actors have no more than {num_envs} environments")
    # Threads follow from the processors that Ray has given an actor: one, as said above.
    ray.init(runtime_env={"env_vars": {"ENVPOOL_NUM_THREADS": "1"}}, ignore_reinit_error=True)
    last = search(actors, num_envs, rounds, seed)[-1]
    print(f"{(last >= envpool.make_spec(TASK).config.max_episode_steps).mean():.0%} never fall")


if __name__ == "__main__":
    typer.run(main)
