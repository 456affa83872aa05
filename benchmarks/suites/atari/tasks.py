"""Gymnasium's games of Atari, with wrappers that do what envpool's options do."""

import importlib
from dataclasses import replace
from functools import partial

import makers


def make(order: makers.Order) -> makers.Make:
    """Gymnasium's vectorised games."""
    importlib.import_module("ale_py")  # Registers them.
    wrappers = importlib.import_module("gymnasium.wrappers")
    stack = [wrappers.AtariPreprocessing, partial(wrappers.FrameStackObservation, stack_size=4)]
    # It is the wrapper that repeats actions, and nothing does at random.
    settings = {"frameskip": 1, "repeat_action_probability": 0.0, "wrappers": stack}
    game = replace(order, task=f"ALE/{order.task}", options=order.options | settings)
    return makers.gymnasium(game)
