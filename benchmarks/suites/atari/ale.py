"""ALE's own vectorised environments, whose other defaults are those of envpool."""

import importlib
from functools import partial

import makers


def make(order: makers.Order) -> makers.Make:
    """ALE's vectorised games."""
    order.refuse("ALE's vector environment", frames=True)
    vector_env = importlib.import_module("ale_py").AtariVectorEnv
    game = importlib.import_module("gymnasium").spec(f"ALE/{order.task}").kwargs["game"]
    options = {"batch_size": order.steps_per_call, "reward_clipping": False, **order.options}
    return partial(vector_env, game, order.num_envs, **options)
