"""The keys that play classic control."""

from __future__ import annotations

from envpool.families.record import Keys
from envpool.spec.env_spec import EnvSpec

_KEYS: dict[str, Keys] = {
    # CartPole has no action that does nothing.
    "CartPole": {"left": (0, "push the cart left"), "right": (1, "push the cart right")},
    "MountainCar": {
        "": (1, "no acceleration"),
        "left": (0, "accelerate left"),
        "right": (2, "accelerate right"),
    },
    "MountainCarContinuous": {
        "": ((0.0,), "no acceleration"),
        "left": ((-1.0,), "accelerate left"),
        "right": ((1.0,), "accelerate right"),
    },
    "Acrobot": {
        "": (1, "no torque"),
        "left": (0, "torque of -1 on the joint"),
        "right": (2, "torque of +1 on the joint"),
    },
    "Pendulum": {
        "": ((0.0,), "no torque"),
        "left": ((2.0,), "torque counter-clockwise"),
        "right": ((-2.0,), "torque clockwise"),
    },
}


def keys_of(spec: EnvSpec) -> Keys | None:
    """Returns the keys of an environment."""
    return _KEYS.get(spec.known.name)
