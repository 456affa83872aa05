"""The keys that play MiniGrid and BabyAI: minigrid's own."""

from __future__ import annotations

from itertools import islice

from gymnasium import spaces

from envpool.families.record import Keys
from envpool.spec.env_spec import EnvSpec

# Some levels have only the first of them.
_KEYS: Keys = {
    "left": (0, "turn left"),
    "right": (1, "turn right"),
    "up": (2, "go forward"),
    "page up": (3, "pick up"),
    "page down": (4, "drop"),
    "space": (5, "open, close, unlock"),
    "return": (6, "say that the mission is done"),
}


def keys_of(spec: EnvSpec) -> Keys | None:
    """Returns the keys of a level."""
    space = spec.action_space
    return dict(islice(_KEYS.items(), int(space.n))) if isinstance(space, spaces.Discrete) else None
