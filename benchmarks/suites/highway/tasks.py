"""highway-env's own environments, by their ids, which are EnvPool's."""

import importlib

import makers


def make(order: makers.Order) -> makers.Make:
    """Gymnasium's vectorised driving tasks."""
    importlib.import_module("highway_env")  # Registers them.
    return makers.gymnasium(order)
