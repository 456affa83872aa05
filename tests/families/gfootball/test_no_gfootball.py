"""Where envpool was built without football, its tasks say how to build it, and all others work."""

from envpool.doctor.finding import command_in
from envpool.families.gfootball import MISSING
from helpers import run_python

BUILD = "ENVPOOL_FOOTBALL=ON pip install ."


def test_how_to_get_it():
    done = run_python("""
import numpy as np
import envpool
import envpool.families.gfootball as family
family.LIBRARY = "envpool.families.gfootball._nowhere"
for make in (envpool.make, envpool.make_spec):
    try:
        make("gfootball/5_vs_5-v1")
    except ImportError as error:
        print(error)
envpool.make("CartPole-v1").reset()
""")
    assert done.stdout.splitlines() == [MISSING] * 2, done.stderr
    assert MISSING.endswith(BUILD)


def test_the_doctor_knows_the_command():
    assert command_in(MISSING) == BUILD
