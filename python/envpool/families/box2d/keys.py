"""The keys that play Box2D's environments."""

from __future__ import annotations

from gymnasium import spaces

from envpool.families.record import Keys
from envpool.spec.env_spec import EnvSpec

_DISCRETE: dict[str, Keys] = {
    "LunarLanderDiscrete": {
        "": (0, "no engine"),
        "up": (2, "main engine"),
        "left": (1, "turn left"),
        "right": (3, "turn right"),
    },
    "CarRacing": {
        "": (0, "roll"),
        "left": (2, "steer left"),
        "right": (1, "steer right"),
        "up": (3, "gas"),
        "down": (4, "brake"),
    },
}
_CONTINUOUS: dict[str, Keys] = {
    "LunarLanderContinuous": {
        "": ((0.0, 0.0), "no engine"),
        "up": ((1.0, 0.0), "main engine"),
        "left": ((0.0, -1.0), "turn left"),
        "right": ((0.0, 1.0), "turn right"),
    },
    # Gas and brake are those of Gymnasium's own game.
    "CarRacing": {
        "": ((0.0, 0.0, 0.0), "roll"),
        "left": ((-1.0, 0.0, 0.0), "steer left"),
        "right": ((1.0, 0.0, 0.0), "steer right"),
        "up": ((0.0, 1.0, 0.0), "gas"),
        "down": ((0.0, 0.0, 0.8), "brake"),
    },
    "BipedalWalker": {
        "": ((0.0, 0.0, 0.0, 0.0), "no torque"),
        "q": ((1.0, 0.0, 0.0, 0.0), "first hip forward"),
        "a": ((-1.0, 0.0, 0.0, 0.0), "first hip back"),
        "w": ((0.0, 1.0, 0.0, 0.0), "first knee straight"),
        "s": ((0.0, -1.0, 0.0, 0.0), "first knee bent"),
        "o": ((0.0, 0.0, 1.0, 0.0), "second hip forward"),
        "l": ((0.0, 0.0, -1.0, 0.0), "second hip back"),
        "i": ((0.0, 0.0, 0.0, 1.0), "second knee straight"),
        "k": ((0.0, 0.0, 0.0, -1.0), "second knee bent"),
    },
}


def keys_of(spec: EnvSpec) -> Keys | None:
    """Returns the keys of an environment."""
    table = _CONTINUOUS if isinstance(spec.action_space, spaces.Box) else _DISCRETE
    return table.get(spec.known.name)
