"""The keys that play Atari's games: the arrows and space, as far as a game uses them."""

from __future__ import annotations

from gymnasium import spaces

from envpool.families.atari.spec import action_names
from envpool.families.record import Keys
from envpool.spec.env_spec import EnvSpec

# ALE's names of actions are made of these words.
_JOYSTICK = {"UP": "up", "DOWN": "down", "LEFT": "left", "RIGHT": "right", "FIRE": "space"}
# A game with a paddle knows left and right only. To the right, Pong's paddle goes up.
_PADDLE = {"up": "right", "down": "left"}


def keys_of(spec: EnvSpec) -> Keys | None:
    """Returns the keys of a game.

    Raises:
        ImportError: ALE's package is missing, which knows the meanings of a game's actions.
    """
    if spec.spaces.most_players > 1 or not isinstance(spec.action_space, spaces.Discrete):
        return None
    found: dict[str, tuple[int | str, str]] = {}
    for value, name in enumerate(action_names(spec.config.task, spec.config.full_action_space)):
        keys = " + ".join(key for part, key in _JOYSTICK.items() if part in name)
        found[keys] = value, name.lower()
    if "right" in found and not found.keys() & _PADDLE.keys():
        found |= {key: (other, f"the same as {other}") for key, other in _PADDLE.items()}
    return found
