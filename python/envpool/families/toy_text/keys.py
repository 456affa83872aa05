"""The keys that play toy text."""

from __future__ import annotations

from envpool.families.record import Keys
from envpool.spec.env_spec import EnvSpec

_KEYS: dict[str, Keys] = {
    "FrozenLake": {
        "left": (0, "go left"),
        "down": (1, "go down"),
        "right": (2, "go right"),
        "up": (3, "go up"),
    },
    "CliffWalking": {
        "up": (0, "go up"),
        "right": (1, "go right"),
        "down": (2, "go down"),
        "left": (3, "go left"),
    },
    "Taxi": {
        "down": (0, "go south"),
        "up": (1, "go north"),
        "right": (2, "go east"),
        "left": (3, "go west"),
        "space": (4, "pick the passenger up"),
        "return": (5, "drop the passenger off"),
    },
    "Blackjack": {"up": (1, "hit: another card"), "down": (0, "stick")},
    "Catch": {"": (1, "stay"), "left": (0, "go left"), "right": (2, "go right")},
}


def keys_of(spec: EnvSpec) -> Keys | None:
    """Returns the keys of an environment."""
    return _KEYS.get(spec.known.name)
