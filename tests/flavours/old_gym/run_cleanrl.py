"""Runs one of CleanRL's scripts as it is: run_cleanrl.py SCRIPT [ARGUMENT ...]

They are of 2023, and what they were written for has no version with the interface that ``xla()``
needs. So what JAX and flax have dropped since then is put back before: nothing of this is ours.
"""

import runpy
import sys

import flax.struct
import jax


def dataclass(cls, **kwargs):
    """flax's, but a TrainState can ask whether its parameters have a certain name."""
    made = plain_dataclass(cls, **kwargs)
    made.__contains__ = lambda self, name: False
    return made


plain_dataclass = flax.struct.dataclass
flax.struct.dataclass = dataclass
jax.tree_map = jax.tree.map
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
