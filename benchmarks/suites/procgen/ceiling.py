"""Bare threads that step games of Procgen's library: Python's side of `ceiling.cpp`."""

import importlib
import os

import numpy as np

import cmake_build
from ceiling import Ceiling, SampleActions, open_native
from makers import Order

TARGET = "procgen_ceiling"


def prepare() -> None:
    """Compile the library, or what has changed of it."""
    cmake_build.build(TARGET)


def open_ceiling(sample_actions: SampleActions, order: Order) -> Ceiling:
    """See `open_native`."""
    envpool = importlib.import_module("envpool")
    engine = importlib.import_module("envpool.families.procgen.engine")
    spec = envpool.make_spec(order.task)
    simulator = (
        os.fsencode(engine.checked_folder()),
        spec.config.env_name.encode(),
        str(spec.config.distribution_mode).encode(),
    )
    library = cmake_build.library(TARGET)
    return open_native(library, simulator, spec.action_space, np.int32, sample_actions, order)
