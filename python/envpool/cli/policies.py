"""The command-line option ``--policy``: who chooses the actions."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import envpool
from envpool.cli.measure import of_players, random_action

# From a batch of observations and its info, as a pool returns them, to a batch of actions.
Policy: TypeAlias = Callable[[Any, dict[str, Any]], Any]


def make_policy(text: str, spec: envpool.EnvSpec, seed: int) -> Policy:
    """Make the policy that is meant.

    Args:
        text: ``random``, or ``MODULE:FUNCTION`` for a function of a module, which may be in the
            working directory. It is called with a batch of observations and returns the actions.
        spec: What it plays, for random actions.
        seed: Of random actions.

    Raises:
        ValueError: It is neither, or the module has no such function.
        ImportError: There is no such module, or it fails to import.

    """
    if text == "random":
        return _random_policy(spec, np.random.default_rng(seed))
    name, _, function = text.partition(":")
    if not name or not function:
        raise ValueError(f"--policy is {text!r}, expected random or MODULE:FUNCTION")
    directory = str(Path.cwd())
    if directory not in sys.path:
        sys.path.insert(0, directory)  # as python -m has it, but not the command envpool
    policy: Any = getattr(importlib.import_module(name), function, None)
    if not callable(policy):
        raise ValueError(f"--policy is {text!r}, but {name} has no function {function!r}")
    return lambda observation, info: policy(observation)


def _random_policy(spec: envpool.EnvSpec, random: np.random.Generator) -> Policy:
    def act(observation: Any, info: dict[str, Any]) -> Any:
        action = random_action(spec, spec.config.num_envs, random)
        return action if spec.most_players == 1 else of_players(spec, action, info)

    return act
