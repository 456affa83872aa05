"""minigrid's own environments, by their ids, which are EnvPool's."""

import importlib

import makers


def make(order: makers.Order) -> makers.Make:
    """Gymnasium's vectorised grid worlds."""
    importlib.import_module("minigrid")  # Registers them.
    return makers.gymnasium(order)
