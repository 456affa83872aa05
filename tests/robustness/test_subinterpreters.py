"""Subinterpreters: envpool can be imported there, and refuses to make anything."""

import importlib.util

import pytest

from helpers import run_python

MODULE = next(
    (name for name in ("_interpreters", "_xxsubinterpreters") if importlib.util.find_spec(name)), ""
)

PROGRAM = """
import {module} as interpreters
{before}
inside = '''
import envpool
assert "Pong-v5" in envpool.list_all_envs()
for call in (
    lambda: envpool.make("CartPole-v1", "gymnasium", num_envs=2),
    lambda: envpool.make_spec("Pong-v5"),
    lambda: envpool.make_dm("FrozenLake-v1"),
    lambda: envpool._core,
):
    try:
        call()
    except ImportError as error:
        assert "subinterpreter" in str(error), error
    else:
        raise AssertionError("not refused")
'''
interpreter = interpreters.create({how})
failed = interpreters.run_string(interpreter, inside)  # raises in old versions
assert failed is None, failed
interpreters.destroy(interpreter)
import envpool
envpool.make("CartPole-v1", "gymnasium", num_envs=2).reset()
"""


@pytest.mark.skipif(not MODULE, reason="this Python has no module for subinterpreters")
@pytest.mark.parametrize(
    "before", ["import numpy", "import envpool; envpool.make_dm('CartPole-v1').reset()"]
)
@pytest.mark.parametrize("is_isolated", [True, False])
@pytest.mark.one_in(2)
def test_a_subinterpreter_is_refused(before, is_isolated):
    """Whether the main interpreter has loaded the native core before, or does so afterwards.

    It has loaded NumPy before: NumPy can be loaded once in a process.
    """
    how = f"isolated={is_isolated}"
    if MODULE == "_interpreters":
        how = '"isolated"' if is_isolated else '"legacy"'
    done = run_python(PROGRAM.format(module=MODULE, before=before, how=how))
    assert (done.returncode, done.stderr) == (0, "")
