"""metaworld's own environments, by EnvPool's ids; needs the package `metaworld`."""

import importlib
from functools import partial
from typing import Any

import makers


def make(order: makers.Order) -> makers.Make:
    """Gymnasium's vector of them, one after the other."""
    order.refuse("Gymnasium's vector of metaworld's environments", frames=True, batches=True)
    return partial(vector, order.task, order.num_envs)


def vector(task: str, num_envs: int) -> Any:
    """So many of them, one after the other.

    They are those that our tests compare ours with: upstream's own, which draw what episodes begin
    with from a seed, and whose welds are set as MuJoCo 3.17 has them.
    """
    make = importlib.import_module("envpool.oracles.metaworld").make_theirs
    return importlib.import_module("gymnasium").vector.SyncVectorEnv(
        [partial(make, task)] * num_envs
    )
